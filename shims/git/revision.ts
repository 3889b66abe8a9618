/** What a name of the command line stands for: `HEAD~2`, `v1^{}`, `main:src/a.ts`, an object's first digits. */
import { GitFault } from './fault.ts';
import { pastOf } from './moves.ts';
import type { Repository } from './repository.ts';

/** What git says of a name that is neither. */
export const unknownRevision = (name: string): GitFault =>
  new GitFault(
    `ambiguous argument '${name}': unknown revision or path not in the working tree.\nUse '--' to separate paths from revisions, like this:\n'git <command> [<revision>...] -- [<file>...]'`,
  );

/** The object that a revision names, or null. Not a commit's alone: tags, trees and blobs, too. */
export async function tryRevision(repo: Repository, name: string): Promise<string | null> {
  const colon = name.indexOf(':');
  if (colon > 0) return pathIn(repo, name.slice(0, colon), name.slice(colon + 1));
  if (colon === 0) return (await repo.index()).get(name.slice(1))?.oid ?? null;
  const match = /^(.*?)((?:[~^](?:\d+|\{\w*\})?)*)$/.exec(name);
  const [base = '', steps = ''] = [match?.[1], match?.[2]];
  let oid = await named(repo, base === '@' || base === '' ? 'HEAD' : base);
  for (const [, kind, count] of steps.matchAll(/([~^])(\d+|\{\w*\})?/g)) {
    if (oid === null) return null;
    oid = await step(repo, oid, kind ?? '', count);
  }
  return oid;
}

async function step(
  repo: Repository,
  oid: string,
  kind: string,
  count: string | undefined,
): Promise<string | null> {
  const commit = await commitOf(repo, oid);
  if (count?.startsWith('{') === true)
    return count === '{tree}' ? (await repo.commit(commit)).tree : commit;
  if (kind === '^') {
    if (count === '0') return commit;
    return (await repo.commit(commit)).parent[Number(count ?? 1) - 1] ?? null;
  }
  let at: string | undefined = commit;
  for (let n = Number(count ?? 1); n > 0 && at !== undefined; n--) {
    at = (await repo.commit(at)).parent[0];
  }
  return at ?? null;
}

async function named(repo: Repository, name: string): Promise<string | null> {
  if (name.includes('@{')) {
    const past = await pastOf(repo, name);
    if (past === null) throw new GitFault(`${name}: a number is expected, such as HEAD@{1}`);
    return /^[0-9a-f]{40}$/.test(past) ? past : named(repo, past);
  }
  if (/^[0-9a-f]{40}$/.test(name)) return name;
  if (/^[\w./@+-]+$/u.test(name)) {
    const found = await repo.tryResolve(name);
    if (found !== null) return found;
  }
  if (!/^[0-9a-f]{4,39}$/.test(name)) return null;
  try {
    return await repo.git.expandOid({ ...repo.at, oid: name });
  } catch (error) {
    if ((error as { code?: string }).code === 'AmbiguousError')
      throw new GitFault(`ambiguous argument '${name}': short object ID ${name} is ambiguous`);
    if ((error as { code?: string }).code === 'NotFoundError') return null;
    throw error;
  }
}

async function pathIn(repo: Repository, revision: string, path: string): Promise<string | null> {
  const tree = await revisionCommit(repo, revision);
  const wanted = path.replace(/^\.\//, '').replace(/\/+$/, '');
  if (wanted === '') return (await repo.commit(tree)).tree;
  const blob = (await repo.tree(tree)).get(wanted);
  if (blob !== undefined) return blob.oid;
  try {
    return (await repo.git.readTree({ ...repo.at, oid: tree, filepath: wanted })).oid;
  } catch (error) {
    if ((error as { code?: string }).code !== 'NotFoundError') throw error;
    throw new GitFault(`path '${path}' does not exist in '${revision}'`);
  }
}

/** The object that a revision names. @throws GitFault */
export async function revision(repo: Repository, name: string): Promise<string> {
  const oid = await tryRevision(repo, name);
  if (oid === null) throw unknownRevision(name);
  return oid;
}

/** The commit that a revision names, through its tags. @throws GitFault */
export async function revisionCommit(repo: Repository, name: string): Promise<string> {
  return commitOf(repo, await revision(repo, name), name);
}

async function commitOf(repo: Repository, oid: string, name = oid): Promise<string> {
  try {
    return (await repo.git.readCommit({ ...repo.at, oid })).oid;
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === 'NotFoundError') throw new GitFault(`bad object ${name}`);
    if (code === 'ObjectTypeError')
      throw new GitFault(`${name}: expected commit type, but the object is another`);
    throw error;
  }
}

/** As many digits as git shows: seven, or more where these are not enough. */
export async function shortOid(repo: Repository, oid: string): Promise<string> {
  for (let length = 7; length < 40; length++) {
    try {
      await repo.git.expandOid({ ...repo.at, oid: oid.slice(0, length) });
      return oid.slice(0, length);
    } catch (error) {
      if ((error as { code?: string }).code !== 'AmbiguousError') return oid.slice(0, length);
    }
  }
  return oid;
}

/** Revisions and paths of a command line, told apart as git does: by `--`, else by what exists. */
export async function revisionsAndPaths(
  repo: Repository,
  operands: readonly string[],
  afterDashes: readonly string[] | null,
): Promise<{ revisions: string[]; paths: string[] }> {
  if (afterDashes !== null) return { revisions: [...operands], paths: [...afterDashes] };
  const revisions: string[] = [];
  for (const [index, operand] of operands.entries()) {
    const ends = operand.split(/\.{2,3}/);
    // `..` is a range of nothing, and a directory.
    const isRevision =
      operand !== '..' &&
      (await Promise.all(ends.map((end) => tryRevision(repo, end === '' ? 'HEAD' : end)))).every(
        (oid) => oid !== null,
      );
    if (isRevision) {
      revisions.push(operand);
      continue;
    }
    const paths = operands.slice(index);
    for (const path of paths) {
      if (!(await repo.tool.fs.exists(repo.tool.path(path))) && !/[*?[]/.test(path))
        throw unknownRevision(path);
    }
    return { revisions, paths };
  }
  return { revisions, paths: [] };
}
