/** The pages of `--help`. */
import { describe, expect, test } from 'vitest';
import { commandNames, commandPages } from './commands.ts';
import { helpPage } from './help.ts';
import { SCHEMES } from './testing.ts';

const pages = commandPages(SCHEMES);

test('the overview has a line for each command', () => {
  const lines = helpPage('dirigent', pages).split('\n');
  expect(lines.slice(0, 6)).toEqual([
    'Dirigent, a sandbox for AI agents in which everything is a file.',
    '',
    'usage: dirigent COMMAND [options]',
    '       dirigent --help | --version',
    '',
    '  init         a deployment in a directory, with what is found here',
  ]);
  expect(lines.slice(5, 5 + commandNames().length).map((line) => line.split(' ')[2])).toEqual(
    commandNames(),
  );
  expect(lines.slice(-3)).toEqual(['', '"dirigent COMMAND --help" tells more.', '']);
});

const LONG = 'word '.repeat(40).trim();

test('a page says how it is called, what it does, its verbs, its options and examples', () => {
  const page = {
    summary: '',
    usage: ['[DIR]', '--last', ''],
    about: 'What it does.',
    verbs: {
      list: { help: 'all' },
      show: { operands: 'ID', help: 'one' },
    },
    options: {
      last: { type: 'boolean', short: 'l', help: 'the newest' },
      mount: { type: 'string', value: 'PATH=SOURCE[:MODE]', help: 'below\nin two lines' },
      // Two blanks stand at least between a name and what is said of it.
      'sixteen-letters1': { type: 'boolean', help: 'below' },
      'fifteen-letters': { type: 'boolean', help: 'beside' },
    },
    more: `${LONG}\n\n  an example ${LONG}`,
  } as const;
  expect(helpPage('sync', { ...pages, sync: page })).toBe(`usage: dirigent sync [DIR]
       dirigent sync --last
       dirigent sync

What it does.

  list               all
  show ID            one

  -l, --last         the newest
  --mount PATH=SOURCE[:MODE]
                     below
                     in two lines
  --sixteen-letters1
                     below
  --fifteen-letters  beside

${'word '.repeat(17).trim()}
${'word '.repeat(17).trim()}
${'word '.repeat(6).trim()}

  an example ${LONG}
`);
});

test('a page without verbs and examples has no empty lines for them', () => {
  const page = { summary: '', usage: [''], about: 'It.', options: {} };
  expect(helpPage('sync', { ...pages, sync: page })).toBe('usage: dirigent sync\n\nIt.\n');
});

describe('a text is broken where it would be longer than 86 cells', () => {
  const about = (text: string) => {
    const page = { summary: '', usage: [''], about: text, options: {} };
    return helpPage('sync', { ...pages, sync: page })
      .split('\n')
      .slice(2, -1);
  };
  test.each([
    [[40, 45], [`${'x'.repeat(40)} ${'x'.repeat(45)}`]],
    [
      [40, 46],
      ['x'.repeat(40), 'x'.repeat(46)],
    ],
    [
      [90, 1],
      ['x'.repeat(90), 'x'],
    ],
  ])('words of %j letters', (lengths, lines) => {
    expect(about(lengths.map((length) => 'x'.repeat(length)).join(' '))).toEqual(lines);
  });

  test('what is said beside a name is broken there', () => {
    const page = {
      summary: '',
      usage: [''],
      about: '',
      options: { a: { type: 'boolean', help: `${'x'.repeat(32)} ${'x'.repeat(32)} y` } },
    } as const;
    expect(helpPage('sync', { ...pages, sync: page })).toContain(
      `  --a                ${'x'.repeat(32)} ${'x'.repeat(32)}\n${' '.repeat(21)}y\n`,
    );
  });
});

test('pages name what can be mounted, and the services that init offers', () => {
  expect(helpPage('sync', pages)).toContain('SOURCE: tracker, tracker:TEAM, pages, mem\n');
  expect(helpPage('init', pages).replaceAll(/\s+/g, ' ')).toContain(
    'may be repeated: tracker, tracker=TEAM, pages ',
  );
  expect(helpPage('init', pages)).toContain('TRACKER_URL and PAGES_URL\nname other servers.');
  expect(helpPage('init', pages)).toContain('\n  dirigent init --service tracker=ENG my-agent\n');
  expect(helpPage('sh', pages)).toContain(
    '\n  TRACKER_TOKEN=… dirigent sh --mount /mnt/it=tracker:ENG:stage\n',
  );
});
