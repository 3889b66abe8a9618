/** git log and git show */
import type { Options } from '../support/getopt.ts';
import { toBytes } from '../support/tool.ts';
import type { Call, GitCommand } from './call.ts';
import { compare, inTree, pathFilter } from './changes.ts';
import type { Commit } from './commit-object.ts';
import { GitFault } from './fault.ts';
import { formatted, NAMED_FORMS } from './format.ts';
import { PATCH, type PatchForm, quotedName, shownChanges } from './patches.ts';
import type { DateForm } from './person.ts';
import { type Repository, timeOf } from './repository.ts';
import { revision, revisionCommit, revisionsAndPaths, tryRevision } from './revision.ts';

export const PATCH_OPTIONS = {
  short: 'pun:U:swM',
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
    'no-color': 'no-color',
    color: 'color::',
    'no-renames': 'no-renames',
    'find-renames': 'M',
    'no-ext-diff': 'no-ext-diff',
  },
} as const;

const SPEC = {
  short: `${PATCH_OPTIONS.short}`,
  digits: true,
  long: {
    ...PATCH_OPTIONS.long,
    'max-count': 'n:',
    skip: 'skip:',
    oneline: 'oneline',
    pretty: 'format::',
    format: 'format:',
    author: 'author:',
    grep: 'grep:',
    since: 'since:',
    after: 'since:',
    until: 'until:',
    before: 'until:',
    reverse: 'reverse',
    all: 'all',
    merges: 'merges',
    'no-merges': 'no-merges',
    'first-parent': 'first-parent',
    'abbrev-commit': 'abbrev-commit',
    decorate: 'decorate::',
    'no-decorate': 'no-decorate',
    date: 'date:',
    follow: 'follow',
    graph: 'graph',
    'regexp-ignore-case': 'ignore-case',
  },
};

/** How changes are shown, by the options. */
export function patchForm(options: Options, byDefault: Partial<PatchForm>): PatchForm {
  const one = ['stat', 'shortstat', 'numstat', 'summary', 'name-only', 'name-status'].some((key) =>
    options.has(key),
  );
  return {
    patch:
      (options.has('p') || options.has('u') || (!one && byDefault.patch === true)) &&
      !options.has('s'),
    stat: options.has('stat'),
    shortStat: options.has('shortstat'),
    numStat: options.has('numstat'),
    summary: options.has('summary'),
    nameOnly: options.has('name-only'),
    nameStatus: options.has('name-status'),
    context: Number(options.get('U') ?? PATCH.context),
  };
}

export const showsNothing = (form: PatchForm): boolean =>
  !form.patch &&
  !form.stat &&
  !form.shortStat &&
  !form.numStat &&
  !form.summary &&
  !form.nameOnly &&
  !form.nameStatus;

export const log: GitCommand = async (call) => {
  const { options, operands, paths } = call.options(SPEC);
  if (options.has('graph')) throw new GitFault('--graph is not drawn here: leave it out');
  const repo = await call.repository();
  const named = await revisionsAndPaths(repo, operands, paths);
  const starts = await startsOf(repo, named.revisions, options.has('all'));
  const isWanted = await filterOf(repo, options, named.paths);
  const count = Number(options.get('n') ?? options.get('digits') ?? Number.POSITIVE_INFINITY);
  if (Number.isNaN(count)) throw new GitFault(`'${options.get('n')}': not an integer`);
  const skip = Number(options.get('skip') ?? 0);
  const found: Commit[] = [];
  for await (const each of history(repo, starts, options.has('first-parent'))) {
    if (found.length >= count + skip) break;
    if (await isWanted(each)) found.push(each);
  }
  const shown = found.slice(skip);
  if (options.has('reverse')) shown.reverse();
  const form = patchForm(options, {});
  const show = await printer(repo, options);
  for (const [index, each] of shown.entries()) {
    const changes =
      showsNothing(form) || each.commit.parent.length > 1
        ? ''
        : await shownChanges(repo, await changesOf(repo, each, named.paths), form);
    show(each, changes, index, form);
  }
};

/** Where history begins, and what is left out. */
interface Starts {
  from: string[];
  without: string[];
}

async function startsOf(
  repo: Repository,
  revisions: readonly string[],
  all: boolean,
): Promise<Starts> {
  const starts: Starts = { from: [], without: [] };
  if (all) {
    for (const branch of await repo.git.listBranches({ ...repo.at }))
      starts.from.push(await revisionCommit(repo, branch));
  }
  for (const name of revisions) {
    const range = /^(.*?)\.\.(\.?)(.*)$/.exec(name);
    if (range !== null) {
      const [a, b] = [range[1] || 'HEAD', range[3] || 'HEAD'];
      const [left, right] = [await revisionCommit(repo, a), await revisionCommit(repo, b)];
      starts.from.push(right);
      if (range[2] === '') starts.without.push(left);
      else {
        starts.from.push(left);
        starts.without.push(...(await repo.git.findMergeBase({ ...repo.at, oids: [left, right] })));
      }
    } else if (name.startsWith('^')) starts.without.push(await revisionCommit(repo, name.slice(1)));
    else starts.from.push(await revisionCommit(repo, name));
  }
  if (starts.from.length === 0) {
    const head = await repo.head();
    if (head === null)
      throw new GitFault(
        `your current branch '${await repo.branch()}' does not have any commits yet`,
      );
    starts.from.push(head);
  }
  return starts;
}

/** Commits from their starts back, the newest first. */
export async function* history(
  repo: Repository,
  { from, without }: Starts,
  firstParent: boolean,
): AsyncGenerator<Commit> {
  const hidden = new Set<string>();
  const queue: Commit[] = [];
  const seen = new Set<string>();
  const push = async (oid: string, to: Commit[]): Promise<void> => {
    if (seen.has(oid)) return;
    seen.add(oid);
    to.push({ oid, commit: await repo.commit(oid) });
  };
  for (const stack = [...without]; stack.length > 0; ) {
    const oid = stack.pop() ?? '';
    if (hidden.has(oid)) continue;
    hidden.add(oid);
    stack.push(...(await repo.commit(oid)).parent);
  }
  for (const oid of from) await push(oid, queue);
  while (queue.length > 0) {
    let newest = 0;
    for (const [index, { commit }] of queue.entries()) {
      const best = queue[newest]?.commit.committer.timestamp ?? 0;
      if (commit.committer.timestamp > best) newest = index;
    }
    const [next] = queue.splice(newest, 1);
    if (next === undefined || hidden.has(next.oid)) continue;
    yield next;
    const parents = firstParent ? next.commit.parent.slice(0, 1) : next.commit.parent;
    for (const parent of parents) await push(parent, queue);
    await repo.tool.pulse();
  }
}

async function filterOf(
  repo: Repository,
  options: Options,
  paths: readonly string[],
): Promise<(each: Commit) => Promise<boolean>> {
  const flags = options.has('ignore-case') ? 'i' : '';
  const regexes = (key: string): RegExp[] =>
    options.all(key).map((text) => new RegExp(text, flags));
  const [authors, greps] = [regexes('author'), regexes('grep')];
  const limit = (key: string): number | null => {
    const text = options.get(key);
    return text === undefined ? null : approximate(text);
  };
  const [since, until] = [limit('since'), limit('until')];
  return async ({ oid, commit }) => {
    const { timestamp } = commit.committer;
    if (since !== null && timestamp < since) return false;
    if (until !== null && timestamp > until) return false;
    if (options.has('merges') && commit.parent.length < 2) return false;
    if (options.has('no-merges') && commit.parent.length > 1) return false;
    const author = `${commit.author.name} <${commit.author.email}>`;
    if (authors.length > 0 && !authors.some((regex) => regex.test(author))) return false;
    if (
      greps.length > 0 &&
      !greps.some((regex) => commit.message.split('\n').some((line) => regex.test(line)))
    )
      return false;
    if (paths.length === 0) return true;
    return (await changesOf(repo, { oid, commit }, paths)).length > 0;
  };
}

/** A time as people write it for --since: a date, `yesterday`, `2 weeks ago`. */
function approximate(text: string): number {
  const now = Math.floor(Date.now() / 1000);
  const units: Record<string, number> = {
    second: 1,
    minute: 60,
    hour: 3600,
    day: 86_400,
    week: 604_800,
    month: 2_629_800,
    year: 31_557_600,
  };
  const ago = /^(\d+|an?)[ .](second|minute|hour|day|week|month|year)s?(?:[ .]ago)?$/.exec(
    text.trim(),
  );
  if (ago !== null)
    return now - (/^\d/.test(ago[1] ?? '') ? Number(ago[1]) : 1) * (units[ago[2] ?? ''] ?? 0);
  if (text === 'now') return now;
  if (text === 'yesterday') return now - 86_400;
  if (text === 'today' || text === 'midnight') return now - (now % 86_400);
  return timeOf(text).timestamp;
}

/** What a commit changed over its first parent. */
async function changesOf(repo: Repository, { commit }: Commit, paths: readonly string[]) {
  const parent = commit.parent[0] ?? null;
  const filter = pathFilter(repo, paths);
  const [before, after] = [await repo.tree(parent), await repo.tree(commit.tree)];
  if (paths.length > 0 && ![...before.keys(), ...after.keys()].some(filter)) return [];
  return compare(repo, inTree(before), inTree(after), { paths });
}

type Show = (each: Commit, changes: string, index: number, form: PatchForm) => void;

async function printer(repo: Repository, options: Options): Promise<Show> {
  const { tool } = repo;
  const chosen = options.has('oneline') ? 'oneline' : (options.get('format') ?? 'medium');
  const decorates = options.has('decorate') && options.get('decorate') !== 'no';
  const refs = await refsByCommit(repo);
  const date = (options.get('date') ?? 'default')
    .replace(/^iso8601/, 'iso')
    .replace(/^rfc2822$/, 'rfc') as DateForm;
  const abbreviate = options.has('oneline') || options.has('abbrev-commit');
  const template = /^t?format:/.test(chosen)
    ? chosen.replace(/^t?format:/, '')
    : chosen.includes('%')
      ? chosen
      : null;
  // `format:` stands between commits, anything else ends each of them.
  const separates = chosen.startsWith('format:') && options.get('format') !== undefined;
  const isOwn = template !== null;
  if (!isOwn && !NAMED_FORMS.has(chosen)) throw new GitFault(`invalid --pretty format: ${chosen}`);
  return (each, changes, index, form) => {
    const text = formatted(each, {
      form: template ?? chosen,
      isOwn,
      refs,
      decorates,
      date,
      abbreviate,
    });
    if (isOwn || chosen === 'oneline') {
      if (separates && index > 0) tool.write('\n');
      tool.write(toBytes(text) + (separates ? '' : '\n'));
      if (changes !== '')
        tool.write(
          (separates ? '\n' : '') + (isOwn && form.patch ? '\n' : isOwn ? '\n' : '') + changes,
        );
      return;
    }
    if (index > 0) tool.write('\n');
    tool.write(toBytes(text));
    if (changes !== '') tool.write(`${form.patch && form.stat ? '---\n' : '\n'}${changes}`);
  };
}

/** Names of commits, as `--decorate` shows them. */
export async function refsByCommit(repo: Repository): Promise<Map<string, string[]>> {
  const refs = new Map<string, string[]>();
  const put = (oid: string | null, name: string): void => {
    if (oid !== null) refs.set(oid, [...(refs.get(oid) ?? []), name]);
  };
  const current = await repo.branch();
  const head = await repo.head();
  if (current === null) put(head, 'HEAD');
  else put(head, `HEAD -> ${current}`);
  for (const tag of await repo.git.listTags({ ...repo.at })) {
    put(await tryRevision(repo, `refs/tags/${tag}^{}`), `tag: ${tag}`);
  }
  for (const branch of await repo.git.listBranches({ ...repo.at })) {
    if (branch !== current) put(await repo.tryResolve(`refs/heads/${branch}`), branch);
  }
  return refs;
}

export const show: GitCommand = async (call) => {
  const { options, operands, paths } = call.options(SPEC);
  const repo = await call.repository();
  const named = operands.length === 0 ? ['HEAD'] : operands;
  for (const [index, name] of named.entries())
    await showOne(call, repo, options, { name, index, paths: paths ?? [] });
};

async function showOne(
  call: Call,
  repo: Repository,
  options: Options,
  { name, index, paths }: { name: string; index: number; paths: readonly string[] },
): Promise<void> {
  const oid = await revision(repo, name);
  const { type, object } = await repo.git.readObject({ ...repo.at, oid, format: 'content' });
  const { tool } = call;
  if (type === 'blob') {
    tool.write(Buffer.from(object as Uint8Array).toString('latin1'));
  } else if (type === 'tree') {
    const { tree } = await repo.git.readTree({ ...repo.at, oid });
    tool.print(`tree ${name}\n\n`);
    for (const entry of tree)
      tool.print(`${quotedName(entry.path)}${entry.type === 'tree' ? '/' : ''}\n`);
  } else if (type === 'tag') {
    const { tag } = await repo.git.readTag({ ...repo.at, oid });
    const tagger = formatted(
      {
        oid,
        commit: {
          message: tag.message,
          tree: '',
          parent: [],
          author: tag.tagger as never,
          committer: tag.tagger as never,
        },
      },
      {
        form: 'Tagger: %an <%ae>%nDate:   %ad',
        isOwn: true,
        refs: new Map(),
        decorates: false,
        date: 'default',
        abbreviate: false,
      },
    );
    tool.print(`tag ${tag.tag}\n${tagger}\n\n${tag.message}\n`);
    await showOne(call, repo, options, { name: tag.object, index, paths });
  } else {
    const form = patchForm(options, { patch: true });
    const each = { oid, commit: await repo.commit(oid) };
    const changes =
      showsNothing(form) || each.commit.parent.length > 1
        ? ''
        : await shownChanges(repo, await changesOf(repo, each, paths), form);
    (await printer(repo, options))(each, changes, index, form);
  }
}
