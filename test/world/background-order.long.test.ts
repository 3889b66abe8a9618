/**
 * Two jobs and the foreground on the same files: what is there afterwards is what some order of whole
 * file operations gives. And however a world ends, its log is whole and knows of each job what became of it.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createWorld } from '../../entry/index.ts';
import { SessionFile } from '../../src/session/file.ts';
import { sessionPlace } from '../../src/session/place.ts';
import { verifySession } from '../../src/session/verify.ts';
import { temporaryDirectory, testWorld } from './harness.ts';

const KILLS = Number(process.env['KILLS'] ?? 6);
const RUNS = Number(process.env['RUNS'] ?? 8);

/** An operation on one of two files, whole in itself. */
const operation = fc.record({
  kind: fc.constantFrom('append' as const, 'write' as const, 'move' as const, 'remove' as const),
  file: fc.constantFrom('a', 'b'),
});
type Operation = { kind: 'append' | 'write' | 'move' | 'remove'; file: string };
const strand = fc.array(operation, { minLength: 1, maxLength: 3 });

const textOf = (who: string, at: number): string => `${who}${at};`;

function script(who: string, operations: readonly Operation[]): string {
  return operations
    .map(({ kind, file }, at) => {
      if (kind === 'append') return `printf %s '${textOf(who, at)}' >> ${file}`;
      if (kind === 'write') return `printf %s '${textOf(who, at)}' > ${file}`;
      if (kind === 'move') return `mv -T ${file} ${file === 'a' ? 'b' : 'a'} 2> /dev/null`;
      return `rm -f ${file}`;
    })
    .join('; ');
}

/** A file with what is in it; a redirection is two operations, of which the first makes the file empty. */
type Files = Readonly<Record<string, string>>;
type Step = (files: Files) => Files;

function stepsOf(who: string, operations: readonly Operation[]): Step[] {
  return operations.flatMap(({ kind, file }, at): Step[] => {
    const text = textOf(who, at);
    const other = file === 'a' ? 'b' : 'a';
    const without = ({ [file]: _, ...rest }: Files): Files => rest;
    if (kind === 'append') return [(files) => ({ ...files, [file]: (files[file] ?? '') + text })];
    if (kind === 'write')
      return [(files) => ({ ...files, [file]: '' }), (files) => ({ ...files, [file]: text })];
    if (kind === 'remove') return [without];
    return [
      (files) => {
        const moved = files[file];
        return moved === undefined ? files : { ...without(files), [other]: moved };
      },
    ];
  });
}

/** All that some order of the steps of all strands can give. */
function outcomes(strands: readonly Step[][]): Set<string> {
  const found = new Set<string>();
  const seen = new Set<string>();
  const go = (at: readonly number[], files: Files): void => {
    const state = JSON.stringify([at, files.a ?? null, files.b ?? null]);
    if (seen.has(state)) return;
    seen.add(state);
    let ended = true;
    for (const [index, steps] of strands.entries()) {
      const step = steps[at[index] ?? 0];
      if (step === undefined) continue;
      ended = false;
      go(
        at.map((each, of) => (of === index ? each + 1 : each)),
        step(files),
      );
    }
    if (ended) found.add(JSON.stringify([files.a ?? null, files.b ?? null]));
  };
  go(
    strands.map(() => 0),
    {},
  );
  return found;
}

test('two jobs and the foreground on the same files give what some order of whole operations gives', async () => {
  const world = testWorld();
  let round = 0;
  await fc.assert(
    fc.asyncProperty(strand, strand, strand, async (one, two, here) => {
      const directory = `/workspace/r${++round}`;
      await world.exec(`mkdir ${directory}; cd ${directory}`);
      const begun = await world.exec(
        `{ until [ -e go ]; do sleep 0.01; done; ${script('x', one)}; } & { until [ -e go ]; do sleep 0.01; done; ${script('y', two)}; } &`,
      );
      expect(begun.stderr.match(/^\[\d+\]/gm)).toHaveLength(2);
      await world.exec(`> go; ${script('z', here)}`);
      await world.exec('wait; rm go');
      const { stdout } = await world.exec(
        'for f in a b; do if [ -e $f ]; then cat $f; else printf none; fi; echo; done',
      );
      const [a, b] = stdout.split('\n').map((text) => (text === 'none' ? null : text));
      const possible = outcomes([stepsOf('x', one), stepsOf('y', two), stepsOf('z', here)]);
      expect([...possible], JSON.stringify({ one, two, here })).toContain(JSON.stringify([a, b]));
    }),
    { numRuns: RUNS },
  );
});

const RUNNER = fileURLToPath(new URL('background-runner.ts', import.meta.url));

/** A process whose world has jobs that write, until it is killed. */
async function killed(state: string, afterMs: number): Promise<string> {
  const child: ChildProcess = spawn(process.execPath, [RUNNER, state], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  child.stdout?.on('data', (data: Buffer) => {
    said += String(data);
  });
  while (!said.includes('\n')) await once(child.stdout ?? child, 'data');
  const timer = setTimeout(() => child.kill('SIGKILL'), afterMs);
  await once(child, 'exit');
  clearTimeout(timer);
  return said.split('\n')[0] ?? '';
}

test('after SIGKILL at random the log is whole, and the next world says of every job that it ended or was interrupted', async () => {
  for (let kill = 0; kill < KILLS; kill++) {
    const state = temporaryDirectory();
    const session = await killed(state, Math.random() * 1500);
    const world = createWorld({ state }, { session });
    const { stdout } = await world.exec(
      'for d in /session/jobs/*/; do cat $d/status; done; ls again',
    );
    expect(
      stdout
        .split('\n')
        .slice(0, -1)
        .every((line) => /^(?:exited \d+|interrupted)$/.test(line)),
    ).toBe(true);
    await world.close();
    const place = sessionPlace(state);
    const file = new SessionFile(place, session).refresh();
    const entries = [...file.own()];
    file.close();
    const starts = entries.filter(({ job }) => job !== undefined);
    const ends = new Set(
      entries.filter(({ type }) => type === 'bash_end').map(({ start }) => start),
    );
    expect(starts.length).toBeGreaterThan(0);
    expect(starts.filter(({ id }) => !ends.has(id))).toEqual([]);
    expect(verifySession(place, session).faults).toEqual([]);
  }
});

test('a worker that is ended at random beside two jobs loses no whole operation of theirs', async () => {
  const world = testWorld();
  await world.exec(
    'for j in 1 2; do { for i in {1..60}; do echo $i >> log$j; sleep 0.01; done; } & done',
  );
  for (let spins = 0; spins < 3; spins++)
    await world.exec('awk "BEGIN { while (1) x++ }"', { timeoutMs: 100 + Math.random() * 300 });
  await world.exec('wait');
  const all = Array.from({ length: 60 }, (_, index) => `${index + 1}\n`).join('');
  expect((await world.exec('cat log1')).stdout).toBe(all);
  expect((await world.exec('cat log2')).stdout).toBe(all);
});
