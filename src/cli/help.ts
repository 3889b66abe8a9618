/** What `--help` prints, made from the table of commands. */
import type { OptionSpec } from './command-spec.ts';
import { type CommandPage, type CommandPages, commandNames, type HelpTopic } from './commands.ts';

/** Columns of a page. */
const WIDTH = 86;
/** Where what is said of an option begins, and of a command in the overview. */
const COLUMN = 21;
const OVERVIEW_COLUMN = 15;

/** The page of a topic. */
export function helpPage(topic: HelpTopic, pages: CommandPages): string {
  return topic === 'dirigent' ? overview(pages) : page(topic, pages[topic]);
}

function overview(pages: CommandPages): string {
  const rows = commandNames().map((name) => row(name, pages[name].summary, OVERVIEW_COLUMN));
  return `Dirigent, a sandbox for AI agents in which everything is a file.

usage: dirigent COMMAND [options]
       dirigent --help | --version

${rows.join('')}
"dirigent COMMAND --help" tells more.
`;
}

function page(name: string, { usage, about, verbs = {}, options, more }: CommandPage): string {
  const calls = usage.map((rest, index) =>
    `${index === 0 ? 'usage:' : '      '} dirigent ${name} ${rest}`.trimEnd(),
  );
  const verbRows = Object.entries(verbs).map(([verb, { operands, help }]) =>
    row([verb, operands].join(' ').trimEnd(), help),
  );
  const optionRows = Object.entries(options).map(([long, option]) =>
    row(optionHead(long, option), option.help),
  );
  const parts = [
    `${calls.join('\n')}\n`,
    `${wrap(about, WIDTH).join('\n')}\n`,
    verbRows.join(''),
    optionRows.join(''),
    more === undefined ? '' : `${more.split('\n').flatMap(paragraph).join('\n')}\n`,
  ];
  return parts.filter((part) => part !== '').join('\n');
}

/** Examples stay as they are. */
const paragraph = (line: string): string[] => (line.startsWith(' ') ? [line] : wrap(line, WIDTH));

function optionHead(long: string, { short, value }: Pick<OptionSpec, 'short' | 'value'>): string {
  const name = short === undefined ? `--${long}` : `-${short}, --${long}`;
  return value === undefined ? name : `${name} ${value}`;
}

/** A name, and beside it what is said of it; below it where the name is too long. */
function row(head: string, help: string, column = COLUMN): string {
  const indent = ' '.repeat(column);
  const lines = help.split('\n').flatMap((line) => wrap(line, WIDTH - column));
  const start = `  ${head}`;
  const fits = start.length < column - 1;
  const first = fits ? `${start.padEnd(column)}${lines.shift() ?? ''}\n` : `${start}\n`;
  return first + lines.map((line) => `${indent}${line}\n`).join('');
}

/** The lines of a text, none longer than `width` but for a single word. */
function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}
