/** A mount that fails, as the person at the terminal meets it: which one, why, a status that says so, and no stack. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../world/harness.ts';
import { cli } from './run-cli.ts';

/** Its prefetch breaks as a program does that was not tried. */
const BROKEN = `
export default () => ({
  kind: 'broken',
  async lstat() { return { type: 'directory', mode: 0o755, size: 0, mtime: new Date(0) }; },
  async readdir() { return []; },
  async prefetch() { return undefined.length; },
  usage: () => ({ requests: 0, bytes: 0 }),
});
`;

function deployment(mounts: Record<string, unknown>): string {
  const directory = temporaryDirectory();
  mkdirSync(join(directory, 'docs'));
  writeFileSync(join(directory, 'docs', 'tea.md'), '# Tea\n\nGreen tea is not fermented.\n');
  writeFileSync(join(directory, 'broken.mjs'), BROKEN);
  writeFileSync(join(directory, 'none.mjs'), 'throw new TypeError("not today");\n');
  const config = `export default { mounts: ${JSON.stringify(mounts)} };\n`;
  writeFileSync(join(directory, 'dirigent.config.mjs'), config);
  return directory;
}

// Nothing listens on that port.
const github = { source: 'github:octo/hello', baseUrl: 'http://127.0.0.1:1' };
const mixed = { '/mnt/docs': './docs:ro', '/mnt/gh': github, '/mnt/odd': 'module:./broken.mjs' };

const run = async (args: readonly string[], mounts: Record<string, unknown>) => {
  const { stdout, stderr, status } = await cli(args, { cwd: deployment(mounts) });
  return { stdout: stdout.toString(), stderr, status };
};

const STACK = /^\s+at .*:\d+/m;

test('one mount that cannot be fetched: index and sync do the rest, name it, and fail', async () => {
  const [index, json, docs, sync, nowhere] = await Promise.all([
    run(['index'], mixed),
    run(['index', '--json', '/mnt/gh'], mixed),
    run(['index', '/mnt/docs'], mixed),
    run(['sync'], mixed),
    run(['sync', '/nowhere'], mixed),
  ]);
  expect(index.stdout).toBe('/: 1 document in 1 chunk indexed\n');
  for (const { stderr, status } of [index, sync]) {
    expect(stderr).toMatch(/^dirigent: \/mnt\/gh: the connection to GitHub broke off/m);
    expect(stderr).toMatch(/^dirigent: \/mnt\/odd: .*undefined/m);
    expect(stderr).not.toMatch(STACK);
    expect(status).toBe(1);
  }
  expect(JSON.parse(json.stdout)).toMatchObject({
    documents: 0,
    failed: [{ path: '/mnt/gh', error: expect.stringContaining('broke off') }],
  });
  expect(json.status).toBe(1);
  expect(docs).toMatchObject({ stderr: '', status: 0 });
  expect(nowhere).toEqual({
    stdout: '',
    stderr: 'dirigent: /nowhere: No such file or directory\n',
    status: 1,
  });
});

test('a mount whose module cannot be loaded: every command that needs the mounts says why, and none prints a stack', async () => {
  const commands = [
    ['sh', '-c', 'true'],
    ['run', 'What is tea?'],
    ['index'],
    ['sync'],
    ['changes', 'list'],
    ['approvals', 'list'],
  ];
  const mounts = { '/mnt/odd': 'module:./none.mjs' };
  const told = await Promise.all(
    commands.map(async (command) => ({ command, ...(await run(command, mounts)) })),
  );
  for (const { command, stderr, status } of told) {
    expect(stderr, command[0]).not.toMatch(STACK);
    expect(stderr, command[0]).toContain('none.mjs cannot be loaded: not today');
    expect(status, command[0]).not.toBe(0);
  }
});
