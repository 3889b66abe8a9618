/** comm. */
import type { ShimFactory } from '../../src/shell/command.ts';
import { UsageError } from '../support/getopt.ts';
import { defineTool, splitLines, type Tool, toBytes } from '../support/tool.ts';

/** Whether input out of order is told: never, at once, or once a line had no partner. */
type OrderCheck = 'never' | 'always' | 'unpaired';

/** Goes through two sorted lists side by side. */
class Comparison {
  /** Lines of the first alone, of the second alone, of both. */
  readonly counts: [first: number, second: number, both: number] = [0, 0, 0];
  isUnordered = false;
  readonly #tool: Tool;
  readonly #files: readonly [readonly string[], readonly string[]];
  readonly #check: OrderCheck;
  readonly #at: [number, number] = [0, 0];
  readonly #told = [false, false];
  #hasUnpaired = false;

  constructor(
    tool: Tool,
    files: readonly [readonly string[], readonly string[]],
    check: OrderCheck,
  ) {
    this.#tool = tool;
    this.#files = files;
    this.#check = check;
  }

  /** Each line with the column it belongs to, up to the first disorder that ends it. */
  async *lines(): AsyncGenerator<[column: 0 | 1 | 2, line: string]> {
    for (;;) {
      const first = this.#files[0][this.#at[0]];
      const second = this.#files[1][this.#at[1]];
      if (first === undefined && second === undefined) return;
      const isFirst = second === undefined || (first !== undefined && first <= second);
      const isSecond = first === undefined || (second !== undefined && second <= first);
      const column = isFirst && isSecond ? 2 : isFirst ? 0 : 1;
      this.#hasUnpaired ||= column !== 2;
      this.counts[column]++;
      yield [column, (isFirst ? first : second) ?? ''];
      if (isFirst && !this.#advance(0)) return;
      if (isSecond && !this.#advance(1)) return;
      const rest = this.#tool.pulse();
      if (rest !== undefined) await rest;
    }
  }

  /** To the next line of a file. False where that ends the comparison. */
  #advance(which: 0 | 1): boolean {
    const lines = this.#files[which];
    const at = ++this.#at[which];
    // At the end the last two are looked at again: a line without partner may have come since.
    const later = at < lines.length ? at : at - 1;
    const [before, after] = [lines[later - 1], lines[later]];
    if (before === undefined || after === undefined || before <= after) return true;
    if (this.#check === 'never' || this.#told[which]) return true;
    if (this.#check === 'unpaired' && !this.#hasUnpaired) return true;
    this.#told[which] = true;
    this.isUnordered = true;
    const text = `file ${which + 1} is not in sorted order`;
    if (this.#check === 'always') this.#tool.fail(text);
    else this.#tool.warn(text);
    return this.#check !== 'always';
  }
}

async function comm(tool: Tool): Promise<undefined> {
  const options = tool.options({
    short: '123z',
    long: {
      'check-order': 'check',
      'nocheck-order': 'nocheck',
      'output-delimiter': 'delimiter:',
      total: 'total',
      'zero-terminated': 'z',
    },
  });
  const [first, second, extra] = options.operands;
  if (first === undefined) throw new UsageError('missing operand');
  if (second === undefined) throw new UsageError(`missing operand after '${first}'`);
  if (extra !== undefined) throw new UsageError(`extra operand '${extra}'`);
  const delimiters = new Set(options.all('delimiter'));
  if (delimiters.size > 1)
    throw new UsageError('multiple output delimiters specified', { hint: false });
  const end = options.has('z') ? '\0' : '\n';
  const delimiter = toBytes(options.get('delimiter') ?? '\t') || '\0';
  const contents = [await tool.tryRead(first), await tool.tryRead(second)] as const;
  if (contents[0] === undefined || contents[1] === undefined) return;
  const files = [splitLines(contents[0], end), splitLines(contents[1], end)] as const;
  // Of both the last one counts.
  const asked = options.seen.findLast(([key]) => key.endsWith('check'))?.[0];
  const check = asked === 'check' ? 'always' : asked === 'nocheck' ? 'never' : 'unpaired';
  const comparison = new Comparison(tool, files, check);
  const isShown = ['1', '2', '3'].map((key) => !options.has(key));
  const indents = [
    '',
    isShown[0] ? delimiter : '',
    (isShown[0] ? delimiter : '') + (isShown[1] ? delimiter : ''),
  ];
  for await (const [column, line] of comparison.lines()) {
    if (isShown[column]) tool.write(`${indents[column]}${line}${end}`);
  }
  if (tool.status === 0 && options.has('total')) {
    tool.write(`${[...comparison.counts, 'total'].join(delimiter)}${end}`);
  }
  if (tool.status === 0 && comparison.isUnordered) tool.fail('input is not in sorted order');
}

/** comm. */
export const commShims: ShimFactory = (host) => [
  defineTool(host, { name: 'comm', usage: 'Usage: comm [OPTION]... FILE1 FILE2' }, comm),
];
