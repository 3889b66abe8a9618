/** Signals by their names. */

const NUMBERS: Readonly<Record<string, number>> = {
  HUP: 1,
  INT: 2,
  QUIT: 3,
  KILL: 9,
  USR1: 10,
  USR2: 12,
  PIPE: 13,
  ALRM: 14,
  TERM: 15,
};

/** The number of a signal, given by its number or its name; null where it is none of these. */
export function signalNumber(given: string): number | null {
  if (/^\d+$/.test(given)) return signalName(given) === null ? null : Number(given);
  return NUMBERS[given.toUpperCase().replace(/^SIG/, '')] ?? null;
}

/** Its name. */
export function signalName(given: string): string | null {
  if (/^\d+$/.test(given)) {
    return Object.entries(NUMBERS).find(([, number]) => String(number) === given)?.[0] ?? null;
  }
  const name = given.toUpperCase().replace(/^SIG/, '');
  return name in NUMBERS ? name : null;
}
