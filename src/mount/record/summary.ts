/** What a change does, in a few words for a person. */
import type { Change } from '../../changes/change.ts';
import { FrontmatterError, parseFrontmatter } from './frontmatter.ts';
import { same } from './record.ts';

/** More fields than this are counted. */
const FIELDS_NAMED = 3;
const TITLE_CHARACTERS = 40;

/** `close #12`, `edit PLT-3 (title, labels)`, `make an issue`, `remove 4.md`. */
export function summarize({ op, path, base, mine }: Pick<Change, 'op' | 'path' | 'base' | 'mine'>) {
  if (op === 'create') return `make ${path.split('/').slice(-2).join('/')}${titled(mine)}`;
  const name = nameOf(path);
  if (op === 'delete') return `remove ${name}`;
  if (op === 'call') return `call ${name}`;
  const fields = differing(base, mine);
  const state = fields.get('state');
  if (state === 'closed') return `close ${name}${others(fields, ['state', 'state_reason'])}`;
  if (state === 'open') return `reopen ${name}${others(fields, ['state', 'state_reason'])}`;
  return `edit ${name}${others(fields, [])}`;
}

/** The address that the record itself gives; null where it gives none. */
export function linkOf({ base, mine }: Pick<Change, 'base' | 'mine'>): string | null {
  for (const text of [base, mine]) {
    const url = fieldsOf(text)?.['url'];
    if (typeof url === 'string' && url !== '') return url;
  }
  return null;
}

/** `#12` for `12.md`; other files as they are called. */
function nameOf(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const record = /^(.+)\.md$/.exec(name)?.[1];
  if (record === undefined) return name;
  return /^\d+$/.test(record) ? `#${record}` : record;
}

/** Which one is meant, where nothing else tells new records apart. */
function titled(text: string | null): string {
  const title = fieldsOf(text)?.['title'];
  if (typeof title !== 'string' || title === '') return '';
  return ` (${title.length > TITLE_CHARACTERS ? `${title.slice(0, TITLE_CHARACTERS)}…` : title})`;
}

/** What differs, with its new value; the body is the field `text`. */
function differing(base: string | null, mine: string | null): Map<string, unknown> {
  const before = fieldsOf(base) ?? {};
  const after = fieldsOf(mine) ?? {};
  return new Map(Object.entries(after).filter(([name, value]) => !same(value, before[name])));
}

/** null where it is no record. */
function fieldsOf(text: string | null): Record<string, unknown> | null {
  if (text === null || !text.startsWith('---')) return null;
  try {
    const { fields, body } = parseFrontmatter(text);
    return { ...fields, text: body.trim() };
  } catch (error) {
    // It was written to a file whose text may be anything.
    if (error instanceof FrontmatterError) return null;
    throw error;
  }
}

function others(fields: ReadonlyMap<string, unknown>, told: readonly string[]): string {
  const names = [...fields.keys()].filter((name) => !told.includes(name));
  if (names.length === 0) return '';
  const rest = names.length - FIELDS_NAMED;
  return ` (${names.slice(0, FIELDS_NAMED).join(', ')}${rest > 0 ? ` and ${rest} more` : ''})`;
}
