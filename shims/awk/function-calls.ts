/** Calls of the program's own functions. */
import { all, type Code, later, now } from './code.ts';
import type { Compiler } from './compiler.ts';
import { FatalError, ProgramError } from './errors.ts';
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
  if (called === undefined) throw new ProgramError(`function \`${name}' not defined`, line);
  const { parameters } = called.node;
  if (args.length > parameters.length) {
    throw new ProgramError(
      `function \`${name}' called with more arguments than declared (${args.length} for ${parameters.length})`,
      line,
    );
  }
  const codes = all(args.map((one, i) => compiler.argument(one, called.arrays[i] === true)));
  const missing = parameters.length - args.length;
  const frameOf = (given: Local[]): Local[] => {
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

function result(runtime: Runtime, signal: Signal): Value {
  if (signal !== NORMAL && signal !== RETURN) throw new Jump(signal);
  const value = runtime.returned;
  runtime.returned = undefined;
  return value;
}
