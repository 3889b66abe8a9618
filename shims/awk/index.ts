/** awk: POSIX's, with those additions of gawk that are in common use. */
import type { ShimFactory } from '../../src/shell/command.ts';
import { defineTool } from '../support/tool.ts';
import { awk } from './run.ts';

const USAGE = "Usage: awk [-F FS] [-v VAR=VALUE]... 'PROGRAM' | -f FILE... [FILE | VAR=VALUE]...";

/** awk and gawk, which is the same. */
export const awkShims: ShimFactory = (host) =>
  ['awk', 'gawk'].map((name) => defineTool(host, { name, usage: USAGE, usageStatus: 2 }, awk));
