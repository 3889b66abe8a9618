/** One table of commands: what it says is what is parsed, shown and completed. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { installation } from '../../entry/installation.ts';
import { commandNames, commandPages } from '../../src/cli/commands.ts';
import { type CompletedShell, completionScript } from '../../src/cli/completion-script.ts';
import { helpPage } from '../../src/cli/help.ts';
import { parseInvocation, UsageError } from '../../src/cli/options.ts';
import { temporaryDirectory } from '../world/harness.ts';

const pages = commandPages(installation.schemes);

/** What the command line says of arguments that it refuses. */
function refusal(args: readonly string[]): string {
  try {
    parseInvocation(args, installation.schemes);
  } catch (error) {
    if (error instanceof UsageError) return error.message;
    throw error;
  }
  throw new Error(`${args.join(' ')} is not refused`);
}

describe.each(commandNames())('%s', (name) => {
  const { options, verbs = {} } = pages[name];

  test('its page names every option and verb, fits a terminal, and is what --help shows', () => {
    const page = helpPage(name, pages);
    for (const option of Object.keys(options)) expect(page).toMatch(new RegExp(`--${option}\\b`));
    for (const verb of Object.keys(verbs)) expect(page).toMatch(new RegExp(`^  ${verb}\\b`, 'm'));
    for (const line of page.split('\n')) expect(line.length, line).toBeLessThanOrEqual(90);
    expect(parseInvocation([name, '--help'], installation.schemes)).toEqual({
      action: 'help',
      topic: name,
    });
    expect(parseInvocation(['help', name], installation.schemes)).toEqual({
      action: 'help',
      topic: name,
    });
    expect(helpPage('dirigent', pages)).toMatch(new RegExp(`^  ${name} `, 'm'));
  });

  test('an option or a verb with a letter left out is told as meant, and refused', () => {
    for (const option of Object.keys(options).filter(({ length }) => length > 2)) {
      const slip = `--${option.slice(0, 1)}${option.slice(2)}`;
      expect(refusal([name, slip])).toContain(`(did you mean --${option}?)`);
    }
    for (const verb of Object.keys(verbs).filter(({ length }) => length > 3)) {
      const slip = `${verb.slice(0, 1)}${verb.slice(2)}`;
      expect(refusal([name, slip])).toContain(`(did you mean ${verb}?)`);
    }
  });
});

test.each([
  [['chagnes'], 'there is no command "chagnes" here (did you mean changes?)'],
  [['--verison'], 'there is no option --verison here (did you mean --version?)'],
  [['help', 'approval'], 'there is no help on "approval" (did you mean approvals?)'],
  [
    ['approvals', 'allow', 'x', '--scope', 'pth'],
    '--scope pth is not allowed (did you mean path?)',
  ],
])('%j is told as meant', (args, message) => expect(refusal(args)).toContain(message));

test('what is like nothing is given no advice', () => {
  expect(refusal(['xyzzy'])).not.toContain('did you mean');
  expect(refusal(['sh', '--xyzzy'])).not.toContain('did you mean');
});

/** What is offered after a line was typed: by the shell itself, with the script sourced. */
type Ask = (line: string, cwd: string) => string[];

const words = (text: string): string[] =>
  text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .sort();

/** Files that a shell reads once, so that nothing has to be quoted for it. */
function scriptFile(shell: CompletedShell): string {
  const file = join(temporaryDirectory(), `dirigent.${shell}`);
  writeFileSync(file, completionScript(shell, pages));
  return file;
}

const bash: Ask = (line, cwd) => {
  const driver = `source "$1"; COMP_LINE=$2; COMP_WORDS=($2); [[ $2 == *' ' ]] && COMP_WORDS+=('')
    COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); _dirigent; printf '%s\\n' "\${COMPREPLY[@]}"; complete -p dirigent >&2`;
  const args = ['--norc', '-c', driver, 'bash', scriptFile('bash'), line];
  return words(execFileSync('bash', args, { cwd, encoding: 'utf8', stdio: 'pipe' }));
};

const fish: Ask = (line, cwd) => {
  const driver = 'source $argv[1]; complete -C $argv[2]';
  const args = ['--no-config', '-c', driver, scriptFile('fish'), line];
  const said = execFileSync('fish', args, { cwd, encoding: 'utf8' });
  return words(said.replaceAll(/\t.*/g, ''));
};

/** At a terminal of its own, which zsh's module brings: nothing else runs its completion. */
const zsh: Ask = (line, cwd) => {
  const script = scriptFile('zsh');
  const typed = `${script}.typed`;
  const inside = `autoload -Uz compinit; compinit -u -D; source ${script}
    tab() { zle complete-word; print -r -- "$BUFFER" > ${typed}; print DONE }
    zle -N tab; bindkey '^I' tab; print READY\n`;
  writeFileSync(`${script}.inside`, inside);
  const driver = `zmodload zsh/zpty; zpty z zsh -f -i; zpty -w z "source $1.inside"
    zpty -r -m z x '*READY*'; zpty -w -n z "$2"$'\t'; zpty -r -m z x '*DONE*'`;
  execFileSync('zsh', ['-f', '-c', driver, 'zsh', script, line], { cwd });
  return words(readFileSync(typed, 'utf8').slice(line.lastIndexOf(' ') + 1));
};

const SHELLS: readonly [CompletedShell, Ask][] = [
  ['bash', bash],
  ['zsh', zsh],
  ['fish', fish],
];

const isThere = (shell: string): boolean => spawnSync(shell, ['-c', ':']).status === 0;

describe.each(SHELLS)('the completion of %s', (shell, ask) => {
  test.skipIf(!isThere(shell))(
    'is sourced and offers what the table has (skipped where the shell is not installed)',
    () => {
      const cwd = temporaryDirectory();
      mkdirSync(join(cwd, 'two words'));
      writeFileSync(join(cwd, 'plain'), '');
      const offered = (line: string): string => ask(line, cwd).join('\n');
      expect(offered('dirigent chan')).toContain('changes');
      expect(offered('dirigent approvals d')).toContain('deny');
      expect(offered('dirigent approvals allow --sc')).toContain('--scope');
      expect(offered('dirigent approvals --scope pr')).toContain('prefix');
      expect(offered('dirigent sh --deployment tw').replaceAll('\\', '')).toContain('two words');
      // Where a command's verb or operand is called as another command, the options are its own.
      expect(offered('dirigent session verify --c')).not.toContain('--certify');
      expect(offered('dirigent create mount --m')).not.toContain('--mount');
      expect(offered('dirigent mount tw').replaceAll('\\', '')).toContain('two words');
      // zsh falls back to files by itself where no directory fits.
      if (shell !== 'zsh')
        for (const line of ['dirigent sh --deployment pl', 'dirigent mount pl'])
          expect(offered(line)).not.toMatch(/^plain/m);
    },
  );
});

test('bash: every command, verb and option is a candidate where it is allowed', () => {
  const cwd = temporaryDirectory();
  expect(bash('dirigent ', cwd)).toEqual([...commandNames(), 'help', '--help', '--version'].sort());
  for (const name of ['changes', 'session', 'completion'] as const) {
    const { options, verbs } = pages[name];
    expect(bash(`dirigent ${name} `, cwd)).toEqual(Object.keys(verbs ?? {}).sort());
    const flags = bash(`dirigent ${name} x --`, cwd);
    expect(flags).toEqual(
      Object.keys(options)
        .map((each) => `--${each}`)
        .sort(),
    );
  }
});
