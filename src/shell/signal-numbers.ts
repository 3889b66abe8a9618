/** Signals by their names and numbers, as Linux has them. */

const NAMES: ReadonlyMap<number, string> = new Map([
  ...'HUP INT QUIT ILL TRAP ABRT BUS FPE KILL USR1 SEGV USR2 PIPE ALRM TERM STKFLT CHLD CONT STOP TSTP TTIN TTOU URG XCPU XFSZ VTALRM PROF WINCH IO PWR SYS'
    .split(' ')
    .map((name, index): [number, string] => [index + 1, name]),
  // Those of real time count up from the first and down to the last.
  ...Array.from({ length: 31 }, (_none, index): [number, string] => {
    if (index === 0) return [34, 'RTMIN'];
    if (index === 30) return [64, 'RTMAX'];
    return [34 + index, index < 16 ? `RTMIN+${index}` : `RTMAX-${30 - index}`];
  }),
]);
const NUMBERS: ReadonlyMap<string, number> = new Map(
  [...NAMES].map(([number, name]) => [name, number]),
);

/** The number of a signal, given by its number or its name; null where it is none. */
export function signalNumber(given: string): number | null {
  if (/^\d+$/.test(given)) return NAMES.has(Number(given)) ? Number(given) : null;
  return NUMBERS.get(given.toUpperCase().replace(/^SIG/, '')) ?? null;
}

/** Its name without `SIG`; null where it is none. */
export function signalName(given: string): string | null {
  const number = signalNumber(given);
  return number === null ? null : (NAMES.get(number) ?? null);
}

/** All of them in columns, as `kill -l` and `trap -l` show them. */
export function signalTable(): string {
  const cells = [...NAMES].map(([number, name]) => `${String(number).padStart(2)}) SIG${name}`);
  return `${cells.map((cell, at) => `${cell}${at % 5 === 4 ? '\n' : '\t'}`).join('')}\n`;
}

/** All names, by number. */
export const SIGNAL_NAMES: readonly string[] = [...NAMES.values()];

/** What does nothing to one who does not wait for it. */
export const IGNORED: ReadonlySet<string> = new Set(['CHLD', 'CONT', 'WINCH', 'URG']);
/** What only holds whom it reaches. */
export const HOLDING: ReadonlySet<string> = new Set(['STOP', 'TSTP', 'TTIN', 'TTOU']);
