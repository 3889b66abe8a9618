// Installs what is missing before a script runs, and nothing otherwise. Runs on
// any Node from 20, so it is JavaScript, and it leaves stdout to the command
// that follows.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const modules = join(root, 'node_modules');
// Which lock file node_modules was made from. npm removes it with the folder.
const stamp = join(modules, '.dirigent-lock');
const lock = readFileSync(join(root, 'package-lock.json'));
const wanted = createHash('sha256').update(lock).digest('hex');

/**
 * Parts of packages that nothing here runs, some 100 MB: what `node` took its
 * binary out of, command lines, test suites, sources beside their
 * compiled form; and SQLite where it is not for Node.js.
 */
const UNUSED = [
  'node/node_modules',
  'just-bash/dist/bin',
  'just-bash/dist/bundle/index.cjs',
  'just-bash/dist/bundle/browser.js',
  '@mixmark-io/domino/test',
  'exifreader/src',
  'mammoth/lib',
  'mammoth/test',
  'underscore',
  'ts-json-schema-generator/node_modules/typescript/lib/_tsc.js',
  'ai/docs',
  'ai/src',
  'zod/src',
  'sql.js/dist',
  '@agentclientprotocol/sdk/schema',
  '@agentclientprotocol/sdk/dist/nes',
  '@agentclientprotocol/sdk/dist/v2',
  // Speed-ups of ssh2 that are compiled at their installation, and its types' own Node.js.
  'buildcheck',
  'cpu-features',
  'nan',
  'hono/dist/cjs',
  // Of what the console is made with, all but its modules for browsers.
  'htm/mini',
  'htm/preact',
  'htm/src',
  'preact/compat',
  'preact/debug',
  'preact/devtools',
  'preact/jsx-runtime',
  'preact/test-utils',
  'preact/dist/preact.mjs.map',
  'uplot/dist/uPlot.cjs.js',
  'uplot/dist/uPlot.iife.js',
  'axe-core/axe.js',
  'axe-core/locales',
  'ssh2/examples',
  'ssh2/test',
  '@types/ssh2/node_modules',
  // What channels are tested with: axios for browsers, manuals.
  'axios/dist/axios.js',
  'axios/dist/axios.min.js',
  'axios/dist/browser',
  'axios/dist/esm',
  'axios/lib',
  'chat/docs',
  'chat/resources',
  // Older descriptions of Discord, which only types are taken of, and other forms of its clients.
  ...['gateway', 'payloads', 'rest', 'rpc', 'utils', 'voice'].flatMap((part) =>
    ['v6', 'v8', 'v9'].map((version) => `discord-api-types/${part}/${version}`),
  ),
  '@discordjs/rest/dist/index.js',
  '@discordjs/rest/dist/web.js',
  '@discordjs/rest/dist/web.mjs',
  '@discordjs/ws/dist/index.js',
  '@discordjs/ws/dist/defaultWorker.js',
  // Of those of e-mail what is there as modules is used, and nobody logs.
  'imapflow/dist/cjs',
  'nodemailer/dist/cjs',
  'smtp-server/dist/cjs',
  'smtp-server/node_modules/nodemailer/dist/cjs',
  '@sqlite.org/sqlite-wasm/dist/index.mjs',
  '@sqlite.org/sqlite-wasm/dist/sqlite3-worker1.mjs',
];

/** The binaries that one package brings for every platform, but for those of this one. */
function otherPlatforms() {
  const prebuilds = 'fuse-napi/prebuilds';
  if (!existsSync(join(modules, prebuilds))) return [];
  const own = new RegExp(`^${process.platform}-${process.arch}(?:-|$)`);
  return readdirSync(join(modules, prebuilds))
    .filter((name) => !own.test(name))
    .map((name) => `${prebuilds}/${name}`);
}

/** Sources and manuals of the AI SDK's packages. */
const aiSdk = () =>
  readdirSync(join(modules, '@ai-sdk')).flatMap((name) => [
    `@ai-sdk/${name}/src`,
    `@ai-sdk/${name}/docs`,
  ]);

/** What Vite would write style sheets with, 10 MB for one platform. */
const styleSheets = () => readdirSync(modules).filter((name) => name.startsWith('lightningcss-'));

/** Every direct dependency is there, as is the Node that runs the scripts. */
function complete() {
  const { dependencies, devDependencies } = JSON.parse(
    readFileSync(join(root, 'package.json'), 'utf8'),
  );
  const names = Object.keys({ ...dependencies, ...devDependencies });
  return (
    names.every((name) => existsSync(join(modules, name, 'package.json'))) &&
    existsSync(join(modules, 'node', 'bin'))
  );
}

/** What npm itself noted: has an install by hand brought what the lock file wants? */
function installedByHand() {
  const noted = join(modules, '.package-lock.json');
  if (!existsSync(noted)) return false;
  const have = JSON.parse(readFileSync(noted, 'utf8')).packages;
  const want = Object.entries(JSON.parse(lock.toString('utf8')).packages);
  return want.every(
    ([name, { version, optional }]) =>
      // Packages for other platforms are in the lock file and never on the disk.
      name === '' || optional === true || have[name]?.version === version,
  );
}

function install() {
  process.stderr.write('dirigent: installing dependencies (once)\n');
  // Not `npm ci`: it refuses a lock file that was made where the registry did not
  // offer the binaries for other platforms. This takes the versions of the lock
  // file just the same, and leaves that file alone.
  const flags = ['--no-save', '--no-fund', '--no-audit', '--loglevel=error'];
  const run = spawnSync('npm', ['install', ...flags], {
    cwd: root,
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  });
  if (run.status === 0) return;
  process.stderr.write('dirigent: the install failed; run "npm install" by hand to see why\n');
  process.exit(run.status ?? 1);
}

const same = existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted;
if (!same || !complete()) {
  if (!installedByHand() || !complete()) install();
  for (const path of [...UNUSED, ...otherPlatforms(), ...styleSheets(), ...aiSdk()])
    rmSync(join(modules, path), { recursive: true, force: true });
  // Source maps: nothing here reads those of others, and they are 40 MB. And what is there as
  // modules, as CommonJS once more.
  for (const entry of readdirSync(modules, { recursive: true, withFileTypes: true })) {
    const isSecondForm =
      entry.parentPath.includes('@modelcontextprotocol') && /\.c(?:js|ts)$/.test(entry.name);
    // 2 MB of what each answer of a service holds, which nothing here names.
    const isAnswer =
      entry.parentPath.endsWith('web-api/dist/types/response') && entry.name.endsWith('.d.ts');
    if (entry.isFile() && (entry.name.endsWith('.map') || isSecondForm || isAnswer))
      rmSync(join(entry.parentPath, entry.name));
  }
  writeFileSync(stamp, wanted);
}
