/** The words that options of ls take. */
import { type Options, UsageError, wordOf } from '../support/getopt.ts';

const WHENS = [
  ['always', 'yes', 'force'],
  ['never', 'no', 'none'],
  ['auto', 'tty', 'if-tty'],
];
export const FORMATS = [
  ['verbose', 'long'],
  ['commas'],
  ['horizontal', 'across'],
  ['vertical'],
  ['single-column'],
] as const;
export const INDICATORS = ['none', 'slash', 'file-type', 'classify'] as const;
const TIMES = [
  ['atime', 'access', 'use'],
  ['ctime', 'status'],
  ['birth', 'creation'],
];
export const SORTS = ['none', 'time', 'size', 'extension', 'version', 'width'] as const;

/** Options that take words of a list, looked at before anything is listed. */
export function checkWords(options: Options): void {
  for (const [key, value] of options.seen) {
    if (key === 'time') wordOf('--time', value, TIMES);
    if (key === 'color' && value !== '') wordOf('--color', value, WHENS);
    if (key === 'F' && value !== '') wordOf('--classify', value, WHENS);
    if (key === 'hyperlink' && value !== '') wordOf('--hyperlink', value, WHENS);
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
