/**
 * What a turn costs beyond the bare loop of the AI SDK, with the same scripted
 * model and the same tool; and whether memory stays flat over many turns.
 *
 *   node bench/turn.ts [--turns N] [--quick]
 */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import {
  InMemorySpanExporter,
  SimpleSpanProcessor,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { isStepCount, type LanguageModel, streamText, tool } from 'ai';
import { z } from 'zod';
import { createWorld } from '../entry/index.ts';
import { sessionTranscript } from '../src/agent/session-transcript.ts';
import { defineTool } from '../src/agent/tool.ts';
import { beginTurn, endTurn } from '../src/agent/trace.ts';
import { runTurn } from '../src/agent/turn.ts';
import { worldAccess } from '../src/agent/world-access.ts';
import { otelSpan } from '../src/telemetry/otel.ts';
import type { Telemetry } from '../src/telemetry/span.ts';
import { type Cost, cost, median } from './measure.ts';

const { values } = parseArgs({
  options: { turns: { type: 'string' }, quick: { type: 'boolean', default: false } },
});

/** Steps of a turn: all but the last call a tool. */
const STEPS = 10;

const USAGE = {
  inputTokens: { total: 10, noCache: 10, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 5, text: 5, reasoning: 0 },
};

type V4 = Extract<LanguageModel, { specificationVersion: 'v4' }>;
type StreamPart =
  Awaited<ReturnType<V4['doStream']>>['stream'] extends ReadableStream<infer Part> ? Part : never;

/** Calls a tool in every step since the last prompt but the last one. */
function scriptedModel(): V4 {
  return {
    specificationVersion: 'v4',
    provider: 'bench',
    modelId: 'scripted',
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error('the bench streams')),
    doStream: async ({ prompt }) => {
      const since = prompt.length - 1 - prompt.findLastIndex(({ role }) => role === 'user');
      const called = since / 2;
      const done = called >= STEPS - 1;
      const parts: StreamPart[] = [
        { type: 'stream-start', warnings: [] },
        ...(done
          ? ([
              { type: 'text-start', id: '0' },
              { type: 'text-delta', id: '0', delta: 'done' },
              { type: 'text-end', id: '0' },
            ] as const)
          : ([
              {
                type: 'tool-call',
                toolCallId: `c${prompt.length}`,
                toolName: 'noop',
                input: '{"n":1}',
              },
            ] as const)),
        {
          type: 'finish',
          finishReason: { unified: done ? 'stop' : 'tool-calls', raw: undefined },
          usage: USAGE,
        },
      ];
      return { stream: ReadableStream.from(parts) as ReadableStream<StreamPart> };
    },
  };
}

const input = z.strictObject({ n: z.number() });
const model = scriptedModel();

async function bareTurn(): Promise<void> {
  const { stream } = streamText({
    model,
    prompt: 'x',
    tools: {
      noop: tool({ description: 'Nothing.', inputSchema: input, execute: async () => 'ok' }),
    },
    stopWhen: isStepCount(STEPS),
  });
  for await (const _ of stream);
}

const state = mkdtempSync(join(tmpdir(), 'dirigent-bench-'));
const noop = defineTool({
  name: 'noop',
  description: 'Nothing.',
  input,
  readOnly: true,
  run: async () => 'ok',
});

/** What a turn is traced with; the spans are kept, and dropped with it. */
function inMemoryTelemetry(): Telemetry {
  const exporter = new InMemorySpanExporter();
  const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] });
  const tracer = provider.getTracer('bench');
  return {
    begin: (name, start) => otelSpan(tracer, name, start),
    flush: () => provider.forceFlush(),
  };
}

/** Turns in a world and a session of their own. */
function openTurns(telemetry: Telemetry | null = null) {
  const world = createWorld({ state });
  const transcript = sessionTranscript(world.session);
  const access = () => worldAccess(world, [], { actor: 'bench', turn: randomUUID() });
  return {
    /** The start of the world's worker, and the loading of its policy, are not the turn's. */
    ready: async () => {
      await world.commands();
      await access().permit({ name: 'noop', host: false, readOnly: true, input: '{}' });
    },
    close: () => world.close(),
    turn: async (): Promise<void> => {
      const span = beginTurn(telemetry, {
        agent: 'bench',
        session: 's',
        modelId: 'bench/scripted',
      });
      const result = await runTurn({
        prompt: 'x',
        access: access(),
        transcript,
        model,
        modelId: 'bench/scripted',
        system: 'You do nothing.',
        tools: [noop],
        budget: { exceeded: () => null },
        signal: new AbortController().signal,
        span,
      });
      endTurn(span, result);
      if (result.steps !== STEPS) throw new Error(`the turn had ${result.steps} steps`);
    },
  };
}

/** What a step may cost beyond the SDK's own loop, and what its trace may add, in ms. */
const GOAL_STEP = 5;

/** A history grows with its session, and so does what is sent: the overhead is that of a short one. */
async function compareTurns(runs: number): Promise<void> {
  const costs = { bare: [] as Cost[], off: [] as Cost[], on: [] as Cost[] };
  const timed = async (telemetry: Telemetry | null): Promise<Cost> => {
    const turns = openTurns(telemetry);
    await turns.ready();
    const spent = await cost(turns.turn);
    await turns.close();
    return spent;
  };
  // The first round loads and compiles what the others run.
  for (let run = -1; run < runs; run++) {
    const bare = await cost(bareTurn);
    const off = await timed(null);
    const on = await timed(inMemoryTelemetry());
    if (run < 0) continue;
    costs.bare.push(bare);
    costs.off.push(off);
    costs.on.push(on);
  }
  const of = (name: keyof typeof costs, kind: keyof Cost): number =>
    median(costs[name].map((each) => each[kind]));
  const more = (kind: keyof Cost): string =>
    ((of('off', kind) - of('bare', kind)) / STEPS).toFixed(2);
  const traced = (kind: keyof Cost): string =>
    ((of('on', kind) - of('off', kind)) / STEPS).toFixed(2);
  console.log(
    `\nA turn of ${STEPS} steps, each with a call: AI SDK ${of('bare', 'wall').toFixed(1)} ms, Dirigent ${of('off', 'wall').toFixed(1)} ms`,
  );
  console.log(
    `  a step costs ${more('wall')} ms more (goal: < ${GOAL_STEP}), ${more('cpu')} ms of processor; a trace of it ${traced('wall')} and ${traced('cpu')} ms, none when it is off`,
  );
}

/** Heap after so many turns; sessions of 20 turns each, as people have them. */
async function measureMemory(turns: number): Promise<void> {
  const heap = (): number => {
    collectGarbage();
    return process.memoryUsage().heapUsed / 1e6;
  };
  const marks: [done: number, megabytes: number][] = [];
  for (let done = 0; done < turns; ) {
    const open = openTurns();
    for (let each = 0; each < 20 && done < turns; each++, done++) await open.turn();
    await open.close();
    if (done % (turns / 5) === 0) marks.push([done, heap()]);
  }
  const shown = marks.map(([done, megabytes]) => `${done}: ${megabytes.toFixed(1)}`).join(', ');
  const [first, last] = [marks[0]?.[1] ?? 0, marks.at(-1)?.[1] ?? 0];
  const perTurn = ((last - first) * 1000) / ((turns * 4) / 5);
  console.log(
    `Heap after so many turns, MB: ${shown}; ${perTurn.toFixed(1)} kB more a turn (goal: flat)`,
  );
}

/** With or without `--expose-gc`. */
function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
}

try {
  await compareTurns(values.quick ? 5 : 25);
  const turns = Number(values.turns ?? (values.quick ? 100 : 1000));
  await measureMemory(turns);
} finally {
  rmSync(state, { recursive: true, force: true });
}
