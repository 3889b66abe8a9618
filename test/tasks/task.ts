/** One task: the lines that an agent types, and what must be true when it has typed them. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createWorld, type World } from '../../src/index.ts';
import {
  type Difference,
  difference,
  mountsOf,
  type Records,
  recordsOf,
  type Services,
} from './services.ts';

/** What one line gave. */
export interface LineResult {
  line: string;
  stdout: string;
  stderr: string;
  exitCode: number;
}

/** What all of them gave, and what it cost. */
export interface TaskResult {
  /** In the order in which they were typed. */
  lines: LineResult[];
  /** The last line's. */
  last: LineResult;
  /** The stores before the first line and after the last. */
  before: Records;
  after: Records;
  difference: Difference;
  cost: TaskCost;
}

/** The services saw so many requests, and answered with so many bytes. */
export interface TaskCost {
  commands: number;
  requests: number;
  bytes: number;
  /** Requests that change something, as the services counted them. */
  writes: number;
}

/** A shell line; or what somebody else does between two lines. */
export type Step =
  | string
  | { meanwhile: (services: Services) => Promise<unknown> }
  | { deployer: (world: World) => Promise<unknown> };

export interface Task {
  /** What the agent was asked. */
  name: string;
  /** How the services are mounted; `rw` by default. */
  mode?: 'rw' | 'stage';
  /** What the story needs before the agent comes. */
  before?: (services: Services) => Promise<unknown>;
  steps: readonly Step[];
  /** Throws where something is not as it must be. */
  check: (result: TaskResult) => void;
}

/**
 * Runs a task in a world of its own, with nothing fetched before, over services that tasks share.
 * @throws what the check throws
 */
export async function runTask(task: Task, services: Services): Promise<TaskResult> {
  await task.before?.(services);
  const before = await recordsOf(services);
  const writesBefore = await countWrites(services);
  const state = mkdtempSync(join(tmpdir(), 'dirigent-tasks-'));
  const { mounts, env } = mountsOf(services, task.mode ?? 'rw');
  const world = createWorld({ mounts, state, session: { snapshots: false } }, { env });
  try {
    const lines = await runSteps(task.steps, world, services);
    const spent = Object.values(world.usage());
    const after = await recordsOf(services);
    const last = lines.at(-1);
    assert(last !== undefined, 'a task has at least one line');
    const result: TaskResult = {
      lines,
      last,
      before,
      after,
      difference: difference(before, after),
      cost: {
        commands: lines.length,
        requests: spent.reduce((sum, { requests }) => sum + requests, 0),
        bytes: spent.reduce((sum, { bytes }) => sum + bytes, 0),
        writes: (await countWrites(services)) - writesBefore,
      },
    };
    task.check(result);
    return result;
  } finally {
    await world.close();
    rmSync(state, { recursive: true, force: true });
  }
}

async function runSteps(
  steps: readonly Step[],
  world: World,
  services: Services,
): Promise<LineResult[]> {
  const lines: LineResult[] = [];
  for (const step of steps) {
    if (typeof step === 'string') {
      const { stdout, stderr, exitCode } = await world.exec(step);
      lines.push({ line: step, stdout, stderr, exitCode });
    } else if ('meanwhile' in step) await step.meanwhile(services);
    else await step.deployer(world);
  }
  return lines;
}

/** Requests that a service would have to take as a change; Notion's queries and search are POST, too. */
async function countWrites({ github, linear, notion }: Services): Promise<number> {
  const [ofGithub, ofLinear, ofNotion] = await Promise.all([
    github.requests(),
    linear.requests(),
    notion.requests(),
  ]);
  return (
    ofGithub.filter(({ method }) => method !== 'GET').length +
    ofLinear.filter(({ operation }) => operation === 'mutation').length +
    ofNotion.filter(({ method, url }) => method !== 'GET' && !/\/(search|query)\b/.test(url)).length
  );
}

/** Every line ended with 0; the message has what the first other one said. */
export function allWell({ lines }: TaskResult): void {
  const bad = lines.find(({ exitCode }) => exitCode !== 0);
  assert(bad === undefined, `${bad?.line}\nended with ${bad?.exitCode}:\n${bad?.stderr}`);
}

/** Nothing in the stores is different, and nothing was sent that could have changed it. */
export function nothingChanged({
  difference: { created, removed, changed },
  cost,
}: TaskResult): void {
  assert.deepEqual({ created, removed, changed }, { created: [], removed: [], changed: {} });
  assert.equal(cost.writes, 0);
}

/** A record that must be there. */
export function record(records: Records, name: string): Records[string] {
  const found = records[name];
  assert(found !== undefined, `no record ${name}`);
  return found;
}

/** Lines of a text, without the empty one at its end. */
export function rows(text: string): string[] {
  return text.split('\n').filter((line) => line !== '');
}
