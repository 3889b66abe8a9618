/** uniq: with GNU's count column and field, character and grouping options. */
import type { ShimFactory } from '../../src/shell/command.ts';
import { type Options, UsageError, wordOf } from '../support/getopt.ts';
import { defineTool, splitLines, type Tool } from '../support/tool.ts';

const LONG = {
  count: 'c',
  repeated: 'd',
  'all-repeated': 'D::',
  'skip-fields': 'f:',
  group: 'group::',
  'ignore-case': 'i',
  'skip-chars': 's:',
  unique: 'u',
  'zero-terminated': 'z',
  'check-chars': 'w:',
};

function count(options: Options, key: string, what: string): number | undefined {
  const text = options.get(key);
  if (text === undefined) return undefined;
  if (!/^\d+$/.test(text)) {
    throw new UsageError(`${text}: invalid number of ${what}`, { hint: false });
  }
  return Number(text);
}

/** What two lines are compared by. */
function keyMaker(options: Options): (line: string) => string {
  const fields = count(options, 'f', 'fields to skip') ?? 0;
  const chars = count(options, 's', 'bytes to skip') ?? 0;
  const width = count(options, 'w', 'bytes to compare');
  const fold = options.has('i');
  const skip = fields === 0 ? undefined : new RegExp(`^(?:[ \\t]*[^ \\t]*){0,${fields}}`);
  return (line) => {
    let key = skip === undefined ? line : line.slice(skip.exec(line)?.[0].length ?? 0);
    if (chars > 0) key = key.slice(chars);
    if (width !== undefined) key = key.slice(0, width);
    return fold ? key.toUpperCase() : key;
  };
}

async function groupsOf(
  tool: Tool,
  lines: readonly string[],
  keyOf: (line: string) => string,
): Promise<string[][]> {
  const groups: string[][] = [];
  let last: string | undefined;
  for (const line of lines) {
    const key = keyOf(line);
    if (key === last) groups.at(-1)?.push(line);
    else groups.push([line]);
    last = key;
    await tool.pulse();
  }
  return groups;
}

function render(
  options: Options,
  { group, method }: { group: string | undefined; method: string | undefined },
  groups: readonly string[][],
): string[] {
  const out: string[] = [];
  const counted = options.has('c');
  const kept = groups.filter((lines) => {
    if (method !== undefined || options.has('d')) {
      return lines.length > 1 && !(options.has('u') && method === undefined);
    }
    return !options.has('u') || lines.length === 1;
  });
  const style = group ?? method ?? 'none';
  if (style === 'prepend' || style === 'both') if (kept.length > 0) out.push('');
  for (const [i, lines] of kept.entries()) {
    const between =
      style === 'separate' || (group !== undefined && style === '') || style === 'both';
    if (i > 0 && (between || style === 'prepend' || style === 'append')) out.push('');
    // With -u all but the first of those that are repeated.
    if (method !== undefined) out.push(...lines.slice(options.has('u') ? 1 : 0));
    else if (group !== undefined) out.push(...lines);
    else out.push(counted ? `${String(lines.length).padStart(7)} ${lines[0]}` : (lines[0] ?? ''));
  }
  if (style === 'append' || style === 'both') if (kept.length > 0) out.push('');
  return out;
}

const METHODS = {
  group: ['prepend', 'append', 'separate', 'both'],
  'all-repeated': ['none', 'prepend', 'separate'],
} as const;

/** How groups are parted; undefined where they are not asked for. */
function methodOf(option: keyof typeof METHODS, given: string | undefined): string | undefined {
  return given === undefined || given === ''
    ? given
    : wordOf(`--${option}`, given, METHODS[option]);
}

async function uniq(tool: Tool): Promise<undefined> {
  const options = tool.options({ short: 'cdDf:is:uzw:', long: LONG });
  const [input = '-', output, extra] = options.operands;
  if (extra !== undefined) throw new UsageError(`extra operand '${extra}'`);
  if (options.has('c') && options.has('D')) {
    throw new UsageError('printing all duplicated lines and repeat counts is meaningless');
  }
  const styles = {
    group: methodOf('group', options.get('group')),
    method: methodOf('all-repeated', options.get('D')),
  };
  if (options.has('group') && ['c', 'd', 'D', 'u'].some((each) => options.has(each)))
    throw new UsageError('--group is mutually exclusive with -c/-d/-D/-u');
  const keyOf = keyMaker(options);
  const content = await tool.tryRead(input);
  if (content === undefined) return;
  const end = options.has('z') ? '\0' : '\n';
  const groups = await groupsOf(tool, splitLines(content, end), keyOf);
  const text = render(options, styles, groups)
    .map((line) => line + end)
    .join('');
  if (output === undefined || output === '-') tool.write(text);
  else await tool.attempt(output, () => tool.save(output, text));
}

/** uniq. */
export const uniqShims: ShimFactory = (host) => [
  defineTool(host, { name: 'uniq', usage: 'Usage: uniq [OPTION]... [INPUT [OUTPUT]]' }, uniq),
];
