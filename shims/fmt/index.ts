/** fmt: paragraphs with lines of much the same length, broken where GNU breaks them. */
import type { ShimFactory } from '../../src/shell/command.ts';
import { type Options, UsageError } from '../support/getopt.ts';
import { defineTool, type Tool, toBytes } from '../support/tool.ts';
import { Formatter, type Style } from './formatter.ts';

const MOST_WIDTH = 2500;

function width(options: Options, key: string, most: number): number | undefined {
  const text = options.get(key);
  if (text === undefined) return undefined;
  const wrong = (why: string): UsageError =>
    new UsageError(`invalid width: '${text}'${why}`, { hint: false });
  if (!/^\d+$/.test(text)) throw wrong('');
  if (Number(text) > most) throw wrong(': Numerical result out of range');
  return Number(text);
}

function styleOf(options: Options): Style {
  const given = width(options, 'w', MOST_WIDTH) ?? width(options, 'digits', MOST_WIDTH);
  const goal = width(options, 'g', given ?? 75);
  const max = given ?? (goal === undefined ? 75 : goal + 10);
  return {
    max,
    goal: goal ?? Math.floor((max * 187) / 200),
    crown: options.has('c'),
    tagged: options.has('t'),
    split: options.has('s'),
    uniform: options.has('u'),
    prefix: toBytes(options.get('p') ?? ''),
  };
}

async function fmt(tool: Tool): Promise<undefined> {
  const options = tool.options({
    short: 'cg:p:stuw:',
    digits: true,
    long: {
      'crown-margin': 'c',
      goal: 'g:',
      prefix: 'p:',
      'split-only': 's',
      'tagged-paragraph': 't',
      'uniform-spacing': 'u',
      width: 'w:',
    },
  });
  const style = styleOf(options);
  for (const name of options.operands.length === 0 ? ['-'] : options.operands) {
    const content = await tool.tryRead(name, 1, `cannot open '${name}' for reading`);
    if (content === undefined) continue;
    const formatter = new Formatter(content, style, (bytes) => tool.write(bytes));
    while (formatter.paragraph()) await tool.pulse();
  }
}

/** fmt. */
export const fmtShims: ShimFactory = (host) => [
  defineTool(
    host,
    {
      name: 'fmt',
      usage: `Usage: fmt [-WIDTH] [OPTION]... [FILE]...\nReformat each paragraph in the FILE(s), writing to standard output.

  -c, --crown-margin        preserve indentation of first two lines
  -p, --prefix=STRING       reformat only lines beginning with STRING
  -s, --split-only          split long lines, but do not refill
  -t, --tagged-paragraph    indentation of first line different from second
  -u, --uniform-spacing     one space between words, two after sentences
  -w, --width=WIDTH         maximum line width (default of 75 columns)
  -g, --goal=WIDTH          goal width (default of 93% of width)`,
    },
    fmt,
  ),
];
