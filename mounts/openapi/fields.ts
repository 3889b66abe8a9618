/** Which fields of a record are its id, its title, its time and its text, by what they are called. */
import type { Description, Node } from './description.ts';
import { plain } from './operations.ts';

const IDS = ['id', 'uuid', 'guid', 'uid', 'key'];
/** Ids where the path of one says that something is. */
const NAMES = ['slug', 'code', 'name', 'hash', 'login', 'email'];
const TITLES = [
  'title',
  'name',
  'subject',
  'fullname',
  'displayname',
  'label',
  'summary',
  'headline',
];
const TIMES = [
  'updatedat',
  'updated',
  'modifiedat',
  'modified',
  'lastmodified',
  'lastupdated',
  'dateupdated',
  'datemodified',
  'lastmodifiedat',
  'updatedon',
  'modifiedon',
  'lastupdatedat',
  'updatedtime',
  'editedat',
];
/** When it was made. */
const MADE = ['createdat', 'created', 'datecreated', 'createdon', 'createdtime', 'creationdate'];
const TEXTS = ['body', 'content', 'text', 'markdown', 'description', 'message', 'notes', 'note'];
const STATES = ['state', 'status', 'type', 'kind'];

/** The fields of a record, and what they are for. */
export interface Fields {
  /** Those of the description, in its order. */
  all: ReadonlyMap<string, Node>;
  id: string | null;
  title: string | null;
  updated: string | null;
  /** When it was made, where that is told. */
  made: string | null;
  /** The text below the others; null where the records are JSON. */
  text: string | null;
  /** What is worth a column beside them. */
  state: string | null;
}

/** What a deployer says of them. */
export interface FieldHints {
  id?: string | undefined;
  title?: string | undefined;
  updated?: string | undefined;
  text?: string | undefined;
}

/**
 * @param schema of one record
 * @param param what the path of one calls its id; null where there is no such path
 * @param segment what the path calls the records: `pets`
 */
export function fieldsOf(
  from: Description,
  schema: unknown,
  param: string | null,
  segment: string,
  hints: FieldHints,
): Fields {
  const all = from.properties(schema);
  const byPlain = new Map([...all.keys()].reverse().map((name) => [plain(name), name]));
  const first = (names: readonly string[], fits: (one: Node) => boolean): string | null => {
    const found = names.map((name) => byPlain.get(name)).filter((name) => name !== undefined);
    return found.find((name) => fits(all.get(name) ?? {})) ?? null;
  };
  const isOf =
    (...types: string[]) =>
    (one: Node): boolean => {
      const own = from.types(one);
      return own.length === 0 || own.some((type) => types.includes(type));
    };
  const isText = (one: Node): boolean =>
    from.types(one).includes('string') &&
    from.keyword(one, 'enum') === undefined &&
    ['markdown', 'html', undefined].includes(from.keyword(one, 'format') as string | undefined);
  const text = hints.text ?? first(TEXTS, isText) ?? '';
  return {
    all,
    id: hints.id ?? first(idNames(param, segment), isOf('string', 'integer', 'number')),
    title: hints.title ?? first(TITLES, isOf('string')),
    updated: hints.updated ?? first(TIMES, isOf('string', 'integer', 'number')),
    made: first(MADE, isOf('string', 'integer', 'number')),
    // The text is the record's `body`: a field of that name would be lost.
    text: text === '' || (text !== 'body' && all.has('body')) ? null : text,
    state: first(STATES, isOf('string')),
  };
}

/** `petId` and `pet_id` are the `id` of `pets`, `issue_number` is the `number` of `issues`. */
function idNames(param: string | null, segment: string): string[] {
  const kind = plain(segment);
  const kinds = [
    kind,
    kind.replace(/ies$/, 'y'),
    kind.replace(/(?:es|s)$/, ''),
    kind.replace(/s$/, ''),
  ];
  const prefixed = kinds.map((one) => `${one}id`);
  if (param === null) return [...prefixed, ...IDS];
  const own = plain(param);
  const cut = kinds.filter((one) => one !== '' && own.startsWith(one) && own !== one);
  const without = cut.map((one) => own.slice(one.length));
  const endings = [...IDS, ...NAMES].filter((id) => own.endsWith(id));
  return [own, ...without, ...endings, 'id', ...prefixed, ...IDS, ...NAMES, ...kinds];
}

/** A field's value as a time, ISO 8601; '' where it is none. */
export function timeOf(value: unknown): string {
  if (typeof value === 'number') return isoOf(value < 1e11 ? value * 1000 : value);
  return typeof value === 'string' ? isoOf(Date.parse(value)) : '';
}

function isoOf(ms: number): string {
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? '' : date.toISOString();
}
