/** Changes of files in the forms in which git shows them. */
import { type Side, unified } from '../diff/formats.ts';
import { changes as difference } from '../diff/myers.ts';
import { splitLines, toBytes } from '../support/tool.ts';
import { contentOf, type FileChange } from './changes.ts';
import type { Repository } from './repository.ts';

/** Which of them. */
export interface PatchForm {
  patch: boolean;
  stat: boolean;
  shortStat: boolean;
  numStat: boolean;
  summary: boolean;
  nameOnly: boolean;
  nameStatus: boolean;
  context: number;
}

export const PATCH: PatchForm = {
  patch: true,
  stat: false,
  shortStat: false,
  numStat: false,
  summary: false,
  nameOnly: false,
  nameStatus: false,
  context: 3,
};

const ZERO = '0'.repeat(40);
const BINARY_LOOK = 8_000;
const COLUMNS = 80;
const HEADING = 80;

/** A name in quotes where it holds what C escapes, with octal bytes as git writes them. */
export function quotedName(name: string): string {
  const bytes = toBytes(name);
  if (/^[ -!#-[\]-~]*$/.test(bytes)) return name;
  const escapes: Record<string, string> = {
    '\t': '\\t',
    '\n': '\\n',
    '\r': '\\r',
    '"': '\\"',
    '\\': '\\\\',
    '\b': '\\b',
    '\f': '\\f',
    '\v': '\\v',
    '\x07': '\\a',
  };
  const text = bytes.replace(/["\\]|[^ -~]/g, (char) => {
    return escapes[char] ?? `\\${char.charCodeAt(0).toString(8).padStart(3, '0')}`;
  });
  return `"${text}"`;
}

const isBinary = (data: Buffer): boolean => data.subarray(0, BINARY_LOOK).includes(0);

interface Compared {
  change: FileChange;
  before: Buffer;
  after: Buffer;
  binary: boolean;
  added: number;
  removed: number;
  /** The hunks, as bytes; empty where the content is equal. */
  hunks: string;
}

/** Compares the contents of a change. */
async function compared(repo: Repository, change: FileChange, context: number): Promise<Compared> {
  const before =
    change.before === null ? Buffer.alloc(0) : await contentOf(repo, change.from, change.before);
  const after =
    change.after === null ? Buffer.alloc(0) : await contentOf(repo, change.path, change.after);
  const binary = isBinary(before) || isBinary(after);
  const nothing = { change, before, after, binary, added: 0, removed: 0, hunks: '' };
  if (binary || before.equals(after)) return nothing;
  const [a, b] = [sideOf(before, ''), sideOf(after, '')];
  const script = await difference(comparable(a), comparable(b), () => repo.tool.pulse());
  let added = 0;
  let removed = 0;
  for (const { startA, endA, startB, endB } of script) {
    removed += endA - startA;
    added += endB - startB;
  }
  const text = unified(a, b, script, { context, headings: null });
  // Its first two lines name the files, which git does in its own way.
  const hunks = text.slice(text.indexOf('\n', text.indexOf('\n') + 1) + 1);
  return { ...nothing, added, removed, hunks: withHeadings(hunks, a.lines) };
}

function sideOf(data: Buffer, label: string): Side {
  const text = data.toString('latin1');
  return { lines: splitLines(text), open: text !== '' && !text.endsWith('\n'), label };
}

/** A last line without its newline is another line than one with it. */
const comparable = ({ lines, open }: Side): string[] =>
  open ? [...lines.slice(0, -1), `${lines.at(-1)}\0`] : lines;

/** Each hunk is told by the last line before it that begins a definition. */
function withHeadings(hunks: string, lines: readonly string[]): string {
  return hunks.replace(/^@@ -(\d+)(?:,(\d+))? .*$/gm, (head, start: string, count?: string) => {
    const first = Number(start) - (count === '0' ? 0 : 1);
    for (let index = first - 1; index >= 0; index--) {
      const line = lines[index] ?? '';
      if (/^[A-Za-z_$]/.test(line)) return `${head} ${line.slice(0, HEADING).trimEnd()}`;
    }
    return head;
  });
}

/** All changes in the forms that are asked for, as bytes. */
export async function shownChanges(
  repo: Repository,
  changes: readonly FileChange[],
  form: PatchForm,
): Promise<string> {
  if (form.nameOnly) return lines(changes.map(({ path }) => quotedName(path)));
  if (form.nameStatus) return lines(changes.map(nameStatus));
  const all: Compared[] = [];
  for (const change of changes) all.push(await compared(repo, change, form.context));
  let out = '';
  if (form.numStat) out += lines(all.map(numStat));
  if (form.stat) out += statOf(all);
  if (form.shortStat) out += totals(all);
  if (form.summary) out += summaryOf(changes);
  if (form.patch) {
    if (out !== '') out += '\n';
    for (const each of all) out += await patchOf(repo, each);
  }
  return out;
}

const lines = (all: readonly string[]): string => all.map((line) => `${toBytes(line)}\n`).join('');

function nameStatus({ kind, path, from, similarity }: FileChange): string {
  if (kind !== 'R') return `${kind}\t${quotedName(path)}`;
  return `R${String(similarity).padStart(3, '0')}\t${quotedName(from)}\t${quotedName(path)}`;
}

function numStat({ change, binary, added, removed }: Compared): string {
  const counts = binary ? '-\t-' : `${added}\t${removed}`;
  return `${counts}\t${renamedName(change)}`;
}

/** `dir/{a => b}/c` */
function renamedName({ kind, from, path }: FileChange): string {
  if (kind !== 'R') return quotedName(path);
  const [a, b] = [from.split('/'), path.split('/')];
  let head = 0;
  while (head < a.length - 1 && head < b.length - 1 && a[head] === b[head]) head++;
  let tail = 0;
  while (
    tail < a.length - 1 - head + 0 &&
    tail < b.length - 1 - head + 0 &&
    a.at(-1 - tail) === b.at(-1 - tail)
  )
    tail++;
  if (head === 0 && tail === 0) return `${from} => ${path}`;
  const middle = (parts: string[]): string => parts.slice(head, parts.length - tail).join('/');
  const before = a.slice(0, head).map((part) => `${part}/`);
  const after = tail === 0 ? [] : a.slice(-tail).map((part) => `/${part}`);
  return `${before.join('')}{${middle(a)} => ${middle(b)}}${after.join('')}`;
}

function statOf(all: readonly Compared[]): string {
  if (all.length === 0) return '';
  const names = all.map(({ change }) => renamedName(change));
  const most = Math.max(...all.map(({ added, removed }) => added + removed));
  const binary = all.some((each) => each.binary);
  const digits = Math.max(String(most).length, binary ? 3 : 1);
  const longest = Math.max(...names.map((name) => name.length));
  const width = Math.min(longest, COLUMNS - digits - 6 - 10);
  const graph = Math.max(6, COLUMNS - width - digits - 6 + 1);
  let out = '';
  for (const [index, each] of all.entries()) {
    const name = cutName(names[index] ?? '', width).padEnd(width);
    const { before, after, added, removed } = each;
    const what = each.binary
      ? ` Bin ${before.length} -> ${after.length} bytes`
      : `${String(added + removed).padStart(digits + 1)}${bars(added, removed, most, graph)}`;
    out += `${toBytes(` ${name} |${what}`)}\n`;
  }
  return out + totals(all);
}

const cutName = (name: string, width: number): string => {
  if (name.length <= width) return name;
  const rest = name.slice(name.length - width + 3);
  const slash = rest.indexOf('/');
  return `...${slash < 0 ? rest : rest.slice(slash)}`;
};

function bars(added: number, removed: number, most: number, width: number): string {
  if (added + removed === 0) return '';
  let [plus, minus] = [added, removed];
  if (most > width) {
    const scaled = (count: number): number =>
      count === 0 ? 0 : 1 + Math.floor((count * (width - 1)) / most);
    let total = scaled(added + removed);
    if (total < 2 && added > 0 && removed > 0) total = 2;
    if (added < removed) {
      plus = scaled(added);
      minus = total - plus;
    } else {
      minus = scaled(removed);
      plus = total - minus;
    }
  }
  return ` ${'+'.repeat(plus)}${'-'.repeat(minus)}`;
}

/** ` 2 files changed, 1 insertion(+)` */
export function totals(all: readonly Pick<Compared, 'added' | 'removed'>[]): string {
  if (all.length === 0) return '';
  const added = all.reduce((sum, each) => sum + each.added, 0);
  const removed = all.reduce((sum, each) => sum + each.removed, 0);
  const parts = [` ${all.length} file${all.length === 1 ? '' : 's'} changed`];
  if (added > 0 || removed === 0) parts.push(`${added} insertion${added === 1 ? '' : 's'}(+)`);
  if (removed > 0 || added === 0) parts.push(`${removed} deletion${removed === 1 ? '' : 's'}(-)`);
  return `${parts.join(', ')}\n`;
}

/** ` create mode 100644 a` and the like. */
export function summaryOf(all: readonly FileChange[]): string {
  return lines(
    all.flatMap((change) => {
      const { kind, path, before, after, similarity } = change;
      if (kind === 'A') return [` create mode ${after?.mode} ${quotedName(path)}`];
      if (kind === 'D') return [` delete mode ${before?.mode} ${quotedName(path)}`];
      const mode = ` mode change ${before?.mode} => ${after?.mode}`;
      const hasMode = before?.mode !== after?.mode;
      if (kind === 'R')
        return [` rename ${renamedName(change)} (${similarity}%)`, ...(hasMode ? [mode] : [])];
      return hasMode ? [`${mode} ${quotedName(path)}`] : [];
    }),
  );
}

async function patchOf(repo: Repository, each: Compared): Promise<string> {
  const { change, binary, hunks } = each;
  const { before, after, from, path, kind } = change;
  const head = [`diff --git ${quotedName(`a/${from}`)} ${quotedName(`b/${path}`)}`];
  if (before === null) head.push(`new file mode ${after?.mode}`);
  else if (after === null) head.push(`deleted file mode ${before.mode}`);
  else if (before.mode !== after.mode)
    head.push(`old mode ${before.mode}`, `new mode ${after.mode}`);
  if (kind === 'R') {
    head.push(`similarity index ${change.similarity}%`);
    head.push(`rename from ${quotedName(from)}`, `rename to ${quotedName(path)}`);
  }
  const [old, now] = [await oidOf(repo, from, before), await oidOf(repo, path, after)];
  const mode = before !== null && after?.mode === before.mode ? ` ${before.mode}` : '';
  if (old !== now) head.push(`index ${old.slice(0, 7)}..${now.slice(0, 7)}${mode}`);
  const [a, b] = [sideName('a', before, from), sideName('b', after, path)];
  if (binary && old !== now) head.push(`Binary files ${a} and ${b} differ`);
  let out = lines(head);
  if (hunks !== '') {
    const tab = (name: string): string => (/^\S* /.test(name) ? `${name}\t` : name);
    out += lines([`--- ${tab(a)}`, `+++ ${tab(b)}`]) + hunks;
  }
  return out;
}

const sideName = (prefix: string, side: object | null, path: string): string =>
  side === null ? '/dev/null' : quotedName(`${prefix}/${path}`);

async function oidOf(repo: Repository, path: string, side: FileChange['before']): Promise<string> {
  if (side === null) return ZERO;
  if (!side.isWork) return side.oid;
  const { oid } = await repo.git.hashBlob({ object: await repo.worked(path) });
  return oid;
}
