/** What the index is told of a text. */
import { documentFormat } from '../../texts/names.ts';
import type { IndexedText } from '../index/search-index.ts';
import type { DocumentKind } from '../index/store.ts';
import type { Pending } from './source.ts';

/** Read off its front matter and its path. */
export function describe(
  { path, context, changed = '', seen = '' }: Pending,
  text: string,
): IndexedText {
  return {
    path,
    text,
    updated: updatedOf(text) ?? changed,
    kind: kindOf(path),
    context: context(),
    seen,
  };
}

/** Would a question that is narrowed to a kind, or to a time, have a text among its documents? */
export function isAskedFor(
  { path, changed = '' }: Pending,
  text: string,
  { kind, since }: { kind?: DocumentKind; since?: string },
): boolean {
  if (kind !== undefined && kindOf(path) !== kind) return false;
  if (since === undefined) return true;
  const updated = updatedOf(text) ?? changed;
  return updated !== '' && updated >= since;
}

function updatedOf(text: string): string | undefined {
  const head = text.startsWith('---\n') ? text.slice(0, text.indexOf('\n---', 4) + 1) : '';
  return /^updated(?:_at|At)?: *["']?([^"'\n]+)/m.exec(head)?.[1];
}

function kindOf(path: string): DocumentKind {
  if (documentFormat(path) !== null) return 'page';
  if (/\/(?:issues|pulls)\/[^/]+(?:\.md|\/)/.test(path)) return 'issue';
  return /\.(?:md|mdx|markdown|txt|rst|html?)$/i.test(path) ? 'page' : 'file';
}
