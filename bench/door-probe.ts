/**
 * Looks at files of a directory, one system call after the other, and says how
 * long each look took, in ms: a program of its own, since a process that serves
 * a mount must not wait for it.
 *
 *   node bench/door-probe.ts stat|cat COUNT FILE…
 */
import { lstatSync, readFileSync } from 'node:fs';

const [, , what, count, ...files] = process.argv;
const look = what === 'stat' ? lstatSync : readFileSync;
const times: number[] = [];
for (const file of files) look(file);
for (let run = 0; run < Number(count); run++) {
  const start = performance.now();
  look(files[run % files.length] ?? '');
  times.push(performance.now() - start);
}
console.log(JSON.stringify(times));
