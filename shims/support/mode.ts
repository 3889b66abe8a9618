/** Permissions as chmod takes them: octal or `u+x,go-w`. */

/** Makes a new mode of an old one; `directory` matters for X. */
export type ModeRule = (mode: number, directory: boolean) => number;

/** What nobody is given who was not named: the mask of this shell. */
const UMASK = 0o022;

const WHO: Readonly<Record<string, number>> = { u: 0o4700, g: 0o2070, o: 0o1007, a: 0o7777 };

/** `=755`, `+x` in digits: of everybody, whatever the mask. */
function digits(sign: string, named: number): ModeRule {
  if (sign === '+') return (mode) => mode | named;
  if (sign === '-') return (mode) => mode & ~named;
  return () => named;
}

function clause(text: string): ModeRule | undefined {
  const [, sign, octal] = /^([-+=])(0*[0-7]{1,4})$/.exec(text) ?? [];
  if (sign !== undefined && octal !== undefined) return digits(sign, Number.parseInt(octal, 8));
  const match = /^([ugoa]*)((?:[-+=][rwxXstugo]*)+)$/.exec(text);
  if (match === null) return undefined;
  const who = [...(match[1] || 'a')].reduce((mask, letter) => mask | (WHO[letter] ?? 0), 0);
  const masked = match[1] === '' ? ~UMASK : ~0;
  const steps = [...(match[2] ?? '').matchAll(/([-+=])([rwxXstugo]*)/g)];
  return (mode, directory) =>
    steps.reduce((at, [, sign, letters = '']) => {
      const bits = bitsOf(letters, at, directory) & who & masked;
      if (sign === '+') return at | bits;
      if (sign === '-') return at & ~bits;
      return (at & ~(who & (directory ? 0o1777 : 0o7777))) | bits;
    }, mode);
}

function bitsOf(letters: string, mode: number, directory: boolean): number {
  let bits = 0;
  for (const letter of letters) {
    if (letter === 'r') bits |= 0o444;
    else if (letter === 'w') bits |= 0o222;
    else if (letter === 'x' || (letter === 'X' && (directory || mode & 0o111))) bits |= 0o111;
    else if (letter === 's') bits |= 0o6000;
    else if (letter === 't') bits |= 0o1000;
    else if (letter === 'u') bits |= ((mode >> 6) & 7) * 0o111;
    else if (letter === 'g') bits |= ((mode >> 3) & 7) * 0o111;
    else if (letter === 'o') bits |= (mode & 7) * 0o111;
  }
  return bits;
}

/** Reads a mode; undefined when it is none. */
export function parseMode(text: string): ModeRule | undefined {
  if (/^0*[0-7]{1,4}$/.test(text)) {
    const named = parseInt(text, 8);
    // A directory keeps who runs as whom, unless that is written out in five digits.
    const kept = text.length < 5 ? 0o6000 : 0;
    return (mode, directory) => named | (directory ? mode & kept : 0);
  }
  const rules = text.split(',').map(clause);
  if (rules.some((rule) => rule === undefined)) return undefined;
  return (mode, directory) => rules.reduce((at, rule) => rule?.(at, directory) ?? at, mode);
}
