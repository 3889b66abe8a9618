/** What edit hands to the editor, and what becomes of what comes back: with an editor that the test plays. */
import { expect, test } from 'vitest';
import { FsError } from '../../src/errors.ts';
import type { TerminalRequest } from '../../src/shell/terminal.ts';
import { doubleShell } from '../support/double-shell.ts';
import { editShims } from './index.ts';

function editorThat(answers: readonly (string | null)[]) {
  const left = [...answers];
  const asked: TerminalRequest[] = [];
  const ask = async (request: TerminalRequest): Promise<string | null> => {
    asked.push(request);
    return left.shift() ?? null;
  };
  const terminal = { columns: 80, rows: 24, color: false, ask };
  const shell = doubleShell([(host) => editShims({ ...host, terminal: () => terminal })], {
    '/data/f': 'oné\n',
    '/data/g': 'two\n',
    '/tmp/other': '',
  });
  return { asked, run: shell.run, fs: shell.fs };
}

test('each file is opened with what is in it, and written as it comes back', async () => {
  const { run, asked, fs } = editorThat(['ONÉ\n', 'new']);
  expect(await run('edit f /data/sub/../none')).toEqual({ stdout: '', stderr: '', exitCode: 0 });
  expect(asked).toEqual([
    { kind: 'edit', name: '/data/f', text: 'oné\n' },
    { kind: 'edit', name: '/data/none', text: '' },
  ]);
  expect([await fs.readFile('/data/f'), await fs.readFile('/data/none')]).toEqual(['ONÉ\n', 'new']);
});

test.each<[answer: string | null, stderr: string, status: number]>([
  [null, 'edit: f: the editor failed; nothing was written\n', 1],
  ['oné\n', 'edit: f: nothing was changed\n', 0],
])('where %j comes back nothing is written', async (answer, stderr, status) => {
  const { run, fs } = editorThat([answer]);
  fs.refuse = (op) => (op === 'write' ? new FsError('EIO', { op, path: '/data/f' }) : undefined);
  expect(await run('edit f')).toEqual({ stdout: '', stderr, exitCode: status });
});

test.each<[answers: (string | null)[], edits: number]>([
  [['one', 'n'], 1],
  [['one', 'maybe'], 1],
  [['one', null], 1],
  [['zero', 'y', 'one', 'n'], 2],
  [['a', ' Yes ', 'b', 'YES', 'one', 'no'], 3],
])(
  'what is refused is edited on after a yes, and else kept in /tmp: %j',
  async (answers, edits) => {
    const { run, asked, fs } = editorThat(answers);
    fs.flush = async () => {
      throw new FsError('EACCES', { op: 'write', path: '/data/f', reason: 'no title' });
    };
    expect(await run('edit f')).toEqual({
      stdout: '',
      stderr: 'edit: f: Permission denied\ndirigent: no title\nedit: your text is in /tmp/f\n',
      exitCode: 1,
    });
    const [first, prompt] = asked;
    expect(first).toEqual({ kind: 'edit', name: '/data/f', text: 'oné\n' });
    expect(prompt).toEqual({
      kind: 'line',
      prompt: 'edit: f: no title\nEdit it again? y or n: ',
      hidden: false,
    });
    expect(asked.filter(({ kind }) => kind === 'edit')).toHaveLength(edits);
    if (edits > 1) expect(asked[2]).toEqual({ kind: 'edit', name: '/data/f', text: answers[0] });
    expect(await fs.readFile('/tmp/f')).toBe('one');
  },
);

test('what fails without being refused is no answer to the person', async () => {
  const { run, asked, fs } = editorThat(['x']);
  fs.flush = () => Promise.reject(new Error('a bug'));
  expect((await run('edit f')).stderr).toContain('a bug');
  expect(asked).toHaveLength(1);
});

test('a refusal without a reason is told as the system names it', async () => {
  const { run, asked, fs } = editorThat(['x']);
  fs.flush = () => Promise.reject(new FsError('EROFS', { op: 'write', path: '/data/f' }));
  await run('edit f');
  expect(asked[1]).toMatchObject({
    prompt: 'edit: f: Read-only file system\nEdit it again? y or n: ',
  });
});

test('a file that cannot be read is not opened, and the next one is', async () => {
  const { run, asked } = editorThat(['x']);
  const { stderr, exitCode } = await run('edit /tmp g');
  expect([stderr, exitCode]).toEqual(['edit: /tmp: Is a directory\n', 1]);
  expect(asked).toEqual([{ kind: 'edit', name: '/data/g', text: 'two\n' }]);
});

test('edit without a terminal, or without a file, says what to do', async () => {
  const { run, asked } = editorThat([]);
  expect((await run('edit')).stderr).toContain('say which file: edit FILE');
  const nobody = doubleShell([editShims], { '/data/f': '' });
  const { stderr, exitCode } = await nobody.run('edit f');
  expect([stderr.split('\n')[0], exitCode, asked]).toEqual([
    'edit: it needs a terminal; sed -i, patch and > edit a file without one',
    1,
    [],
  ]);
});
