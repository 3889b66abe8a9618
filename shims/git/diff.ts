/** git diff */
import type { GitCommand } from './call.ts';
import { compare, type FileChange, inTree } from './changes.ts';
import { GitFault } from './fault.ts';
import { patchForm } from './log.ts';
import { shownChanges } from './patches.ts';
import type { Repository } from './repository.ts';
import { revisionCommit, revisionsAndPaths } from './revision.ts';

export const diff: GitCommand = async (call) => {
  const { options, operands, paths } = call.options({
    short: 'puU:sRwbM',
    long: {
      patch: 'p',
      'no-patch': 's',
      stat: 'stat::',
      shortstat: 'shortstat',
      numstat: 'numstat',
      summary: 'summary',
      'name-only': 'name-only',
      'name-status': 'name-status',
      unified: 'U:',
      cached: 'cached',
      staged: 'cached',
      quiet: 'quiet',
      'exit-code': 'exit-code',
      'no-index': 'no-index',
      'no-renames': 'no-renames',
      'find-renames': 'M',
      'no-color': 'no-color',
      color: 'color::',
      'no-ext-diff': 'no-ext-diff',
      check: 'check',
      'word-diff': 'word-diff::',
    },
  });
  if (
    options.has('no-index') ||
    options.has('word-diff') ||
    options.has('check') ||
    options.has('w') ||
    options.has('b')
  )
    throw new GitFault(
      'diff of two files, of words, of blanks: use the command diff (diff -u A B, diff -w, -b)',
    );
  const repo = await call.repository();
  const named = await revisionsAndPaths(repo, operands, paths);
  const changes = await changesOf(repo, named.revisions, {
    cached: options.has('cached'),
    paths: named.paths,
    renames: !options.has('no-renames'),
  });
  const shown = options.has('R') ? changes.map(reversed) : changes;
  if (!options.has('quiet')) {
    call.tool.write(await shownChanges(repo, shown, patchForm(options, { patch: true })));
  }
  if (options.has('quiet') || options.has('exit-code')) call.tool.status = shown.length > 0 ? 1 : 0;
};

const reversed = (change: FileChange): FileChange => ({
  ...change,
  kind: change.kind === 'A' ? 'D' : change.kind === 'D' ? 'A' : change.kind,
  path: change.from,
  from: change.path,
  before: change.after,
  after: change.before,
});

async function changesOf(
  repo: Repository,
  revisions: readonly string[],
  { cached, paths, renames }: { cached: boolean; paths: readonly string[]; renames: boolean },
): Promise<FileChange[]> {
  const ends = await endsOf(repo, revisions);
  const tree = async (oid: string | null) => inTree(await repo.tree(oid));
  const options = { paths, renames };
  if (ends.length === 2)
    return compare(repo, await tree(ends[0] ?? null), await tree(ends[1] ?? null), options);
  if (cached) {
    const before = await tree(ends[0] ?? (await repo.head()));
    return compare(repo, before, inTree(await repo.index()), options);
  }
  const states = (await repo.states()).filter(({ index }) => index !== null);
  const work = new Map(
    states.flatMap(({ path, work: blob }) =>
      blob === null ? [] : [[path, { ...blob, isWork: true }] as const],
    ),
  );
  const before = ends[0] === undefined ? inTree(await repo.index()) : await tree(ends[0]);
  return compare(repo, before, work, options);
}

async function endsOf(repo: Repository, revisions: readonly string[]): Promise<string[]> {
  const [first] = revisions;
  const range = first === undefined ? null : /^(.*?)\.\.(\.?)(.*)$/.exec(first);
  if (range === null) return Promise.all(revisions.map((name) => revisionCommit(repo, name)));
  const left = await revisionCommit(repo, range[1] || 'HEAD');
  const right = await revisionCommit(repo, range[3] || 'HEAD');
  if (range[2] === '') return [left, right];
  const [base] = await repo.git.findMergeBase({ ...repo.at, oids: [left, right] });
  return [base ?? left, right];
}
