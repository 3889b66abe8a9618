/**
 * The thread of one run of Python: CPython as WebAssembly, as just-bash ships it.
 * That build has no bridge to JavaScript, so that a script reaches what it is
 * given here and nothing else: the namespace, its streams, and commands.
 */
import { randomFillSync } from 'node:crypto';
import { existsSync } from 'node:fs';
import { workerData } from 'node:worker_threads';
import { readVendored } from '../../src/vendored.ts';
import { Guest, type GuestNews, type GuestStart } from '../support/program/guest.ts';
import type { EmscriptenModule, ModuleOptions } from './emscripten.ts';
import { NamespaceFiles } from './namespace-files.ts';
import { shellDevice } from './shell-device.ts';
import { SITE_CUSTOMIZE } from './site-customize.ts';

/** What is used of WebAssembly, which Node.js has and its types do not describe. */
declare const WebAssembly: {
  Module: new (bytes: Uint8Array) => object;
  Instance: new (module: object, imports: object) => { exports: object };
};

/** What a run is started with. */
export interface PythonStart extends GuestStart {
  /** Of just-bash's package: where its CPython lies. */
  directory: string;
  /** The most memory that Python may take. Bytes. */
  memoryLimit: number;
}

const CHUNK = 64 * 1024;
const LIBRARY = '/lib/python313.zip';

/** Collects what a stream prints byte by byte, and hands it on in pieces. */
function printer(say: (news: GuestNews) => void, stream: 'stdout' | 'stderr') {
  let chunk = new Uint8Array(CHUNK);
  let length = 0;
  const flush = (): void => {
    if (length === 0) return;
    say({ stream, bytes: chunk.slice(0, length) });
    length = 0;
  };
  const put = (byte: number | null): void => {
    if (byte === null) return;
    chunk[length++] = byte;
    if (length === CHUNK) {
      flush();
      chunk = new Uint8Array(CHUNK);
    }
  };
  return { put, flush };
}

/** Emscripten's own script, which wants to be a module of CommonJS, with no more of Node.js than random numbers. */
function loadScript(directory: string): (options: ModuleOptions) => Promise<EmscriptenModule> {
  const file = `${directory}/python.cjs`;
  const source = readPacked(file).toString();
  const scope: { exports: unknown } = { exports: {} };
  const requireOnly = (name: string): object => {
    if (name.endsWith('crypto')) return { randomFillSync };
    if (name.endsWith('fs') || name.endsWith('path')) return {};
    throw new Error(`${name} is not for Python`);
  };
  const guestProcess = {
    versions: { node: process.versions.node },
    argv: ['node', file],
    platform: 'linux',
    type: 'worker',
    on: () => undefined,
    hrtime: process.hrtime,
    exitCode: 0,
  };
  const names = ['module', 'exports', 'require', 'process', '__filename', '__dirname'];
  const run = new Function(...names, 'globalThis', source) as (...values: unknown[]) => void;
  const guestGlobal = { ...globalsForScript(), process: guestProcess };
  run(scope, scope.exports, requireOnly, guestProcess, file, directory, guestGlobal);
  return scope.exports as (options: ModuleOptions) => Promise<EmscriptenModule>;
}

function globalsForScript(): object {
  const { TextDecoder, TextEncoder, performance } = globalThis;
  return { TextDecoder, TextEncoder, performance };
}

async function run(start: PythonStart): Promise<void> {
  const guest = new Guest(start);
  const { bridge } = guest;
  const say = (news: GuestNews): void => guest.say(news);
  const stdout = printer(say, 'stdout');
  const stderr = printer(say, 'stderr');
  const wasm = new Uint8Array();
  let read = 0;
  const createModule = loadScript(start.directory);
  const module = await createModule({
    noInitialRun: true,
    thisProgram: 'python3',
    wasmBinary: wasm,
    stdin() {
      const byte = start.stdin[read++];
      if (byte === undefined) bridge.call('atEnd', '/dev/stdin');
      return byte ?? null;
    },
    stdout: stdout.put,
    stderr: stderr.put,
    preRun: [(early) => prepare(early, start)],
    instantiateWasm(imports, done) {
      const compiled = guest.compiled(start, () => compile(start.directory));
      const instance = new WebAssembly.Instance(compiled, bounded(imports, start.memoryLimit));
      done(instance, compiled);
      return instance.exports;
    },
  });
  const { FS } = module;
  const files = new NamespaceFiles(FS, bridge);
  files.show();
  shellDevice(FS, bridge);
  FS.chdir(start.cwd);
  let status = module.callMain([...start.args]);
  try {
    files.finish();
  } catch {
    // The world has said on stderr what could not be written.
    status ||= 1;
  }
  stdout.flush();
  stderr.flush();
  guest.end(status);
}

/** A file of Python's, which the package as it is installed has compressed. */
const readPacked = (file: string): Buffer => readVendored(existsSync(file) ? file : `${file}.br`);

function compile(directory: string): object {
  const file = `${directory}/python.wasm`;
  // The package as it is installed has it compressed.
  return new WebAssembly.Module(readVendored(existsSync(file) ? file : `${file}.br`));
}

/** Before Python starts: its library, its environment, its part of our own. */
function prepare({ FS, ENV }: EmscriptenModule, { directory, env }: PythonStart): void {
  FS.mkdirTree('/lib/python3.13/lib-dynload');
  FS.writeFile(LIBRARY, readPacked(`${directory}/python313.zip`));
  FS.writeFile('/lib/python3.13/sitecustomize.py', SITE_CUSTOMIZE);
  for (const directory of ['/home/web_user', '/home', '/tmp']) FS.rmdir(directory);
  for (const name of ['USER', 'LOGNAME', 'PATH', 'PWD', 'HOME', 'LANG', '_']) ENV[name] = undefined;
  // Python finds its library by it, and takes it out of the environment (site-customize.ts).
  Object.assign(ENV, env, { PYTHONHOME: '/' });
}

/** The imports, with a heap that stops growing at the limit, and no way to the host's shell or network. */
function bounded(
  imports: Record<string, Record<string, unknown>>,
  limit: number,
): Record<string, Record<string, unknown>> {
  const env = imports['env'] ?? {};
  const resize = env['emscripten_resize_heap'] as (size: number) => number;
  const refused = Object.fromEntries(
    Object.keys(env)
      .filter((name) => /^__syscall_(socket|connect|bind|listen|accept|sendto)/.test(name))
      .map((name) => [name, () => -2]),
  );
  return {
    ...imports,
    env: {
      ...env,
      ...refused,
      _emscripten_system: () => -52,
      emscripten_get_heap_max: () => limit,
      emscripten_resize_heap: (size: number) => (size >>> 0 > limit ? 0 : resize(size)),
    },
  };
}

await run(workerData as PythonStart);
