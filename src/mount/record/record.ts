/** Typed records: which fields one has, which may be written, and its form as a file. */
import { z } from 'zod';
import { brand } from '../../errors.ts';
import { nearest, someOf } from '../../nearest.ts';
import { FrontmatterError, parseFrontmatter, renderFrontmatter } from './frontmatter.ts';

/** The values of a record by field; the body is the field named `body`. */
export type Values = Record<string, unknown>;

/** One field. */
export interface FieldSpec {
  /** What a written value must be; its message ends the sentence "NAME: …". */
  schema: z.ZodType;
  /** `read`: the service's own; `edit`: may be changed; `create`: may be given on creation too. */
  access: 'read' | 'edit' | 'create';
  /** Must a new record have it? */
  required?: boolean;
  /** What a new record's template shows. */
  initial?: unknown;
  /** One line for README.md and the template: what is allowed. */
  about: string;
  /** Of a read-only field: what another value than the one that was read means, and what to do. */
  otherMeans?: string;
}

/** A kind of record. Fields are in the order in which the file shows them; `body` is below. */
export interface RecordType {
  name: string;
  /** Markdown with the fields above it by default; `json`: one object, a line a field, no body. */
  form?: 'markdown' | 'json';
  fields: Readonly<Record<string, FieldSpec>>;
}

/**
 * The type of a record in which some fields cannot be changed that can be in others.
 * @param fixed by their names: why, and what to do instead
 */
export function withFixed(type: RecordType, fixed: Readonly<Record<string, string>>): RecordType {
  const fields = Object.entries(type.fields).map(([name, spec]): [string, FieldSpec] => {
    const otherMeans = fixed[name];
    if (otherMeans === undefined) return [name, spec];
    return [name, { schema: z.unknown(), access: 'read', about: spec.about, otherMeans }];
  });
  return { ...type, fields: Object.fromEntries(fields) };
}

/** A wrong field, and what is right. */
export interface Problem {
  field: string;
  message: string;
}

/** A text that is not a valid record of its type. */
export class RecordError extends Error {
  override readonly name = 'RecordError';
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[], cause?: unknown) {
    super(
      problems
        .map(({ field, message }) => (field === '' ? message : `${field}: ${message}`))
        .join('; '),
      cause === undefined ? undefined : { cause },
    );
    this.problems = problems;
  }

  static {
    brand(RecordError, 'RecordError');
  }
}

/**
 * The file of a record; fields that are undefined are left out. JSON can hold halves of characters,
 * which no file does: they are U+FFFD here already, so that what is read is what was shown.
 */
export function renderRecord(type: RecordType, values: Values): string {
  if (type.form === 'json') {
    const names = Object.keys(type.fields).filter((name) => values[name] !== undefined);
    return jsonText(Object.fromEntries(names.map((name) => [name, values[name]])));
  }
  const { body, ...fields } = values;
  const shown = Object.keys(type.fields)
    .filter((name) => name !== 'body' && fields[name] !== undefined)
    .map((name) => [name, fields[name]]);
  return renderFrontmatter({
    fields: Object.fromEntries(shown),
    body: typeof body === 'string' ? body : '',
  }).toWellFormed();
}

/** Every value of a file that we rendered ourselves, read-only ones included. */
export function valuesOf(type: RecordType, text: string): Values {
  if (type.form === 'json') return parsedObject(text);
  const { fields, body } = parseFrontmatter(text);
  return { ...fields, body };
}

function jsonText(fields: Values): string {
  return `${JSON.stringify(fields, null, 2)}\n`;
}

/** @throws FrontmatterError where the text is no JSON object */
function parsedObject(text: string): Values {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new FrontmatterError(`the file must be one JSON object: ${error.message}`);
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Values;
  throw new FrontmatterError('the file must be one JSON object, `{"name": value}`');
}

/** The template that reading `new.md` gives; `allowed` adds what only the service knows. */
export function renderTemplate(
  type: RecordType,
  allowed: Readonly<Record<string, readonly string[]>> = {},
): string {
  const fields: Values = {};
  const comments: Record<string, string> = {};
  for (const [name, spec] of Object.entries(type.fields)) {
    if (name === 'body' || spec.access !== 'create') continue;
    fields[name] = spec.initial ?? null;
    const names = allowed[name];
    const values = names === undefined ? '' : `; any of: ${someOf(names, 40)}`;
    comments[name] = `${spec.required ? 'required, ' : ''}${spec.about}${values}`;
  }
  if (type.form === 'json') return jsonText(fields);
  if (Object.keys(fields).length === 0) return '';
  return renderFrontmatter({ fields, body: '' }, comments);
}

/** What a text gives: the fields that are right, and every one that is not. */
export interface Parsed {
  values: Values;
  problems: Problem[];
}

/**
 * The fields that a text gives; what it leaves out is not among them.
 * `base` is the record as it was read: a read-only field may be repeated, not changed. Without
 * one, what a template shows and nobody filled in is left out, too.
 */
export function readRecord(type: RecordType, text: string, base: Values | null): Parsed {
  const problems: Problem[] = [];
  const values: Values = {};
  const given = givenValues(type, text, base, problems);
  if (given === null) return { values, problems };
  for (const [name, value] of Object.entries(given)) {
    const spec = Object.hasOwn(type.fields, name) ? type.fields[name] : undefined;
    if (spec !== undefined && isUntouched(spec, value, base, name)) continue;
    const problem = spec === undefined ? unknownField(type, name) : wrong(name, spec, value, base);
    if (problem !== null) problems.push({ field: name, message: problem });
    else if (spec !== undefined && spec.access !== 'read') values[name] = spec.schema.parse(value);
  }
  if (base === null) problems.push(...missing(type, given, problems));
  return { values, problems };
}

/**
 * As `readRecord`, where nothing more is to be checked.
 *
 * @throws RecordError naming every wrong field.
 */
export function parseRecord(type: RecordType, text: string, base: Values | null): Values {
  const { values, problems } = readRecord(type, text, base);
  if (problems.length > 0) throw new RecordError(problems);
  return values;
}

/** What was not touched is not judged: a service may hold what it would not take today. */
function isUntouched(spec: FieldSpec, value: unknown, base: Values | null, name: string): boolean {
  if (base !== null) return same(value, base[name]);
  return spec.access === 'create' && same(value, spec.initial);
}

/**
 * A record of which nothing but the body must be given may be written as a bare body. null, and a
 * problem noted, where the text is no record at all.
 */
function givenValues(
  type: RecordType,
  text: string,
  base: Values | null,
  problems: Problem[],
): Values | null {
  if (type.form === 'json') return orProblem(() => parsedObject(text), problems);
  const mayLack = (name: string) => name === 'body' || type.fields[name]?.required !== true;
  const only = writable(type).every((name) => name === 'body');
  const bare =
    base === null &&
    (only || (type.fields['body']?.required === true && writable(type).every(mayLack)));
  if (bare && !text.startsWith('---\n')) return { body: text.replace(/\n$/, '') };
  return orProblem(() => {
    const { fields, body } = parseFrontmatter(text);
    return { ...fields, ...(Object.hasOwn(type.fields, 'body') ? { body } : {}) };
  }, problems);
}

function orProblem(parse: () => Values, problems: Problem[]): Values | null {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof FrontmatterError)) throw error;
    problems.push({ field: '', message: error.message });
    return null;
  }
}

/** The names of the fields that a write may give. */
export function writable(type: RecordType): string[] {
  return Object.keys(type.fields).filter((name) => type.fields[name]?.access !== 'read');
}

function unknownField(type: RecordType, name: string): string {
  const alike = nearest(name, Object.keys(type.fields));
  const hint = alike.length > 0 ? `nearest: ${alike.join(', ')}; ` : '';
  return `no such field (${hint}allowed: ${writable(type).join(', ')})`;
}

function wrong(name: string, spec: FieldSpec, value: unknown, base: Values | null): string | null {
  if (spec.access === 'read') {
    if (base !== null && same(value, base[name] ?? null)) return null;
    if (base === null) return 'is set by the service: leave it out';
    const hint = spec.otherMeans ?? 'leave it out or as it is';
    return `cannot be changed (it is ${JSON.stringify(base[name] ?? null)}): ${hint}`;
  }
  if (spec.access === 'edit' && base === null) return 'cannot be given on creation: leave it out';
  const parsed = spec.schema.safeParse(value);
  if (parsed.success) return null;
  const messages = [...new Set(parsed.error.issues.map((issue) => issue.message))];
  const hint = formHint(spec, value);
  return `${messages.join(', ')} (${hint}allowed: ${spec.about})`;
}

/** `milestone: 3.4` is a number to YAML, and the text that was meant needs quotes; `labels: bug` is no list. */
function formHint(spec: FieldSpec, value: unknown): string {
  if (typeof value === 'string' && spec.schema.safeParse([value]).success) {
    return `a list is in brackets: [${JSON.stringify(value)}]; `;
  }
  const asText = (one: unknown) =>
    typeof one === 'number' || typeof one === 'boolean' ? String(one) : one;
  const text = Array.isArray(value) ? value.map(asText) : asText(value);
  if (same(text, value) || !spec.schema.safeParse(text).success) return '';
  const shown = Array.isArray(text)
    ? `[${text.map((one) => JSON.stringify(one)).join(', ')}]`
    : text;
  return `in quotes it is text: ${Array.isArray(text) ? shown : JSON.stringify(shown)}; `;
}

/** A value that was given is judged by its schema; if it is refused by that, it is not missed as well. */
function missing(type: RecordType, given: Values, found: readonly Problem[]): Problem[] {
  const refused = new Set(found.map(({ field }) => field));
  return Object.entries(type.fields)
    .filter(([name, { required }]) => required === true && (given[name] ?? '') === '')
    .filter(([name]) => !refused.has(name))
    .map(([name, spec]) => ({ field: name, message: `is required (${spec.about})` }));
}

/** Equal as JSON values; lists of names are sets, line ends of texts are as the service keeps them. */
export function same(a: unknown, b: unknown): boolean {
  if (Array.isArray(a) && Array.isArray(b)) {
    return JSON.stringify([...a].sort()) === JSON.stringify([...b].sort());
  }
  return JSON.stringify(a ?? null) === JSON.stringify(b ?? null);
}

/** What a write wants changed, and where the other side touched the same. */
export interface Merge {
  /** Only the fields that differ from what the service has now. */
  delta: Values;
  conflicts: string[];
}

/** Three-way merge by field: base as it was read, mine as written, theirs as the service has it now. */
export function mergeFields(base: Values, mine: Values, theirs: Values): Merge {
  const delta: Values = {};
  const conflicts: string[] = [];
  for (const [name, value] of Object.entries(mine)) {
    if (same(value, base[name]) || same(value, theirs[name])) continue;
    if (same(base[name], theirs[name])) delta[name] = value;
    else conflicts.push(name);
  }
  return { delta, conflicts };
}
