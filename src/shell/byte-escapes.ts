/**
 * `printf '\xff'` and `echo -e '\0377'`: just-bash turns a byte that is not
 * UTF-8 into the character of that number, two bytes once written. The escapes
 * are rewritten before the command sees them, see bytes.ts.
 */
import { textFromBytes } from './bytes.ts';

/** An escaped backslash, or a run of byte escapes. */
const RUN = /\\\\|(?:\\x[0-9a-fA-F]{1,2}|\\[0-7]{1,3})+/g;
const ONE = /\\x([0-9a-fA-F]{1,2})|\\([0-7]{1,3})/g;
/** `echo -e` and `%b` write octal with a leading zero, up to four digits. */
const RUN_ZERO = /\\\\|(?:\\x[0-9a-fA-F]{1,2}|\\0[0-7]{0,3})+/g;
const ONE_ZERO = /\\x([0-9a-fA-F]{1,2})|\\(0[0-7]{0,3})/g;

/** The arguments of `echo` or `printf` with bytes that are not UTF-8 spelled so that they survive. */
export function keepEscapedBytes(name: string, args: string[]): string[] {
  if (name !== 'printf' && name !== 'echo') return args;
  if (!args.some((arg) => /\\[x0-7]/.test(arg))) return args;
  if (name === 'echo') {
    const escapes = args.some((arg) => /^-[neE]*e[neE]*$/.test(arg));
    return escapes ? args.map((arg) => rewrite(arg, RUN_ZERO, ONE_ZERO)) : args;
  }
  const format = args[0] === '-v' ? 2 : args[0] === '--' ? 1 : 0;
  const interprets = args[format]?.includes('%b') === true;
  return args.map((arg, index) => {
    if (index === format) return rewrite(keepPercent(arg), RUN, ONE);
    return index > format && interprets ? rewrite(arg, RUN_ZERO, ONE_ZERO) : arg;
  });
}

/** `printf '\x25d'` prints a percent sign: an escape begins no conversion. */
function keepPercent(format: string): string {
  return format.replace(/\\\\|\\x25|\\0?45(?![0-7])/g, (whole) =>
    whole === '\\\\' ? whole : '%%',
  );
}

function rewrite(arg: string, runs: RegExp, one: RegExp): string {
  return arg.replace(runs, (run) => {
    if (run === '\\\\') return run;
    const bytes = Array.from(run.matchAll(one), (match) =>
      String.fromCharCode(
        match[1] === undefined
          ? Number.parseInt(match[2] ?? '0', 8) & 0xff
          : Number.parseInt(match[1], 16),
      ),
    ).join('');
    if (/^[\x00-\x7f]*$/.test(bytes)) return run;
    // ASCII stays escaped: `\x5c` is no backslash that begins an escape.
    return Array.from(textFromBytes(bytes), (char) =>
      char < '\x80' ? hexEscape(char) : char,
    ).join('');
  });
}

function hexEscape(byte: string): string {
  return `\\x${byte.charCodeAt(0).toString(16).padStart(2, '0')}`;
}
