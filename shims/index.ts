/** Every shim: the commands that replace or add to just-bash's own. */
import type { Command } from 'just-bash';
import type { ShimFactory, ShimHost } from '../src/shell/command.ts';
import { awkShims } from './awk/index.ts';
import { basenameShims } from './basename/index.ts';
import { bcShims } from './bc/index.ts';
import { catShims } from './cat/index.ts';
import { chmodShims } from './chmod/index.ts';
import { cmpShims } from './cmp/index.ts';
import { cpShims } from './cp/index.ts';
import { cutShims } from './cut/index.ts';
import { dateShims } from './date/index.ts';
import { diffShims } from './diff/index.ts';
import { duShims } from './du/index.ts';
import { envShims } from './env/index.ts';
import { exprShims } from './expr/index.ts';
import { findShims } from './find/index.ts';
import { grepShims } from './grep/index.ts';
import { headShims } from './head/index.ts';
import { iconvShims } from './iconv/index.ts';
import { indexShims } from './index-cmd/index.ts';
import { joinShims } from './join/index.ts';
import { lnShims } from './ln/index.ts';
import { lookShims } from './look/index.ts';
import { lsShims } from './ls/index.ts';
import { mkdirShims } from './mkdir/index.ts';
import { mktempShims } from './mktemp/index.ts';
import { odShims } from './od/index.ts';
import { pasteShims } from './paste/index.ts';
import { patchShims } from './patch/index.ts';
import { printfShims } from './printf/index.ts';
import { realpathShims } from './realpath/index.ts';
import { rmShims } from './rm/index.ts';
import { searchShims } from './search/index.ts';
import { sedShims } from './sed/index.ts';
import { seqShims } from './seq/index.ts';
import { shufShims } from './shuf/index.ts';
import { sortShims } from './sort/index.ts';
import { statShims } from './stat/index.ts';
import { teeShims } from './tee/index.ts';
import { toolShims } from './tool/index.ts';
import { touchShims } from './touch/index.ts';
import { trShims } from './tr/index.ts';
import { uniqShims } from './uniq/index.ts';
import { wcShims } from './wc/index.ts';
import { xargsShims } from './xargs/index.ts';
import { xxdShims } from './xxd/index.ts';
import { yesShims } from './yes/index.ts';
import { zgrepShims } from './zgrep/index.ts';
import { zipShims } from './zip/index.ts';
/** All shims; the world makes each once, with its host. */
export const shims: readonly ShimFactory[] = [
  awkShims,
  basenameShims,
  bcShims,
  cmpShims,
  cpShims,
  diffShims,
  duShims,
  findShims,
  grepShims,
  indexShims,
  searchShims,
  headShims,
  iconvShims,
  joinShims,
  lookShims,
  lsShims,
  mktempShims,
  odShims,
  pasteShims,
  printfShims,
  realpathShims,
  rmShims,
  sedShims,
  seqShims,
  shufShims,
  sortShims,
  trShims,
  uniqShims,
  cutShims,
  wcShims,
  statShims,
  dateShims,
  toolShims,
  touchShims,
  patchShims,
  zipShims,
  xargsShims,
  xxdShims,
  zgrepShims,
  mkdirShims,
  chmodShims,
  lnShims,
  teeShims,
  catShims,
  envShims,
  yesShims,
  exprShims,
];

/** The commands of all shims for one world. */
export function createShims(host: ShimHost): Command[] {
  return shims.flatMap((make) => make(host));
}
