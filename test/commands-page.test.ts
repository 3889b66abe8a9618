/** docs/commands.md is the table of commands, written out: `npx vitest run test/commands-page.test.ts -u` writes it. */
import { expect, test } from 'vitest';
import { schemes } from '../mounts/schemes.ts';
import type { OptionSpec } from '../src/cli/command-spec.ts';
import { type CommandPage, commandNames, commandPages } from '../src/cli/commands.ts';

/** Text of help as Markdown: what Markdown would read as its own stays as it is written. */
const escaped = (text: string): string =>
  text.replaceAll(/[\\|*_<>[\]]/g, (sign) => `\\${sign}`).replaceAll('\n', '<br>');

const table = (head: string, rows: readonly (readonly [string, string])[]): string =>
  rows.length === 0
    ? ''
    : `| ${head} | |\n| --- | --- |\n${rows.map(([name, help]) => `| \`${name.replaceAll('|', '\\|')}\` | ${escaped(help)} |\n`).join('')}`;

function optionHead(long: string, { short, value }: Pick<OptionSpec, 'short' | 'value'>): string {
  return `${short === undefined ? '' : `-${short}, `}--${long}${value === undefined ? '' : ` ${value}`}`;
}

/** Examples, which begin with two blanks, as code; the rest as paragraphs. */
function more(text: string): string {
  return text
    .split('\n')
    .map((line) => (line.startsWith('  ') ? `  ${line}` : escaped(line)))
    .join('\n')
    .replaceAll(/(?<=\S)\n(?! {4}|\n)/g, '\n\n');
}

function section(name: string, spec: CommandPage): string {
  const parts = [
    `## ${name}`,
    `${escaped(spec.summary.charAt(0).toUpperCase() + spec.summary.slice(1))}.`,
    spec.usage.map((rest) => `    dirigent ${name} ${rest}`.trimEnd()).join('\n'),
    escaped(spec.about),
    table(
      'does',
      Object.entries(spec.verbs ?? {}).map(([verb, { operands = '', help }]) => [
        `${verb} ${operands}`.trimEnd(),
        help,
      ]),
    ).trimEnd(),
    table(
      'option',
      Object.entries(spec.options).map(([long, option]) => [optionHead(long, option), option.help]),
    ).trimEnd(),
    more(spec.more ?? ''),
  ];
  return parts.filter((part) => part !== '').join('\n\n');
}

test('the page of commands is what the command line itself says', async () => {
  const pages = commandPages(schemes);
  const sections = commandNames().map((name) => section(name, pages[name]));
  const page = `# Commands

Every command with its options, as \`dirigent COMMAND --help\` tells them: both are made from one table, as completion is. [The command line](cli.md) tells how they are used.

${sections.join('\n\n')}
`;
  expect(sections.length).toBeGreaterThan(10);
  await expect(page).toMatchFileSnapshot('../docs/commands.md');
});
