/** join. */
import type { ShimFactory } from '../../src/shell/command.ts';
import { type Options, UsageError } from '../support/getopt.ts';
import { defineTool, splitLines, type Tool, toBytes, toText } from '../support/tool.ts';

interface Line {
  fields: string[];
  key: string;
}

/** A file, its lines as they are and as they are compared. */
interface Input {
  name: string;
  raw: string[];
  lines: Line[];
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
  /** When the order of lines is minded; `unpaired`, once one was met that has no partner. */
  order: 'always' | 'unpaired' | 'never';
}

const wrong = (message: string): UsageError => new UsageError(message, { hint: false });

function field(text: string): number {
  if (/^\+?\d+$/.test(text) && Number(text) > 0) return Number(text);
  throw wrong(`invalid field number: '${text}'`);
}

/** The fields that are compared: `-1`, `-2`, and `-j` for both, none of them twice with another number. */
function joinFields(options: Options): [number, number] {
  const given: [number?, number?] = [];
  const set = (side: 0 | 1, to: number): void => {
    const before = given[side];
    if (before !== undefined && before !== to)
      throw wrong(`incompatible join fields ${before}, ${to}`);
    given[side] = to;
  };
  for (const [key, value] of options.seen) {
    if (key === '1' || key === 'j') set(0, field(value));
    if (key === '2' || key === 'j') set(1, field(value));
  }
  return [given[0] ?? 1, given[1] ?? 1];
}

function outputs(options: Options): Plan['output'] {
  const lists = options.all('o').filter((list) => list !== 'auto');
  if (lists.length === 0) return undefined;
  return lists
    .flatMap((list) => list.split(/[,\s]/))
    .map((spec) => {
      const [, file, dot, at = ''] = /^([012])(\.?)(.*)$/s.exec(spec) ?? [];
      if (file === undefined) throw wrong(`invalid file number in field spec: '${spec}'`);
      if (spec === '0') return [0, 0];
      if (file === '0' || dot === '') throw wrong(`invalid field specifier: '${spec}'`);
      return [Number(file), field(at)];
    });
}

/** The value of an option that may be given again only with the same one. */
function only(options: Options, key: string, otherwise: string): string | undefined {
  const [first, ...others] = options.all(key);
  if (others.some((other) => other !== first)) throw wrong(otherwise);
  return first;
}

function plan(options: Options): Plan {
  const separator = only(options, 't', 'incompatible tabs');
  if (separator !== undefined && separator !== '\\0' && toBytes(separator).length > 1)
    throw wrong(`multi-character tab '${separator.replaceAll('\\', '\\\\')}'`);
  const sides = [...options.all('a'), ...options.all('v')];
  const other = sides.find((side) => side !== '1' && side !== '2');
  if (other !== undefined) throw wrong(`invalid field number: '${other}'`);
  return {
    separator:
      separator === undefined ? undefined : separator === '\\0' ? '\0' : toBytes(separator),
    fields: joinFields(options),
    fold: options.has('i'),
    empty: toBytes(only(options, 'e', 'conflicting empty-field replacement strings') ?? ''),
    output: outputs(options),
    auto: options.has('o'),
    unpaired: [sides.includes('1'), sides.includes('2')],
    paired: !options.has('v'),
    order: options.has('nocheck') ? 'never' : options.has('check') ? 'always' : 'unpaired',
  };
}

function parse(lines: readonly string[], index: number, { separator, fold }: Plan): Line[] {
  return lines.map((line) => {
    const fields =
      separator === undefined
        ? line.split(/[ \t\n]+/).filter((part, i) => part !== '' || i > 0)
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
  /** Lines before those that are joined. */
  #headers = 0;
  /** A line without a partner was met. */
  #isUnpaired = false;
  readonly #isDisordered: [boolean, boolean] = [false, false];

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

  /** Joins the first lines, whatever their keys are. */
  header(a: Input, b: Input): void {
    const [x, y] = [a.lines.shift(), b.lines.shift()];
    if (x !== undefined || y !== undefined) this.emit(x, y);
    a.raw.shift();
    b.raw.shift();
    this.#headers = 1;
  }

  /** Minds the order of a line that comes next. */
  #mind(side: 0 | 1, { name, lines, raw }: Input, at: number): void {
    const { order } = this.#plan;
    const [before, line] = [lines[at - 1], lines[at]];
    if (order === 'never' || (order === 'unpaired' && !this.#isUnpaired)) return;
    if (this.#isDisordered[side] || before === undefined || line === undefined) return;
    if (before.key <= line.key) return;
    this.#isDisordered[side] = true;
    const what = `${name}:${at + this.#headers + 1}: is not sorted: ${toText(raw[at] ?? '')}`;
    if (order === 'always') throw wrong(what);
    this.#tool.fail(what);
  }

  async merge(left: Input, right: Input): Promise<void> {
    const { unpaired, paired } = this.#plan;
    const [a, b] = [left.lines, right.lines];
    let i = 0;
    let j = 0;
    // A line is read, and its order minded, before it is known whether the last one had a partner.
    while (i < a.length || j < b.length) {
      const rest = this.#tool.pulse();
      if (rest !== undefined) await rest;
      const [x, y] = [a[i], b[j]];
      if (y === undefined || (x !== undefined && x.key < y.key)) {
        if (unpaired[0]) this.emit(x, undefined);
        this.#mind(0, left, ++i);
        this.#isUnpaired ||= y !== undefined;
      } else if (x === undefined || y.key < x.key) {
        if (unpaired[1]) this.emit(undefined, y);
        this.#mind(1, right, ++j);
        this.#isUnpaired ||= x !== undefined;
      } else {
        const [fromA, fromB] = [i, j];
        do this.#mind(0, left, ++i);
        while (a[i]?.key === x.key);
        do this.#mind(1, right, ++j);
        while (b[j]?.key === x.key);
        if (!paired) continue;
        for (const one of a.slice(fromA, i))
          for (const two of b.slice(fromB, j)) this.emit(one, two);
      }
    }
    if (this.#isDisordered.includes(true)) this.#tool.fail('input is not in sorted order');
  }
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
  const inputOf = (name: string, content: string, index: number): Input => {
    const raw = splitLines(content, end);
    return { name, raw, lines: parse(raw, index, chosen) };
  };
  const a = inputOf(nameA, contentA, chosen.fields[0]);
  const b = inputOf(nameB, contentB, chosen.fields[1]);
  const widthOf = ({ lines }: Input): number => lines[0]?.fields.length ?? 0;
  const joiner = new Joiner(tool, chosen, end, [widthOf(a), widthOf(b)]);
  if (options.has('header')) joiner.header(a, b);
  await joiner.merge(a, b);
}

/** join. */
export const joinShims: ShimFactory = (host) => [
  defineTool(host, { name: 'join', usage: 'Usage: join [OPTION]... FILE1 FILE2' }, join),
];
