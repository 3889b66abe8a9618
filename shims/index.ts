/** Every shim: the commands that replace or add to just-bash's own. */
import type { Command } from 'just-bash';
import type { ShimFactory, ShimHost } from '../src/shell/command.ts';
import { basenameShims } from './basename/index.ts';
import { findShims } from './find/index.ts';
import { lsShims } from './ls/index.ts';
import { mktempShims } from './mktemp/index.ts';
import { printfShims } from './printf/index.ts';
import { realpathShims } from './realpath/index.ts';
import { rmShims } from './rm/index.ts';
import { seqShims } from './seq/index.ts';
import { sortShims } from './sort/index.ts';
import { uniqShims } from './uniq/index.ts';

/** All shims; the world makes each once, with its host. */
export const shims: readonly ShimFactory[] = [
  basenameShims,
  findShims,
  // grepShims (./grep/index.ts) goes here.
  lsShims,
  mktempShims,
  printfShims,
  realpathShims,
  rmShims,
  seqShims,
  sortShims,
  uniqShims,
];

/** The commands of all shims for one world. */
export function createShims(host: ShimHost): Command[] {
  return shims.flatMap((make) => make(host));
}
