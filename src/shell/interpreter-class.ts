/**
 * The way into just-bash's interpreter.
 *
 * Why: what the shell must do (state that lives on, failed redirects that do
 * not end the script, exact bytes, output as it comes, true errors) needs a
 * place between a command and the interpreter, also inside `eval`, `source`,
 * scripts and functions. just-bash 3.4.2 has no such place: its plugins see
 * source text before it runs, and its state is a private copy, dropped at the
 * end. Its interpreter class is not exported either, but its methods are
 * ordinary ones, looked up by name on the prototype.
 *
 * How: the class is met once, by running an empty script in a throw-away Bash
 * and noting the object to which its constructor binds `executeScript`. This
 * happens synchronously, with no other code in between, and
 * `Function.prototype.bind` is put back before anything else runs. Six
 * methods are then wrapped. A wrapper does nothing for a Bash that has not
 * been registered with {@link hookInterpreter}.
 *
 * The dependency is pinned exactly. If its internals change, the self-check
 * below fails at start and says what to do.
 */
import {
  Bash,
  type CommandNode,
  type PipelineNode,
  type ScriptNode,
  type StatementNode,
} from 'just-bash';
import type { CommandResult, Interpreter, InterpreterState } from './interpreter-types.ts';

/** What wraps the interpreter's methods. Each gets the interpreter and the original to call. */
export interface InterpreterHooks {
  executeScript(
    self: Interpreter,
    original: (node: ScriptNode) => Promise<CommandResult>,
    node: ScriptNode,
  ): Promise<CommandResult>;
  executeStatement(
    self: Interpreter,
    original: (node: StatementNode) => Promise<CommandResult>,
    node: StatementNode,
  ): CommandResult | Promise<CommandResult>;
  executePipeline(
    self: Interpreter,
    original: (node: PipelineNode) => Promise<CommandResult>,
    node: PipelineNode,
  ): Promise<CommandResult>;
  executeCommand(
    self: Interpreter,
    original: (node: CommandNode, stdin: string, stdinOwned?: boolean) => Promise<CommandResult>,
    node: CommandNode,
    stdin: string,
    stdinOwned?: boolean,
  ): Promise<CommandResult>;
  runCommand(
    self: Interpreter,
    original: RunCommand,
    name: string,
    args: string[],
    quoted: boolean[],
    stdin: string,
    ...rest: unknown[]
  ): Promise<CommandResult>;
  executeUserScript(
    self: Interpreter,
    original: RunFile,
    path: string,
    args: string[],
    stdin?: string,
  ): Promise<CommandResult>;
}

/** `executeUserScript` of the interpreter: a file that is run by its path. @param stdin as bytes */
export type RunFile = (path: string, args: string[], stdin?: string) => Promise<CommandResult>;

/** `runCommand` of the interpreter: a command by name, after expansion and before redirection. */
export type RunCommand = (
  name: string,
  args: string[],
  quoted: boolean[],
  stdin: string,
  ...rest: unknown[]
) => Promise<CommandResult>;

type Method = (this: Interpreter, ...args: unknown[]) => unknown;
type Registry = WeakMap<object, InterpreterHooks>;

const HOOKED = [
  'executeScript',
  'executeStatement',
  'executePipeline',
  'executeCommand',
  'runCommand',
  'executeUserScript',
] as const;
/** Where the wrapped class keeps its hooks, so that two copies of this module agree. */
const REGISTRY = Symbol.for('dirigent.interpreter-hooks/1');

/** Lets hooks see everything that this Bash runs. Throws if just-bash is not the one we know. */
export function hookInterpreter(bash: Bash, hooks: InterpreterHooks): void {
  const prototype = interpreterPrototype();
  const own = prototype as { [REGISTRY]?: Registry };
  own[REGISTRY] ??= wrapMethods(prototype);
  // The map of commands is the one object that all interpreters of a Bash share.
  own[REGISTRY].set(privatePart(bash, 'commands', isMap), hooks);
}

/** The state that a Bash copies for each script. Reading it changes nothing. */
export function pristineState(bash: Bash): InterpreterState {
  return privatePart(bash, 'state', isState);
}

function wrapMethods(prototype: object): Registry {
  const registry: Registry = new WeakMap();
  const methods = prototype as Record<string, Method>;
  for (const name of HOOKED) {
    const original = methods[name];
    if (typeof original !== 'function') throw unknownVersion(`the interpreter has no ${name}`);
    // A method of the same name, by which the class is met again.
    const wrapper: Record<string, Method> = {
      [name](this: Interpreter, ...args: unknown[]) {
        const hooks = registry.get(this.ctx.commands);
        if (hooks === undefined) return original.apply(this, args);
        const hook = hooks[name] as (...args: unknown[]) => unknown;
        const call = (...given: unknown[]) => original.apply(this, given);
        return hook.call(hooks, this, call, ...args);
      },
    };
    methods[name] = wrapper[name] as Method;
  }
  return registry;
}

/** The prototype of just-bash's interpreter. */
function interpreterPrototype(): object {
  let found: object | undefined;
  const bash = new Bash({ defenseInDepth: false, commands: ['true'] });
  const bind = Function.prototype.bind;
  const restore = () => {
    Function.prototype.bind = bind;
  };
  bash.registerTransformPlugin({
    name: 'dirigent-interpreter-class',
    // The last call before the interpreter is made …
    transform({ ast }) {
      Function.prototype.bind = function (this: Method, self: unknown, ...args: unknown[]) {
        if (this.name === 'executeScript' && typeof self === 'object' && self !== null) {
          found ??= Object.getPrototypeOf(self);
        }
        return bind.call(this, self, ...args);
      };
      // … and the first after it.
      return {
        ast: {
          ...ast,
          get statements() {
            restore();
            return [];
          },
        },
      };
    },
  });
  try {
    // Runs up to the empty script synchronously; its result has no meaning.
    bash.exec(':').catch(restore);
  } finally {
    restore();
  }
  if (found === undefined) throw unknownVersion('its interpreter was not met');
  return found;
}

function privatePart<T>(bash: Bash, name: string, is: (part: unknown) => part is T): T {
  const part: unknown = (bash as unknown as Record<string, unknown>)[name];
  if (!is(part)) throw unknownVersion(`Bash has no usable '${name}'`);
  return part;
}

function isMap(part: unknown): part is Map<string, unknown> {
  return part instanceof Map;
}

function isState(part: unknown): part is InterpreterState {
  const state = part as Partial<InterpreterState> | undefined;
  return (
    state?.env instanceof Map &&
    state.arrays instanceof Map &&
    state.functions instanceof Map &&
    state.exportedVars instanceof Set &&
    state.readonlyVars instanceof Set &&
    typeof state.cwd === 'string' &&
    typeof state.options === 'object' &&
    typeof state.shoptOptions === 'object'
  );
}

function unknownVersion(what: string): Error {
  return new Error(
    `the installed just-bash is not the one this shell was written for (3.4.2): ${what}. ` +
      'Install exactly 3.4.2, or adapt src/shell/interpreter-class.ts and run its tests.',
  );
}
