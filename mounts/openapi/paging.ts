/** How a listing goes on, by the names of its parameters and of what its answers hold. */
import {
  byCursor,
  byLink,
  byOffset,
  type Next,
  type OffsetOptions,
  type Query,
} from '../../src/mount/index.ts';
import { type Description, isNode, type Node } from './description.ts';
import type { PageHints } from './hints.ts';
import {
  answerOf,
  at,
  keysOf,
  namesLink,
  type Operation,
  type Parameter,
  plain,
} from './operations.ts';
import type { ResourcePlan } from './plan.ts';

const SIZES = [
  'perpage',
  'pagesize',
  'limit',
  'size',
  'count',
  'maxresults',
  'itemsperpage',
  'pagelimit',
  'top',
  'take',
];
const PAGES = ['page', 'pagenumber', 'pageno', 'pageindex'];
const OFFSETS = ['offset', 'skip', 'start', 'startindex', 'startat', 'from'];
const CURSORS = [
  'cursor',
  'pagetoken',
  'nexttoken',
  'nextpagetoken',
  'nextcursor',
  'continuationtoken',
  'continuation',
  'marker',
  'startingafter',
  'after',
  'since',
  'bookmark',
  'page',
];
/** So many are asked for at once where nothing else is said. */
const USUAL = 100;
/** Where a listing's answer says where it goes on. */
const NEXTS = [
  'next',
  'nextpage',
  'nexturl',
  'nextlink',
  'nextcursor',
  'nextpagetoken',
  'nexttoken',
  'continuationtoken',
  'cursor',
  'endcursor',
  'bookmark',
  'marker',
  'odatanextlink',
];

/** What a listing is asked for with, and how it goes on. */
export interface Paging {
  query: Query;
  /** For one reading of it, from its first page on. */
  begin(): Next;
  /** In words, for the page of the mount. */
  about: string;
}

/** @param idOf the id of a row, for listings that go on after it */
export function pagingOf(
  from: Description,
  { list, rows, hints }: Pick<ResourcePlan, 'list' | 'rows' | 'hints'>,
  idOf: (row: unknown) => string | null,
): Paging {
  const said: Partial<PageHints> = hints.page ?? {};
  const rowsOf = (data: unknown): readonly unknown[] => {
    const found = at(data, rows?.at ?? []);
    return Array.isArray(found) ? found : [];
  };
  const { by, param, size, query, isCapped, counted, about } = wayOf(from, list, said);
  const name = param ?? '';
  // `starting_after` takes an id that we have; other cursors are the service's to give.
  const isAfterLast =
    said.next === 'last' || (said.next === undefined && plain(name) === 'startingafter');
  const cursorOf = (data: unknown): unknown =>
    isAfterLast ? idAfter(rowsOf(data), idOf) : nextOf(data, said.next);
  const counting = counted === null ? null : byOffset(rowsOf, size, { ...counted, isCapped });
  const ways: Record<NonNullable<PageHints['by']>, () => Next> = {
    none: () => () => null,
    link: () => () => null,
    next: () => {
      let isSaid = false;
      return (page) => {
        // Where no answer has the field that was described, its absence is no word of an end.
        isSaid ||= saysNext(page.data);
        const counted = isSaid ? null : (counting?.(page) ?? null);
        return addressIn(page.data, said.next, true) ?? counted;
      };
    },
    page: () => counting ?? (() => null),
    offset: () => counting ?? (() => null),
    cursor: () => (page) => addressIn(page.data, said.next) ?? byCursor(cursorOf, name)(page),
  };
  const begin = (): Next => {
    const own = ways[by]();
    // A header that says where it goes on is believed, whatever the description says.
    return (page) => byLink(page) ?? (by !== 'none' && isLast(page.data) ? null : own(page));
  };
  return { query, begin, about };
}

interface Way {
  by: PageHints['by'];
  param: string | null;
  size: number;
  query: Query;
  isCapped: boolean;
  /** What counts pages or rows; null where nothing does. */
  counted: OffsetOptions | null;
  about: string;
}

function wayOf(from: Description, list: Operation | null, said: Partial<PageHints>): Way {
  const asked = (list?.parameters ?? []).filter((one) => one.in === 'query');
  const named: Named = (names, fits = () => true) =>
    names
      .map((name) => asked.find((one) => plain(one.name) === name))
      .find((one) => one !== undefined && fits(one));
  const sized =
    said.sizeParam === undefined ? named(SIZES) : asked.find((one) => one.name === said.sizeParam);
  const most = sized === undefined ? undefined : from.keyword(sized.schema, 'maximum');
  const preset = sized === undefined ? undefined : from.keyword(sized.schema, 'default');
  const known = [said.size, most, preset].find(
    (one): one is number => typeof one === 'number' && one >= 1,
  );
  const size =
    said.size ??
    Math.min(typeof most === 'number' && most >= 1 ? most : Math.max(USUAL, known ?? 0), 1_000);
  const sizeParam = said.sizeParam ?? sized?.name;
  const answer = list === null ? null : answerOf(from, list);
  const by = said.by ?? inferred(from, named, answer, list);
  const param = said.param ?? paramOf(from, by, named)?.name ?? null;
  const counted = countedBy(from, by, said, named, asked);
  const query = by === 'none' || sizeParam === undefined ? {} : { [sizeParam]: size };
  const isCapped = said.size === undefined && typeof most !== 'number';
  const about = by === 'none' ? 'in one answer' : `by ${[by, param].filter(Boolean).join(' ')}`;
  return { by, param, size, query, isCapped, counted, about };
}

/** What counts pages or rows, also beside another way. */
function countedBy(
  from: Description,
  by: PageHints['by'],
  said: Partial<PageHints>,
  named: Named,
  asked: readonly Parameter[],
): OffsetOptions | null {
  const ways: readonly PageHints['by'][] = ['page', 'offset'];
  const way = ways.includes(by) ? by : ways.find((one) => paramOf(from, one, named) !== undefined);
  if (way === undefined) return null;
  const own = asked.find((one) => one.name === said.param) ?? paramOf(from, way, named);
  const param = said.param ?? own?.name;
  if (param === undefined) return null;
  const schema = own?.schema;
  const begins = [said.first, from.keyword(schema, 'default'), from.keyword(schema, 'minimum')];
  const first = begins.find((one): one is number => typeof one === 'number');
  const isPage = way === 'page';
  return { param, of: isPage ? 'pages' : 'rows', first: first ?? (isPage ? 1 : 0) };
}

type Named = (
  names: readonly string[],
  fits?: (one: Parameter) => boolean,
) => Parameter | undefined;

function inferred(
  from: Description,
  named: Named,
  answer: unknown,
  list: Operation | null,
): PageHints['by'] {
  if (list !== null && namesLink(from, list)) return 'link';
  const next = answer === null ? null : nextIn(from, answer);
  if (next !== null && (next.isAddress || paramOf(from, 'cursor', named) === undefined)) {
    if (next.isAddress || plain(next.name) !== 'cursor') return 'next';
  }
  if (paramOf(from, 'page', named) !== undefined) return 'page';
  if (paramOf(from, 'offset', named) !== undefined) return 'offset';
  return paramOf(from, 'cursor', named) === undefined ? 'none' : 'cursor';
}

function paramOf(from: Description, by: PageHints['by'], named: Named): Parameter | undefined {
  if (by === 'page') {
    const found = named(PAGES);
    const isNumber = found !== undefined && !from.types(found.schema).includes('string');
    return isNumber ? found : undefined;
  }
  // `from` and `since` are dates as often as they count.
  const isNumber = ({ schema }: Parameter): boolean => !from.types(schema).includes('string');
  const isDate = ({ schema }: Parameter): boolean =>
    String(from.keyword(schema, 'format')).startsWith('date');
  if (by === 'offset') return named(OFFSETS, isNumber);
  return by === 'cursor' ? named(CURSORS, (one) => !isDate(one)) : undefined;
}

/** The property of an answer that says where it goes on. */
function nextIn(
  from: Description,
  schema: unknown,
  depth = 0,
): { name: string; isAddress: boolean } | null {
  const properties = from.properties(schema);
  for (const name of NEXTS) {
    const found = [...properties].find(([each]) => plain(each) === name);
    if (found === undefined) continue;
    const [each, one] = found;
    if (from.types(one).includes('object')) {
      const address = from.properties(one).get('href');
      if (address !== undefined) return { name: each, isAddress: true };
      continue;
    }
    const format = from.keyword(one, 'format');
    const isAddress = typeof format === 'string' && format.startsWith('uri');
    return { name: each, isAddress: isAddress || /url|link/i.test(each) };
  }
  if (depth > 1) return null;
  for (const [name, one] of properties) {
    if (!AROUND.has(plain(name)) || !from.types(one).includes('object')) continue;
    const below = nextIn(from, one, depth + 1);
    if (below !== null) return below;
  }
  return null;
}

/** Objects of an answer in which it says where it goes on. */
const AROUND = new Set([
  'links',
  'link',
  'meta',
  'metadata',
  'next',
  'page',
  'pageinfo',
  'paging',
  'pagination',
  'responsemetadata',
]);

/** What an answer says of where it goes on: the first of the usual names that has a value. */
function nextOf(data: unknown, hint: string | undefined, depth = 0): unknown {
  if (hint !== undefined) return at(data, keysOf(hint));
  if (!isNode(data)) return undefined;
  const byName = new Map(Object.entries(data).map(([name, value]) => [plain(name), value]));
  for (const name of NEXTS) {
    const value = byName.get(name);
    if (typeof value === 'string' || typeof value === 'number') return value;
    if (isNode(value))
      return value['href'] ?? nextOf(value, undefined, depth + 1) ?? firstOf(value);
  }
  if (depth > 1) return undefined;
  for (const name of AROUND) {
    const found = nextOf(byName.get(name), undefined, depth + 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Has an answer a place where it would say how it goes on? */
function saysNext(data: unknown, depth = 0): boolean {
  if (!isNode(data) || depth > 2) return false;
  return Object.entries(data).some(
    ([name, value]) =>
      NEXTS.includes(plain(name)) || (AROUND.has(plain(name)) && saysNext(value, depth + 1)),
  );
}

/** `next: {page: TOKEN}` */
const firstOf = (node: Node): unknown => Object.values(node).find((one) => typeof one === 'string');

/** The address of the next page; null where what an answer says is none. `any`: it can be nothing else. */
function addressIn(data: unknown, hint: string | undefined, any = false): string | null {
  const next = nextOf(data, hint === 'last' ? '' : hint);
  if (typeof next !== 'string' || next === '') return null;
  return any || /^(?:https?:\/\/|\/|\?)/i.test(next) ? next : null;
}

const idAfter = (rows: readonly unknown[], idOf: (row: unknown) => string | null): string | null =>
  rows.length === 0 ? null : idOf(rows.at(-1));

const MORE = new Set(['hasmore', 'hasnext', 'hasnextpage', 'more']);

function moreIn(data: Node): boolean | undefined {
  const inside = Object.entries(data)
    .filter(([name]) => AROUND.has(plain(name)))
    .map(([, one]) => one);
  const all = [data, ...inside.filter(isNode)].flatMap((one) => Object.entries(one));
  const found = all.find(([name, value]) => MORE.has(plain(name)) && typeof value === 'boolean');
  return found?.[1] as boolean | undefined;
}

const isLast = (data: unknown): boolean => isNode(data) && moreIn(data) === false;
