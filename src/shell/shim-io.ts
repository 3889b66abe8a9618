/**
 * What a shim may know about its streams: `ctx.env.get('DIRIGENT_IO')` holds
 * `v` if its stdout is the script's own and `p` if its stdin is a pipe, a file
 * or a here-document (`true | grep q` against `grep q`); `f` if its stdin is a file, whose size is
 * known before it is read; `t` if what it prints is seen at a terminal,
 * and `c` if it may use colours there. Only a shim sees it:
 * the name is in no environment and no trace.
 */
import { type Command, defineCommand } from 'just-bash';
import type { Frame } from './frame.ts';
import type { Line } from './line.ts';

/** The name under which shims find the letters. */
export const IO_VARIABLE = 'DIRIGENT_IO';

/** The letters that tell a shim of its streams. */
export function marksOf(frame: Frame, { init: { terminal } }: Line): string {
  const seen = frame.stdout && terminal !== null;
  return [
    frame.stdout ? 'v' : '',
    frame.stdin ? 'p' : '',
    frame.seekable ? 'f' : '',
    seen ? 't' : '',
    seen && terminal.color ? 'c' : '',
  ].join('');
}

type Env = Parameters<Command['execute']>[1]['env'];

/** The shim, with the letters that belong to this very call. `marks` is keyed by the call's argument array. */
export function withIo(shim: Command, marks: WeakMap<readonly string[], string>): Command {
  return defineCommand(shim.name, (args, ctx) => {
    const mark = marks.get(args);
    if (mark === undefined) return shim.execute(args, ctx);
    const { env } = ctx;
    const get = (name: string) => (name === IO_VARIABLE ? mark : env.get(name));
    const seen = new Proxy(env, {
      get: (target, property) => (property === 'get' ? get : Reflect.get(target, property, target)),
    }) as Env;
    // Inherits, so that reading stdin is noticed only if the shim reads it.
    return shim.execute(args, Object.create(ctx, { env: { value: seen, enumerable: true } }));
  });
}
