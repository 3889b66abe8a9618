/** Random operations on a session, beside a model of it in plain memory. */
import { expect } from 'vitest';
import {
  createSession,
  modelView,
  resumeSession,
  type SessionLog,
} from '../../src/session/index.ts';
import { verifySession } from '../../src/session/verify.ts';
import { testPlace, through, UNSYNCED } from './support.ts';

/** A node of the model's tree. */
interface Node {
  id: string;
  parent: Node | null;
  text: string | null;
  /** Of a compaction: its summary, and the first entry that it kept. */
  compaction: { summary: string; firstKept: string } | null;
}

/** mulberry32 */
function createRandom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296) * below);
  };
}

const pathOf = (leaf: Node | null): Node[] => {
  const path: Node[] = [];
  for (let node = leaf; node !== null; node = node.parent) path.push(node);
  return path.reverse();
};

/** The texts that the model's view shows, by the rules alone. */
function expectedView(leaf: Node | null): string[] {
  const path = pathOf(leaf);
  const compaction = path.findLast((node) => node.compaction !== null)?.compaction;
  const from = path.findIndex(({ id }) => id === compaction?.firstKept);
  const texts = path.slice(Math.max(0, from)).flatMap(({ text }) => (text === null ? [] : [text]));
  return compaction == null ? texts : [compaction.summary, ...texts];
}

function actualView(log: SessionLog): string[] {
  return modelView(log.context()).messages.map(({ content }) =>
    String(content).replace(/^The conversation before this point, in summary:\n\n/, ''),
  );
}

/** Carries out so many operations; compares after each of a sample, and at the end. */
export function runRandomOperations(seed: number, operations: number): void {
  const random = createRandom(seed);
  const place = testPlace();
  let log: SessionLog = createSession(through(UNSYNCED, place));
  const nodes: Node[] = [];
  const labels = new Map<string, string>();
  let leaf: Node | null = null;
  const grow = (id: string, parent: Node | null, more: Partial<Node> = {}): void => {
    leaf = { id, parent, text: null, compaction: null, ...more };
    nodes.push(leaf);
  };
  const compare = (): void => {
    expect(log.leaf).toBe(leaf?.id ?? null);
    expect(log.branch().map(({ id }) => id)).toEqual(pathOf(leaf).map(({ id }) => id));
    expect(actualView(log)).toEqual(expectedView(leaf));
    for (const { id } of nodes.slice(-20)) expect(log.tree.label(id)).toBe(labels.get(id));
  };
  for (let step = 0; step < operations; step++) {
    const some = nodes[random(nodes.length)];
    switch (nodes.length === 0 ? 0 : random(12)) {
      case 6: {
        const to = random(40) === 0 || some === undefined ? null : some;
        grow(log.travel(to?.id ?? null).id, to);
        break;
      }
      case 7: {
        const label = random(4) === 0 ? null : `label ${random(5)}`;
        if (some === undefined) break;
        grow(log.label(some.id, label).id, leaf);
        if (label === null) labels.delete(some.id);
        else labels.set(some.id, label);
        break;
      }
      case 8: {
        const path = pathOf(leaf).filter(({ text }) => text !== null);
        const kept = path[random(path.length)];
        if (kept === undefined || random(3) > 0) break;
        const compaction = { summary: `summary ${step}`, firstKept: kept.id };
        const { summary, firstKept: firstKeptEntryId } = compaction;
        const entry = log.append({ type: 'compaction', summary, firstKeptEntryId });
        grow(entry.id, leaf, { compaction });
        break;
      }
      case 9:
        if (random(30) > 0) break;
        log.close();
        log = resumeSession(through(UNSYNCED, place), log.id);
        break;
      case 10:
        expect(modelView(log.context(), { prune: { keepTokens: 0 } }).tokens).toBe(
          modelView(log.context(), { prune: false }).tokens,
        );
        break;
      default: {
        const text = `message ${step}`;
        grow(log.message({ role: 'user', content: text }).id, leaf, { text });
      }
    }
    if (step % Math.ceil(operations / 200) === 0) compare();
  }
  log.close();
  log = resumeSession(place, log.id);
  expect(log.entries().map(({ id }) => id)).toEqual(nodes.map(({ id }) => id));
  compare();
  log.close();
  expect(verifySession(place, log.id)).toMatchObject({ faults: [], entries: nodes.length });
}
