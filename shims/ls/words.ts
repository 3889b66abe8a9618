/** The words that options of ls take. */
import { type Options, UsageError } from '../support/getopt.ts';

/** Words that mean the same stand in one group, as the real one lists them. */
type Words = ReadonlyArray<readonly string[]>;
const WHENS: Words = [
  ['always', 'yes', 'force'],
  ['never', 'no', 'none'],
  ['auto', 'tty', 'if-tty'],
];
export const FORMATS: Words = [
  ['verbose', 'long'],
  ['commas'],
  ['horizontal', 'across'],
  ['vertical'],
  ['single-column'],
];
export const INDICATORS: Words = [['none'], ['slash'], ['file-type'], ['classify']];
const TIMES: Words = [
  ['atime', 'access', 'use'],
  ['ctime', 'status'],
  ['birth', 'creation'],
];
export const SORTS: Words = [['none'], ['time'], ['size'], ['extension'], ['version'], ['width']];

/** The word that is meant; the beginning of one is enough. */
export function wordOf(option: string, given: string, known: Words): string {
  const all = known.flat();
  const found = all.includes(given) ? given : all.find((word) => word.startsWith(given));
  if (found !== undefined && given !== '') return found;
  const list = known.map((group) => `  - ${group.map((word) => `'${word}'`).join(', ')}`);
  throw new UsageError(
    `invalid argument '${given}' for '--${option}'\nValid arguments are:\n${list.join('\n')}`,
    { status: 1 },
  );
}

/** Options that take words of a list, looked at before anything is listed. */
export function checkWords(options: Options): void {
  for (const [key, value] of options.seen) {
    if (key === 'time') wordOf('time', value, TIMES);
    if (key === 'color' && value !== '') wordOf('color', value, WHENS);
    if (key === 'F' && value !== '') wordOf('classify', value, WHENS);
    if (key === 'hyperlink' && value !== '') wordOf('hyperlink', value, WHENS);
    if (key === 'T' && !/^\d+$/.test(value))
      throw new UsageError(`invalid tab size: '${value}'`, { hint: false });
    if (key === 'time-style' && !/^\+|^(?:posix-)?(?:full-iso|long-iso|iso|locale)$/.test(value))
      throw new UsageError(
        `invalid argument '${value}' for 'time style'\nValid arguments are:\n${TIME_STYLES}`,
      );
  }
}

const TIME_STYLES = `  - [posix-]full-iso
  - [posix-]long-iso
  - [posix-]iso
  - [posix-]locale
  - +FORMAT (e.g., +%H:%M) for a 'date'-style format`;
