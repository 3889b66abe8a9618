/** What a built-in function is, and how its arguments are compiled. */
import { type Code, map, now } from './code.ts';
import type { Compiler } from './compiler.ts';
import type { Expr } from './syntax.ts';
import type { Value } from './values.ts';

/** One call, to be compiled. */
export interface Call {
  compiler: Compiler;
  args: readonly Expr[];
  line: number;
}

/** Compiles a call; the number of arguments was checked. */
export type Builtin = { least: number; most: number; compile: (call: Call) => Code<Value> };

export type Builtins = Readonly<Record<string, Builtin>>;

/** An argument as text; the empty string where it is left out. */
export function textArgument({ compiler, args }: Call, index: number): Code<string> {
  const node = args[index];
  return node === undefined ? now(() => '') : compiler.text(node);
}

export function numberArgument({ compiler, args }: Call, index: number): Code<number> {
  const node = args[index];
  return node === undefined ? now(() => 0) : compiler.number(node);
}

/** A function of one number. */
export function ofNumber(compute: (value: number) => Value): Builtin {
  return {
    least: 1,
    most: 1,
    compile: (call) => map(numberArgument(call, 0), compute),
  };
}
