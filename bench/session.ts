/**
 * The session: appends, opening, forking. Prints figures; asserts nothing.
 *
 *   node bench/session.ts                      everything
 *   node bench/session.ts --quick              fewer entries, a small workspace
 *   node bench/session.ts --pi DIRECTORY       beside the session manager of
 *     @mariozechner/pi-coding-agent, installed in DIRECTORY
 */
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { HOST_IO, SessionDirectory, type WriterIo } from '../src/session/directory.ts';
import { SessionFile } from '../src/session/file.ts';
import { createSession, forkSession, resumeSession, sessionPlace } from '../src/session/index.ts';
import { diskFiles, WorkspaceSnapshots } from '../src/session/workspace/index.ts';
import { atOnce } from '../src/slices.ts';
import { createRandom } from './corpus.ts';
import { cpu } from './measure.ts';

const { values } = parseArgs({
  options: { quick: { type: 'boolean', default: false }, pi: { type: 'string' } },
});
const directory = fs.mkdtempSync(join(tmpdir(), 'dirigent-bench-session-'));
const place = sessionPlace(directory);
const UNSYNCED: WriterIo = { ...HOST_IO, sync: () => undefined };
const unsynced = { ...place, store: new SessionDirectory(place.files, UNSYNCED) };

const say = (name: string, figure: string): void => console.log(`${name.padEnd(56)}${figure}`);
const message = (index: number) => ({
  role: 'user' as const,
  content: `message ${index}: ${'the queue retries the webhook '.repeat(6)}`,
});

/** µs an append, the median of batches, which one slow sync does not move. */
function costOfAppend(append: (index: number) => unknown, batches = 21, size = 500): number {
  const times: number[] = [];
  for (let batch = 0; batch < batches; batch++) {
    const start = performance.now();
    for (let index = 0; index < size; index++) append(index);
    times.push(((performance.now() - start) * 1000) / size);
  }
  return times.sort((a, b) => a - b)[Math.floor(batches / 2)] ?? Number.NaN;
}

async function throughput(): Promise<void> {
  const log = createSession(place);
  const count = values.quick ? 500 : 2000;
  let start = performance.now();
  for (let index = 0; index < count; index++) log.message(message(index));
  say('durable appends, one after the other', rate(count, start));
  start = performance.now();
  for (let done = 0; done < count * 4; done += 100) {
    await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        log.appendGrouped({ type: 'message', message: message(index) }),
      ),
    );
  }
  say('durable appends, 100 waiting at a time', rate(count * 4, start));
  log.close();
}

/** The example's store beside the files, in turn, so that both see the same machine. */
async function stores(): Promise<void> {
  const file = fileURLToPath(new URL('../examples/parts/sessions.ts', import.meta.url));
  const part = { name: 'sessions' as const, module: file, file, options: {}, env: {} };
  const other = sessionPlace(directory, { ...part, directory });
  const logs = [createSession(place), createSession(other)] as const;
  const times = logs.map(() => ({ durable: [] as number[], grouped: [] as number[] }));
  for (let round = 0; round < 11; round++) {
    for (const [index, log] of logs.entries()) {
      let start = performance.now();
      for (let done = 0; done < 50; done++) log.message(message(done));
      times[index]?.durable.push(performance.now() - start);
      start = performance.now();
      const all = Array.from({ length: 500 }, (_, each) =>
        log.record({ type: 'message', message: message(each) }),
      );
      await Promise.all(all);
      times[index]?.grouped.push(performance.now() - start);
    }
  }
  for (const how of ['durable', 'grouped'] as const) {
    const [files = 0, sqlite = 0] = times.map((each) => each[how].sort((a, b) => a - b)[5] ?? 0);
    say(`${how} appends to SQLite, beside files`, `${(sqlite / files).toFixed(2)} times as long`);
  }
  for (const log of logs) log.close();
  other.store.close?.();
}

const rate = (count: number, start: number): string =>
  `${Math.round((count / (performance.now() - start)) * 1000).toLocaleString('en')} a second`;

/** The same batches at 10 entries and at many, in turn, so that both see the same machine. */
function growth(): void {
  const many = values.quick ? 50_000 : 1_000_000;
  const large = createSession(unsynced);
  for (let index = 0; index < many; index++) large.message(message(index));
  const costs = { small: [] as number[], large: [] as number[] };
  for (let round = 0; round < 9; round++) {
    const small = createSession(unsynced);
    for (let index = 0; index < 10; index++) small.message(message(index));
    costs.small.push(costOfAppend((index) => small.message(message(index)), 5));
    costs.large.push(costOfAppend((index) => large.message(message(index)), 5));
    small.close();
  }
  large.close();
  const median = (list: number[]): number => list.sort((a, b) => a - b)[4] ?? Number.NaN;
  const [a, b] = [median(costs.small), median(costs.large)];
  say('an append at 10 entries, without the sync', `${a.toFixed(1)} µs`);
  say(
    `an append at ${many.toLocaleString('en')}`,
    `${b.toFixed(1)} µs, ${(b / a).toFixed(2)} times`,
  );
  fs.rmSync(join(place.files, large.id), { recursive: true });
}

const taken = (work: () => void): number => {
  const before = cpu();
  work();
  return cpu() - before;
};

function opening(): void {
  const log = createSession(unsynced);
  for (let index = 0; index < 100_000; index++) log.message(message(index));
  log.close();
  const extra: number[] = [];
  let opened = 0;
  for (let round = 0; round < 5; round++) {
    const lines = fs.readFileSync(log.file, 'utf8').split('\n').slice(0, -1);
    const parse = taken(() => {
      for (const line of lines) JSON.parse(line);
    });
    opened = taken(() => resumeSession(place, log.id).close());
    extra.push(opened - parse);
  }
  extra.sort((a, b) => a - b);
  say('opening 100,000 entries, every hash checked', `${opened.toFixed(0)} ms of CPU`);
  say('  beyond JSON.parse of the lines', `${(extra[2] ?? 0).toFixed(0)} ms`);
}

function forking(): void {
  const [files, bytes] = values.quick ? [200, 100_000] : [1000, 1_000_000];
  const root = join(directory, 'workspace');
  fs.mkdirSync(root);
  const random = createRandom(1);
  const content = Buffer.alloc(bytes);
  for (let index = 0; index < files; index++) {
    content.writeDoubleLE(random(), 0);
    fs.mkdirSync(join(root, `d${index % 50}`), { recursive: true });
    fs.writeFileSync(join(root, `d${index % 50}`, `f${index}`), content);
  }
  const start = performance.now();
  const workspace = atOnce(new WorkspaceSnapshots(diskFiles(root), place.blobs).takeAll());
  const size = `${((files * bytes) / 1e9).toFixed(2)} GB in ${files} files`;
  say(`the first snapshot of ${size}`, `${(performance.now() - start).toFixed(0)} ms, once`);
  const log = createSession(place, { workspace });
  const at = log.message(message(0));
  log.close();
  const times = Array.from({ length: 5 }, () => {
    const begin = performance.now();
    const file = new SessionFile(place, log.id).refresh();
    forkSession(place, file, at.id).log.close();
    file.close();
    return performance.now() - begin;
  }).sort((a, b) => a - b);
  say('a fork of it', `${(times[2] ?? 0).toFixed(1)} ms`);
}

/** What is used of pi's session manager. */
interface PiSessionManager {
  appendMessage(message: object): string;
  getSessionFile(): string;
  buildSessionContext(): unknown;
}
interface PiModule {
  SessionManager: {
    create(cwd: string, directory: string): PiSessionManager;
    open(file: string, directory: string): PiSessionManager;
  };
}

async function besidePi(installed: string): Promise<void> {
  const entry = join(
    installed,
    'node_modules/@mariozechner/pi-coding-agent/dist/core/session-manager.js',
  );
  const { SessionManager } = (await import(pathToFileURL(entry).href)) as PiModule;
  const folder = join(directory, 'pi');
  fs.mkdirSync(folder);
  const pi = SessionManager.create(directory, folder);
  // It writes nothing before the first answer of an assistant.
  pi.appendMessage({ role: 'assistant', content: [], timestamp: 0 });
  const ours = createSession(unsynced);
  const text = message(1).content;
  const theirs = (): string =>
    pi.appendMessage({ role: 'user', content: [{ type: 'text', text }], timestamp: 0 });
  say('pi: an append (never synced)', `${costOfAppend(theirs).toFixed(1)} µs`);
  say(
    'Dirigent: an append, its sync left out',
    `${costOfAppend((n) => ours.message(message(n))).toFixed(1)} µs`,
  );
  for (let index = 0; index < 90_000; index++) {
    theirs();
    ours.message(message(index));
  }
  ours.close();
  const file = pi.getSessionFile();
  say(
    'pi: opening 100,000 entries',
    `${taken(() => SessionManager.open(file, folder)).toFixed(0)} ms of CPU`,
  );
  say(
    'Dirigent: the same, hashes checked',
    `${taken(() => resumeSession(place, ours.id).close()).toFixed(0)} ms of CPU`,
  );
}

try {
  await throughput();
  await stores();
  growth();
  opening();
  forking();
  if (values.pi !== undefined) await besidePi(values.pi);
} finally {
  fs.rmSync(directory, { recursive: true });
}
