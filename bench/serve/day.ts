/**
 * A day of a server by a clock that is turned: each hour a prompt of the schedule, messages to
 * sessions old and new, files, searches, streams that come and go. What is open is counted when
 * all is quiet.
 */
import { readdirSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { hasEnded } from '../../src/serve/queue/turn.ts';
import { type Model, person, served, sessionOf } from './served.ts';
import { say } from './turns.ts';

/** What is open in the process, and kept, at the end of an hour. */
export interface Hour {
  /** Handles and timers that keep a process, by kind. */
  resources: Record<string, number>;
  /** Files and sockets. */
  descriptors: number;
  streams: number;
  running: number;
  /** Messages on the disk. */
  rows: number;
  heapBytes: number;
}

export interface DayOptions {
  model: Model;
  hours: number;
  /** Messages to sessions, in each hour. */
  messages?: number;
}

const HOUR_MS = 60 * 60_000;
const START = Date.parse('2026-01-05T00:00:00Z');
const IDLE_MS = 20;
/** So long nothing has to change to be quiet. In ms. */
const QUIET_MS = 200;
/** In the first hour: a world that nobody asks for anything loads then what it will be asked for. */
const FIRST_QUIET_MS = 3_000;

/** @returns what there was at the end of each hour */
export async function hoursOf({ model, hours, messages = 4 }: DayOptions): Promise<Hour[]> {
  let clock = START;
  const desk = served(
    model.url,
    { now: () => clock, pollMs: 10, idleMs: IDLE_MS, turns: 4 },
    { ms: IDLE_MS, most: 4 },
  );
  const { service } = desk;
  const people = ['ana', 'ben'];
  const lasting = people.map((actor) => sessionOf(desk, actor));
  const passed: Hour[] = [];
  const { signal } = new AbortController();
  try {
    for (let hour = 1; hour <= hours; hour++) {
      clock += HOUR_MS;
      const at = new Date(clock).toISOString();
      service.schedule.add(person('ana'), { name: `hour-${hour}.md`, at, prompt: `it is ${at}` });
      const said = Array.from({ length: messages }, (_, index) => {
        const actor = people[index % 2] ?? '';
        const fresh = sessionOf(desk, actor);
        const session = index < 2 ? (lasting[index] ?? fresh) : fresh;
        return say(desk, actor, session, `hour ${hour}, message ${index}`);
      });
      const read = people.map((actor) => service.files.read(person(actor), '/workspace', 0));
      const search = service.files.search(person('ana'), 'an answer', '/workspace', signal);
      await Promise.all([...said, ...read, search]);
      await scheduled(service, hour * (messages + 1));
      passed.push(await quiet(service, model, hour === 1 ? FIRST_QUIET_MS : QUIET_MS));
    }
    return passed;
  } finally {
    await desk.close();
  }
}

/** Waits until so many messages have come to their end. */
async function scheduled({ journal }: ReturnType<typeof served>['service'], count: number) {
  const ended = (): number => journal.list().filter(hasEnded).length;
  while (ended() < count) await delay(10);
}

/** What there is once nothing changes any more. */
async function quiet(
  service: ReturnType<typeof served>['service'],
  model: Model,
  quietMs: number,
): Promise<Hour> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  let before = '';
  for (let since = performance.now(); ; await delay(10)) {
    // As many connections are kept for a while as there were turns at once.
    model.endIdle();
    const now = JSON.stringify(counted(service));
    if (now !== before) {
      before = now;
      since = performance.now();
    } else if (performance.now() - since > quietMs) break;
  }
  collect();
  return { ...counted(service), heapBytes: process.memoryUsage().heapUsed };
}

function counted({ feeds, queue, journal }: ReturnType<typeof served>['service']) {
  const resources: Record<string, number> = {};
  for (const kind of process.getActiveResourcesInfo()) resources[kind] = (resources[kind] ?? 0) + 1;
  return {
    resources,
    descriptors: readdirSync('/proc/self/fd').length,
    streams: feeds.size,
    running: queue.running,
    rows: Object.values(journal.counts()).reduce((sum, count) => sum + count, 0),
  };
}

/** As lines to print. */
export async function simulatedDay(options: DayOptions): Promise<{ name: string; text: string }[]> {
  const passed = await hoursOf(options);
  const [first, last] = [passed[1], passed.at(-1)];
  if (first === undefined || last === undefined) return [];
  const grown = (field: 'descriptors' | 'streams' | 'rows'): string =>
    `${first[field]} then ${last[field]}`;
  return [
    {
      name: `${options.hours} hours: handles after the second and the last`,
      text: `${JSON.stringify(first.resources)} then ${JSON.stringify(last.resources)}`,
    },
    { name: 'files and sockets', text: grown('descriptors') },
    { name: 'streams', text: grown('streams') },
    { name: 'rows (one a message)', text: grown('rows') },
    {
      name: 'heap',
      text: [first, last]
        .map(({ heapBytes }) => `${(heapBytes / 2 ** 20).toFixed(1)} MB`)
        .join(' then '),
    },
  ];
}
