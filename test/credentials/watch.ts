/**
 * In each process of the tests: what is written is kept to be searched when the run is over, and what
 * is printed, by the tests and by every process that they start, is looked at as it passes.
 */
import children, { ChildProcess } from 'node:child_process';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { findIn } from './search.ts';

/** Where removed directories wait to be searched, in the run's own directory. */
export const KEPT = 'kept';
/** Where what was printed is noted when it holds a credential: one line each. */
export const PRINTED = 'printed.txt';
/** One line a file of tests: processes that were watched, and bytes that they printed. */
export const WATCHED = 'watched.tsv';

/** A stand-in tells its parent the token that it takes, and a helper the one that it is asked for: that is no leak. */
const STAND_IN = /test[/\\]stand-ins[/\\].*(?:child\.ts|credential-helper\.mjs)$/;

const seen = { processes: 0, bytes: 0, begun: false };

/** Begins to watch, unless an earlier file of tests in this process has. */
export function watch(): void {
  if (seen.begun) return;
  seen.begun = true;
  keepWhatIsRemoved();
  watchProcesses();
  watchSynchronousOnes();
  // Whoever imported one of these by its name gets the watched one.
  syncBuiltinESMExports();
  for (const stream of [process.stdout, process.stderr]) watchStream(stream);
}

/** Notes how much was watched for a file of tests. */
export function noteWatched(file: string): void {
  fs.appendFileSync(join(tmpdir(), WATCHED), `${file}\t${seen.processes}\t${seen.bytes}\n`);
  seen.processes = 0;
  seen.bytes = 0;
}

/** A directory of a test, when it is removed, goes aside: it is searched, and removed, at the end. */
function keepWhatIsRemoved(): void {
  const remove = fs.rmSync;
  const kept = join(tmpdir(), KEPT);
  let count = 0;
  fs.rmSync = (path, options) => {
    const target = resolve(String(path));
    const isTests = options?.recursive === true && dirname(target) === tmpdir();
    if (!isTests || !fs.existsSync(target)) return remove(path, options);
    fs.renameSync(target, join(kept, `${process.pid}-${++count}-${basename(target)}`));
  };
}

interface Spawning {
  spawn(options: { args?: readonly string[] }): unknown;
}

function watchProcesses(): void {
  const { prototype } = ChildProcess as unknown as { prototype: Spawning };
  const { spawn } = prototype;
  prototype.spawn = function (this: ChildProcess, options) {
    const result: unknown = spawn.call(this as unknown as Spawning, options);
    const args = options.args ?? [];
    if (args.some((one) => STAND_IN.test(one))) return result;
    seen.processes += 1;
    for (const stream of [this.stdout, this.stderr]) {
      if (stream !== null) watchReadable(stream, args.join(' '));
    }
    return result;
  };
}

/** Those that are waited for: what they printed is a part of the result. */
function watchSynchronousOnes(): void {
  type Run = (...given: unknown[]) => unknown;
  const functions = children as unknown as Record<'spawnSync' | 'execFileSync' | 'execSync', Run>;
  for (const name of ['spawnSync', 'execFileSync', 'execSync'] as const) {
    const run = functions[name];
    functions[name] = (...given) => {
      const result = run(...given);
      seen.processes += 1;
      const { stdout = result, stderr = null } = result as { stdout?: unknown; stderr?: unknown };
      for (const text of [stdout, stderr]) {
        if (typeof text === 'string') look(Buffer.alloc(0), Buffer.from(text), name);
        else if (text instanceof Uint8Array) look(Buffer.alloc(0), text, name);
      }
      return result;
    };
  }
}

/** What is read of a stream is looked at on its way in, so that nothing of it is taken away. */
function watchReadable(stream: Readable, what: string): void {
  const push = stream.push.bind(stream);
  let before = Buffer.alloc(0);
  stream.push = (chunk: unknown, encoding?: BufferEncoding): boolean => {
    if (chunk instanceof Uint8Array) before = look(before, chunk, what);
    return push(chunk, encoding);
  };
}

function watchStream(stream: NodeJS.WriteStream): void {
  const write = stream.write.bind(stream) as (...given: unknown[]) => boolean;
  let before = Buffer.alloc(0);
  stream.write = (...given: unknown[]): boolean => {
    const [chunk] = given;
    if (typeof chunk === 'string')
      before = look(before, Buffer.from(chunk), 'the tests themselves');
    return write(...given);
  };
}

/** @returns the end of what was printed, for what is cut in two */
function look(before: Buffer, chunk: Uint8Array, what: string): Buffer<ArrayBuffer> {
  seen.bytes += chunk.length;
  const text = Buffer.concat([before, chunk]);
  const hit = findIn(text);
  if (hit !== null) fs.appendFileSync(join(tmpdir(), PRINTED), `${what}: ${hit.around}\n`);
  // A credential that was found is not found again with what follows.
  return hit === null ? text.subarray(Math.max(0, text.length - 64)) : Buffer.alloc(0);
}
