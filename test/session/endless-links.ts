/**
 * Puts a link in the place of a directory and takes it away again, until it is
 * killed, whatever others do with either: `node endless-links.ts DIRECTORY ASIDE OUTSIDE [NS]`.
 * Either stays for NS at the longest. One line is printed once it runs.
 */
import fs from 'node:fs';
import { join } from 'node:path';

const [directory, aside, outside, longest = '200000'] = process.argv.slice(2);
if (directory === undefined || aside === undefined || outside === undefined)
  throw new Error('which directory, where aside, and what outside?');
console.log('running');
const LONGEST_STAY = Number(longest);

function stay(ns: number): void {
  const until = process.hrtime.bigint() + BigInt(Math.round(ns));
  while (process.hrtime.bigint() < until);
}

function swap(link: string, target: string, kept: string): void {
  fs.renameSync(link, kept);
  fs.symlinkSync(target, link);
  stay(Math.random() * LONGEST_STAY);
  fs.unlinkSync(link);
  fs.renameSync(kept, link);
  stay(Math.random() * LONGEST_STAY);
}

function beginAnew(link: string, kept: string): void {
  fs.rmSync(link, { recursive: true, force: true });
  fs.rmSync(kept, { recursive: true, force: true });
  fs.mkdirSync(join(link, 'deep'), { recursive: true });
  fs.writeFileSync(join(link, 'f'), 'inside');
  fs.writeFileSync(join(link, 'deep/g'), 'inside, too');
}

let step = (): void => swap(directory, outside, aside);
for (;;) {
  try {
    step();
    step = () => swap(directory, outside, aside);
  } catch {
    // Somebody put something else there, or took it away.
    step = () => beginAnew(directory, aside);
  }
}
