/** awk's built-in functions, compiled with their arguments. */
import { arrayFunctions } from './array-functions.ts';
import type { Builtins } from './calls.ts';
import type { Code } from './code.ts';
import type { Compiler } from './compiler.ts';
import { ProgramError } from './errors.ts';
import { numberFunctions } from './number-functions.ts';
import { streamFunctions } from './stream-functions.ts';
import { stringFunctions } from './string-functions.ts';
import type { Expr } from './syntax.ts';
import { timeFunctions } from './time-functions.ts';
import type { Value } from './values.ts';

const TABLE: Builtins = {
  ...stringFunctions,
  ...numberFunctions,
  ...arrayFunctions,
  ...timeFunctions,
  ...streamFunctions,
};

/** Compiles a call of a built-in function. */
export function builtin(
  compiler: Compiler,
  name: string,
  args: readonly Expr[],
  line: number,
): Code<Value> {
  const found = TABLE[name];
  if (found === undefined) throw new ProgramError(`there is no ${name} here`, line);
  if (args.length < found.least || args.length > found.most) {
    const wanted =
      found.least === found.most ? `${found.least}` : `${found.least} to ${found.most}`;
    throw new ProgramError(
      `${args.length} is invalid as number of arguments for ${name}: it takes ${wanted}`,
      line,
    );
  }
  return found.compile({ compiler, args, line });
}
