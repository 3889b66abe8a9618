/**
 * Times the commands of this folder and just-bash's own over the same files in
 * memory, in CPU time of the thread, so that a busy machine changes little.
 *
 *     node shims/grep/testing/bench.ts [FILES] [own|both] [FILTER]
 */
import { Bash, InMemoryFs } from 'just-bash';
import { grepShims } from '../index.ts';
import { hostOf, MemoryNamespace } from './memory.ts';

const COUNT = Number(process.argv[2] ?? 20_000);
const BOTH = process.argv[3] !== 'own';
const FILTER = process.argv[4] ?? '';
const SIZE = 2048;
const WORDS =
  'lorem ipsum dolor sit amet consectetur adipiscing elit sed do eiusmod tempor incididunt ut labore et dolore magna aliqua'.split(
    ' ',
  );

const COMMANDS = [
  'grep -rn zzqneedle /w',
  'grep -rnE "zz.*needle|needle_in" /w',
  'grep -rnE "q[n-z]e+d" /w',
  'grep -rni ZZQneedle /w',
  'grep -rniE "zzq(needle|foo) in" /w',
  'rg -n zzqneedle /w',
  'rg -n "zz\\w+needle" /w',
  'rg -ni ZZQneedle /w',
  'grep -rc magna /w',
  'grep -rn magna /w',
];

/** The same files at every run. */
function corpus(count: number): Record<string, string> {
  let seed = 1;
  const below = (n: number): number => {
    seed = (Math.imul(seed, 1103515245) + 12345) & 0x7fffffff;
    return (seed >> 8) % n;
  };
  const files: Record<string, string> = {};
  for (let i = 0; i < count; i++) {
    let text = '';
    while (text.length < SIZE) {
      const line = Array.from({ length: 6 + below(6) }, () => WORDS[below(WORDS.length)]);
      text += `${line.join(' ')}\n`;
    }
    if (i % 2000 === 7) text += 'here is the zzqneedle in a line\n';
    files[`/w/d${Math.floor(i / 200)}/f${i}.txt`] = text;
  }
  return files;
}

/** Least CPU time of several runs, in milliseconds, and the size of the answer. */
async function time(bash: Bash, command: string, runs: number): Promise<[number, number]> {
  let best = Number.POSITIVE_INFINITY;
  let size = 0;
  for (let i = 0; i < runs; i++) {
    const before = process.threadCpuUsage();
    const result = await bash.exec(command);
    const { user, system } = process.threadCpuUsage(before);
    best = Math.min(best, (user + system) / 1000);
    size = result.stdout.length;
  }
  return [best, size];
}

const files = corpus(COUNT);
const fs = new MemoryNamespace(files);
const limits = { maxOutputSize: 1 << 30, maxCommandCount: 1e9 };
const ours = new Bash({ fs, customCommands: grepShims(hostOf(fs)), executionLimits: limits });
const theirs = BOTH ? new Bash({ fs: new InMemoryFs(files), executionLimits: limits }) : null;

for (const command of COMMANDS.filter((one) => one.includes(FILTER))) {
  const [mine, size] = await time(ours, command, 7);
  let line = `${command.padEnd(40)} ${mine.toFixed(1).padStart(8)} ms  ${size} bytes`;
  if (theirs !== null) {
    const [other, otherSize] = await time(theirs, command, 2);
    line += `  just-bash ${other.toFixed(0).padStart(7)} ms  ${otherSize} bytes  ratio ${(other / mine).toFixed(0)}`;
  }
  process.stdout.write(`${line}\n`);
}
