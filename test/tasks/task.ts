/** One task: the lines that an agent types, and what must be true when it has typed them. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createWorld, type World } from '../../entry/index.ts';
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

/** What the lines cost, as the mounts say. */
export interface TaskCost {
  commands: number;
  requests: number;
  bytes: number;
  /** Requests that would change something, as the services counted them. */
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
  /** It reads, or is refused: such tasks can share a world. */
  changesNothing?: true;
  /** How the services are mounted; `rw` by default. */
  mode?: 'rw' | 'stage';
  steps: readonly Step[];
  /** Throws where something is not as it must be. */
  check: (result: TaskResult) => void;
}

/** A world over these services that has fetched nothing yet; closing it removes its state. */
export function openWorld(services: Services, mode: 'rw' | 'stage'): World {
  const state = mkdtempSync(join(tmpdir(), 'dirigent-tasks-'));
  const { mounts, env } = mountsOf(services, mode);
  const world = createWorld({ mounts, state, session: { snapshots: false } }, { env });
  const close = async (): Promise<void> => {
    await world.close();
    rmSync(state, { recursive: true, force: true });
  };
  // A copy would freeze what the getters give.
  return Object.create(world, { close: { value: close } }) as World;
}

/**
 * Runs a task over services that tasks share.
 * @param world where; by default in a world of its own, so that the cost is that of a first look
 * @throws what the check throws
 */
export async function runTask(task: Task, services: Services, world?: World): Promise<TaskResult> {
  if (world !== undefined) return runIn(task, services, world);
  const own = openWorld(services, task.mode ?? 'rw');
  try {
    return await runIn(task, services, own);
  } finally {
    await own.close();
  }
}

async function runIn(task: Task, services: Services, world: World): Promise<TaskResult> {
  const before = await recordsOf(services);
  const writesBefore = await countWrites(services);
  const spentBefore = spentBy(world);
  const lines = await runSteps(task.steps, world, services);
  const spent = spentBy(world);
  const after = await recordsOf(services);
  const last = lines.at(-1);
  assert(last !== undefined, 'a task has at least one line');
  const writes = await countWrites(services);
  const result: TaskResult = {
    lines,
    last,
    before,
    after,
    difference: difference(before, after),
    cost: {
      commands: lines.length,
      requests: spent.requests - spentBefore.requests,
      bytes: spent.bytes - spentBefore.bytes,
      writes: writes - writesBefore,
    },
  };
  task.check(result);
  return result;
}

/** What the mounts of a world have spent so far. */
function spentBy(world: World): { requests: number; bytes: number } {
  const all = Object.values(world.usage());
  return {
    requests: all.reduce((sum, { requests }) => sum + requests, 0),
    bytes: all.reduce((sum, { bytes }) => sum + bytes, 0),
  };
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

/** Requests in the logs of the services that they took as a change, or would have taken as one. */
async function countWrites({ github, linear, notion }: Services): Promise<number> {
  const [ofGithub, ofLinear, ofNotion] = await Promise.all([
    github.requests(),
    linear.requests(),
    notion.requests(),
  ]);
  // Notion's listings are POST requests, too.
  const isQuery = (url: string) => /\/(search|query)\b/.test(url);
  return (
    ofGithub.filter(({ method }) => method !== 'GET').length +
    ofLinear.filter(({ operation }) => operation === 'mutation').length +
    ofNotion.filter(({ method, url }) => method !== 'GET' && !isQuery(url)).length
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
