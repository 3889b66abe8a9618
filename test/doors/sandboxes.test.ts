/** Somebody's sandbox: a world as the AI SDK, deepagents and eve have one. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { dirigentSandbox } from '../../entry/ai-sdk.ts';
import { dirigentBackend } from '../../entry/deepagents.ts';
import { dirigentProvider } from '../../entry/eve.ts';
import { temporaryDirectory } from '../world/harness.ts';

const POLICY = `sandbox: full
approval: ask
rules:
  - { name: not mallory, decision: deny, actor: mallory, op: change, path: /workspace/guarded }
  - { name: not here, decision: deny, origin: sandbox, op: change, path: /workspace/closed }
`;

function deployed(): string {
  const deployment = temporaryDirectory();
  mkdirSync(join(deployment, 'harness'));
  writeFileSync(join(deployment, 'harness/policy.yaml'), POLICY);
  return deployment;
}

async function textOf(stream: ReadableStream<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

test('a harness runs and spawns, reads and writes, and goes on with its session; it has no ports', async () => {
  const provider = dirigentSandbox({ deployment: deployed() });
  onTestFinished(() => provider.close());
  const session = await provider.createSession({
    sessionId: 'theirs',
    onFirstCreate: async (sandbox) => sandbox.writeTextFile({ path: 'seed/a', content: 'seed\n' }),
  });
  expect(await session.run({ command: 'cat seed/a; echo err >&2; exit 4' })).toEqual({
    stdout: 'seed\n',
    stderr: 'err\n',
    exitCode: 4,
  });
  const env = { X: 'set' };
  expect(
    (await session.run({ command: 'pwd; echo $X', workingDirectory: 'seed', env })).stdout,
  ).toBe('/workspace/seed\nset\n');
  const started = await session.spawn({ command: 'wc -c; echo late >&2', stdin: true });
  const writer = started.stdin.getWriter();
  await writer.write(Buffer.from('12345'));
  await writer.close();
  expect(await textOf(started.stdout)).toBe('5\n');
  expect(await textOf(started.stderr)).toBe('late\n');
  expect(await started.wait()).toEqual({ exitCode: 0 });
  const endless = await session.spawn({ command: 'while true; do sleep 0.05; done' });
  await endless.kill();
  expect((await endless.wait()).exitCode).not.toBe(0);
  expect(await session.readTextFile({ path: 'seed/a', startLine: 1, endLine: 1 })).toBe('seed');
  expect(await session.readFile({ path: 'missing' })).toBe(null);
  expect(await session.stat({ path: 'seed/a' })).toEqual({ type: 'file', size: 5 });
  expect(await session.listDirectory({ path: 'seed' })).toEqual([{ name: 'a', type: 'file' }]);
  expect(await session.listDirectory({ path: 'missing' })).toBe(null);
  await session.writeTextFile({ path: 'seed/b', content: '' });
  expect(await session.deleteFile({ path: 'seed/b' })).toBe(true);
  expect(await session.deleteFile({ path: 'seed/b' })).toBe(false);
  await expect(
    session.writeTextFile({ path: '/workspace/closed', content: '' }),
  ).rejects.toMatchObject({
    code: 'EACCES',
    rule: 'policy not here',
    message: expect.stringContaining('policy not here denies this'),
  });
  await expect(session.getPortUrl({ port: 3000 })).rejects.toThrow(/ENOTSUP/);
  await session.stop();
  const again = await provider.resumeSession({ sessionId: 'theirs' });
  expect(await again.readTextFile({ path: 'seed/a' })).toBe('seed\n');
  expect(again.id).toBe('theirs');
});

test('a deep agent has files, a search and commands, and a refusal is an answer', async () => {
  const backend = await dirigentBackend({ deployment: deployed(), actor: 'mallory' });
  onTestFinished(() => backend.close());
  expect(await backend.write('d/a b.md', 'one\ntwo\none\n')).toMatchObject({
    path: '/workspace/d/a b.md',
  });
  expect(await backend.edit('d/a b.md', 'one', '1')).toMatchObject({
    error: expect.stringMatching(/2 times/),
  });
  expect(await backend.edit('d/a b.md', 'one', '1', true)).toMatchObject({ occurrences: 2 });
  expect(await backend.read('d/a b.md', 1, 1)).toEqual({
    content: 'two',
    mimeType: 'text/plain',
    totalLines: 3,
    startLine: 2,
    endLine: 2,
    nextOffset: 2,
  });
  expect(await backend.ls('/workspace')).toMatchObject({
    files: [{ path: '/workspace/d/', is_dir: true }],
  });
  expect(await backend.ls('d')).toMatchObject({
    files: [{ path: '/workspace/d/a b.md', is_dir: false, size: 8 }],
  });
  expect(await backend.grep('two', '/workspace')).toEqual({
    matches: [{ path: '/workspace/d/a b.md', line: 2, text: 'two' }],
    truncated: false,
  });
  await backend.execute('grep() { echo mine; }');
  expect(await backend.grep("it's $HOME", null)).toEqual({ matches: [], truncated: false });
  expect(await backend.glob('**/*.md')).toMatchObject({ files: [{ path: '/workspace/d/a b.md' }] });
  expect(await backend.execute('echo out; echo err >&2; exit 3')).toEqual({
    output: 'out\nerr\n',
    exitCode: 3,
    truncated: false,
  });
  expect(await backend.write('guarded', 'x')).toMatchObject({
    error: expect.stringMatching(/not mallory/),
  });
  expect(
    await backend.uploadFiles([
      ['u', Buffer.from([0, 1])],
      ['guarded', Buffer.from('x')],
    ]),
  ).toEqual([
    { path: 'u', error: null },
    { path: 'guarded', error: 'permission_denied' },
  ]);
  expect(await backend.downloadFiles(['u', 'none'])).toEqual([
    { path: 'u', content: Uint8Array.of(0, 1), error: null },
    { path: 'none', content: null, error: 'file_not_found' },
  ]);
  expect(await backend.read('u')).toMatchObject({ content: Uint8Array.of(0, 1) });
  expect(await backend.delete('d')).toMatchObject({ path: '/workspace/d' });
  expect(await backend.read('d/a b.md')).toMatchObject({
    error: expect.stringMatching(/No such file/),
  });
});

test('an agent of eve begins with its seeds, and goes on where it was', async () => {
  const provider = dirigentProvider({ deployment: deployed() }).environment();
  const files = [{ relativePath: 'notes/a', content: 'seed' }];
  const workspace = { files, targetPath: '/workspace' };
  const artifact = JSON.parse(JSON.stringify(await provider.prepare({ resources: { workspace } })));
  const { handle, state } = await provider.start({}, undefined, artifact);
  expect((await handle.sandbox.run({ command: 'cat notes/a; echo b > b' })).stdout).toBe('seed');
  expect(handle.sandbox.resolvePath('b')).toBe('/workspace/b');
  const beside = await provider.resume({}, artifact, state);
  expect(await beside.sandbox.readTextFile({ path: 'b' })).toBe('b\n');
  await beside.onSandboxStop();
  await handle.onSandboxStop();
  const resumed = await provider.resume({}, artifact, JSON.parse(JSON.stringify(state)));
  onTestFinished(() => resumed.onRuntimeShutdown());
  expect(await resumed.sandbox.readTextFile({ path: 'b' })).toBe('b\n');
  await resumed.sandbox.removePath({ path: 'b' });
  expect(await resumed.sandbox.readTextFile({ path: 'b' })).toBe(null);
});

test('an agent of eve has more sessions open than there are worlds at once: what nobody uses is parked', async () => {
  const provider = dirigentProvider({ deployment: deployed() }).environment();
  const begun = [];
  for (let index = 0; index < 18; index++) {
    const session = await provider.start({}, undefined, { seeds: {} });
    onTestFinished(() => session.handle.onRuntimeShutdown());
    await session.handle.sandbox.writeTextFile({ path: `own-${index}`, content: `${index}` });
    begun.push(session);
  }
  for (const [index, { handle }] of begun.entries()) {
    if (index % 6 !== 0) continue;
    expect((await handle.sandbox.run({ command: `cat own-${index}` })).stdout).toBe(`${index}`);
  }
  // Its own end is not waited for by whoever resumes it.
  const [first] = begun;
  void first?.handle.onSandboxStop();
  const resumed = await provider.resume({}, { seeds: {} }, first?.state ?? { session: '' });
  onTestFinished(() => resumed.onRuntimeShutdown());
  expect(await resumed.sandbox.readTextFile({ path: 'own-0' })).toBe('0');
});
