/** A script in pieces is the script: whatever is in it, however the pieces fall. */
import { parse } from 'just-bash';
import { describe, expect, test } from 'vitest';
import { isLong, parseLong } from './long-scripts.ts';
import { testShell } from './test-shell.ts';

/** Some two pieces of commands. */
const LINES = Array.from(
  { length: 900 },
  (_, at) => `x=${at} # ${'a line of it '.repeat(6)}\n`,
).join('');
const TEXT = Array.from({ length: 300 }, (_, at) => `line ${at} of a text\n`).join('');

const SCRIPTS: readonly (readonly [what: string, script: string])[] = [
  ['commands of a line each', LINES],
  ['a loop over the end of a piece', `${LINES}for i in 1 2; do\n${LINES}done\necho end\n`],
  ['a function over the end of a piece', `${LINES}f() {\n${LINES}}\nf && f\n`],
  ['lists that go on after their line', `${LINES}${'true &&\n'.repeat(900)}echo end\n`],
  ['lines that go on after a backslash', `${LINES}echo ${'a \\\n'.repeat(900)}b\n${LINES}`],
  ['a text in quotes over the end of a piece', `${LINES}echo '${LINES}' "${TEXT}"\n${LINES}`],
  [
    'a short here-document over the end of a piece',
    `${`cat <<E\n${'a $x '.repeat(20)}\nE\n`.repeat(900)}`,
  ],
  ['empty lines at both ends, and none at the last', `\n\n${LINES}\n\necho end`],
  ['a redirection alone, and a comment alone', `${LINES}> f\n# that is all\n${LINES}`],
];

/** What a script is, without where in its text it stands. */
function shapeOf(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(shapeOf);
  if (typeof node !== 'object' || node === null) return node;
  return Object.fromEntries(
    Object.entries(node)
      .filter(([key]) => key !== 'sourceText')
      .map(([key, value]) => [key, shapeOf(value)]),
  );
}

describe('a long script in pieces', () => {
  test.each(SCRIPTS)('is what it is as a whole, with its lines: %s', (_what, script) => {
    expect(shapeOf(parseLong(script))).toEqual(shapeOf(parse(script)));
  });

  test('is told from a short one by its length', () => {
    expect([isLong('x'.repeat(100_000)), isLong('x'.repeat(200_000))]).toEqual([false, true]);
  });

  test('has what is wrong with it where it is wrong', () => {
    expect(() => parseLong(`${LINES}if true\n`)).toThrow();
    expect(() => parseLong(`${LINES}echo 'never closed`)).toThrow();
  });
});

describe('a long here-document', () => {
  /** What the body of each here-document of a script is, its parts as they are. */
  const bodies = (node: unknown): unknown[] => {
    if (typeof node !== 'object' || node === null) return [];
    const inner = Object.values(node).flatMap(bodies);
    const { type, content } = node as { type?: unknown; content?: unknown };
    return type === 'HereDoc' ? [shapeOf(content), ...inner] : inner;
  };
  /** Parts of plain text in a row are one. */
  const joined = (word: unknown): unknown => {
    const { parts } = word as { parts: { type: string; value?: string }[] };
    const made: { type: string; value?: string }[] = [];
    for (const part of parts) {
      const last = made.at(-1);
      if (part.type === 'Literal' && last?.type === 'Literal')
        last.value = `${last.value}${part.value}`;
      else made.push({ ...part });
    }
    return made;
  };

  test.each([
    ['with its expansions', `cat <<E\na $x \${y:-z} $(echo "$x") \\$q \`b\`\n${TEXT}$((1+1))\nE\n`],
    ['quoted', `cat <<'E'\na $x \`b\n${TEXT}E\necho after\n`],
    ['quoted by a backslash', `cat <<\\E > f\n$x\n${TEXT}E\n`],
    ['and another one, in one line', `cat <<A - <<'B' | tail\n${TEXT}A\n$b${TEXT}B\necho $y\n`],
    ['beside a short one', `cat <<S\nshort $x\nS\ncat <<L\n${TEXT}L\ncat <<S\nagain\nS\n`],
    [
      'in a substitution over many lines',
      `cat <<E\n$(echo a\n${TEXT.replaceAll('line', ': line')})\nE\n`,
    ],
    ['that closes its quotes late', `cat <<E\n"\${x:-'${TEXT}'}" done\nE\n`],
    ['in a function', `f() {\ncat <<E\n${TEXT}$1\nE\n}\nf a\n`],
  ])('is what was written: %s', (_what, script) => {
    const [made, plain] = [parseLong(script), parse(script)];
    expect(bodies(made).map(joined)).toEqual(bodies(plain).map(joined));
    const lines = (node: unknown): unknown =>
      JSON.stringify(node).match(/"line":\d+/g) ?? 'no lines';
    expect(made.statements.map(({ pipelines }) => lines(pipelines))).toEqual(
      plain.statements.map(({ pipelines }) => lines(pipelines)),
    );
  });

  test('has no tabs where it is to have none', async () => {
    const script = `x=v; cat <<-E | sort -u | tail -n 2\n\t${TEXT.replaceAll('line', '\tline')}\t\tmore $x\n\tE\n`;
    const { stdout } = await testShell().run(`${'# long\n'.repeat(30_000)}${script}echo $LINENO`);
    expect(stdout).toBe('line 99 of a text\nmore v\n30304\n');
  });

  test('is none in quotes', () => {
    const script = `echo "cat <<EOF"\n${TEXT.replaceAll('line', ': line')}EOF\n`;
    expect(shapeOf(parseLong(script))).toEqual(shapeOf(parse(script)));
    const open = `echo <<EOF\n${TEXT}`;
    expect(bodies(parseLong(open)).map(joined)).toEqual(bodies(parse(open)).map(joined));
  });
});

test('what is long is evaluated and sourced as what is short: its arguments, its status, its end', async () => {
  const filler = '# a comment that fills\n'.repeat(9000);
  const { run } = testShell({ '/work/long.sh': `${filler}echo "$1 $LINENO"\nreturn 3\necho no\n` });
  const own = await run('set -- own; . ./long.sh; echo $?; source long.sh 2> /dev/null; echo $?');
  expect(own.stdout).toBe('own 9001\n3\nown 9001\n3\n');
  expect((await run('. ./long.sh arg; echo "$? $1"')).stdout).toBe('arg 9001\n3 own\n');
  expect((await run('. ./missing.sh 2> /dev/null; echo $?')).stdout).toBe('1\n');
  const script = `${filler}y=2; echo "$y $LINENO"; (exit 4)`;
  expect((await run(`eval "$(cat <<'E'\n${script}\nE\n)"; echo $? $y`)).stdout).toBe(
    '2 9001\n4 2\n',
  );
});
