/** Arguments of builtins in the form that just-bash takes, and mistakes in them that it passes over. */
import type { CommandResult, InterpreterState } from './interpreter-types.ts';

/** The letters of a builtin's options, those with a value followed by a colon. */
const OPTIONS: Readonly<Record<string, string>> = {
  mapfile: 'd:n:O:s:tu:C:c:',
  readarray: 'd:n:O:s:tu:C:c:',
};

/** Makes the arguments of a call such as just-bash reads them: one option a word. */
export function normalise(name: string, args: string[]): void {
  const letters = OPTIONS[name];
  if (letters !== undefined) args.splice(0, args.length, ...separated(args, letters));
  if (name === 'echo') echoFlags(args);
  // `sleep .5`
  if (name === 'sleep') {
    for (const [at, word] of args.entries()) if (/^\.\d/.test(word)) args[at] = `0${word}`;
  }
}

/** `-En` as `-n`: just-bash knows no `-E` among other letters. The last of e and E counts. */
function echoFlags(args: string[]): void {
  let count = 0;
  while (/^-[neE]+$/.test(args[count] ?? '')) count++;
  const letters = args.slice(0, count).join('');
  if (!letters.includes('E')) return;
  const flags = [
    ...(letters.includes('n') ? ['-n'] : []),
    ...(letters.lastIndexOf('e') > letters.lastIndexOf('E') ? ['-e'] : []),
  ];
  args.splice(0, count, ...flags);
}

/** `-td,` as `-t -d ,`. */
function separated(args: readonly string[], letters: string): string[] {
  const out: string[] = [];
  for (let at = 0; at < args.length; at++) {
    const word = args[at] ?? '';
    if (word === '--' || !/^-./.test(word)) return [...out, ...args.slice(at)];
    for (let i = 1; i < word.length; i++) {
      const letter = word.charAt(i);
      out.push(`-${letter}`);
      if (!letters.includes(`${letter}:`)) continue;
      const attached = word.slice(i + 1);
      const value = attached === '' ? args[++at] : attached;
      if (value !== undefined) out.push(value);
      break;
    }
  }
  return out;
}

/** What is wrong with a call; null where nothing is, or just-bash says it. */
export function refusalOf(
  name: string,
  args: readonly string[],
  state: InterpreterState,
): CommandResult | null {
  if (name === 'cd') return refusedCd(args, state);
  if (name === 'shift' && args.filter((word) => word !== '--').length > 1) {
    return { stdout: '', stderr: 'bash: shift: too many arguments\n', exitCode: 1 };
  }
  if ((name === 'break' || name === 'continue') && (state.loopDepth ?? 0) === 0) {
    const why = "only meaningful in a `for', `while', or `until' loop";
    return { stdout: '', stderr: `bash: ${name}: ${why}\n`, exitCode: 0 };
  }
  return null;
}

function refusedCd(args: readonly string[], { env }: InterpreterState): CommandResult | null {
  const refuse = (why: string, exitCode = 1): CommandResult => ({
    stdout: '',
    stderr: `bash: cd: ${why}\n`,
    exitCode,
  });
  const rest = [...args];
  while (/^-./.test(rest[0] ?? '')) {
    const word = rest.shift() ?? '';
    if (word === '--') break;
    const wrong = /^-[LPe@]*([^LPe@])/.exec(word)?.[1];
    if (wrong !== undefined) {
      return refuse(`-${wrong}: invalid option\ncd: usage: cd [-L|[-P [-e]] [-@]] [dir]`, 2);
    }
  }
  if (rest.length > 1) return refuse('too many arguments');
  if (rest[0] === '-' && env.get('OLDPWD') === undefined) return refuse('OLDPWD not set');
  if (rest.length === 0 && env.get('HOME') === undefined) return refuse('HOME not set');
  // The directory that there is.
  const stays = rest[0] === '' || (rest.length === 0 && env.get('HOME') === '');
  return stays ? { stdout: '', stderr: '', exitCode: 0 } : null;
}
