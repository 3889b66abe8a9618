/** git commit */
import type { Call, GitCommand } from './call.ts';
import { compare, type FileChange, inTree, pathFilter } from './changes.ts';
import { GitFault } from './fault.ts';
import { noteHead } from './moves.ts';
import { PATCH, shownChanges } from './patches.ts';
import { dateOf } from './person.ts';
import { isSame, type Person, type Repository, timeOf } from './repository.ts';
import { shortOid } from './revision.ts';
import { stage } from './stage.ts';
import { longStatus, statusOf } from './status.ts';

const SPEC = {
  short: 'am:F:qnvs',
  long: {
    all: 'a',
    message: 'm:',
    file: 'F:',
    amend: 'amend',
    'allow-empty': 'allow-empty',
    'allow-empty-message': 'allow-empty-message',
    'no-edit': 'no-edit',
    'no-verify': 'n',
    quiet: 'q',
    author: 'author:',
    date: 'date:',
    signoff: 's',
    'no-gpg-sign': 'no-gpg-sign',
    'reset-author': 'reset-author',
  },
};

export const commit: GitCommand = async (call) => {
  const { options, operands, paths } = call.options(SPEC);
  const repo = await call.repository();
  const amend = options.has('amend');
  const head = await repo.head();
  if (amend && head === null) throw new GitFault('You have nothing yet to amend.');
  const last = head === null ? null : await repo.commit(head);
  const named = [...operands, ...(paths ?? [])];
  if (options.has('a') || named.length > 0) await stageTracked(repo, named);
  const message = await messageOf(call, options, amend ? last?.message : undefined);
  const author = await authorOf(repo, options, amend ? last?.author : undefined);
  const before = inTree(await repo.tree(amend ? (last?.parent[0] ?? null) : head));
  const changed = await compare(repo, before, inTree(await repo.index()));
  if (changed.length === 0 && !options.has('allow-empty') && !amend) {
    await longStatus(repo, await statusOf(repo), true);
    call.tool.status = 1;
    return;
  }
  const oid = await repo.git.commit({
    ...repo.at,
    message,
    author,
    committer: await repo.person('COMMITTER'),
    ...(amend ? { amend: true } : {}),
  });
  const kind = amend ? ' (amend)' : head === null ? ' (initial)' : '';
  await noteHead(repo, head, oid, `commit${kind}: ${message}`);
  if (options.has('q')) return;
  const committer = await repo.person('COMMITTER');
  const isDated = amend || author.timestamp !== committer.timestamp;
  await tellCommit(call, repo, oid, changed, isDated);
};

/** What was committed: `[main 1a2b3c4] subject`, and what changed. */
export async function tellCommit(
  call: Call,
  repo: Repository,
  oid: string,
  changed: readonly FileChange[],
  isDated: boolean,
): Promise<void> {
  const { message, author, committer, parent } = await repo.commit(oid);
  const branch = (await repo.branch()) ?? 'detached HEAD';
  const root = parent.length === 0 ? ' (root-commit)' : '';
  const subject = message.split('\n')[0];
  call.tool.print(`[${branch}${root} ${await shortOid(repo, oid)}] ${subject}\n`);
  if (author.name !== committer.name || author.email !== committer.email)
    call.tool.print(` Author: ${author.name} <${author.email}>\n`);
  if (isDated) call.tool.print(` Date: ${dateOf(author, 'default')}\n`);
  call.tool.write(
    await shownChanges(repo, changed, { ...PATCH, patch: false, shortStat: true, summary: true }),
  );
}

async function stageTracked(repo: Repository, named: readonly string[]): Promise<void> {
  const isWanted = pathFilter(repo, named);
  const states = (await repo.states()).filter(
    ({ index, path }) => index !== null && isWanted(path),
  );
  if (named.length > 0 && states.length === 0)
    throw new GitFault(`pathspec '${named[0]}' did not match any file(s) known to git`, 1, 'error');
  const edited = states.filter(({ index, work }) => !isSame(index, work));
  await stage(repo, edited);
}

type Given = ReturnType<Call['options']>['options'];

async function messageOf(call: Call, options: Given, old: string | undefined): Promise<string> {
  const parts = options.all('m');
  const file = options.get('F');
  if (file !== undefined) parts.push(Buffer.from(await call.tool.read(file), 'latin1').toString());
  if (parts.length === 0 && old !== undefined) return old;
  if (parts.length === 0)
    throw new GitFault(
      'there is no editor for the message here: give it with -m, or with -F FILE',
      1,
      'error',
    );
  let text = cleaned(parts.join('\n\n'));
  if (options.has('s')) text = await signedOff(await call.repository(), text);
  if (text.trim() === '' && !options.has('allow-empty-message'))
    throw new GitFault('Aborting commit due to empty commit message.', 1, 'usage');
  return text;
}

/** A message with one more line at its end, in a paragraph of its own unless such lines stand there already. */
export const withTrailer = (message: string, line: string): string => {
  const [, last = ''] = /\n\n([^\n]+(?:\n[^\n]+)*)\n*$/.exec(message) ?? [];
  const isTrailers =
    last !== '' && last.split('\n').every((each) => /^[\w-]+: |^\(cherry picked from /.test(each));
  return `${message.replace(/\n*$/, '\n')}${isTrailers ? '' : '\n'}${line}\n`;
};

export async function signedOff(repo: Repository, message: string): Promise<string> {
  const { name, email } = await repo.person('COMMITTER');
  return withTrailer(message, `Signed-off-by: ${name} <${email}>`);
}

/** Without blank lines at its ends or twice between, and without blanks at the ends of lines. */
export const cleaned = (text: string): string => {
  const body = text
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .replace(/^\n+|\n+$/g, '');
  return body === '' ? '' : `${body}\n`;
};

async function authorOf(
  repo: Repository,
  options: Given,
  old: Person | undefined,
): Promise<Person> {
  const person =
    old !== undefined && !options.has('reset-author') ? old : await repo.person('AUTHOR');
  const named = options.get('author');
  const match = named === undefined ? null : /^(.*?)\s*<(.*)>$/.exec(named);
  if (named !== undefined && match === null)
    throw new GitFault(`--author '${named}' is not 'Name <email>' and matches no existing author`);
  const who = match === null ? {} : { name: match[1] ?? '', email: match[2] ?? '' };
  const date = options.get('date');
  return { ...person, ...who, ...(date === undefined ? {} : timeOf(date)) };
}
