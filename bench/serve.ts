/**
 * What a server costs: the first word over the bare loop, memory, and whether all are served;
 * and a day of it, by a clock that is turned, after which nothing may have grown.
 *
 *   node bench/serve.ts [--sessions N] [--turns N] [--hours N]
 */
import module from 'node:module';
import { parseArgs } from 'node:util';
import { createWorld } from '../entry/index.ts';
import { openAgent } from '../src/agent/open-agent.ts';
import { compileCacheDirectory } from '../src/cli/compile-cache.ts';
import { cpu, median } from './measure.ts';
import { simulatedDay } from './serve/day.ts';
import { fairness } from './serve/fairness.ts';
import { modelProcess, served, sessionOf } from './serve/served.ts';
import { say, type Timed } from './serve/turns.ts';

// As `dirigent serve` has it: the workers of worlds compile nothing that was compiled before.
module.enableCompileCache(compileCacheDirectory(process.env));

const { values } = parseArgs({
  options: {
    sessions: { type: 'string', default: '200' },
    turns: { type: 'string', default: '20' },
    hours: { type: 'string', default: '24' },
  },
});
const SESSIONS = Number(values.sessions);
const TURNS = Number(values.turns);
const HOURS = Number(values.hours);
/** Turns of the bare loop, and of one session that is spoken to again and again. */
const ALONE = 40;
const ACTORS = 10;

const p95 = (all: number[]): number =>
  [...all].sort((a, b) => a - b)[Math.floor(all.length * 0.95)] ?? Number.NaN;
const megabytes = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(0)} MB`;
const ms = (value: number): string => `${value.toFixed(0)} ms`;
const print = (name: string, text: string): void =>
  void process.stdout.write(`${name.padEnd(52)} ${text}\n`);

const model = await modelProcess();

/** The loop of the agent in a world that is open, and nothing around it. */
async function bare() {
  const env = { OPENAI_BASE_URL: model.url, OPENAI_API_KEY: 'none' };
  const world = createWorld({ agent: { model: 'openai/scripted' } }, { env });
  const agent = await openAgent(world, { base: process.cwd(), env }, world.agent);
  const first = async (prompt: string): Promise<number> => {
    const began = performance.now();
    const ended = new AbortController();
    const word = (async () => {
      for await (const event of world.session.events({ signal: ended.signal }))
        if (event.type === 'text-delta') return performance.now() - began;
      return Number.NaN;
    })();
    await agent.run({ prompt });
    ended.abort();
    return word;
  };
  const close = (): Promise<void> => agent.close().then(() => world.close());
  return { first, close };
}

/** One session that is spoken to again and again, and the bare loop, in turn. */
async function alone(): Promise<number[]> {
  const desk = served(model.url);
  const id = sessionOf(desk, 'ana');
  const loop = await bare();
  // The first ones load what all of them use.
  await say(desk, 'ana', id, 'the first');
  await loop.first('the first');
  const firsts: { ours: number[]; bare: number[] } = { ours: [], bare: [] };
  for (let turn = 0; turn < ALONE; turn++) {
    firsts.ours.push((await say(desk, 'ana', id, `turn ${turn}`)).begun);
    firsts.bare.push(await loop.first(`turn ${turn}`));
  }
  await loop.close();
  await desk.close();
  const told = (all: number[]): string => `median ${ms(median(all))}, p95 ${ms(p95(all))}`;
  print('the bare loop: the first word', told(firsts.bare));
  print('served, one session again and again', told(firsts.ours));
  print('p95 over the bare loop', ms(p95(firsts.ours) - p95(firsts.bare)));
  return firsts.bare;
}

/** All sessions at once, each of them new: its world is opened for its turn. */
async function together(loop: number[]): Promise<void> {
  const before = process.memoryUsage().rss;
  const desk = served(model.url, { turns: TURNS });
  const sessions = Array.from({ length: SESSIONS }, (_, index) => {
    const actor = `actor-${index % ACTORS}`;
    return { actor, id: sessionOf(desk, actor) };
  });
  let most = 0;
  const looking = setInterval(() => {
    most = Math.max(most, process.memoryUsage().rss);
  }, 50);
  const began = performance.now();
  const spent = cpu();
  const all: Timed[] = await Promise.all(
    sessions.map(({ actor, id }) => say(desk, actor, id, 'hello')),
  );
  const took = performance.now() - began;
  clearInterval(looking);
  const each = (cpu() - spent) / SESSIONS;
  print(
    `${SESSIONS} new sessions, ${TURNS} turns at once`,
    `${ms(took)}, ${ms(each)} of the processor each`,
  );
  const begun = all.map((one) => one.begun);
  print(
    'the first word, once its turn had begun',
    `median ${ms(median(begun))}, p95 ${ms(p95(begun))}, ${ms(p95(begun) - p95(loop))} over the bare loop`,
  );
  print(
    'memory: before, at most',
    `${megabytes(before)}, ${megabytes(most)}: ${megabytes((most - before) / (2 * TURNS))} a world that is open or kept`,
  );
  await desk.close();
  global.gc?.();
  print('memory after', megabytes(process.memoryUsage().rss));
}

await together(await alone());
for (const line of await fairness(model.url)) print(line.name, line.text);
for (const line of await simulatedDay({ model, hours: HOURS })) print(line.name, line.text);
model.close();
