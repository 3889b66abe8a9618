/** join. */
import type { ShimFactory } from '../../src/shell/command.ts';
import { type Options, UsageError } from '../support/getopt.ts';
import { defineTool, splitLines, type Tool, toBytes } from '../support/tool.ts';

interface Line {
  fields: string[];
  key: string;
}

interface Plan {
  separator: string | undefined;
  fields: [number, number];
  fold: boolean;
  empty: string;
  /** `0` or [file, field]; undefined for the default layout. */
  output: Array<[file: number, field: number]> | undefined;
  auto: boolean;
  unpaired: [boolean, boolean];
  paired: boolean;
}

function field(text: string | undefined): number {
  if (text === undefined) return 1;
  if (!/^[1-9]\d*$/.test(text)) {
    throw new UsageError(`invalid field number: '${text}'`, { hint: false });
  }
  return Number(text);
}

function outputs(options: Options): Plan['output'] {
  const text = options.all('o').join(',');
  if (text === '' || text === 'auto') return undefined;
  return text
    .split(/[,\s]+/)
    .filter(Boolean)
    .map((spec) => {
      const match = /^(?:0|([12])\.([1-9]\d*))$/.exec(spec);
      if (match === null) {
        const [, at] = /^[12]\.(.*)$/.exec(spec) ?? [];
        const what =
          at === undefined
            ? `invalid file number in field spec: '${spec}'`
            : `invalid field number: '${at}'`;
        throw new UsageError(what, { hint: false });
      }
      return [Number(match[1] ?? 0), Number(match[2] ?? 0)];
    });
}

function plan(options: Options): Plan {
  const separator = options.get('t');
  if (separator !== undefined && separator !== '\\0' && toBytes(separator).length > 1)
    throw new UsageError(`multi-character tab '${separator}'`, { hint: false });
  const both = options.get('j');
  for (const own of [options.get('1'), options.get('2')])
    if (own !== undefined && both !== undefined && own !== both)
      throw new UsageError(`incompatible join fields ${both}, ${own}`, { hint: false });
  const sides = [...options.all('a'), ...options.all('v')];
  const wrong = sides.find((side) => side !== '1' && side !== '2');
  if (wrong !== undefined)
    throw new UsageError(`invalid field number: '${wrong}'`, { hint: false });
  return {
    separator:
      separator === undefined ? undefined : separator === '\\0' ? '\0' : toBytes(separator),
    fields: [field(options.get('1') ?? both), field(options.get('2') ?? both)],
    fold: options.has('i'),
    empty: toBytes(options.get('e') ?? ''),
    output: outputs(options),
    auto: options.get('o') === 'auto',
    unpaired: [sides.includes('1'), sides.includes('2')],
    paired: !options.has('v'),
  };
}

function parse(lines: readonly string[], index: number, { separator, fold }: Plan): Line[] {
  return lines.map((line) => {
    const fields =
      separator === undefined
        ? line.split(/[ \t]+/).filter((part, i) => part !== '' || i > 0)
        : // With an empty one the line is a single field.
          separator === ''
          ? [line]
          : line.split(separator);
    const key = fields[index - 1] ?? '';
    return { fields, key: fold ? key.toUpperCase() : key };
  });
}

class Joiner {
  readonly #tool: Tool;
  readonly #plan: Plan;
  readonly #end: string;
  readonly #widths: [number, number];

  constructor(tool: Tool, plan: Plan, end: string, widths: [number, number]) {
    this.#tool = tool;
    this.#plan = plan;
    this.#end = end;
    this.#widths = widths;
  }

  #cell(text: string | undefined): string {
    return text === undefined || text === '' ? this.#plan.empty : text;
  }

  emit(a: Line | undefined, b: Line | undefined): void {
    const { output, fields, auto } = this.#plan;
    const key = a?.fields[fields[0] - 1] ?? b?.fields[fields[1] - 1];
    let cells: string[];
    if (output !== undefined) {
      cells = output.map(([file, at]) =>
        this.#cell(file === 0 ? key : (file === 1 ? a : b)?.fields[at - 1]),
      );
    } else {
      const rest = (line: Line | undefined, side: 0 | 1): string[] => {
        const width = auto ? this.#widths[side] : (line?.fields.length ?? 0);
        const all = Array.from({ length: width }, (_, i) => this.#cell(line?.fields[i]));
        all.splice(fields[side] - 1, 1);
        return all;
      };
      cells = [this.#cell(key), ...rest(a, 0), ...rest(b, 1)];
    }
    this.#tool.write(cells.join(this.#plan.separator ?? ' ') + this.#end);
  }

  /** A line without a partner was met: only then does GNU mind the order. */
  unmatched = false;

  async merge(left: readonly Line[], right: readonly Line[]): Promise<void> {
    const { unpaired, paired } = this.#plan;
    let i = 0;
    let j = 0;
    while (i < left.length || j < right.length) {
      const rest = this.#tool.pulse();
      if (rest !== undefined) await rest;
      const a = left[i];
      const b = right[j];
      if (b === undefined || (a !== undefined && a.key < b.key)) {
        this.unmatched = true;
        if (unpaired[0]) this.emit(a, undefined);
        i++;
      } else if (a === undefined || b.key < a.key) {
        this.unmatched = true;
        if (unpaired[1]) this.emit(undefined, b);
        j++;
      } else {
        let endA = i;
        let endB = j;
        while (left[endA]?.key === a.key) endA++;
        while (right[endB]?.key === a.key) endB++;
        if (paired) {
          for (const x of left.slice(i, endA))
            for (const y of right.slice(j, endB)) this.emit(x, y);
        }
        i = endA;
        j = endB;
      }
    }
  }
}

function checkOrder(
  tool: Tool,
  name: string,
  lines: readonly Line[],
  raw: readonly string[],
): void {
  const at = lines.findIndex((line, i) => i > 0 && line.key < (lines[i - 1]?.key ?? ''));
  if (at > 0) tool.fail(`${name}:${at + 1}: is not sorted: ${raw[at]}`);
}

async function join(tool: Tool): Promise<undefined> {
  const options = tool.options({
    short: 'a:e:ij:o:t:v:1:2:z',
    long: {
      'ignore-case': 'i',
      'check-order': 'check',
      'nocheck-order': 'nocheck',
      header: 'header',
      'zero-terminated': 'z',
    },
  });
  const [nameA, nameB, extra] = options.operands;
  if (nameA === undefined) throw new UsageError('missing operand');
  if (nameB === undefined) throw new UsageError(`missing operand after '${nameA}'`);
  if (extra !== undefined) throw new UsageError(`extra operand '${extra}'`);
  if (nameA === '-' && nameB === '-')
    throw new UsageError('both files cannot be standard input', { hint: false });
  const chosen = plan(options);
  const end = options.has('z') ? '\0' : '\n';
  const contentA = await tool.tryRead(nameA);
  const contentB = contentA === undefined ? undefined : await tool.tryRead(nameB);
  if (contentA === undefined || contentB === undefined) return;
  const [rawA, rawB] = [splitLines(contentA, end), splitLines(contentB, end)];
  const a = parse(rawA, chosen.fields[0], chosen);
  const b = parse(rawB, chosen.fields[1], chosen);
  const joiner = new Joiner(tool, chosen, end, [
    a[0]?.fields.length ?? 0,
    b[0]?.fields.length ?? 0,
  ]);
  if (options.has('header')) {
    const [x, y] = [a.shift(), b.shift()];
    if (x !== undefined || y !== undefined) joiner.emit(x, y);
    rawA.shift();
    rawB.shift();
  }
  await joiner.merge(a, b);
  if (options.has('nocheck') || (!joiner.unmatched && !options.has('check'))) return;
  checkOrder(tool, nameA, a, rawA);
  checkOrder(tool, nameB, b, rawB);
  if (tool.status !== 0) tool.warn('input is not in sorted order');
}

/** join. */
export const joinShims: ShimFactory = (host) => [
  defineTool(host, { name: 'join', usage: 'Usage: join [OPTION]... FILE1 FILE2' }, join),
];
