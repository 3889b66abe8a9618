/** tsort: an order in which each comes after what it needs. */
import type { ShimFactory } from '../../src/shell/command.ts';
import { UsageError } from '../support/getopt.ts';
import { defineTool, type Tool, toText } from '../support/tool.ts';

interface Item {
  name: string;
  before: number;
  /** The latest first, as GNU visits them. */
  after: Item[];
  done: boolean;
}

class Graph {
  readonly #items = new Map<string, Item>();

  item(name: string): Item {
    let found = this.#items.get(name);
    if (found === undefined) {
      found = { name, before: 0, after: [], done: false };
      this.#items.set(name, found);
    }
    return found;
  }

  relate(first: Item, second: Item): void {
    if (first === second) return;
    second.before++;
    first.after.unshift(second);
  }

  /** Those that are left, by name. */
  left(): Item[] {
    return [...this.#items.values()]
      .filter((item) => !item.done)
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  }
}

/**
 * A loop among the items that are left, as GNU comes upon it, and cuts it: from
 * an item that waits, by name, to the first in the same order that waits for it.
 */
function cutLoop(items: readonly Item[]): Item[] {
  const next = new Map<Item, Item>();
  let loop: Item | undefined;
  // Each pass makes the chain longer by one at least, until it closes.
  for (let pass = 0; pass <= items.length; pass++) {
    for (const item of items) {
      if (item.before === 0) continue;
      if (loop === undefined) {
        loop = item;
        continue;
      }
      const at = item.after.indexOf(loop);
      if (at < 0) continue;
      if (!next.has(item)) {
        next.set(item, loop);
        loop = item;
        continue;
      }
      const found: Item[] = [];
      for (let one: Item | undefined = loop; one !== undefined; one = next.get(one)) {
        found.push(one);
        if (one === item) break;
      }
      item.after.splice(at, 1);
      loop.before--;
      return found;
    }
  }
  return [];
}

async function tsort(tool: Tool): Promise<undefined> {
  const options = tool.options({ short: '' });
  const [file = '-', extra] = options.operands;
  if (extra !== undefined) throw new UsageError(`extra operand '${extra}'`);
  const content = await tool.tryRead(file);
  if (content === undefined) return;
  const words = toText(content)
    .split(/[ \t\n]+/)
    .filter((word) => word !== '');
  if (words.length % 2 === 1)
    throw new UsageError(`${file}: input contains an odd number of tokens`, { hint: false });
  const graph = new Graph();
  for (let i = 0; i < words.length; i += 2) {
    graph.relate(graph.item(words[i] ?? ''), graph.item(words[i + 1] ?? ''));
  }
  for (let left = graph.left(); left.length > 0; left = graph.left()) {
    const queue = left.filter((item) => item.before === 0);
    if (queue.length === 0) {
      tool.fail(`${file}: input contains a loop:`);
      for (const { name } of cutLoop(left)) tool.warn(name);
    }
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) {
      item.done = true;
      tool.print(`${item.name}\n`);
      for (const next of item.after) if (--next.before === 0) queue.push(next);
      const rest = tool.pulse();
      if (rest !== undefined) await rest;
    }
  }
}

/** tsort. */
export const tsortShims: ShimFactory = (host) => [
  defineTool(
    host,
    {
      name: 'tsort',
      usage:
        'Usage: tsort [OPTION] [FILE]\nWrite a total order that agrees with the partial order of the pairs in FILE.',
    },
    tsort,
  ),
];
