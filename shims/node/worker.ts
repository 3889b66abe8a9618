/** The thread of one run of node: a script in the engine, which reaches the namespace, its streams, and commands. */
import { existsSync, constants as fsConstants, readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { constants as osConstants } from 'node:os';
import { fileURLToPath } from 'node:url';
import { getSystemErrorMap } from 'node:util';
import { workerData } from 'node:worker_threads';
import { constants as zlibConstants } from 'node:zlib';
import { readVendored } from '../../src/vendored.ts';
import { CallFailed } from '../support/program/bridge.ts';
import { Guest, type GuestStart } from '../support/program/guest.ts';
import { zoneAt } from '../support/zone.ts';
import { type CommandLine, parseCommandLine, WrongOption } from './command-line.ts';
import { Engine, type EngineImage, type EngineOptions } from './engine.ts';
import type { Crossing } from './guest/loose.ts';
import { computeCalls } from './host/compute.ts';
import { Output } from './host/output.ts';
import { textCalls } from './host/text.ts';
import { sleep, worldCalls } from './host/world.ts';
import { type Library, readLibrary } from './library.ts';

/** What is used of WebAssembly, which Node.js has and its types do not describe. */
declare const WebAssembly: { Module: new (bytes: Uint8Array) => object };

/** What a run is started with. */
export interface NodeStart extends GuestStart {
  /** The most memory that a script may take. Bytes. */
  memoryLimit: number;
}

/** What is kept between the runs of a world. */
interface Kept {
  image: EngineImage;
  versions: Record<string, string>;
}

/** Only the one who loads it has it. */
const NO_LIBRARY: Library = { versions: {}, sources: {} };
const MAIN = 'dirigent:guest/main';

class Run {
  readonly #start: NodeStart;
  readonly #guest: Guest;
  readonly #output: Output;
  #engine: Engine | null = null;

  constructor(start: NodeStart) {
    this.#start = start;
    this.#guest = new Guest(start);
    this.#output = new Output((news) => this.#guest.say(news));
  }

  async run(): Promise<void> {
    const line = this.#commandLine();
    if (line === null) return this.#end(9);
    const kept = (this.#start.module as Kept | null) ?? (await this.#prepare());
    if (line.isVersion) {
      this.#print('stdout', `v${kept.versions['node']}\n`);
      return this.#end(0);
    }
    const engine = await Engine.start(kept.image, this.#options(NO_LIBRARY));
    this.#engine = engine;
    engine.call('start', JSON.stringify(this.#beginning(line, kept)));
    this.#begin(engine, line);
    this.#loop(engine);
  }

  #commandLine(): CommandLine | null {
    try {
      return parseCommandLine(this.#start.args);
    } catch (error) {
      if (!(error instanceof WrongOption)) throw error;
      this.#print('stderr', `node: ${error.message}\n`);
      return null;
    }
  }

  #begin(engine: Engine, line: CommandLine): void {
    const { code, script } = line;
    if (code !== null) {
      engine.call('runText', code, '[eval]', line.isShown, line.inputType);
    } else if (script !== null && script !== '-') {
      engine.call('runFile', script);
    } else {
      const text = Buffer.from(this.#start.stdin).toString();
      engine.call('runText', text, '[stdin]', line.isShown, line.inputType);
    }
  }

  #loop(engine: Engine): void {
    for (;;) {
      const wait = Number(engine.call('round'));
      if (wait > 0) {
        this.#output.flush();
        sleep(wait);
      } else if (wait < 0 && Number(engine.call('beforeExit')) < 0) {
        engine.call('end');
        return;
      }
    }
  }

  #print(stream: 'stdout' | 'stderr', text: string): void {
    this.#output.print(stream, Buffer.from(text));
  }

  #end(status: number): void {
    this.#output.flush();
    this.#guest.end(status);
  }

  #beginning({ code, script, args, execArgv }: CommandLine, { versions }: Kept): object {
    const { env, cwd } = this.#start;
    const argv = ['/bin/node', ...(code === null ? [script ?? '-'] : []), ...args];
    const version = `v${versions['node']}`;
    return { env, cwd, version, versions, argv, execArgv, startedAt: Date.now() };
  }

  /** Loads the engine and its library, for this run and the next ones. */
  async #prepare(): Promise<Kept> {
    const library = JSON.parse(readLibrary()) as Library;
    const file = fileURLToPath(import.meta.resolve('quickjs-wasi/quickjs.wasm'));
    const module = new WebAssembly.Module(readVendored(file));
    const image = await Engine.prepare(module, this.#options(library), (engine) =>
      engine.load(`import ${JSON.stringify(MAIN)};`, 'dirigent:begin'),
    );
    const kept: Kept = { image, versions: library.versions };
    this.#guest.say({ compiled: kept });
    return kept;
  }

  #options({ versions, sources }: Library): EngineOptions {
    return {
      memoryLimit: this.#start.memoryLimit,
      timezoneOffset: (seconds) => this.#offset(seconds),
      refusal: (error) =>
        error instanceof CallFailed
          ? { errno: error.errno }
          : // A text alone: the stack of an error of the host tells where its files are.
            { error: error instanceof Error ? error.message : String(error) },
      calls: {
        ...textCalls,
        ...computeCalls(),
        ...worldCalls(this.#start, this.#guest, this.#output),
        facts: () => JSON.stringify({ ...facts(), versions }),
        library: () => JSON.stringify(sources),
      },
      modules: {
        normalize: (base, id) =>
          isOurs(base) ? ours(base, id) : this.#ask('resolveImport', base, id),
        load: (name) => (isOurs(name) ? readOurs(name) : this.#ask('loadImport', name)),
      },
    };
  }

  /** The zone is the one of the environment; without one it is UTC, as for the other commands. */
  #offset(seconds: number): number {
    const zone = this.#start.env['TZ'] ?? '';
    return zone === '' || zone === 'UTC' ? 0 : -zoneAt(new Date(seconds * 1000), zone).offset;
  }

  #ask(entry: string, ...args: Crossing[]): string {
    if (this.#engine === null) throw new Error('nothing runs');
    return String(this.#engine.call(entry, ...args));
  }
}

const isOurs = (name: string): boolean => name.startsWith('dirigent:');

/** The guest's own modules, which lie beside this one. */
function ours(base: string, id: string): string {
  if (isOurs(id)) return id;
  return new URL(id, `${base.replace('dirigent:', 'file:///')}`).href
    .replace('file:///', 'dirigent:')
    .replace(/\.[jt]s$/, '');
}

function readOurs(name: string): string {
  const beside = (extension: string): string =>
    fileURLToPath(new URL(`./${name.replace('dirigent:', '')}.${extension}`, import.meta.url));
  if (existsSync(beside('js'))) return readFileSync(beside('js'), 'utf8');
  return stripTypeScriptTypes(readFileSync(beside('ts'), 'utf8'));
}

function facts(): object {
  return {
    osConstants,
    fsConstants,
    zlibConstants,
    errors: [...getSystemErrorMap()].map(([code, [name, text]]) => [code, name, text]),
  };
}

await new Run(workerData as NodeStart).run();
