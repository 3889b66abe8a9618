/** Prints how much faster find and ls are than the built-in ones: `node shims/support/speed.ts`. */
import { Bash } from 'just-bash';
import { findShims } from '../find/index.ts';
import { lsShims } from '../ls/index.ts';
import { DoubleFs } from './double-fs.ts';

const FILES = 20_000;
const RUNS = 5;
const COMMANDS = [
  "find . -name '*9.txt' | wc -l",
  "find . -name '*a[0-9]*.md'",
  'find . -type f | wc -l',
  'find . -size +1k',
  'ls -R | wc -l',
  'ls -lR | wc -l',
];

const fs = new DoubleFs();
for (let i = 0; i < FILES; i++) {
  fs.seed(
    `/data/d${i % 20}/e${Math.floor(i / 20) % 50}/file${i}.${i % 3 === 0 ? 'md' : 'txt'}`,
    'x',
  );
}
const search = {
  ask: async () => ({ answers: [], documents: 0, note: '' }),
  state: async () => ({ documents: 0, chunks: 0, pending: 0 }),
};
const customCommands = [findShims, lsShims].flatMap((make) => make({ fs, search }));
const builtIn = new Bash({ fs, cwd: '/data' });
const shimmed = new Bash({ fs, cwd: '/data', customCommands });

/** The middle of some runs, in ms. */
async function median(bash: Bash, command: string): Promise<number> {
  const times: number[] = [];
  for (let run = 0; run < RUNS; run++) {
    const start = performance.now();
    await bash.exec(command);
    times.push(performance.now() - start);
  }
  return times.sort((a, b) => a - b)[Math.floor(RUNS / 2)] ?? 0;
}

for (const command of COMMANDS) {
  const before = await median(builtIn, command);
  const after = await median(shimmed, command);
  const ratio = (before / after).toFixed(1);
  console.log(
    `${command.padEnd(32)} built-in ${before.toFixed(0)} ms, shim ${after.toFixed(0)} ms: ${ratio} times as fast`,
  );
}
