/** Calls of the program's own functions. */
import { all, type Code, later, map, now } from './code.ts';
import type { Compiler } from './compiler.ts';
import { FatalError } from './errors.ts';
import { Jump, type Local, type Runtime } from './runtime.ts';
import { NORMAL, RETURN, type Signal } from './signals.ts';
import type { Expr } from './syntax.ts';
import { AwkArray, type Value } from './values.ts';

/** A call of one of the program's functions. */
export function compileCall(
  compiler: Compiler,
  name: string,
  args: readonly Expr[],
  line: number,
): Code<Value> {
  const called = compiler.functions.get(name);
  if (called === undefined) return undefinedFunction(compiler, name, args, line);
  const { parameters } = called.node;
  const codes = all(args.map((one, i) => compiler.argument(one, called.arrays[i] === true)));
  const missing = parameters.length - args.length;
  const frameOf = (given: Local[]): Local[] => {
    // What is too many was worked out all the same.
    if (given.length > parameters.length) given.length = parameters.length;
    for (const [i, value] of given.entries()) {
      if (called.arrays[i] !== true || value instanceof AwkArray) continue;
      throw new FatalError(`attempt to use scalar parameter \`${parameters[i]}' as an array`);
    }
    for (let i = 0; i < missing; i++) given.push(undefined);
    return given;
  };
  const { runtime } = compiler;
  if (codes.waits || called.waits) {
    return later(async () => {
      const frame = frameOf(await codes.run());
      const outer = runtime.frame;
      runtime.enter();
      runtime.frame = frame;
      try {
        return result(runtime, (await called.body?.run()) ?? NORMAL);
      } finally {
        runtime.frame = outer;
        runtime.depth--;
      }
    });
  }
  return now(() => {
    const frame = frameOf(codes.run());
    const outer = runtime.frame;
    runtime.enter();
    runtime.frame = frame;
    try {
      return result(runtime, (called.body?.run() as Signal | undefined) ?? NORMAL);
    } finally {
      runtime.frame = outer;
      runtime.depth--;
    }
  });
}

/** As in gawk, what is never called may be undefined, and its arguments are worked out before it is missed. */
function undefinedFunction(
  compiler: Compiler,
  name: string,
  args: readonly Expr[],
  line: number,
): Code<Value> {
  const { runtime } = compiler;
  return map(all(args.map((one) => compiler.argument(one, false))), (): Value => {
    runtime.line = line;
    throw new FatalError(`function \`${name}' not defined`);
  });
}

function result(runtime: Runtime, signal: Signal): Value {
  if (signal !== NORMAL && signal !== RETURN) throw new Jump(signal);
  const value = runtime.returned;
  runtime.returned = undefined;
  return value;
}
