// Run where the package is installed, by whatever Node and package manager:
// each part once. Prints one object, what each gave. JavaScript alone.
// Services and their tokens are in SMOKE_SERVICES: { name: { baseUrl, tokenEnv } }.

import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { createWorld, FsError } from 'dirigent';
import { ServiceFailure } from 'dirigent/mount';

const services = JSON.parse(process.env.SMOKE_SERVICES ?? '{}');
const told = { node: process.versions.node };

const mounts = { '/data': 'mem', '/mnt/docs': './docs:ro' };
for (const [name, service] of Object.entries(services)) {
  mounts[`/mnt/${name}`] = { source: name, mode: 'ro', ...service };
}
const world = createWorld({ mounts, state: './state' });
const run = async (command) => {
  const { stdout, stderr, exitCode } = await world.exec(command);
  return exitCode === 0 && stderr === '' ? stdout : `${exitCode}: ${stdout}${stderr}`;
};

told.shell = await run(
  'echo b > /data/x; echo a >> /data/x; sort /data/x | sed s/a/A/ | awk "{print NR \\$1}"',
);
told.grep = await run('grep -rn locks /mnt/docs');
// The first: whether the document of another kind is indexed by now, is a matter of time.
told.meaning = await run(
  'cd /mnt/docs; grep "how are locks taken" . 2>/dev/null | head -1 | cut -d: -f1',
);
// Of what just-bash is made of.
told.sqlite = await run('sqlite3 :memory: "select 1 + 1"');
told.markdown = await run('echo "<b>x</b>" | html-to-markdown');
told.archive = await run('cd /data; tar cjf x.tbz x; tar tjf x.tbz');
told.document = await run(
  'echo "<p>y</p>" > /data/y.html; tail -1 /data/y.html.md; cat /mnt/docs/z.pdf:p1',
);
told.error = await world.fs
  .readFile('/nowhere')
  .catch((error) => [error instanceof FsError, error.code]);
told.failure = new ServiceFailure('auth', 'no').at('/x', 'open') instanceof FsError;
const github = '/mnt/github/harbor/quay';
if ('github' in services)
  told.github = await run(`ls ${github}/issues/1.md; head -1 ${github}/issues/1.md`);
if ('linear' in services) told.linear = await run('ls /mnt/linear/teams');
if ('notion' in services) told.notion = await run('ls /mnt/notion | wc -l');
await world.close();

const required = createRequire(import.meta.url)('dirigent');
told.commonjs = required.createWorld === createWorld;

/** What an MCP client hears of the installed command, on stdio. */
async function tools(launcher) {
  const child = spawn(process.execPath, [...process.execArgv, launcher, 'mcp'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const send = (message) =>
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const clientInfo = { name: 'smoke', version: '1' };
  send({
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo },
  });
  let text = '';
  for await (const chunk of child.stdout) {
    text += chunk;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n')) {
      const message = JSON.parse(text.slice(0, end));
      text = text.slice(end + 1);
      if (message.id === 1) {
        send({ method: 'notifications/initialized' });
        send({ id: 2, method: 'tools/list' });
      }
      if (message.id !== 2) continue;
      child.kill();
      return message.result.tools.map(({ name }) => name);
    }
  }
  return 'it ended';
}
const entry = createRequire(import.meta.url).resolve('dirigent');
told.mcp = await tools(entry.replace(/dist[/\\]entry[/\\]index\.js$/, 'bin/dirigent.cjs'));

console.log(JSON.stringify(told));
