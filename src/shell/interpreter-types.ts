/** The parts of just-bash's interpreter that the shell touches. Not exported by it, so described here. */
import type {
  CommandNode,
  ExecResult,
  IFileSystem,
  ScriptNode,
  StatementNode,
  WordNode,
} from 'just-bash';

/** A result as it passes through the interpreter. */
export type CommandResult = ExecResult;

/** One redirection of a command. */
export type RedirectionNode = Extract<
  CommandNode,
  { type: 'SimpleCommand' }
>['redirections'][number];

/** One part of a word: literal text, a quoted string, an expansion … */
export type WordPart = WordNode['parts'][number];

export type FunctionNode = Extract<CommandNode, { type: 'FunctionDef' }>;

export interface ShellArray {
  kind: 'indexed' | 'associative';
  elements: Map<string, string>;
}

/** What lives from one line to the next. Names and shapes are the interpreter's own. */
export interface ShellState {
  /** Variables, aliases (`BASH_ALIAS_x`), positional parameters, `?`. */
  env: Map<string, string>;
  arrays: Map<string, ShellArray>;
  functions: Map<string, FunctionNode>;
  cwd: string;
  /** For `cd -`. */
  previousDir: string;
  lastExitCode: number;
  /** For `$_`. */
  lastArg: string;
  /** `set -o`. */
  options: Record<string, boolean>;
  /** `shopt`. */
  shoptOptions: Record<string, boolean>;
  readonlyVars?: Set<string>;
  associativeArrays?: Set<string>;
  namerefs?: Set<string>;
  boundNamerefs?: Set<string>;
  invalidNamerefs?: Set<string>;
  integerVars?: Set<string>;
  lowercaseVars?: Set<string>;
  uppercaseVars?: Set<string>;
  exportedVars?: Set<string>;
  declaredVars?: Set<string>;
  /** `pushd`. */
  directoryStack?: string[];
  /** Where commands were found, for `hash`. */
  hashTable?: Map<string, string>;
  /** The PATH by which they were found. */
  hashedPath?: string;
  completionSpecs?: Map<string, object>;
  /** Open files of `exec 3> f`; the four belong together. */
  fileDescriptors?: Map<number, string>;
  inputFds?: Set<number>;
  fdAliases?: Map<number, Set<number>>;
  closedStandardFds?: Set<number>;
  nextFd?: number;
  /** For `$SECONDS`. Milliseconds since the epoch. */
  startTime: number;
  /** For `$!`, which only ever prints it: empty as long as there was no job. */
  lastBackgroundPid: number | '';
  nextVirtualPid: number;
  /** The number of this shell or subshell. */
  bashPid: number;
}

/** The interpreter's state: {@link ShellState} and what belongs to one script. */
export interface InterpreterState extends ShellState {
  groupStdin?: string;
  /** The descriptor that it comes from, whose position moves with it. */
  groupStdinSourceFd?: number;
  /** Does a failure only answer a question? Then `set -e` does not end the script. */
  inCondition?: boolean;
  /** Was the last failure one that `set -e` passes over? */
  errexitSafe?: boolean;
  /** How many loops are running in this shell or subshell. */
  loopDepth?: number;
  /** For `$LINENO`. */
  currentLine?: number;
  /** One for each function that is running. */
  localScopes?: Map<string, string | undefined>[];
  extraArgs?: string[];
  signal?: AbortSignal;
  /** For `$FUNCNAME`, `$BASH_LINENO` and `$BASH_SOURCE`, the innermost first. */
  funcNameStack?: string[];
  callLineStack?: number[];
  sourceStack?: string[];
  /** Where a function is defined. */
  currentSource?: string;
  tempExportedVars?: Set<string>;
  tempEnvBindings?: Map<string, string | undefined>[];
  /** Of those variables the ones that were looked at, and set. */
  accessedTempEnvVars?: Set<string>;
  mutatedTempEnvVars?: Set<string>;
  /** How many functions and sourced files are running. */
  callDepth?: number;
  /** How many sourced files are running: in one, `return` ends it. */
  sourceDepth?: number;
  /** What each local variable was before, and in which function. */
  localVarStack?: Map<string, { value: string | undefined; scopeIndex: number }[]>;
  localVarDepth?: Map<string, number>;
  /** One of each for each function that is running: what its arrays were before, what it exported. */
  localArrayScopes?: Map<string, ShellArray | undefined>[];
  localExportedVars?: Set<string>[];
  fullyUnsetLocals?: Map<string, number>;
}

export interface NestedExecOptions {
  env?: Record<string, string>;
  replaceEnv?: boolean;
  cwd?: string;
  stdin?: string;
  stdinKind?: 'text' | 'bytes';
  args?: string[];
  /** As it stands: just-bash would take indentation off. */
  rawScript?: boolean;
  signal?: AbortSignal;
}

export interface InterpreterContext {
  state: InterpreterState;
  fs: IFileSystem;
  commands: Map<string, unknown>;
  execFn: (
    script: string,
    options?: NestedExecOptions,
    stdinAlreadyAccounted?: boolean,
  ) => Promise<CommandResult>;
  executeScript: (node: ScriptNode) => Promise<CommandResult>;
  executeStatement: (node: StatementNode) => CommandResult | Promise<CommandResult>;
  limits: { maxArrayElements: number; maxStringLength: number; maxCallDepth: number };
  /** Counts towards the limits of a line. Throws where there is no more. */
  executionScope: { chargeCommand(): number };
}

/** An interpreter: one for each script, nested scripts (`bash -c`, `xargs`) included. */
export interface Interpreter {
  ctx: InterpreterContext;
  runCommand(
    name: string,
    args: string[],
    quoted: boolean[],
    stdin: string,
    ...rest: unknown[]
  ): Promise<CommandResult>;
}
