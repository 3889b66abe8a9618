/**
 * What a turn costs beyond the bare loop of the AI SDK, with the same scripted
 * model and the same tool; and whether memory stays flat over many turns.
 *
 *   node bench/turn.ts [--turns N] [--quick]
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { isStepCount, type LanguageModel, streamText, tool } from 'ai';
import { z } from 'zod';
import { createBudget } from '../src/agent/budget.ts';
import { worldHands } from '../src/agent/hands.ts';
import { sessionTranscript } from '../src/agent/session-transcript.ts';
import { defineTool } from '../src/agent/tool.ts';
import { runTurn } from '../src/agent/turn.ts';
import { createWorld } from '../src/index.ts';

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

/** Turns in a world and a session of their own. */
function openTurns() {
  const world = createWorld({ state });
  const transcript = sessionTranscript(world.session);
  return {
    /** The start of the world's worker is not the turn's. */
    ready: () => world.commands(),
    close: () => world.close(),
    turn: async (): Promise<void> => {
      const result = await runTurn({
        prompt: 'x',
        hands: worldHands(world, [], { actor: 'bench' }),
        transcript,
        model,
        modelId: 'bench/scripted',
        system: 'You do nothing.',
        tools: [noop],
        budget: createBudget({}, { today: () => 0, add: () => undefined }, () => 0),
        signal: new AbortController().signal,
      });
      if (result.steps !== STEPS) throw new Error(`the turn had ${result.steps} steps`);
    },
  };
}

/** A history grows with its session, and so does what is sent: the overhead is that of a short one. */
async function compareTurns(runs: number): Promise<void> {
  let spent = 0;
  const timed = async (): Promise<void> => {
    const turns = openTurns();
    await turns.ready();
    const start = performance.now();
    await turns.turn();
    spent = performance.now() - start;
    await turns.close();
  };
  const bare: number[] = [];
  const dirigent: number[] = [];
  for (let run = 0; run < runs; run++) {
    const start = performance.now();
    await bareTurn();
    bare.push(performance.now() - start);
    await timed();
    dirigent.push(spent);
  }
  const middle = (all: number[]): number =>
    all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)] ?? Number.NaN;
  const overhead = (middle(dirigent) - middle(bare)) / STEPS;
  console.log(
    `a turn of ${STEPS} steps: AI SDK ${middle(bare).toFixed(1)} ms, Dirigent ${middle(dirigent).toFixed(1)} ms; ${overhead.toFixed(2)} ms more a step`,
  );
}

/** Heap after so many turns; sessions of 20 turns each, as people have them. */
async function measureMemory(turns: number): Promise<void> {
  const heap = (): number => {
    globalThis.gc?.();
    return process.memoryUsage().heapUsed / 1e6;
  };
  const marks: string[] = [];
  for (let done = 0; done < turns; ) {
    const open = openTurns();
    for (let each = 0; each < 20 && done < turns; each++, done++) await open.turn();
    await open.close();
    if (done % (turns / 5) === 0) marks.push(`${done}: ${heap().toFixed(0)} MB`);
  }
  console.log(`heap after turns: ${marks.join(', ')}`);
}

try {
  await compareTurns(values.quick ? 5 : 25);
  const turns = Number(values.turns ?? (values.quick ? 100 : 1000));
  await measureMemory(turns);
} finally {
  rmSync(state, { recursive: true, force: true });
}
