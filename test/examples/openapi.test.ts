/** The example of a described service against a small registry on loopback, in a world. */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createWorld } from '../../entry/index.ts';

const base = join(import.meta.dirname, '..', '..', 'examples', 'openapi');

async function startRegistry() {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    const [, name = '', version] = (request.url ?? '').split('/').map(decodeURIComponent);
    const found = { objects: [{ package: { name: 'box' } }], total: 1 };
    const manifest = { name, version, license: 'MIT', description: `What ${name} does` };
    const isThere = name === '-' || version === 'latest';
    response.writeHead(isThere ? 200 : 404).end(JSON.stringify(name === '-' ? found : manifest));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, asked, [Symbol.dispose]: () => server.close() };
}

test('a registry is a directory by its description and five lines of hints', async () => {
  using registry = await startRegistry();
  const state = mkdtempSync(join(tmpdir(), 'dirigent-described-'));
  const npm = { source: 'openapi:./registry.yaml', hints: './hints.yaml', baseUrl: registry.url };
  const world = await createWorld(
    { state, mounts: { '/workspace': 'mem', '/mnt/npm': npm } },
    { deployment: base },
  );
  const run = async (command: string) => (await world.exec(command)).stdout;
  try {
    expect(await run('cd /mnt/npm; ls')).toBe('-\n@octokit%2Frest\nREADME.md\njust-bash\nzod\n');
    expect(await run('cat /mnt/npm/zod/latest.md')).toBe(
      '---\nname: zod\nversion: latest\nlicense: MIT\n---\n\nWhat zod does\n',
    );
    expect(await run("grep license '/mnt/npm/@octokit%2Frest/latest.md'")).toBe('license: MIT\n');
    expect(registry.asked).toContain('/%40octokit%2Frest/latest');
    expect(await run('cat /mnt/npm/-/v1/search.json | jq -r .[0].package.name')).toBe('box\n');
    const none = await world.exec('cat /mnt/npm/zod/none.md; cat /mnt/npm/other/latest.md');
    expect(none.stderr.match(/No such file/g)).toHaveLength(2);
  } finally {
    await world.close();
    rmSync(state, { recursive: true });
  }
});
