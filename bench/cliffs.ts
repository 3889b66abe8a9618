/** Commands over much: where a tool of the shell falls far behind the machine's own, or stops. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createWorld } from '../entry/index.ts';

const LINES = 1_000_000;
const MIB = 1024 * 1024;

/** Their result is in the file `out`, by which the two are compared. */
const CLIFFS: readonly [name: string, command: string][] = [
  ['wc -l of 10^6 lines', 'wc -l < lines > out'],
  ['wc of 10^6 lines', 'wc < lines > out'],
  ['grep a word', 'grep needle lines > out'],
  ['grep -c a regex', "grep -cE '[a-f]{3}[0-9]' lines > out"],
  ['grep -v', 'grep -v 7 lines > out'],
  ['sed s///', "sed 's/a/b/' lines > out"],
  ['sed -n /re/p', "sed -n '/needle/p' lines > out"],
  ['awk sum of a column', "awk '{s += $2} END {print s}' lines > out"],
  ['awk count by key', "awk '{c[$3]++} END {for (k in c) print k, c[k]}' lines | sort > out"],
  ['awk -F, print a field', "awk -F' ' '{print $1}' lines > out"],
  ['cut -d -f', "cut -d' ' -f2 lines > out"],
  ['tr a-z A-Z', 'tr a-z A-Z < lines > out'],
  ['sort', 'sort lines > out'],
  ['sort -k2n', 'sort -k2n lines > out'],
  ['sort | uniq -c', "cut -d' ' -f3 lines | sort | uniq -c > out"],
  ['head and tail', 'head -n 900000 lines | tail -n 10 > out'],
  ['tail -n 5', 'tail -n 5 lines > out'],
  ['tac', 'tac lines > out'],
  ['seq 1000000', 'seq 1000000 > out'],
  ['sha256sum of 50 MB', 'sha256sum big | cut -c1-64 > out'],
  ['md5sum of 50 MB', 'md5sum big | cut -c1-32 > out'],
  ['gzip and gunzip 50 MB', 'gzip -c big | gunzip -c | cksum > out'],
  ['base64 of 50 MB', 'base64 big > out'],
  ['a pipe of 100 MB', 'cat big big | wc -c > out'],
  ['head -c 100M /dev/zero', 'head -c 100M /dev/zero | wc -c > out'],
  ['yes | head', 'yes | head -n 1000000 | wc -l > out'],
  ['a file of 100 MB', 'cat big big > two; wc -c < two > out; rm two'],
  [
    '10,000 inserts of SQLite',
    "{ echo 'create table t(a, b);'; for i in {1..10000}; do echo \"insert into t values($i, 'x$i');\"; done; echo 'select count(*), sum(a) from t;'; } | sqlite3 > out",
  ],
  ['for i in {1..200000}', 'for i in {1..200000}; do :; done; echo $i > out'],
  ['a script of 1.5 MB', 'sh long.sh | tail -n 1 > out'],
  ['a here-document of 1.5 MB', 'sh here.sh | wc -c > out'],
  ['a loop of 100,000', 'i=0; while ((i < 100000)); do ((i++)); done; echo $i > out'],
  ['x=$((x+i)) 100,000 times', 'for i in $(seq 100000); do x=$((x+i)); done; echo $x > out'],
  [
    'a function 50,000 times',
    'f() { local a=$1; r=$((a+1)); }; for i in $(seq 50000); do f $i; done; echo $r > out',
  ],
  [
    'text in a loop of 50,000',
    's=; for i in $(seq 50000); do t="item-$i.txt"; u=${t%.txt}; s="${u#item-}${s:0:9}"; done; echo $s > out',
  ],
  [
    'an array of 50,000',
    'a=(); for i in $(seq 50000); do a+=("$i"); done; for v in "${a[@]}"; do s=$((s+v)); done; echo $s > out',
  ],
  [
    'if, [ ] and case 50,000 times',
    'c=0; for i in $(seq 50000); do if [ $i -gt 500 ]; then case $i in *7) c=$((c+1));; esac; fi; done; echo $c > out',
  ],
  ['echo 50,000 times', 'for i in $(seq 50000); do echo "line $i"; done | tail -n 1 > out'],
  ['printf 20,000 times', "for i in $(seq 20000); do printf '%05d\\n' $i; done | tail -n 1 > out"],
  [
    'while read over 20,000 lines',
    'head -n 20000 lines | while read -r a b c; do echo "$b"; done | tail -n 1 > out',
  ],
  ['1,000 appends', 'for i in {1..1000}; do echo $i >> log; done; wc -l < log > out; rm log'],
  [
    '2,000 files',
    'mkdir t; for i in {1..2000}; do echo $i > t/$i; done; cat t/* | wc -l > out; rm -r t',
  ],
];

/** Prints how each takes beside bash and the machine's tools. */
export async function benchCliffs(only?: string): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'dirigent-cliffs-'));
  const [work, state] = [join(directory, 'w'), join(directory, 's')];
  mkdirSync(work);
  writeData(work);
  const world = createWorld({
    mounts: { '/workspace': work },
    state,
    session: { snapshots: false },
  });
  console.log(`\n${''.padEnd(32)}${'bash'.padStart(9)}${'dirigent'.padStart(10)}  times as long`);
  try {
    await world.exec('cat lines | head -n 1; awk 1 /dev/null; sed p /dev/null; sort /dev/null');
    for (const [name, command] of CLIFFS) {
      if (only !== undefined && !name.includes(only)) continue;
      const native = measured(() => {
        const ran = spawnSync('bash', ['-c', command], {
          cwd: work,
          encoding: 'utf8',
          env: { PATH: process.env['PATH'], LC_ALL: 'C.UTF-8' },
        });
        return ran.stderr;
      });
      const wanted = digest(join(work, 'out'));
      rmSync(join(work, 'out'), { force: true });
      const began = performance.now();
      const { stderr, exitCode } = await world.exec(command);
      const ms = performance.now() - began;
      const got = digest(join(work, 'out'));
      const fault =
        got === wanted ? '' : `  ANOTHER RESULT, status ${exitCode} ${stderr.trim().slice(0, 120)}`;
      console.log(
        `${name.padEnd(32)}${native.ms.toFixed(0).padStart(6)} ms${ms.toFixed(0).padStart(7)} ms${(ms / native.ms).toFixed(1).padStart(9)}${fault}`,
      );
      rmSync(join(work, 'out'), { force: true });
    }
  } finally {
    await world.close();
    rmSync(directory, { recursive: true, force: true });
  }
}

function measured(run: () => string): { ms: number; said: string } {
  const began = performance.now();
  const said = run();
  return { ms: performance.now() - began, said };
}

function digest(file: string): string {
  try {
    return `${statSync(file).size} ${createHash('sha256').update(readFileSync(file)).digest('hex')}`;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 'no file';
    throw error;
  }
}

function writeData(directory: string): void {
  let seed = 1;
  const next = (): number => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return seed;
  };
  const words = ['alpha', 'beta', 'gamma', 'delta', 'needle', 'omega'];
  const lines: string[] = [];
  for (let index = 0; index < LINES; index++)
    lines.push(
      `${next().toString(16)} ${next() % 10_000} ${words[next() % (index % 50 === 0 ? 6 : 4)]}`,
    );
  writeFileSync(join(directory, 'lines'), `${lines.join('\n')}\n`);
  const big = Buffer.alloc(50 * MIB);
  for (let at = 0; at < big.length; at += 4) big.writeUInt32LE(next() & 0x3f3f3f3f, at);
  writeFileSync(join(directory, 'big'), big);
  const script = Array.from({ length: 60_000 }, (_, index) => `x=${index} # some comment\n`);
  writeFileSync(join(directory, 'long.sh'), `${script.join('')}echo $x\n`);
  writeFileSync(
    join(directory, 'here.sh'),
    `cat <<'END'\n${lines.slice(0, 75_000).join('\n')}\nEND\n`,
  );
}
