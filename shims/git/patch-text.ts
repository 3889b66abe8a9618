/** A patch as git writes it: names, modes and renames above the hunks, or hunks alone as `diff -u` has them. */
import { type FilePatch, readPatch, reversed } from '../patch/parse.ts';
import { toText } from '../support/tool.ts';
import { GitFault } from './fault.ts';

/** What a patch makes of one file. */
export interface FileEdit {
  /** Its path before and after; null where it is not there. */
  from: string | null;
  to: string | null;
  /** As git writes them; null where the patch does not say. */
  fromMode: string | null;
  toMode: string | null;
  hunks: FilePatch['hunks'];
  isBinary: boolean;
  /** Whether the file that it comes from stays. */
  isCopy: boolean;
  /** Of a rename, in per cent, as the patch has it. */
  similarity: number;
  /** Whether its names begin at the root of the working tree, as git's do. */
  isRooted: boolean;
}

const ESCAPES: Readonly<Record<string, string>> = {
  ...{ t: '\t', n: '\n', r: '\r', a: '\x07', b: '\b', f: '\f', v: '\v' },
};

/** A name without the quotes and escapes that git writes around an unusual one. @param text bytes */
function unquoted(text: string): string {
  const [, quoted] = /^"((?:[^"\\]|\\.)*)"/.exec(text) ?? [];
  if (quoted === undefined) return toText(text.split('\t')[0] ?? '');
  const bytes = quoted.replace(/\\([0-7]{3}|.)/g, (_, escaped: string) =>
    escaped.length === 3
      ? String.fromCharCode(Number.parseInt(escaped, 8))
      : (ESCAPES[escaped] ?? escaped),
  );
  return toText(bytes);
}

/** @throws GitFault where a name has too few directories */
function stripped(name: string, count: number): string | null {
  if (name === '/dev/null') return null;
  const parts = name.split(/\/+/);
  if (parts.length <= count)
    throw new GitFault(
      `git diff header lacks filename information when removing ${count} leading pathname components`,
      128,
      'error',
    );
  return parts.slice(count).join('/');
}

/** The name that both sides of `diff --git a/NAME b/NAME` have; null where these differ. */
function commonName(text: string): string | null {
  const quoted = /^("(?:[^"\\]|\\.)*") ("(?:[^"\\]|\\.)*")$/.exec(text);
  const half = (text.length - 1) / 2;
  const [a, b] = quoted === null ? [text.slice(0, half), text.slice(half + 1)] : quoted.slice(1);
  const [left, right] = [a, b].map((name) => unquoted(name ?? '').replace(/^[^/]*\//, ''));
  return left === right && left !== undefined && left !== '' ? left : null;
}

/** What stands above the hunks of one file, by the words at the beginning of each line. */
function headOf(lines: readonly string[]): ReadonlyMap<string, string> {
  const head = new Map<string, string>();
  for (const line of lines) {
    const [, key, value = ''] =
      /^(diff --git|old mode|new mode|deleted file mode|new file mode|rename from|rename to|copy from|copy to|similarity index|index|Binary files|GIT binary patch) ?(.*)$/.exec(
        line,
      ) ?? [];
    if (key !== undefined) head.set(key, value);
  }
  return head;
}

function editOf(lines: readonly string[], patch: FilePatch | null, strip: number): FileEdit | null {
  const head = headOf(lines);
  const git = head.get('diff --git');
  if (git === undefined && patch === null) return null;
  const named = (text: string | undefined): string | null =>
    text === undefined || text === '' ? null : stripped(unquoted(text), strip);
  const moved = (key: string): string | null => {
    const text = head.get(`rename ${key}`) ?? head.get(`copy ${key}`);
    return text === undefined ? null : unquoted(text);
  };
  const common = git === undefined ? null : commonName(git);
  const isNew = head.has('new file mode') || patch?.oldName === '/dev/null';
  const isGone = head.has('deleted file mode') || patch?.newName === '/dev/null';
  const [, indexMode = null] = / (\d{6})$/.exec(head.get('index') ?? '') ?? [];
  const from = moved('from') ?? named(patch?.oldName) ?? common;
  const to = moved('to') ?? named(patch?.newName) ?? common;
  return {
    from: isNew ? null : from,
    to: isGone ? null : to,
    fromMode: head.get('old mode') ?? head.get('deleted file mode') ?? indexMode,
    toMode: head.get('new mode') ?? head.get('new file mode') ?? indexMode,
    hunks: patch?.hunks ?? [],
    isCopy: head.has('copy from'),
    isBinary: head.has('Binary files') || head.has('GIT binary patch'),
    similarity: Number.parseInt(head.get('similarity index') ?? '100', 10),
    isRooted: git !== undefined,
  };
}

/** Heads of files, each from its `diff --git` on; what stands before the first is with it. */
function sections(lines: readonly string[]): string[][] {
  const found: string[][] = [[]];
  for (const line of lines) {
    if (line.startsWith('diff --git ') && (found.at(-1)?.length ?? 0) > 0) found.push([]);
    found.at(-1)?.push(line);
  }
  return found;
}

/** The edits of a patch, in their order. @param text bytes @throws GitFault where there are none */
export function editsOf(text: string, strip: number): FileEdit[] {
  const { patches, tail } = readPatch(text);
  const edits: (FileEdit | null)[] = [];
  for (const patch of patches) {
    if (patch.oldName === '' && patch.newName === '')
      throw new GitFault(
        `patch fragment without header at line ${patch.line}: ${text.split('\n')[patch.line - 1]}`,
        128,
        'error',
      );
    let line = patch.line;
    for (const { lines, isWhole } of patch.hunks) {
      line += 1 + lines.length;
      if (!isWhole) throw new GitFault(`corrupt patch at line ${line}`, 128, 'error');
    }
    const heads = sections(patch.lead);
    for (const head of heads.slice(0, -1)) edits.push(editOf(head, null, strip));
    edits.push(editOf(heads.at(-1) ?? [], patch, strip));
  }
  for (const head of sections(tail)) edits.push(editOf(head, null, strip));
  const found = edits.filter((edit) => edit !== null);
  if (found.length === 0)
    throw new GitFault('No valid patches in input (allow with "--allow-empty")', 128, 'error');
  return found;
}

/** The edit that undoes one. */
export const undone = (edit: FileEdit): FileEdit => ({
  ...edit,
  from: edit.to,
  to: edit.from,
  fromMode: edit.toMode,
  toMode: edit.fromMode,
  hunks: reversed({ oldName: '', newName: '', lead: [], line: 0, hunks: edit.hunks }).hunks,
});
