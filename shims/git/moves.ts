/** Where HEAD and branches have been, in the files in which git keeps it: what was moved away from is found again. */
import { errnoOf } from '../support/tool.ts';
import { GitFault } from './fault.ts';
import { signatureOf } from './person.ts';
import type { Repository } from './repository.ts';

/** One move of a reference. */
export interface Move {
  before: string;
  after: string;
  /** Who moved it and when, as git writes it. */
  who: string;
  message: string;
}

const ZERO = '0'.repeat(40);

const fileOf = (repo: Repository, ref: string): string => `${repo.gitdir}/logs/${ref}`;

/** The moves of a reference, the last first; none where nothing was kept. */
export async function movesOf(repo: Repository, ref: string): Promise<Move[]> {
  let text: string;
  try {
    text = Buffer.from(await repo.tool.fs.readFileBuffer(fileOf(repo, ref))).toString();
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return [];
    throw error;
  }
  const moves: Move[] = [];
  for (const line of text.split('\n')) {
    const match = /^([0-9a-f]{40}) ([0-9a-f]{40}) ([^\t]*)(?:\t(.*))?$/.exec(line);
    const [, before, after, who = '', message = ''] = match ?? [];
    if (before !== undefined && after !== undefined) moves.push({ before, after, who, message });
  }
  return moves.reverse();
}

const written = ({ before, after, who, message }: Move): string =>
  `${before} ${after} ${who}\t${message}\n`;

/** Writes down that a reference was moved; `before` is null where it is new. */
export async function noteMove(
  repo: Repository,
  ref: string,
  before: string | null,
  after: string,
  message: string,
): Promise<void> {
  const who = signatureOf(await repo.person('COMMITTER'));
  const file = fileOf(repo, ref);
  await repo.tool.fs.mkdir(file.replace(/\/[^/]*$/, ''), { recursive: true });
  const move = { before: before ?? ZERO, after, who, message: message.split('\n')[0] ?? '' };
  await repo.tool.fs.appendFile(file, written(move));
}

/** Takes one move out, counted from the last: those around it follow each other then. */
export async function dropMove(repo: Repository, ref: string, index: number): Promise<void> {
  const moves = await movesOf(repo, ref);
  const [dropped] = moves.splice(index, 1);
  const next = moves[index - 1];
  if (dropped !== undefined && next !== undefined) next.before = dropped.before;
  if (moves.length === 0) await forgetMoves(repo, ref);
  else await repo.tool.fs.writeFile(fileOf(repo, ref), moves.reverse().map(written).join(''));
}

export const forgetMoves = (repo: Repository, ref: string): Promise<void> =>
  repo.tool.fs.rm(fileOf(repo, ref), { force: true });

/** What was kept of one reference is of another from now on. */
export async function renameMoves(repo: Repository, from: string, to: string): Promise<void> {
  if (!(await repo.tool.fs.exists(fileOf(repo, from)))) return;
  await repo.tool.fs.mkdir(fileOf(repo, to).replace(/\/[^/]*$/, ''), { recursive: true });
  await repo.tool.fs.mv(fileOf(repo, from), fileOf(repo, to));
}

/** Moves the branch that is checked out, or HEAD alone where none is, and writes it down. */
export async function moveHead(repo: Repository, after: string, message: string): Promise<void> {
  const before = await repo.head();
  const branch = await repo.branch();
  const ref = branch === null ? 'HEAD' : `refs/heads/${branch}`;
  await repo.git.writeRef({ ...repo.at, ref, value: after, force: true });
  await noteHead(repo, before, after, message);
}

/** Writes down a move of HEAD, and of its branch where that moved, too. */
export async function noteHead(
  repo: Repository,
  before: string | null,
  after: string,
  message: string,
): Promise<void> {
  const branch = await repo.branch();
  await noteMove(repo, 'HEAD', before, after, message);
  if (branch !== null && before !== after)
    await noteMove(repo, `refs/heads/${branch}`, before, after, message);
}

/** The reference that a name is short for, of those that moves are kept of. */
export function refOf(name: string): string {
  if (name === '' || name === '@' || name === 'HEAD') return 'HEAD';
  if (name === 'stash') return 'refs/stash';
  return name.startsWith('refs/') ? name : `refs/heads/${name}`;
}

/** `NAME@{N}`: where it was N moves ago; null of another form. @throws GitFault where so many were not kept */
export async function pastOf(repo: Repository, name: string): Promise<string | null> {
  const match = /^(.*)@\{(-?)(\d+)\}$/.exec(name);
  if (match === null) return null;
  const [, base = '', minus, digits] = match;
  const count = Number(digits);
  if (minus === '-') return base === '' ? branchBefore(repo, count) : null;
  const own = base === '' ? await repo.branch() : base;
  const ref = refOf(own ?? 'HEAD');
  if (count === 0) return repo.tryResolve(ref);
  const moves = await movesOf(repo, ref);
  const past = moves[count]?.after ?? (count === moves.length ? moves.at(-1)?.before : undefined);
  if (past === undefined || past === ZERO)
    throw new GitFault(`log for '${base === '' ? own : base}' only has ${moves.length} entries`);
  return past;
}

/** The branch that was checked out before the last, the one before that, and so on; a commit where none was. */
export async function branchBefore(repo: Repository, count: number): Promise<string | null> {
  const left = (await movesOf(repo, 'HEAD')).flatMap(
    ({ message }) => /^checkout: moving from (\S+) to /.exec(message)?.[1] ?? [],
  );
  return left[count - 1] ?? null;
}
