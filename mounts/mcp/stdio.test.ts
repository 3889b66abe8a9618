/** A server that is a process: its environment, its end, and how it goes wrong. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { failure, names, ServiceBench } from '../../test/services/testing.ts';
import { temporaryDirectory } from '../../test/temporary-directory.ts';
import { createMcpMount, type McpMountOptions } from './index.ts';
import { stdioServer } from './testing.ts';

const SIGNAL = new AbortController().signal;

function opened(behaviour: string, more: Partial<McpMountOptions> = {}) {
  const directory = mkdtempSync(join(tmpdir(), 'dirigent-mcp-'));
  writeFileSync(join(directory, 'server.mjs'), stdioServer(behaviour));
  const own = {
    name: 'test',
    command: [process.execPath, 'server.mjs'],
    directory,
    env: {},
    ...more,
  };
  const bench = new ServiceBench<McpMountOptions>('mcp', createMcpMount, own);
  const mount = bench.mount();
  onTestFinished(async () => {
    await mount.close?.();
    bench.end();
    rmSync(directory, { recursive: true });
  });
  const called = async (path: string, args: string[] = []) => {
    const planned = await mount.plan?.(path, { name: path, args, stdin: Buffer.from('') });
    if (planned == null || 'exitCode' in planned) throw new Error(`${path} is not called`);
    return Buffer.from((await planned.carryOut(SIGNAL)).stdout).toString();
  };
  return { bench, mount, called, directory };
}

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    // What has ended and nobody waited for is a zombie.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
};

test('it gets the environment that is named, and no other', async () => {
  const { called } = opened('', { env: { OWN: 'yes' } });
  expect(JSON.parse(await called('/tools/env'))).toEqual({ OWN: 'yes' });
});

test('lines that are no messages are passed over', async () => {
  const { mount } = opened("process.stdout.write('starting up\\n{\"half\\n\\n');");
  expect(await names(mount, '/tools')).toContain('env');
});

test('one that ends at once is told of, with what it said last', async () => {
  const { mount } = opened("console.error('no licence found'); process.exit(3);");
  const error = await failure(mount.readdir('/tools'));
  expect(error.reason).toMatch(/could not be started.*status 3.*no licence found/);
});

test('one that ends during a call leaves it unknown, and is started again for the next', async () => {
  const { bench, called, mount } = opened("if (params?.name === 'slow') process.exit(1);");
  const error = await failure(called('/tools/slow'));
  expect(error.reason).toMatch(/broke off.*status 1.*is not sent again/);
  expect(mount.journal.list()).toMatchObject([{ state: 'unknown' }]);
  bench.move(10_000);
  expect(await called('/tools/env')).toContain('{');
});

test('a message without an end is cut off', async () => {
  const { mount } = opened(
    "if (method === 'tools/list') { const part = 'x'.repeat(1 << 20); for (let i = 0; i < 20; i++) process.stdout.write(part); return; }",
  );
  const error = await failure(mount.readdir('/tools'));
  expect(error.reason).toContain('MiB');
});

test('a list that has changed is asked for again', async () => {
  const { called, mount } = opened(
    "if (method === 'tools/call') { tools.push({ name: 'fresh', inputSchema: { type: 'object' } }); say({ method: 'notifications/tools/list_changed' }); }",
  );
  expect(await names(mount, '/tools')).not.toContain('fresh');
  await called('/tools/env');
  await expect.poll(() => names(mount, '/tools')).toContain('fresh');
});

test('it ends with the mount, and so does what it started and what pays no heed', async () => {
  const { mount, directory } = opened(
    "if (method === 'initialize') { process.on('SIGTERM', () => undefined); setInterval(() => undefined, 1000); const { spawn } = await import('node:child_process'); const child = spawn('/bin/sleep', ['600']); (await import('node:fs')).writeFileSync('pids', `${process.pid} ${child.pid}`); }",
  );
  await names(mount, '/tools');
  const pids = readFileSync(join(directory, 'pids'), 'utf8').split(' ').map(Number);
  expect(pids.every(isAlive)).toBe(true);
  await mount.close?.();
  await expect.poll(() => pids.some(isAlive), { timeout: 15_000 }).toBe(false);
});

test('it ends when the process that has it is killed', async () => {
  const directory = temporaryDirectory();
  mkdirSync(join(directory, 'state'));
  writeFileSync(
    join(directory, 'server.mjs'),
    stdioServer(
      "if (method === 'initialize') { setInterval(() => undefined, 1000); const { writeFileSync } = await import('node:fs'); writeFileSync('pid', String(process.pid)); }",
    ),
  );
  const module = new URL('./stdio.ts', import.meta.url).href;
  writeFileSync(
    join(directory, 'holder.mjs'),
    `const { StdioTransport } = await import(${JSON.stringify(module)});
const transport = new StdioTransport({ command: [process.execPath, 'server.mjs'], env: {}, directory: ${JSON.stringify(directory)} }, () => {});
await transport.start();
await transport.send({ jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion: '2025-11-25' } });
setInterval(() => {}, 1000);
`,
  );
  const holder = spawn(process.execPath, ['holder.mjs'], { cwd: directory, stdio: 'ignore' });
  const file = join(directory, 'pid');
  await expect
    .poll(() => existsSync(file) && readFileSync(file, 'utf8'), { timeout: 20_000 })
    .toMatch(/^\d+$/);
  const pid = Number(readFileSync(file, 'utf8'));
  holder.kill('SIGKILL');
  await once(holder, 'exit');
  await expect.poll(() => isAlive(pid), { timeout: 15_000 }).toBe(false);
}, 60_000);
