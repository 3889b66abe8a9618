/** The search for credentials finds what is planted, whole and in pieces, in files and in what is printed. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, expect, it } from 'vitest';
import { findIn, searchTree } from './search.ts';
import { credential, PLANTED } from './tokens.ts';
import { KEPT, PRINTED } from './watch.ts';

const TOKEN = credential('ghp_', 'of_this_test');
const root = mkdtempSync(join(tmpdir(), 'planted-'));
afterAll(() => rmSync(root, { recursive: true }));

/** A directory with one file of this content. */
function planted(name: string, content: string | Uint8Array): string {
  const directory = join(root, name, 'a', 'b');
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, 'file'), content);
  return join(root, name);
}

const CONTENTS: [name: string, content: string | Uint8Array][] = [
  ['whole', `{"authorization":"Bearer ${TOKEN}"}`],
  ['its first half', TOKEN.slice(0, 20)],
  ['its second half', TOKEN.slice(-20)],
  ['UTF-16', Buffer.from(TOKEN, 'utf16le')],
  ...[0, 1, 2].map((n): [string, string] => [
    `base64, ${n} before it`,
    Buffer.from(`${'x'.repeat(n)}${TOKEN}`).toString('base64'),
  ]),
  [
    'behind 32 MB, where two pieces meet',
    Buffer.concat([Buffer.alloc(2 ** 24 * 2 - 5), Buffer.from(TOKEN)]),
  ],
];

it.each(CONTENTS)('%s', (name, content) => {
  const { found, files, directories } = searchTree(planted(name, content));
  expect(found).toHaveLength(1);
  expect(found[0]).toContain(join(name, 'a', 'b', 'file'));
  expect({ files, directories }).toEqual({ files: 1, directories: 3 });
});

it('in a row of a database, however the pages cut it', () => {
  for (let before = 3_900; before < 4_200; before += 7) {
    const directory = join(root, `database ${before}`);
    mkdirSync(directory);
    const database = new DatabaseSync(join(directory, 'x.sqlite'));
    database.exec('CREATE TABLE t (text TEXT)');
    const text = `${'x'.repeat(before)}${TOKEN}${'y'.repeat(9_000)}`;
    database.prepare('INSERT INTO t VALUES (?)').run(text);
    database.close();
    expect(searchTree(directory).found, String(before)).toHaveLength(1);
  }
});

it('not where there is none', () => {
  const { found, files } = searchTree(planted('none', 'ghp_somethingelse, host, only, secret'));
  expect({ found, files }).toEqual({ found: [], files: 1 });
  expect(findIn(Buffer.from('hostonly secret'))).toBeNull();
});

it('what a process prints is seen as it passes, and the test reads it all the same', async () => {
  const before = printed();
  const script = `process.stdout.write(${JSON.stringify(PLANTED)}); process.stderr.write('and more')`;
  const child = spawn(process.execPath, ['-e', script]);
  let said = '';
  child.stdout.on('data', (part: Buffer) => (said += part.toString()));
  await once(child, 'close');
  expect(said).toBe(PLANTED);
  expect(printed() - before).toBe(1);
  const { stdout } = spawnSync(process.execPath, ['-e', script], { encoding: 'utf8' });
  expect(stdout).toBe(PLANTED);
  expect(printed() - before).toBe(2);
});

it('a directory that a test removes is kept until it is searched', () => {
  const directory = mkdtempSync(join(tmpdir(), 'planted-and-removed-'));
  writeFileSync(join(directory, 'state'), PLANTED);
  rmSync(directory, { recursive: true });
  expect(existsSync(directory)).toBe(false);
  const kept = readdirSync(join(tmpdir(), KEPT)).filter((name) =>
    name.includes('planted-and-removed-'),
  );
  expect(kept.length).toBeGreaterThan(0);
});

/** How often this file's credential was seen in what was printed. */
function printed(): number {
  const file = join(tmpdir(), PRINTED);
  if (!existsSync(file)) return 0;
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.includes('_planted_')).length;
}
