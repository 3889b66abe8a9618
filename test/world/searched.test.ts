/** A search by meaning never says "nothing" of what it has not searched. */
import {
  appendFileSync,
  linkSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { World } from '../../entry/index.ts';
import { Bench, REPO, TOKEN } from '../../mounts/github/testing.ts';
import { temporaryDirectory, testWorld } from './harness.ts';

/** A file of each kind, with a word that stands in no other. */
const FILES: Readonly<Record<string, string>> = {
  'page.md': '# A page\n\nThe flugelhorn is blown at dawn.\n',
  'table.tsv': 'id\tname\n1\tsackbut player\n',
  'table.csv': 'id,name\n1,ophicleide player\n',
  'code.ts': 'export const blowHard = (): string => "serpentine crumhorn";\n',
  plain: 'a rackett stands here\n',
  'notes.log': '12:00 the shawm was tuned\n',
  '.hidden/deep/er.yaml': 'instrument: dulcian tenor\n',
  '.env.example': 'INSTRUMENT=theorbo\n',
  'sp ace/ünïcode.txt': 'a krummhorn in the cellar\n',
  'large.txt': `${'nothing of note is written on this line\n'.repeat(40_000)}the cornett at the end\n`,
  'large.tsv': `${'1\tnothing of note\n'.repeat(80_000)}2\tbombarde\n`,
};
const WORD: Readonly<Record<string, string>> = {
  'page.md': 'flugelhorn',
  'table.tsv': 'sackbut',
  'table.csv': 'ophicleide',
  'code.ts': 'crumhorn',
  plain: 'rackett',
  'notes.log': 'shawm',
  '.hidden/deep/er.yaml': 'dulcian',
  '.env.example': 'theorbo',
  'sp ace/ünïcode.txt': 'krummhorn',
  'large.txt': 'cornett',
  'large.tsv': 'bombarde',
};

const put = (directory: string, files: Readonly<Record<string, string>>): void => {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(directory, name, '..'), { recursive: true });
    writeFileSync(join(directory, name), text);
  }
};

describe.each(['disk', 'memory'] as const)('of a %s mount', (kind) => {
  async function filled(): Promise<World> {
    const directory = temporaryDirectory();
    put(directory, FILES);
    const mounts: Record<string, string> =
      kind === 'disk' ? { '/mnt/x': `${directory}:rw` } : { '/mnt/x': 'mem', '/mnt/y': directory };
    const world = testWorld({ mounts });
    if (kind === 'memory') expect((await world.exec('cp -r /mnt/y/. /mnt/x/')).exitCode).toBe(0);
    return world;
  }

  test('every text is found: from above, from its directory, from within, and by its name', async () => {
    const world = await filled();
    for (const [path, word] of Object.entries(WORD)) {
      const above = await world.exec(`grep ${word} /mnt/x`);
      expect([path, above.exitCode, above.stdout]).toEqual([
        path,
        0,
        expect.stringContaining(`/mnt/x/${path}:`),
      ]);
      const inside = await world.exec(`cd /mnt/x; search ${word}`);
      expect(inside.stdout).toContain(`${path}:`);
      const named = await world.exec(`search ${word} "/mnt/x/${path}"`);
      expect([named.exitCode, named.stdout]).toEqual([0, expect.stringContaining(word)]);
      const line = /:(\d+):/.exec(above.stdout)?.[1] ?? '0';
      const there = await world.exec(`sed -n ${line}p "/mnt/x/${path}"`);
      expect(there.stdout).toContain(word);
    }
  });

  test('what is nowhere is nothing: status 1, as everything was searched', async () => {
    const world = await filled();
    const { exitCode, stdout, stderr } = await world.exec('grep xylorimba /mnt/x');
    expect([exitCode, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(
      /^searched \d+ documents by meaning, index \d+ s old; 2 not indexed were searched literally\n$/,
    );
  });
});

describe('what is not searched is said', () => {
  test('what is no text, and what tools keep: status 2 where nothing was found, 0 beside an answer', async () => {
    const directory = temporaryDirectory();
    put(directory, {
      'a.md': 'a flugelhorn\n',
      'b.bin': 'sack\0but\n',
      '.git/config': 'rackett\n',
      'node_modules/x/README.md': 'shawm\n',
    });
    const world = testWorld({ mounts: { '/mnt/x': directory } });
    const nothing = await world.exec('cd /mnt/x; grep rackett');
    expect([nothing.exitCode, nothing.stdout]).toEqual([2, '']);
    expect(nothing.stderr).toMatch(
      /\ngrep: skipped b\.bin: it is no text; .*\ngrep: skipped 2 names such as \.git: tools keep them for themselves; .*\n$/,
    );
    const answer = await world.exec('cd /mnt/x; grep flugelhorn');
    expect([answer.exitCode, answer.stdout]).toEqual([0, 'a.md:1:a flugelhorn\n']);
    expect(answer.stderr).toContain('skipped b.bin');
    const named = await world.exec('cd /mnt/x; grep rackett .git; cd node_modules; search shawm');
    expect(named.stdout).toBe('.git/config:1:rackett\nx/README.md:1:shawm\n');
    const after = await world.exec('grep shawm /mnt/x');
    expect([after.exitCode, after.stdout]).toEqual([2, '']);
    const binary = await world.exec('search sackbut /mnt/x/b.bin');
    expect([binary.exitCode, binary.stderr]).toEqual([2, expect.stringContaining('it is no text')]);
  });

  test('a place that is a link is where it leads, and answers are named by it', async () => {
    const directory = temporaryDirectory();
    put(directory, { 'real/a.md': 'a flugelhorn\n' });
    symlinkSync('real', join(directory, 'link'));
    const world = testWorld({ mounts: { '/mnt/x': directory } });
    const { exitCode, stdout } = await world.exec('cd /mnt/x; grep flugelhorn link');
    expect([exitCode, stdout]).toEqual([0, 'link/a.md:1:a flugelhorn\n']);
  });

  test('a mount in scope that is not searched by meaning', async () => {
    const [directory, other] = [temporaryDirectory(), temporaryDirectory()];
    put(directory, { 'a.md': 'a flugelhorn\n' });
    put(other, { 'b.md': 'a rackett\n' });
    const world = testWorld({
      mounts: { '/mnt/x': directory, '/mnt/x/y': { source: other, search: false } },
    });
    const { exitCode, stdout, stderr } = await world.exec('grep rackett /mnt/x');
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toContain('grep: skipped /mnt/x/y: it is not searched by meaning');
  });
});

describe('of the files of a repository', () => {
  test('code is found where it lies, and pushes no issue out', async () => {
    await using bench = await Bench.start({ issues: 30, commentsEach: 0, pullEvery: 10 });
    const into = { op: 'put-file', owner: 'octo', repo: 'hello' } as const;
    for (let n = 0; n < 30; n++) {
      const content = `/** Number ${n} is broken: the frobnicator clock. */\nexport const broken${n} = ${n};\n`;
      await bench.github.edit({ ...into, path: `src/broken-${n}.ts`, content });
    }
    const content = 'The clock of the tower is wound on Mondays.\n';
    await bench.github.edit({ ...into, path: 'docs/clock.md', content });
    const source = { source: 'github', baseUrl: bench.github.url, tokenEnv: 'T', freshMs: 60_000 };
    const world = testWorld({ mounts: { '/mnt/github': source } }, { env: { T: TOKEN } });
    const at = `/mnt/github${REPO}`;
    const docs = await world.exec(`cd ${at}/files; grep clock docs`);
    expect([docs.exitCode, docs.stdout]).toEqual([
      0,
      'docs/clock.md:1:The clock of the tower is wound on Mondays.\n',
    ]);
    const labels = await world.exec(`cd ${at}; grep d73a4a labels.tsv`);
    expect(labels.exitCode).toBe(0);
    const all = await world.exec(`cd ${at}; search "number is broken"`);
    const kinds = all.stdout
      .trim()
      .split('\n')
      .map((line) => line.split('/')[0]);
    expect(kinds).toHaveLength(10);
    expect(
      kinds.filter((kind) => kind === 'issues' || kind === 'pulls').length,
    ).toBeGreaterThanOrEqual(6);
    expect(kinds.filter((kind) => kind === 'files').length).toBeGreaterThanOrEqual(1);
  });
});

test('what anybody changes is found by the next question, in a mount that the host tells about, too', async () => {
  const directory = temporaryDirectory();
  const many = Object.fromEntries(
    Array.from({ length: 2_300 }, (_, n) => [`d${n % 23}/f${n}.md`, `page ${n} of the book\n`]),
  );
  put(directory, many);
  const world = testWorld({ mounts: { '/mnt/x': `${directory}:rw` } });
  await world.exec('index --wait /mnt/x');
  const found = async (word: string): Promise<string> =>
    (await world.exec(`cd /mnt/x; search -n 1 ${word}`)).stdout.split(':')[0] ?? '';
  // Looked at twice: from then on the host tells.
  for (const _ of [1, 2]) expect(await found('flugelhorn')).toBe('');
  const host = (name: string): string => join(directory, name);
  const changes: [word: string, name: string, change: () => unknown][] = [
    ['sackbut', 'd3/f3.md', () => writeFileSync(host('d3/f3.md'), 'sackbut\n')],
    ['shawm', 'd4/f4.md', () => appendFileSync(host('d4/f4.md'), 'shawm\n')],
    ['rackett', 'd5/new.md', () => world.exec('echo rackett > /mnt/x/d5/new.md')],
    ['crumhorn', 'new/er/a.md', () => put(directory, { 'new/er/a.md': 'crumhorn\n' })],
    ['dulcian', 'new/er/b.md', () => world.exec('echo dulcian > /mnt/x/new/er/b.md')],
    ['theorbo', 'd6/f6.md', () => world.exec('sed -i s/page/theorbo/ /mnt/x/d6/f6.md')],
    ['crumhorn', 'moved/er/a.md', () => world.exec('mv /mnt/x/new /mnt/x/moved')],
    ['bombarde', 'moved/er/b.md', () => writeFileSync(host('moved/er/b.md'), 'bombarde\n')],
  ];
  for (const [word, name, change] of changes) {
    await change();
    expect([word, await found(word)]).toEqual([word, name]);
  }
  rmSync(host('moved'), { recursive: true });
  expect(await found('bombarde')).toBe('');
  put(directory, { 'moved/er/b.md': 'cornett\n' });
  expect(await found('cornett')).toBe('moved/er/b.md');
  // A second name is what the host does not tell of: it is found in turn.
  const elsewhere = temporaryDirectory();
  linkSync(host('d7/f7.md'), join(elsewhere, 'second'));
  expect(readFileSync(join(elsewhere, 'second'), 'utf8')).toContain('page 7');
  writeFileSync(join(elsewhere, 'second'), 'ophicleide\n');
  for (let turn = 0; turn < 5; turn++) await found('anything');
  expect(await found('ophicleide')).toBe('d7/f7.md');
});
