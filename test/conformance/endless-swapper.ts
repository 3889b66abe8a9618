/**
 * Puts a link in the place of a directory and takes it away again, until it is
 * killed: `node endless-swapper.ts ROOT OUTSIDE`. One line is printed once it runs.
 */
import fs from 'node:fs';
import { join } from 'node:path';

const [root, outside] = process.argv.slice(2);
if (root === undefined || outside === undefined) throw new Error('which root, and what outside?');
const directory = join(root, 'x');
const aside = join(root, 'x2');
console.log('running');
for (;;) {
  fs.renameSync(directory, aside);
  fs.symlinkSync(outside, directory);
  fs.unlinkSync(directory);
  fs.renameSync(aside, directory);
}
