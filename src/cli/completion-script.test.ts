/** The scripts that complete the command line in the user's own shell. */
import { expect, test } from 'vitest';
import { type CommandPage, commandNames, commandPages } from './commands.ts';
import { completionScript } from './completion-script.ts';
import { SCHEMES } from './testing.ts';

const OPTIONS = {
  plain: { type: 'boolean', help: "what [it] is: it's; more of it" },
  short: { type: 'string', short: 's', value: 'TEXT', help: 'a text. More of it' },
  nameless: { type: 'string', help: 'v1.2, a version\nand more' },
  dir: { type: 'string', value: 'DIR', completes: 'directory', help: 'a directory' },
  file: { type: 'string', value: 'FILE', completes: 'file', multiple: true, help: 'files' },
  mode: { type: 'string', value: 'MODE', values: ['ro', 'rw'], help: 'a mode' },
} as const;
const COMMAND: CommandPage = { summary: "it's: a", usage: [], about: '', options: OPTIONS };

const pages = {
  ...commandPages(SCHEMES),
  sync: { ...COMMAND, operands: 'directory' },
  index: { ...COMMAND, operands: 'file' },
  doctor: { ...COMMAND, options: {} },
  changes: {
    ...COMMAND,
    options: {},
    verbs: { list: { help: 'all "of" them; more' }, show: { operands: 'ID', help: 'one' } },
  },
} as const;

/** The lines of a script that have all of these texts in them. */
const lines = (shell: 'bash' | 'zsh' | 'fish', ...having: string[]): string[] =>
  completionScript(shell, pages)
    .split('\n')
    .filter((line) => having.every((each) => line.includes(each)))
    .map((line) => line.trim());

/** The lines of a script from one on to another one. */
const block = (shell: 'bash' | 'zsh' | 'fish', from: string, to: string): string => {
  const script = completionScript(shell, pages);
  const start = script.indexOf(from);
  return script.slice(start, script.indexOf(to, start));
};

test('bash: values by what they are, options by either name, verbs at their place alone', () => {
  expect(lines('bash', "'sync -")).toEqual([
    "'sync -s' | 'sync --short') _dirigent_offer ; return ;;",
    "'sync --nameless') _dirigent_offer ; return ;;",
    "'sync --dir') _dirigent_offer -d; return ;;",
    "'sync --file') _dirigent_offer -f; return ;;",
    "'sync --mode') _dirigent_offer -W 'ro rw'; return ;;",
  ]);
  expect(lines('bash', ' sync) ', '--plain')).toEqual([
    "sync) _dirigent_offer -W '--plain -s --short --nameless --dir --file --mode' ;;",
  ]);
  expect(lines('bash', 'sync) ').at(-1)).toBe('sync) _dirigent_offer -d ;;');
  expect(lines('bash', 'index) ').at(-1)).toBe('index) _dirigent_offer -f ;;');
  expect(lines('bash', 'doctor) ').at(-1)).toBe('doctor) _dirigent_offer  ;;');
  expect(lines('bash', 'changes) ').at(-1)).toBe(
    "changes) ((COMP_CWORD == 2)) && _dirigent_offer -W 'list show' ;;",
  );
  const names = commandNames().join(' ');
  expect(lines('bash', names)).toEqual([
    `_dirigent_offer -W '${names} help --help --version'`,
    `help) _dirigent_offer -W '${names}' ;;`,
  ]);
});

test('zsh: each option with the first sentence of what it does, each special character escaped', () => {
  expect(block('zsh', '    sync)\n', '      ;;')).toBe(`    sync)
      _arguments -s \\
        '--plain[what \\[it\\] is\\: it'\\''s]' \\
        '(-s --short)'{-s,--short}'[a text]:TEXT:' \\
        '--nameless[v1.2, a version]:value:' \\
        '--dir[a directory]:DIR:_files -/' \\
        '*--file[files]:FILE:_files' \\
        '--mode[a mode]:MODE:(ro rw)' \\
        '*:operand:_files -/'
`);
  expect(block('zsh', '    index)\n', '      ;;')).toContain("        '*:operand:_files'\n");
  expect(block('zsh', '    doctor)\n', '      ;;')).not.toContain('_files');
  expect(block('zsh', '    changes)\n', '      ;;')).toContain(
    `        '1:what to do:((list\\:"all of them" show\\:"one"))'\n`,
  );
  expect(lines('zsh', "'sync:")).toEqual(["'sync:it'\\''s\\: a'"]);
});

test('fish: each option and verb of the command that is run, files where they are meant', () => {
  const command = "complete -c dirigent -n '__dirigent_runs sync'";
  expect(lines('fish', '__dirigent_runs sync')).toEqual([
    `${command} -l plain -d 'what [it] is: it\\'s'`,
    `${command} -l short -s s -x -d 'a text'`,
    `${command} -l nameless -x -d 'v1.2, a version'`,
    `${command} -l dir -x -a '(__fish_complete_directories)' -d 'a directory'`,
    `${command} -l file -r -F -d 'files'`,
    `${command} -l mode -x -a 'ro rw' -d 'a mode'`,
    `${command} -a '(__fish_complete_directories)'`,
  ]);
  expect(lines('fish', '__dirigent_runs index').at(-1)).toBe(
    "complete -c dirigent -n '__dirigent_runs index' -F",
  );
  expect(lines('fish', '__dirigent_runs doctor')).toEqual([]);
  const verb = "'__dirigent_runs changes; and not __fish_seen_subcommand_from list show'";
  expect(lines('fish', '__dirigent_runs changes')).toEqual([
    `complete -c dirigent -n ${verb} -a list -d 'all "of" them'`,
    `complete -c dirigent -n ${verb} -a show -d 'one'`,
  ]);
  expect(lines('fish', '-a sync')).toEqual([
    "complete -c dirigent -n __fish_use_subcommand -a sync -d 'it\\'s: a'",
  ]);
  expect(lines('fish', '__fish_use_subcommand -l')).toEqual([
    'complete -c dirigent -n __fish_use_subcommand -l help',
    'complete -c dirigent -n __fish_use_subcommand -l version',
  ]);
  expect(lines('fish', '__dirigent_runs help')).toEqual([
    `complete -c dirigent -n '__dirigent_runs help' -a '${commandNames().join(' ')}'`,
  ]);
});
