/** The files that are open in an editor, as an agent of a world has them. */
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { RequestError } from '@agentclientprotocol/sdk';
import { expect, test } from 'vitest';
import { calls, says } from '../stand-ins/model/index.ts';
import { temporaryDirectory } from '../world/harness.ts';
import { editor, type OpenFiles, ofKind, prompted } from './editor.ts';

/** What each command printed that an agent ran while a directory was open in an editor. */
async function inEditor(project: string, commands: readonly string[], open: OpenFiles) {
  const connected = await editor(
    (_, index) => {
      const command = commands[index];
      return command === undefined ? says('done') : calls(['bash', { command }]);
    },
    undefined,
    undefined,
    open,
  );
  const session = await connected.agent.buildSession(project).start();
  const { updates } = await prompted(session, 'go');
  const printed = ofKind(updates, 'tool_call_update').map((update) => {
    const [shown] = (update as { content?: { content: { text: string } }[] }).content ?? [];
    return shown?.content.text.replace(/^```\n|```$/g, '') ?? '';
  });
  return { ...connected, updates, printed };
}

/** A directory with a file of each sort, and another one that links of it lead to. */
function projectDirectory(): string {
  const project = temporaryDirectory();
  const elsewhere = temporaryDirectory();
  writeFileSync(join(elsewhere, 'secret'), 'secret\n');
  writeFileSync(join(project, 'a.ts'), 'saved\n');
  writeFileSync(join(project, 'empty.ts'), '');
  writeFileSync(join(project, 'dos.ts'), 'one\r\ntwo\r\n');
  writeFileSync(join(project, 'x.bin'), Buffer.from([0xff, 0x0a]));
  writeFileSync(join(project, 'locked.ts'), 'locked\n');
  symlinkSync(join(elsewhere, 'secret'), join(project, 'file-out'));
  symlinkSync(elsewhere, join(project, 'out'));
  return project;
}

const inside = (project: string, files: readonly string[]): string[] =>
  files.map((file) => (file.startsWith(`${project}/`) ? file.slice(project.length + 1) : file));

test('the files of the editor are read as it shows them, and what it cannot show as they are on the disk', async () => {
  const project = projectDirectory();
  const asked: string[] = [];
  const shown: Record<string, string> = { 'dos.ts': 'one\ntwo\n', 'empty.ts': 'begun\n' };
  const { printed } = await inEditor(
    project,
    [
      'cd /mnt/editor && cat a.ts && wc -c < a.ts && wc -c < empty.ts && head -c 3 empty.ts && ls',
      'grep -rn -e unsaved -e begun -e saved /mnt/editor; sort /mnt/editor/a.ts | tail -n 1',
      'xxd -p /mnt/editor/dos.ts; xxd -p /mnt/editor/x.bin',
      'cat /mnt/editor/file-out /mnt/editor/out/secret /mnt/editor/missing.ts',
      'echo x > /mnt/editor/a.ts',
    ],
    {
      mode: 'ro',
      read: (file) => {
        asked.push(file);
        return shown[file.slice(project.length + 1)] ?? 'unsaved\n';
      },
      write: (file) => void asked.push(`written: ${file}`),
    },
  );
  expect(printed[0]).toBe(
    'unsaved\n8\n6\nbega.ts\ndos.ts\nempty.ts\nfile-out\nlocked.ts\nout\nx.bin\n',
  );
  expect(printed[1]).toBe(
    '/mnt/editor/a.ts:1:unsaved\n/mnt/editor/empty.ts:1:begun\n/mnt/editor/locked.ts:1:unsaved\nunsaved\n',
  );
  // Editors keep no carriage returns: a text that is the saved one but for them is the saved one.
  expect(printed[2]).toBe('6f6e650d0a74776f0d0a\nff0a\n');
  expect(printed[3]).not.toContain('secret\n');
  expect(printed[4]).toContain('is mounted ro');
  expect([...new Set(inside(project, asked))].sort()).toEqual([
    'a.ts',
    'dos.ts',
    'empty.ts',
    'locked.ts',
  ]);
});

test('what is written goes to the editor, whole, unless it is refused or no text', async () => {
  const project = projectDirectory();
  const buffers = new Map([['a.ts', 'unsaved\n']]);
  const written: string[] = [];
  const { printed, updates } = await inEditor(
    project,
    [
      'cd /mnt/editor; echo more >> a.ts; sed -i s/unsaved/edited/ a.ts; cat a.ts; echo n > new.ts',
      "printf '\\xff' > /mnt/editor/x.bin; xxd -p /mnt/editor/x.bin",
      'echo x > /mnt/editor/locked.ts',
      'echo x > /mnt/editor/out/made; echo x > /mnt/editor/file-out; echo x > /mnt/editor/none/a',
      'echo x > /mnt/editor/dirigent.config.mjs; echo x > /mnt/editor/.dirigent',
    ],
    {
      mode: 'rw',
      read: (file) => {
        const name = file.slice(project.length + 1);
        return buffers.get(name) ?? readFileSync(file, 'utf8');
      },
      write: (file, text) => {
        const name = file.slice(project.length + 1);
        written.push(name);
        buffers.set(name, text);
      },
    },
  );
  expect(printed[0]).toBe('edited\nmore\n');
  expect(buffers.get('a.ts')).toBe('edited\nmore\n');
  expect(buffers.get('new.ts')).toBe('n\n');
  // It is the editor's to save.
  expect(readFileSync(join(project, 'a.ts'), 'utf8')).toBe('saved\n');
  expect(printed[1]).toBe('ff\n');
  expect(readFileSync(join(project, 'x.bin'))).toEqual(Buffer.from([0xff]));
  expect(printed[2]).toContain('locked');
  expect(
    ofKind(updates, 'tool_call_update').map((each) => 'status' in each && each.status),
  ).toEqual(['completed', 'completed', 'failed', 'failed', 'failed']);
  expect(new Set(written)).toEqual(new Set(['a.ts', 'new.ts']));
});

test('nothing is moved under a file that the editor is asked for', async () => {
  const project = projectDirectory();
  mkdirSync(join(project, 'd'));
  writeFileSync(join(project, 'd/secret'), 'mine\n');
  const seen: string[] = [];
  await inEditor(
    project,
    [
      'cd /mnt/editor; cat d/secret & mv d was; mv out d; wait; (echo x > was/secret) & mv was d2; wait',
    ],
    {
      mode: 'rw',
      read: async (file) => {
        await new Promise((resolve) => setTimeout(resolve, 50));
        seen.push(readFileSync(file, 'utf8'));
        return seen.at(-1) ?? '';
      },
      write: (file, text) => writeFileSync(file, text),
    },
  );
  expect(seen).not.toContain('secret\n');
});

test('an editor that does not answer, or says no, is told of; one that cannot has what is on the disk', async () => {
  const project = projectDirectory();
  const silent = await inEditor(project, ['cat /mnt/editor/a.ts', 'ls /mnt/editor/a.ts'], {
    mode: 'rw',
    answerMs: 50,
    read: () => new Promise(() => undefined),
  });
  expect(silent.printed[0]).toMatch(/the editor did not answer within 0.05 s/);
  expect(silent.printed[1]).toBe('/mnt/editor/a.ts\n');
  const refusing = await inEditor(project, ['cat /mnt/editor/a.ts'], {
    mode: 'ro',
    read: () => {
      throw RequestError.invalidParams(undefined, 'a private file');
    },
  });
  expect(refusing.printed[0]).toMatch(/the editor answered: .*a private file/);
  const without = await inEditor(
    project,
    ['cd /mnt/editor; cat a.ts; echo x >> a.ts; cat a.ts; wc -c < a.ts'],
    { mode: 'rw' },
  );
  expect(without.printed[0]).toBe('saved\nsaved\nx\n8\n');
  expect(readFileSync(join(project, 'a.ts'), 'utf8')).toBe('saved\nx\n');
  expect(without.notices).toHaveLength(2);
});

test('files are called as the editor calls them when it is told of them, and as the agent does in a prompt', async () => {
  const project = projectDirectory();
  const replies = [
    calls(['read', { path: '/mnt/editor/a.ts' }], ['read', { path: '/workspace/none' }]),
    says('done'),
  ];
  const { agent, model } = await editor(
    (_, index) => replies[index] ?? says('?'),
    undefined,
    undefined,
    {
      mode: 'ro',
      read: () => 'unsaved\n',
    },
  );
  const session = await agent.buildSession(project).start();
  const link = (uri: string) => ({ type: 'resource_link' as const, name: 'it', uri });
  const { updates } = await prompted(session, [
    link(`file://${project}/a%20b.ts#L3`),
    link('file:///etc/passwd'),
    link('https://example.com/a'),
  ]);
  const text = JSON.stringify(model.requests[0]?.messages);
  expect(text).toContain(
    '[it](/mnt/editor/a b.ts#L3)[it](file:///etc/passwd)[it](https://example.com/a)',
  );
  expect(ofKind(updates, 'tool_call')).toMatchObject([
    { locations: [{ path: join(project, 'a.ts') }] },
    { locations: [{ path: '/workspace/none' }] },
  ]);
});

test('a turn that waits for the editor is cancelled as any other, and the session goes on', async () => {
  const waiting = Promise.withResolvers<void>();
  const replies = [
    calls(['bash', { command: 'cat /mnt/editor/a.ts' }]),
    calls(['bash', { command: 'ls /mnt/editor/a.ts' }]),
    says('done'),
  ];
  const { agent } = await editor((_, index) => replies[index] ?? says('?'), undefined, undefined, {
    mode: 'rw',
    read: () => {
      waiting.resolve();
      return new Promise(() => undefined);
    },
  });
  const session = await agent.buildSession(projectDirectory()).start();
  const running = prompted(session, 'go');
  await waiting.promise;
  await agent.notify('session/cancel', { sessionId: session.sessionId });
  expect((await running).stopReason).toBe('cancelled');
  const { updates, stopReason } = await prompted(session, 'again');
  expect(stopReason).toBe('end_turn');
  expect(ofKind(updates, 'tool_call_update')).toMatchObject([{ status: 'completed' }]);
});

test('a directory that is none, or the whole machine, is not mounted, and nothing is unless it was allowed', async () => {
  const { agent, deployment } = await editor(() => says('?'), undefined, undefined, { mode: 'rw' });
  for (const cwd of ['/', '/nothing/here', 'relative'])
    await expect(agent.request('session/new', { cwd, mcpServers: [] })).rejects.toThrow(
      /directory/,
    );
  for (const [cwd, why] of [
    [deployment, /holds the state/],
    [join(deployment, 'workspace'), /can be moved through \/workspace/],
  ] as const)
    await expect(agent.request('session/new', { cwd, mcpServers: [] })).rejects.toThrow(why);
  const plain = await editor((_, index) =>
    index === 0 ? calls(['bash', { command: 'ls /mnt/editor' }]) : says('done'),
  );
  const session = await plain.agent.buildSession(projectDirectory()).start();
  const { updates } = await prompted(session, 'go');
  expect(ofKind(updates, 'tool_call_update')).toMatchObject([{ status: 'failed' }]);
});
