/** What the parts of the compiler of expressions ask of each other. */
import type { Code } from './code.ts';
import type { Ref } from './refs.ts';
import type { Regex } from './regex.ts';
import type { Local, Runtime } from './runtime.ts';
import type { Signal } from './signals.ts';
import type { ArrayNode, Expr, FunctionNode, Target } from './syntax.ts';
import type { AwkArray, Value } from './values.ts';

/** A function's compiled body, filled in once all are known. */
export interface CompiledFunction {
  node: FunctionNode;
  arrays: readonly boolean[];
  waits: boolean;
  body: Code<Signal> | null;
}

/** Compiles expressions, each as what is wanted of it. */
export interface Compiler {
  readonly runtime: Runtime;
  readonly functions: ReadonlyMap<string, CompiledFunction>;
  /** What an expression gives. */
  value(node: Expr): Code<Value>;
  /** Whether it is true. */
  condition(node: Expr): Code<boolean>;
  number(node: Expr): Code<number>;
  text(node: Expr): Code<string>;
  regex(node: Expr): Code<Regex>;
  array(node: ArrayNode): Code<AwkArray>;
  /** The key that subscripts make. */
  key(subscripts: readonly Expr[]): Code<string>;
  /** A place that can be assigned to. */
  ref(node: Target): Code<Ref>;
  /** An argument for a function: an array where the function wants one, or where it is one. */
  argument(node: Expr, wantsArray: boolean): Code<Local>;
  /** What a name or an element holds, an array or not. */
  raw(node: Expr): Code<Local>;
}
