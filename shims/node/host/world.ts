/** What the guest asks of its world: files and commands by the bridge, time, chance, its streams, its end. */
import { randomFillSync } from 'node:crypto';
import { posix } from 'node:path';
import type { Guest, GuestStart } from '../../support/program/guest.ts';
import type { HostCalls } from '../engine.ts';
import type { Crossing } from '../guest/loose.ts';
import type { Output } from './output.ts';

const path = (value: Crossing): string => String(value);
const bytes = (value: Crossing): Uint8Array => {
  if (!(value instanceof Uint8Array)) throw new Error('no bytes');
  return value;
};
/** Milliseconds. */
const LONGEST_SLEEP = 2 ** 31;

export function worldCalls(start: GuestStart, guest: Guest, output: Output): HostCalls {
  const { bridge } = guest;
  const begunAt = performance.now();
  return {
    stat: (at) => ({ ...bridge.call('stat', path(at)) }),
    lstat: (at) => ({ ...bridge.call('lstat', path(at)) }),
    list: (at) => bridge.call('list', path(at)),
    read: (at) => bridge.call('read', path(at)),
    atEnd: (at) => bridge.call('atEnd', path(at)),
    write: (at, data) => bridge.call('write', path(at), bytes(data)),
    append: (at, data) => bridge.call('append', path(at), bytes(data)),
    mkdir: (at) => bridge.call('mkdir', path(at)),
    remove: (at) => bridge.call('remove', path(at)),
    rename: (from, to) => bridge.call('rename', path(from), path(to)),
    link: (from, to) => bridge.call('link', path(from), path(to)),
    symlink: (target, at) => bridge.call('symlink', path(target), path(at)),
    readlink: (at) => bridge.call('readlink', path(at)),
    chmod: (at, mode) => bridge.call('chmod', path(at), Number(mode)),
    utimes: (at, atime, mtime) => bridge.call('utimes', path(at), Number(atime), Number(mtime)),
    enterDirectory: (from, to) => {
      const target = posix.resolve(path(from), path(to));
      const { mode } = bridge.call('stat', target);
      if ((mode & 0o170_000) !== 0o040_000)
        throw new Error(`ENOTDIR: not a directory, chdir ${target}`);
      return target;
    },
    exec: (run, cwd, env, stdin) => {
      output.flush();
      const ran = bridge.call('exec', {
        run: Array.isArray(run) ? run.map(String) : path(run),
        cwd: path(cwd),
        env: env === null ? null : (env as Record<string, string>),
        stdin: bytes(stdin),
      });
      return { ...ran };
    },
    stdin: () => start.stdin,
    print: (descriptor, what) => {
      output.print(
        descriptor === 2 ? 'stderr' : 'stdout',
        typeof what === 'string' ? Buffer.from(what) : bytes(what),
      );
      return undefined;
    },
    exit: (status) => {
      output.flush();
      guest.end(Number(status) & 0xff);
      return undefined;
    },
    now: () => performance.now() - begunAt,
    sleep: (ms) => {
      sleep(Number(ms));
      return undefined;
    },
    randomBytes: (count) => randomFillSync(new Uint8Array(Number(count))),
  };
}

/** Sleeps with the thread; whoever ends it ends this. */
export function sleep(ms: number): void {
  const never = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  Atomics.wait(never, 0, 0, Math.min(ms, LONGEST_SLEEP));
}
