/** Scripts longer than the parser takes at once. */
import { expect, test } from 'vitest';
import { testShell } from './test-shell.ts';

const LONG = 'and more of it '.repeat(8);
const LINES = Array.from({ length: 9000 }, (_, at) => `x=${at} # line ${at} ${LONG}\n`).join('');
const TEXT = Array.from({ length: 9000 }, (_, at) => `line ${at} of a text ${LONG}\n`).join('');

test('a script of megabytes runs, with the numbers of its lines, and its functions', async () => {
  const big = `f() {\n${LINES}echo "f $1 $LINENO"\n}\n${LINES}if true\nthen\n  f $x &&\n  echo "$LINENO"\nfi\n`;
  const { run } = testShell({
    '/work/big.sh': big.replace(/^f\(\) \{\n.*?\n\}\n/s, 'f() {\necho "f $1 $LINENO"\n}\n'),
  });
  const { stdout, stderr } = await run('bash big.sh');
  expect({ stdout, stderr }).toEqual({ stdout: 'f 8999 2\n9007\n', stderr: '' });
  expect((await run('. ./big.sh; echo "$x"')).stdout).toBe('f 8999 2\n9007\n8999\n');
  expect((await run('eval "$(cat big.sh)"; f again | cut -d" " -f1,2')).stdout).toBe(
    'f 8999 2\n9007\nf again\n',
  );
  const line = await run(`${LINES}echo $x $LINENO`);
  expect(line.stdout).toBe('8999 9001\n');
});

test('a here-document of megabytes is what was written, expanded where it is not quoted', async () => {
  const { run } = testShell();
  const quoted = await run(
    `cat > f <<'EOF'\n$x \`y\`\n${TEXT}EOF\nwc -c < f; head -n 1 f; echo $LINENO`,
  );
  expect(quoted.stdout).toBe(`${TEXT.length + 7}\n$x \`y\`\n9004\n`);
  const body = `a=$x b=$(echo \${x}s) \\$c\n${TEXT}end $((1 + 1))\n`;
  const plain = await run(`x=7\ncat > f <<EOF\n${body}EOF\nwc -l < f; head -n 1 f; tail -n 1 f`);
  expect(plain.stdout).toBe('9002\na=7 b=7s $c\nend 2\n');
  const two = await run(`cat <<A - <<-'B' | tail -n 1\n${TEXT}A\n\t${TEXT}\tlast\n\tB\necho done`);
  expect(two.stdout).toBe('last\ndone\n');
});

test('what is wrong in it is said with its line, and nothing before it is lost', async () => {
  const { run } = testShell({ '/work/big.sh': `${LINES}echo before\n)\n` });
  const { stderr, exitCode } = await run('bash big.sh');
  expect(stderr).toContain('syntax error');
  expect(exitCode).toBe(2);
  const open = await run(`${LINES}echo 'never closed`);
  expect(open.stderr).toContain('unexpected EOF');
});

test('text in quotes that looks like a here-document is none', async () => {
  const { run } = testShell();
  const script = `echo "cat <<EOF" | wc -c\n${TEXT.replaceAll('line', ': line')}\nEOF() { echo fine; }\nEOF\n`;
  expect((await run(script)).stdout).toBe('10\nfine\n');
});
