/** What index says of what it is told: over a search whose state the test gives. */
import { expect, test } from 'vitest';
import type { IndexState, SentenceState } from '../../src/search/contract.ts';
import { doubleShell } from '../support/double-shell.ts';
import { indexShims } from './index.ts';

const SENTENCES: SentenceState = {
  model: 'small',
  vectors: 1200,
  pending: 30,
  refused: 0,
  tokens: 5,
  replaces: null,
  trouble: null,
  gaveUp: false,
  holdsUntil: null,
};

function shellWith(state: Partial<IndexState> = {}) {
  const asked: [paths: readonly string[], wait: boolean][] = [];
  const shell = doubleShell(
    [
      (host) =>
        indexShims({
          ...host,
          search: {
            ...host.search,
            state: async (paths, wait) => {
              asked.push([paths, wait]);
              return { documents: 1, chunks: 1234, pending: 0, ...state };
            },
          },
        }),
    ],
    { '/data/d/f': 'x' },
  );
  return { asked, run: shell.run };
}

test.each<[command: string, asked: [string[], boolean][], stdout: string]>([
  ['index', [[['/'], false]], '/: 1 document in 1,234 chunks indexed, 0 not yet\n'],
  ['index --wait', [[['/'], true]], '/: 1 document in 1,234 chunks indexed, 0 not yet\n'],
  ['index d', [[['/data/d'], false]], 'd: 1 document in 1,234 chunks indexed, 0 not yet\n'],
  [
    'index d --wait /data',
    [
      [['/data/d'], true],
      [['/data'], true],
    ],
    'd: 1 document in 1,234 chunks indexed, 0 not yet\n/data: 1 document in 1,234 chunks indexed, 0 not yet\n',
  ],
  [
    'index --json d',
    [[['/data/d'], false]],
    '{"path":"d","documents":1,"chunks":1234,"pending":0}\n',
  ],
  ['index --help --wait', [], 'usage: index [--wait] [--json] [PATH…]\n'],
])('%s', async (command, asked, stdout) => {
  const shell = shellWith();
  expect(await shell.run(command)).toEqual({ stdout, stderr: '', exitCode: 0 });
  expect(shell.asked).toEqual(asked);
});

test('one is told as one, and thousands are told apart', async () => {
  const { stdout } = await shellWith({ documents: 2, chunks: 1, pending: 4321 }).run('index');
  expect(stdout).toBe('/: 2 documents in 1 chunk indexed, 4,321 not yet\n');
});

test.each<[what: Partial<SentenceState>, line: string]>([
  [{}, 'vectors of small: 1,200 of 1,230\n'],
  [{ refused: 2000 }, 'vectors of small: 1,200 of 3,230, 2,000 not taken by the model\n'],
  [{ replaces: 'old' }, 'vectors of small: 1,200 of 1,230; until then old is in use\n'],
])('how the vectors stand is a line of its own: %j', async (what, line) => {
  const { run } = shellWith({ sentences: { ...SENTENCES, ...what } });
  const { stdout, exitCode } = await run('index d');
  expect([stdout, exitCode]).toEqual([
    `d: 1 document in 1,234 chunks indexed, 0 not yet\n${line}`,
    0,
  ]);
  expect(JSON.parse((await run('index --json d')).stdout)).toMatchObject({ sentences: what });
});

test.each<[command: string, state: Partial<IndexState>, stderr: string]>([
  ['index --fast', {}, 'index: no option --fast\nusage: index [--wait] [--json] [PATH…]\n'],
  ['index none', {}, 'index: none: No such file or directory\n'],
  ['index d', { failed: [{ path: '/data/d/g', error: 'gone' }] }, 'index: /data/d/g: gone\n'],
  ['index d', { sentences: { ...SENTENCES, gaveUp: true, trouble: 'no key' } }, 'index: no key\n'],
])('%s is status 2, with what is wrong', async (command, state, stderr) => {
  const told = await shellWith(state).run(command);
  expect([told.stderr, told.exitCode]).toEqual([stderr, 2]);
});

test('what is wrong with one path keeps nothing back of another', async () => {
  const { stdout, stderr, exitCode } = await shellWith().run('index none d');
  expect([stdout, stderr, exitCode]).toEqual([
    'd: 1 document in 1,234 chunks indexed, 0 not yet\n',
    'index: none: No such file or directory\n',
    2,
  ]);
});
