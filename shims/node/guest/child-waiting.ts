/** The calls of `child_process` that wait for their command. */
import {
  argumentsOf,
  byShell,
  type Options,
  type Runner,
  shownAs,
  targetsOf,
} from './child-runner.ts';
import type { Bag } from './loose.ts';

/** As `timeout` tells that it ended a command. */
const TIMED_OUT = 124;

export function waitingCalls(runner: Runner) {
  const { Buffer, files, bytesFrom, run, wordsOf, failure, notFound, nextPid } = runner;
  const spawnSync = (file: string, given?: unknown, more?: unknown): Bag => {
    const { args, options } = argumentsOf(given, more);
    const targets = targetsOf(options.stdio);
    const input = targets[0] === 'inherit' ? files.read('/dev/stdin') : bytesFrom(options.input);
    const ran = run(wordsOf(file, args, options), options, input);
    const pid = nextPid();
    const result: Bag = {
      pid,
      output: null,
      stdout: null,
      stderr: null,
      status: null,
      signal: null,
    };
    if (notFound(ran, byShell(options))) {
      return { error: failure(`spawnSync ${file}`, 'ENOENT', -2, file, args), ...result, pid: 0 };
    }
    const isLate = Number(options.timeout ?? 0) > 0 && ran.status === TIMED_OUT;
    const deliver = (bytes: Uint8Array, target: unknown, descriptor: 1 | 2): unknown => {
      if (target === 'inherit' || typeof target === 'number') {
        files.writeAt(typeof target === 'number' ? target : descriptor, bytes, null);
        return null;
      }
      if (target === 'ignore') return null;
      return shownAs(Buffer.from(bytes), options.encoding);
    };
    const stdout = deliver(ran.stdout, targets[1], 1);
    const stderr = deliver(ran.stderr, targets[2], 2);
    const ended = isLate
      ? { status: null, signal: 'SIGTERM' }
      : { status: ran.status, signal: null };
    const full = { ...ended, output: [null, stdout, stderr], pid, stdout, stderr };
    if (!isLate) return full;
    return { error: failure(`spawnSync ${file}`, 'ETIMEDOUT', -110, file, args), ...full };
  };
  const checked = (ran: Bag, command: string): unknown => {
    if (ran['error'] !== undefined)
      throw Object.assign(ran['error'] as Error, without(ran, 'error'));
    if (ran['status'] === 0) return ran['stdout'];
    const stderr = ran['stderr'] as { length: number } | null;
    const tail = stderr !== null && stderr.length > 0 ? `\n${String(stderr)}` : '';
    throw Object.assign(new Error(`Command failed: ${command}${tail}`), ran);
  };
  const relayed = (ran: Bag, options: Options): Bag => {
    const { stderr } = ran;
    if (options.stdio === undefined && stderr !== null && (stderr as { length: number }).length > 0)
      files.writeAt(2, bytesFrom(stderr), null);
    return ran;
  };
  const execSync = (command: string, options: Options = {}): unknown =>
    checked(
      relayed(spawnSync(command, [], { ...options, shell: options.shell ?? true }), options),
      command,
    );
  const execFileSync = (file: string, given?: unknown, more?: unknown): unknown => {
    const { args, options } = argumentsOf(given, more);
    const command = [file, ...args.map(String)].join(' ');
    return checked(relayed(spawnSync(file, args, options), options), command);
  };
  return { spawnSync, execSync, execFileSync };
}

function without(bag: Bag, name: string): Bag {
  return Object.fromEntries(Object.entries(bag).filter(([key]) => key !== name));
}
