/**
 * Puts a link in the place of a directory and takes it away again, until it is
 * killed: `node endless-swapper.ts ROOT OUTSIDE`. One line is printed once it runs.
 *
 * The directory and the link stay for now a shorter, now a longer time: an
 * operation of several steps comes through, is refused, or is hit at any of its
 * steps, after which the link is still there.
 */
import fs from 'node:fs';
import { join } from 'node:path';

const [root, outside] = process.argv.slice(2);
if (root === undefined || outside === undefined) throw new Error('which root, and what outside?');
const directory = join(root, 'x');
const aside = join(root, 'x2');
console.log('running');
/** As long as an operation takes on a quiet machine, in ns. */
const LONGEST_STAY = 200_000;

function stay(ns: number): void {
  const until = process.hrtime.bigint() + BigInt(Math.round(ns));
  while (process.hrtime.bigint() < until);
}

for (;;) {
  fs.renameSync(directory, aside);
  fs.symlinkSync(outside, directory);
  stay(Math.random() * LONGEST_STAY);
  fs.unlinkSync(directory);
  fs.renameSync(aside, directory);
  stay(Math.random() * LONGEST_STAY);
}
