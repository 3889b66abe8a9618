/** What is said of a command that is not here. */
import { expect, test } from 'vitest';
import { adviceForAbsent } from './absent-commands.ts';

test.each([
  ['make', 'nothing is compiled here'],
  ['perl', 'this language is not here: use awk, sed, jq, or bash itself'],
  ['python3.12', ''],
  ['ruby3.2', 'this language is not here'],
  ['gcc-13', 'nothing is compiled here'],
  ['npm', 'nothing can be installed here'],
  ['sudo', 'there is one user here'],
  ['ssh', 'there is no network behind this command'],
  ['gh', 'issues and pull requests are files'],
  ['svn', 'cp keeps a copy, diff compares'],
  ['docker', 'no services and machines are run from here'],
  ['crontab', 'prompts with a date are files'],
  ['vim', 'edit PATH opens your editor'],
  ['psql', 'sqlite3 works on files'],
  ['top', 'there is no machine to look at here'],
  ['useradd', 'there is no system to administer here'],
  ['umount', 'none can be taken away from inside'],
  ['mkfifo', 'use a pipe, or a file'],
  ['tmux', 'commands run one after the other'],
  ['gpg', 'no keys are kept here'],
  ['mail', 'nothing is sent from here'],
  ['pandoc', 'text is worked on with the commands in /bin'],
  ['wrk', 'nothing can be asked often from here'],
  ['mlr', 'for CSV there is xan'],
  ['xmllint', 'for XML there is xq'],
  ['ag', 'there is rg'],
  ['eza', 'there is ls'],
  ['fzf', 'use grep'],
])('of %s it is said: %s', (name, advice) => {
  const said = adviceForAbsent(name, []);
  if (advice === '') expect(said).toBe('');
  else expect(said).toMatch(/^dirigent: [^\n]+\n$/);
  expect(said).toContain(advice);
});

test('of a name that is a slip of one that is here, which one may be meant; of others nothing', () => {
  expect(adviceForAbsent('gerp', ['cat', 'grep'])).toBe(
    'dirigent: did you mean grep? ls /bin shows all commands\n',
  );
  expect(adviceForAbsent('something-else', ['cat', 'grep'])).toBe('');
  // Of these somebody else tells; what is to be used instead is told all the same.
  expect(adviceForAbsent('gerp', null)).toBe('');
  expect(adviceForAbsent('fzf', null)).toContain('use grep');
});
