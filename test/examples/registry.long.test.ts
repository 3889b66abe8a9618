/** The registry example against a small registry on loopback, by itself and in a world. */
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { createWorld } from '../../entry/index.ts';

vi.setConfig({ testTimeout: 30_000 });

const manifest = (name: string, version: string) => ({ name, version, license: 'MIT' });

function packageOf(name: string, versions: readonly string[]) {
  return {
    name,
    'dist-tags': { latest: versions.at(-1) },
    versions: Object.fromEntries(versions.map((version) => [version, manifest(name, version)])),
    time: { modified: '2025-01-02T03:04:05.000Z', [versions[0] ?? '']: '2024-01-01T00:00:00.000Z' },
    readme: `# ${name}\n\nIt squeaks.\n`,
  };
}

/** Three packages, ETags, and a list of what was asked. */
async function startRegistry() {
  const packages = new Map(
    [packageOf('left', ['1.0.0', '1.1.0']), packageOf('@of/right', ['2.0.0'])].map((one) => [
      one.name,
      one,
    ]),
  );
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const found = packages.get(decodeURIComponent((request.url ?? '').slice(1)));
    const body = JSON.stringify(found ?? { error: 'not found' });
    const etag = `"${createHash('sha256').update(body).digest('hex').slice(0, 8)}"`;
    const same = request.headers['if-none-match'] === etag;
    const status = found === undefined ? 404 : same ? 304 : 200;
    asked.push(`${request.url} ${status}`);
    response.writeHead(status, { etag }).end(status === 304 ? undefined : body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, asked, packages, [Symbol.dispose]: () => server.close() };
}

test('a registry is a directory, in at most 80 lines', async () => {
  const source = new URL('../../examples/registry/mount.ts', import.meta.url);
  expect(readFileSync(source, 'utf8').split('\n').length).toBeLessThanOrEqual(81);
  using registry = await startRegistry();
  const state = mkdtempSync(join(tmpdir(), 'dirigent-registry-'));
  const npm = {
    source: 'module:./mount.ts',
    baseUrl: registry.url,
    freshMs: 0,
    options: { packages: ['left', '@of/right'] },
  };
  const world = await createWorld(
    { state, mounts: { '/workspace': 'mem', '/mnt/npm': npm } },
    { deployment: join(import.meta.dirname, '../../examples/registry') },
  );
  try {
    const run = async (script: string) => {
      const { stdout, stderr, exitCode } = await world.exec(script);
      return { stdout, stderr, exitCode };
    };
    expect(await run('cd /mnt/npm; ls . left @of @of/right left/versions')).toEqual({
      stdout:
        '.:\n@of\nREADME.md\nleft\n\n@of:\nright\n\n@of/right:\npackage.json\nreadme.md\nversions\nversions.tsv\n\nleft:\npackage.json\nreadme.md\nversions\nversions.tsv\n\nleft/versions:\n1.0.0.json\n1.1.0.json\n',
      stderr: '',
      exitCode: 0,
    });
    expect((await run('cat /mnt/npm/left/package.json')).stdout).toContain('"version": "1.1.0"');
    expect((await run('cat /mnt/npm/left/versions.tsv')).stdout).toBe(
      'version\tpublished\tdeprecated\n1.0.0\t2024-01-01T00:00:00.000Z\t\n1.1.0\t\t\n',
    );
    expect((await run('grep -rl squeaks /mnt/npm')).stdout).toBe(
      '/mnt/npm/@of/right/readme.md\n/mnt/npm/left/readme.md\n',
    );
    const missing = await run('cat /mnt/npm/nowhere/readme.md');
    expect(missing.exitCode).toBe(1);
    expect(missing.stderr).toContain('No such file or directory');
    expect((await run('echo x > /mnt/npm/left/readme.md')).exitCode).not.toBe(0);
    expect(registry.asked.filter((line) => line.endsWith(' 200'))).toHaveLength(2);
    registry.packages.set('left', packageOf('left', ['1.0.0', '1.1.0', '1.2.0']));
    await new Promise((resolve) => setTimeout(resolve, 2_100));
    expect((await run('cat /mnt/npm/left/package.json')).stdout).toContain('"version": "1.2.0"');
  } finally {
    await world.close();
    rmSync(state, { recursive: true });
  }
});

test.each([
  [{ source: 'module:./mount.ts' }, 'mount.ts made no mount: baseUrl: the address'],
  [{ source: 'module:./README.md' }, 'README.md cannot be loaded'],
  [{ source: 'module:../scripted.ts' }, 'scripted.ts should export, as its default'],
])('%j is refused with its mount and what is wrong with the module', async (mount, message) => {
  const deployment = join(import.meta.dirname, '../../examples/registry');
  const state = mkdtempSync(join(tmpdir(), 'dirigent-registry-'));
  await using world = {
    ...createWorld({ state, mounts: { '/mnt/npm': mount } }, { deployment }),
    [Symbol.asyncDispose]: async () => rmSync(state, { recursive: true, force: true }),
  };
  await expect(world.exec('ls /mnt/npm')).rejects.toThrow(/mounts\.\/mnt\/npm: /);
  await expect(world.exec('ls /mnt/npm')).rejects.toThrow(message);
});
