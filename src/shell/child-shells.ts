/**
 * Shells that a shell starts: `bash`, `sh`, and scripts run by their path. Each sees what is
 * exported to it, and no more; just-bash would run a script as a subshell, with every variable
 * and function there is, and takes no options.
 */
import type { NamespaceFs } from '../namespace/types.ts';
import { commandOfFile } from '../system/index.ts';
import { textFromBytes } from './bytes.ts';
import type { Run } from './frame.ts';
import type { CommandResult, Interpreter, NestedExecOptions } from './interpreter-types.ts';
import { type Invocation, parseInvocation } from './invocation.ts';
import { fileError } from './redirect-guard.ts';

/** What a shell that is about to start is told besides its environment. */
export interface ShellStart extends Pick<Invocation, 'set' | 'shopt'> {
  /** Is its script an argument, `-c`? */
  command: boolean;
  /** The path of its script as it was called; null where it is no file. */
  file: string | null;
  /** The path of what was started, the shell or the script: the first `$_`. */
  started: string;
}

/** Where shells come from. */
export interface ShellHost {
  run: Run;
  fs: NamespaceFs;
  start(script: string, options: NestedExecOptions, begin: ShellStart): Promise<CommandResult>;
  /** Another command, by its name: what `#!` names. */
  command(name: string, args: string[], stdin: string): Promise<CommandResult>;
}

const SHELLS = new Set(['bash', 'sh', 'dash', 'ash']);
/** As just-bash gives it in `$BASH_VERSION`. */
const VERSION = '5.1.0(1)-release';
/** A file that cannot be a script: NUL in its first line. */
const BINARY = /^[^\n]*\0/;

/** What a command reads, as a file. */
export const STDIN: ReadonlySet<string> = new Set(['/dev/stdin', '/dev/fd/0']);

/** The shell that a command's name stands for, if it does. */
export function shellName(name: string): string | null {
  const base = name.replace(/^(?:\/usr)?\/bin\//, '');
  return SHELLS.has(base) && base !== 'ash' && base !== 'dash' ? base : null;
}

/** `bash …` and `sh …`. @param called its name, or its path, as it was called @param stdin as bytes */
export async function startShell(
  host: ShellHost,
  name: string,
  called: string,
  args: readonly string[],
  stdin: string,
): Promise<CommandResult> {
  const asked = parseInvocation(name, args, VERSION);
  if ('exitCode' in asked) return asked;
  const { from } = asked;
  const program = called.includes('/') ? called : `/usr/bin/${called}`;
  if (from === 'stdin') {
    const script = textFromBytes(stdin);
    return script.trim() === ''
      ? { stdout: '', stderr: '', exitCode: 0 }
      : startScript(host, { ...asked, name: called }, script, '', program);
  }
  if ('command' in from) {
    return startScript(
      host,
      { ...asked, name: asked.name ?? called },
      from.command,
      stdin,
      program,
    );
  }
  if (STDIN.has(from.file)) {
    return startScript(host, { ...asked, name: from.file }, textFromBytes(stdin), '', program);
  }
  const read = await readScript(host, name, from.file);
  if (typeof read !== 'string') return read;
  if (commandOfFile(read) !== null) {
    const stderr = `${from.file}: ${from.file}: cannot execute binary file\n`;
    return { stdout: '', stderr, exitCode: 126 };
  }
  return startScript(host, { ...asked, name: from.file }, read, stdin, program);
}

/** A script by its path, as the interpreter that its first line names. @param path absolute */
export async function startFile(
  host: ShellHost,
  called: string,
  path: string,
  args: readonly string[],
  stdin: string,
): Promise<CommandResult> {
  const read = await readScript(host, 'bash', path);
  if (typeof read !== 'string') return read;
  const isItself = /^(?:\/usr)?\/bin\//.test(path);
  const command = isItself ? null : commandOfFile(read);
  if (command !== null) {
    const shell = shellName(command);
    return shell === null
      ? // By its path: on PATH the name may be that of the very file.
        host.command(`/bin/${command}`, [...args], stdin)
      : startShell(host, shell, called, args, stdin);
  }
  const [, interpreter = '', option] =
    /^#![ \t]*(\S+)(?:[ \t]+(.*\S))?[ \t]*\r?(?:\n|$)/.exec(read) ?? [];
  const { name, words } = interpreterOf(interpreter, option ?? '');
  if (name === '' || SHELLS.has(name)) {
    const asked = parseInvocation('bash', [...words, called, ...args], VERSION);
    if ('exitCode' in asked) return asked;
    return startScript(host, { ...asked, name: called, args: [...args] }, read, stdin, called);
  }
  const result = await host.command(name, [...words, called, ...args], stdin);
  if (result.exitCode !== 127) return result;
  const stderr = `bash: ${called}: ${interpreter}: bad interpreter: No such file or directory\n`;
  return { ...result, stderr, exitCode: 126 };
}

/** `/usr/bin/env -S awk -f`: the name, and what comes before the script's path. */
function interpreterOf(path: string, option: string): { name: string; words: string[] } {
  const base = path.slice(path.lastIndexOf('/') + 1);
  if (base !== 'env') return { name: base, words: option === '' ? [] : [option] };
  const [name = '', ...words] = option.replace(/^-S\s*/, '').split(/\s+/);
  return { name, words };
}

async function startScript(
  { run, start }: ShellHost,
  asked: Invocation,
  script: string,
  stdin: string,
  started: string,
): Promise<CommandResult> {
  const { args, from, name, set, shopt } = asked;
  const all = args.join(' ');
  const positional = args.map((arg, index): [string, string] => [String(index + 1), arg]);
  const env = Object.fromEntries([
    ['0', name ?? 'bash'],
    ['#', String(args.length)],
    ['@', all],
    ['*', all],
    ...positional,
  ]);
  const { cwd } = run.ctx.state;
  const options = { env, cwd, stdin, stdinKind: 'bytes', rawScript: true } as const;
  const command = typeof from === 'object' && 'command' in from;
  const file = command || from === 'stdin' ? null : (name ?? null);
  return start(script, options, { set, shopt, command, file, started });
}

/** Gives a shell that begins the options of its command line. The result where one is refused. */
export async function setOptions(
  self: Interpreter,
  { set, shopt }: ShellStart,
): Promise<CommandResult | null> {
  const commands: [string, string[]][] = [];
  if (set.length > 0) commands.push(['set', set]);
  for (const [flag, name] of shopt) commands.push(['shopt', [flag, name]]);
  for (const [name, args] of commands) {
    const result = await self.runCommand(name, args, [], '');
    if (result.exitCode !== 0) {
      const stderr = result.stderr.replace(/^bash: (?:set|shopt): /, 'bash: ');
      return { ...result, stderr, exitCode: 2 };
    }
  }
  return null;
}

/** A script's text, or why there is none. */
async function readScript(
  { run, fs }: ShellHost,
  name: string,
  file: string,
): Promise<string | CommandResult> {
  const { state } = run.ctx;
  let path = fs.resolvePath(state.cwd, file);
  const refuse = (why: string, exitCode: number): CommandResult => ({
    stdout: '',
    stderr: `${name}: ${file}: ${why}\n`,
    exitCode,
  });
  try {
    if (!file.includes('/') && !(await fs.exists(path)))
      path = (await inPath(run, fs, file)) ?? path;
    if ((await fs.stat(path)).isDirectory) return refuse('Is a directory', 126);
    const script = await fs.readFile(path);
    return BINARY.test(script) ? refuse('cannot execute binary file', 126) : script;
  } catch (error) {
    const known = fileError(error);
    if (known === null) throw error;
    return refuse(known.strerror, known.code === 'ENOENT' ? 127 : 126);
  }
}

async function inPath(run: Run, fs: NamespaceFs, file: string): Promise<string | null> {
  for (const directory of (run.ctx.state.env.get('PATH') ?? '').split(':')) {
    if (directory === '') continue;
    const path = `${fs.resolvePath(run.ctx.state.cwd, directory)}/${file}`;
    if (await fs.exists(path)) return path;
  }
  return null;
}
