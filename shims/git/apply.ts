/** git apply: a patch, where all of it fits. */
import { fitsAt } from '../patch/parse.ts';
import { splitLines, strerror } from '../support/tool.ts';
import type { Call, GitCommand } from './call.ts';
import type { FileChange } from './changes.ts';
import { GitFault } from './fault.ts';
import { editsOf, type FileEdit, undone } from './patch-text.ts';
import { quotedName, summaryOf, totals } from './patches.ts';
import { type Blob, directoriesOf, Repository, type Tree, workMode } from './repository.ts';
import { checkPath, nothingThere, removeFile, writeContent, writeIndex } from './worktree.ts';

const SPEC = {
  short: 'p:Rvq3C:N',
  long: {
    check: 'check',
    stat: 'stat',
    numstat: 'numstat',
    summary: 'summary',
    apply: 'apply',
    index: 'index',
    cached: 'cached',
    reverse: 'R',
    verbose: 'v',
    quiet: 'q',
    '3way': '3',
    reject: 'reject',
    whitespace: 'whitespace:',
    recount: 'recount',
    'unidiff-zero': 'unidiff-zero',
    'allow-empty': 'allow-empty',
  },
};

export const apply: GitCommand = async (call) => {
  const { options, operands } = call.options(SPEC);
  if (options.has('3') || options.has('reject'))
    throw new GitFault(
      'git apply -3 and --reject cannot be done here: patch -p1 applies what fits and leaves the rest in .rej',
    );
  const strip = Number(options.get('p') ?? 1);
  if (!Number.isInteger(strip)) throw new GitFault(`option \`p' expects a number`, 129, 'error');
  const { root, repo } = await placeOf(call);
  const edits: FileEdit[] = [];
  for (const operand of operands.length === 0 ? ['-'] : operands) {
    const text = await textOf(call, operand);
    if (options.has('allow-empty') && text.trim() === '') continue;
    for (const edit of editsOf(text, strip)) edits.push(options.has('R') ? undone(edit) : edit);
  }
  const own: FileEdit[] = [];
  for (const edit of edits) {
    const placed = below(root, edit);
    if (placed !== null) own.push(placed);
    else if (options.has('v')) call.tool.stderr += `Skipped patch '${edit.to ?? edit.from}'.\n`;
  }
  const shows = ['stat', 'numstat', 'summary'].filter((form) => options.has(form));
  if (shows.includes('stat')) call.tool.write(statOf(own));
  if (shows.includes('numstat')) call.tool.print(own.map(numStatOf).join(''));
  if (shows.includes('summary')) call.tool.write(summaryOf(own.map(changeOf)));
  if (shows.length > 0 && !options.has('apply')) return;
  const where = options.has('cached') ? 'index' : options.has('index') ? 'both' : 'work';
  if (where !== 'work' && repo === null)
    throw new GitFault('--index outside a repository', 128, 'error');
  const applying = new Applying(call, root, where, {
    tells: options.has('v'),
    zero: options.has('unidiff-zero'),
  });
  if ((await applying.check(own)) && !options.has('check')) await applying.write();
};

async function textOf(call: Call, operand: string): Promise<string> {
  try {
    return await call.tool.read(operand);
  } catch (error) {
    const why = strerror(error);
    if (why === undefined) throw error;
    throw new GitFault(`can't open patch '${operand}': ${why}`, 128, 'error');
  }
}

/** The working tree, or the directory that the command is in where there is no repository. */
async function placeOf(call: Call): Promise<{ root: Repository; repo: Repository | null }> {
  try {
    const repo = await call.repository();
    return { root: repo, repo };
  } catch (error) {
    if (!(error instanceof GitFault)) throw error;
    return { root: new Repository(call.git, call.tool, call.cwd, call.settings), repo: null };
  }
}

/** With names from the root on; null for a file outside of the directory that the command is in. */
function below(root: Repository, edit: FileEdit): FileEdit | null {
  const here = root.relative(root.tool.ctx.cwd);
  const placed = (name: string | null): string | null =>
    name === null || here === '.' || edit.isRooted ? name : `${here}/${name}`;
  const [from, to] = [placed(edit.from), placed(edit.to)];
  for (const path of [from, to]) if (path !== null) refuseOutside(path);
  const isHere = here === '.' || [from, to].some((path) => path?.startsWith(`${here}/`));
  return isHere ? { ...edit, from, to } : null;
}

/** @throws GitFault as `checkPath` does, in the words of this command */
function refuseOutside(path: string): void {
  try {
    checkPath(path);
  } catch (error) {
    throw error instanceof GitFault ? new GitFault(error.message, error.status, 'error') : error;
  }
}

/** What a file holds; its text is bytes. */
interface Held {
  text: string;
  mode: string;
}

/** What is changed. */
type Where = 'work' | 'index' | 'both';

interface Manner {
  /** Whether each step is told. */
  tells: boolean;
  /** Whether hunks may have no context. */
  zero: boolean;
}

class Applying {
  readonly #call: Call;
  readonly #root: Repository;
  readonly #where: Where;
  readonly #tells: boolean;
  readonly #zero: boolean;
  /** What the files are to hold, null where they go. */
  readonly #next = new Map<string, Held | null>();
  #index: Tree = new Map();

  constructor(call: Call, root: Repository, where: Where, { tells, zero }: Manner) {
    this.#call = call;
    this.#root = root;
    this.#where = where;
    this.#tells = tells;
    this.#zero = zero;
  }

  /** Works out what becomes of each file. @returns whether all of it fits; what does not is told */
  async check(edits: readonly FileEdit[]): Promise<boolean> {
    if (this.#where !== 'work') this.#index = await this.#root.index();
    const { tool } = this.#call;
    for (const edit of edits) {
      const name = nameOf(edit);
      this.#tell(`Checking patch ${name}...`);
      try {
        await this.#checkOne(edit);
      } catch (error) {
        if (!(error instanceof GitFault)) throw error;
        tool.stderr += `error: ${error.message}\n`;
        tool.status = 1;
      }
    }
    return tool.status === 0;
  }

  async #checkOne(edit: FileEdit): Promise<void> {
    const { to, isBinary } = edit;
    const from = (await this.#isCreation(edit)) ? null : edit.from;
    const name = from ?? to ?? '';
    if (isBinary)
      throw new GitFault(
        `cannot apply binary patch to '${name}' without full index line\nerror: ${name}: patch does not apply`,
      );
    for (const mode of [edit.fromMode, edit.toMode])
      if (mode !== null && !mode.startsWith('100'))
        throw new GitFault(`${name}: a patch of a link is not applied here: use ln -sf`);
    for (const path of [from, to]) if (path !== null) await this.#refuseLinks(path);
    const old = from === null ? null : await this.#held(from);
    if (from !== null && old === null)
      throw new GitFault(
        this.#where === 'work'
          ? `${from}: No such file or directory`
          : `${from}: does not exist in index`,
      );
    if (to !== null && to !== from && (await this.#held(to)) !== null)
      throw new GitFault(
        `${to}: already exists in ${this.#where === 'index' ? 'index' : 'working directory'}`,
      );
    if (from !== null && this.#where === 'both') await this.#refuseUnstaged(from);
    if (old !== null && edit.fromMode !== null && old.mode !== edit.fromMode)
      this.#call.tool.stderr += `warning: ${from} has type ${old.mode}, expected ${edit.fromMode}\n`;
    const placing = { zero: this.#zero, tell: (line: string) => this.#tell(line) };
    const text = applied(name, old?.text ?? '', edit, placing);
    if (to === null && text !== '')
      throw new GitFault(
        `removal patch leaves file contents\nerror: ${name}: patch does not apply`,
      );
    if (from !== null && from !== to && !edit.isCopy) this.#next.set(from, null);
    if (to !== null) this.#next.set(to, { text, mode: edit.toMode ?? old?.mode ?? '100644' });
  }

  /** `diff -u` does not say that a file is new: hunks that need nothing make one that is not there. */
  async #isCreation({ from, hunks, isRooted }: FileEdit): Promise<boolean> {
    const needs = hunks.some(({ lines }) => lines.some(({ sign }) => sign !== '+'));
    return from !== null && !isRooted && !needs && (await this.#held(from)) === null;
  }

  #tell(line: string): void {
    if (this.#tells) this.#call.tool.stderr += `${line}\n`;
  }

  /** What is there, or is to be; null where nothing is. */
  async #held(path: string): Promise<Held | null> {
    const next = this.#next.get(path);
    if (next !== undefined) return next;
    const blob = this.#index.get(path);
    if (this.#where === 'index')
      return blob === undefined
        ? null
        : { text: (await this.#root.content(blob.oid)).toString('latin1'), mode: blob.mode };
    const { fs } = this.#root.tool;
    const stat = await fs.lstat(this.#root.absolute(path)).catch(nothingThere);
    if (stat === null) return null;
    if (stat.isSymbolicLink || stat.isDirectory) throw new GitFault(`${path}: wrong type`);
    const text = (await this.#root.worked(path)).toString('latin1');
    return { text, mode: workMode(stat.mode) };
  }

  /** A patch is somebody's text: it changes nothing through a link. */
  async #refuseLinks(path: string): Promise<void> {
    for (const directory of directoriesOf(path)) {
      const file = this.#root.absolute(directory);
      const stat = await this.#root.tool.fs.lstat(file).catch(nothingThere);
      if (stat?.isSymbolicLink === true)
        throw new GitFault(`affected file '${path}' is beyond a symbolic link`);
    }
  }

  async #refuseUnstaged(path: string): Promise<void> {
    const blob = this.#index.get(path);
    if (blob === undefined) throw new GitFault(`${path}: does not exist in index`);
    const { oid } = await this.#root.git.hashBlob({ object: await this.#root.worked(path) });
    if (oid !== blob.oid) throw new GitFault(`${path}: does not match index`);
  }

  async write(): Promise<void> {
    for (const [path, held] of this.#next) if (held === null) await this.#remove(path);
    for (const [path, held] of this.#next) {
      if (held === null) continue;
      const object = Buffer.from(held.text, 'latin1');
      if (this.#where !== 'index') await this.#writeFile(path, object, held.mode);
      if (this.#where !== 'work') await this.#writeIndex(path, object, held.mode);
    }
    for (const path of this.#next.keys()) this.#tell(`Applied patch ${quotedName(path)} cleanly.`);
  }

  async #remove(path: string): Promise<void> {
    if (this.#where !== 'index') await removeFile(this.#root, path);
    if (this.#where !== 'work') await writeIndex(this.#root, path, null, false);
  }

  async #writeFile(path: string, object: Buffer, mode: string): Promise<void> {
    const file = this.#root.absolute(path);
    await this.#root.tool.fs.mkdir(file.replace(/\/[^/]*$/, '') || '/', { recursive: true });
    await writeContent(this.#root, file, object, mode);
  }

  async #writeIndex(path: string, object: Buffer, mode: string): Promise<void> {
    const oid = await this.#root.git.writeBlob({ ...this.#root.at, blob: object });
    const blob: Blob = { oid, mode };
    await writeIndex(this.#root, path, blob, this.#where === 'both');
  }
}

/** How hunks are placed, and what is told of it. */
interface Placing {
  /** Hunks without context may stand anywhere. */
  zero: boolean;
  tell(line: string): void;
}

/** A text with all hunks of an edit. @throws GitFault where one does not fit */
function applied(name: string, old: string, { hunks }: FileEdit, placing: Placing): string {
  const lines = splitLines(old);
  let open = old !== '' && !old.endsWith('\n');
  let shift = 0;
  for (const [index, hunk] of hunks.entries()) {
    const side = (other: '+' | '-'): string[] =>
      hunk.lines.filter(({ sign }) => sign !== other).map(({ text }) => text);
    const [before, after] = [side('+'), side('-')];
    const wanted = Math.max(0, hunk.oldStart - 1) + shift;
    const at = placeOfHunk(lines, hunk, before, wanted, placing.zero);
    if (at === null) {
      placing.tell(`error: while searching for:\n${before.map((line) => `${line}\n`).join('')}`);
      throw new GitFault(
        `patch failed: ${name}:${hunk.oldStart}\nerror: ${name}: patch does not apply`,
      );
    }
    const offset = at - wanted;
    if (offset !== 0)
      placing.tell(
        `Hunk #${index + 1} succeeded at ${at + 1} (offset ${offset} line${offset === 1 ? '' : 's'}).`,
      );
    lines.splice(at, before.length, ...after);
    shift += offset + after.length - before.length;
    if (hunk.oldOpen && !hunk.newOpen) open = false;
    if (hunk.newOpen) open = true;
  }
  return lines.length === 0 ? '' : lines.join('\n') + (open ? '' : '\n');
}

/**
 * The index of the line at which a hunk fits, the nearest to the one that is wanted; null where it
 * fits nowhere. One that begins at the first line, or has no context behind it, stands at that end.
 */
function placeOfHunk(
  lines: readonly string[],
  hunk: FileEdit['hunks'][number],
  before: readonly string[],
  wanted: number,
  zero: boolean,
): number | null {
  const last = lines.length - before.length;
  const atBegin = hunk.oldStart === 0 || (hunk.oldStart === 1 && !zero);
  const atEnd = !zero && hunk.lines.at(-1)?.sign !== ' ';
  const fits = (at: number): boolean =>
    (!atBegin || at === 0) && (!atEnd || at === last) && fitsAt(lines, before, at) !== undefined;
  // Whatever the patch says, there are no more places than lines.
  const from = Math.min(wanted, lines.length);
  for (let distance = 0; distance <= lines.length; distance++) {
    if (fits(from - distance)) return from - distance;
    if (fits(from + distance)) return from + distance;
  }
  return null;
}

const nameOf = ({ from, to }: FileEdit): string => {
  const [old, now] = [from, to].map((path) => quotedName(path ?? ''));
  return from !== null && to !== null && from !== to ? `${old} => ${now}` : now || old || '';
};

function countsOf({ hunks }: FileEdit): { added: number; removed: number } {
  const signs = hunks.flatMap(({ lines }) => lines.map(({ sign }) => sign));
  return {
    added: signs.filter((sign) => sign === '+').length,
    removed: signs.filter((sign) => sign === '-').length,
  };
}

function numStatOf(edit: FileEdit): string {
  const { added, removed } = countsOf(edit);
  return `${added}\t${removed}\t${quotedName(edit.to ?? edit.from ?? '')}\n`;
}

function changeOf({ from, to, fromMode, toMode, similarity }: FileEdit): FileChange {
  const side = (mode: string | null) => ({ oid: '', mode: mode ?? '100644', isWork: false });
  return {
    kind: from === null ? 'A' : to === null ? 'D' : from === to ? 'M' : 'R',
    path: to ?? from ?? '',
    from: from ?? to ?? '',
    before: from === null ? null : side(fromMode),
    after: to === null ? null : side(toMode),
    similarity,
  };
}

/** Columns for the marks of a file. */
const MARKS = 60;

function statOf(edits: readonly FileEdit[]): string {
  const rows = edits.map((edit) => ({ name: nameOf(edit), ...countsOf(edit) }));
  const width = Math.max(...rows.map(({ name }) => name.length));
  const most = Math.max(...rows.map(({ added, removed }) => added + removed));
  const scale = most > MARKS ? MARKS / most : 1;
  const marks = (count: number, mark: string): string => mark.repeat(Math.ceil(count * scale));
  const lines = rows.map(
    ({ name, added, removed }) =>
      ` ${name.padEnd(width)} |${String(added + removed).padStart(5)} ${marks(added, '+')}${marks(removed, '-')}\n`,
  );
  return lines.join('') + totals(rows);
}
