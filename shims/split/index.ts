/** split and csplit: files in pieces. */
import type { ShimFactory } from '../../src/shell/command.ts';
import { defineTool } from '../support/tool.ts';
import { csplit } from './csplit.ts';
import { split } from './split.ts';

/** split, csplit. */
export const splitShims: ShimFactory = (host) => [
  defineTool(
    host,
    {
      name: 'split',
      usage: `Usage: split [OPTION]... [FILE [PREFIX]]\nOutput pieces of FILE to PREFIXaa, PREFIXab, ...; 1000 lines each, and PREFIX is 'x' by default.

  -a, --suffix-length=N     --additional-suffix=SUFFIX
  -b, --bytes=SIZE          bytes a piece
  -C, --line-bytes=SIZE     bytes of whole lines a piece
  -l, --lines=NUMBER        lines a piece
  -n, --number=CHUNKS       N, K/N, l/N, l/K/N, r/N, r/K/N
  -d, --numeric-suffixes[=FROM]   -x, --hex-suffixes[=FROM]
  -e, --elide-empty-files   --filter=COMMAND   -t, --separator=SEP   --verbose`,
    },
    split,
  ),
  defineTool(
    host,
    {
      name: 'csplit',
      usage: `Usage: csplit [OPTION]... FILE PATTERN...\nOutput pieces of FILE separated by PATTERN(s) to files 'xx00', 'xx01', ..., and their sizes.

  -b, --suffix-format=FORMAT  -f, --prefix=PREFIX  -n, --digits=DIGITS
  -k, --keep-files            after errors, too
      --suppress-matched      leave out the lines that match
  -s, --quiet, --silent       print no sizes
  -z, --elide-empty-files
PATTERN: N, /REGEXP/[OFFSET], %REGEXP%[OFFSET], {N}, {*}`,
    },
    csplit,
  ),
];
