/** Values of properties, between Notion's form and one line of frontmatter. */
import { type ApiNode, type ApiPage, type PropertyValue, type Run, runSchema } from './schemas.ts';

/** Of a value that markdown or a line cannot hold: formatting, mentions, more than was sent. */
export interface Shown {
  value: unknown;
  /** Why writing it would lose something; null when nothing would be lost. */
  fixed: string | null;
}

export function titleOf(node: ApiNode): string {
  if (node.object === 'data_source') return plainText(node.title);
  const title = Object.values(node.properties).find(({ type }) => type === 'title');
  return title === undefined ? '' : plainText(runsOf(title['title']));
}

function runsOf(value: unknown): Run[] {
  return runSchema.array().parse(value ?? []);
}

function plainText(runs: readonly Run[]): string {
  return runs.map(({ plain_text }) => plain_text).join('');
}

/** The text of comments, which are formatted seldom. */
export function shownText(runs: readonly Run[]): Shown {
  const formatted = runs.some(
    ({ type, href, annotations = {} }) =>
      (type !== undefined && type !== 'text') ||
      (href !== null && href !== undefined) ||
      Object.entries(annotations).some(
        ([name, value]) => value !== (name === 'color' ? 'default' : false),
      ),
  );
  const fixed = formatted ? 'has formatting, links or mentions that a plain text would lose' : null;
  return { value: plainText(runs), fixed };
}

interface Named {
  id: string;
  name?: string | null;
}

/** One value, as the file shows it. `nameOfPage` gives a page's name here, or null. */
export function shownProperty(
  value: PropertyValue,
  nameOfPage: (id: string) => string | null,
): Shown {
  const { type } = value;
  const own = value[type];
  const plain = (made: unknown): Shown => ({ value: made, fixed: null });
  switch (type) {
    case 'title':
    case 'rich_text':
      return shownText(runsOf(own));
    case 'select':
    case 'status':
      return plain((own as Named | null)?.name ?? null);
    case 'multi_select':
      return plain((own as Named[]).map(({ name }) => name));
    case 'people':
      return plain((own as Named[]).map(({ id, name }) => name ?? id));
    case 'relation': {
      const more = value['has_more'] === true;
      const names = (own as Named[]).map(({ id }) => nameOfPage(id) ?? id);
      return { value: names, fixed: more ? 'has more entries than Notion sends at once' : null };
    }
    case 'date':
      return shownDate(own as DateValue | null);
    case 'files':
      return plain((own as Named[]).map(({ name }) => name));
    case 'formula':
    case 'rollup':
      return plain(computed(own));
    case 'unique_id': {
      const { prefix, number } = own as { prefix: string | null; number: number | null };
      return plain(prefix === null ? number : `${prefix}-${number}`);
    }
    case 'created_by':
    case 'last_edited_by':
      return plain((own as Named).name ?? (own as Named).id);
    default:
      return plain(typeof own === 'object' && own !== null ? JSON.stringify(own) : own);
  }
}

interface DateValue {
  start: string;
  end: string | null;
  time_zone: string | null;
}

/** `2025-01-31`, or `START/END` for a range. */
function shownDate(date: DateValue | null): Shown {
  if (date === null) return { value: null, fixed: null };
  const { start, end, time_zone } = date;
  const fixed =
    time_zone === null ? null : `has the time zone ${time_zone}, which a line would lose`;
  return { value: end === null ? start : `${start}/${end}`, fixed };
}

/** Of a formula or a rollup: what it came to. */
function computed(own: unknown): unknown {
  const value = own as Record<string, unknown> & { type: string };
  const made = value[value.type];
  return typeof made === 'object' && made !== null ? JSON.stringify(made) : made;
}

/** Text as a request has it: runs of 2,000 characters at most. */
export function richText(text: string): { type: 'text'; text: { content: string } }[] {
  const runs: string[] = [];
  for (const character of text) {
    const last = runs.at(-1);
    if (last === undefined || last.length + character.length > RUN_MAX) runs.push(character);
    else runs[runs.length - 1] = last + character;
  }
  return runs.map((content) => ({ type: 'text', text: { content } }));
}

/** "Rich text object: text.content 2000 characters"; 100 elements of any array. */
export const RUN_MAX = 2000;
export const ELEMENTS_MAX = 100;

/** What looks a name up for a request. */
export interface Ids {
  user(name: string): string | null;
  page(name: string): string | null;
}

/** A value of the file as a request has it. */
export function requested(type: string, value: unknown, ids: Ids): unknown {
  const names = (Array.isArray(value) ? value : []) as string[];
  switch (type) {
    case 'title':
    case 'rich_text':
      return richText(typeof value === 'string' ? value : '');
    case 'select':
    case 'status':
      return value === null ? null : { name: value };
    case 'multi_select':
      return names.map((name) => ({ name }));
    case 'people':
      return names.map((name) => ({ object: 'user', id: ids.user(name) }));
    case 'relation':
      return names.map((name) => ({ id: ids.page(name) }));
    case 'date': {
      if (value === null) return null;
      const [start, end] = String(value).split('/');
      return end === undefined ? { start } : { start, end };
    }
    default:
      return value;
  }
}

/** The property of a page that holds its title. */
export function titleProperty(page: Pick<ApiPage, 'properties'>): string {
  const found = Object.entries(page.properties).find(([, { type }]) => type === 'title');
  return found?.[0] ?? 'title';
}
