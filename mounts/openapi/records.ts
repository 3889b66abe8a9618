/** Records of a planned resource: how an answer is held, which fields a file has, what is sent. */
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import {
  type FieldSpec,
  fileNameOf,
  keyNamed,
  type Problem,
  type RecordType,
  ServiceFailure,
  type Values,
} from '../../src/mount/index.ts';
import { aboutOf, type Checks } from './checking.ts';
import { type Description, isNode, type Node } from './description.ts';
import { timeOf } from './fields.ts';
import { bodyOf, type Operation } from './operations.ts';
import type { ResourcePlan } from './plan.ts';

/** A record as it is held: whatever the service gave, also where the description has it otherwise. */
export const heldSchema = z.object({
  id: z.string(),
  value: z.record(z.string(), z.json()),
  /** Of a single without fields, a list or a text: all of it. */
  other: z.json().optional(),
  /** Does it have all that its file shows? */
  isWhole: z.boolean(),
});

export type Held = z.infer<typeof heldSchema>;

/** Our clock and the service's may be so far apart. */
const CLOCKS_APART_MS = 60_000;

/** Fields that are sent. */
interface Sent {
  operation: Operation;
  schema: unknown;
  fields: ReadonlyMap<string, Node>;
  required: ReadonlySet<string>;
}

/** What there is to know of the records of one resource. */
export class Records {
  readonly plan: ResourcePlan;
  readonly #from: Description;
  readonly #checks: Checks;
  readonly #taken: ReadonlySet<string>;
  readonly create: Sent | null;
  readonly update: Sent | null;
  readonly #specs = new Map<string, FieldSpec>();

  /** @param taken names that stand for something else beside its records */
  constructor(plan: ResourcePlan, from: Description, checks: Checks, taken: ReadonlySet<string>) {
    this.plan = plan;
    this.#from = from;
    this.#checks = checks;
    this.#taken = taken;
    this.create = this.#sent(plan.create);
    this.update = this.#sent(plan.update);
  }

  /** `json` where there is no text to stand below the fields. */
  get form(): 'markdown' | 'json' {
    return this.plan.fields.text === null || this.plan.kind === 'single' ? 'json' : 'markdown';
  }

  get ending(): string {
    return this.form === 'json' ? 'json' : 'md';
  }

  // --- answers

  /** The id of a row; null where it has none. */
  idIn(row: unknown): string | null {
    const { id } = this.plan.fields;
    const value = isNode(row) && id !== null ? row[id] : undefined;
    return ['string', 'number', 'boolean'].includes(typeof value) && value !== ''
      ? String(value)
      : null;
  }

  /** @throws ServiceFailure where a row has no id, so that nothing could be named by it */
  ofRow(row: unknown, before: (id: string) => Held | null): Held {
    const id = this.idIn(row);
    if (id === null || !isNode(row)) {
      const name = this.plan.fields.id ?? 'id';
      throw new ServiceFailure(
        'protocol',
        `one of ${this.plan.id} came without its \`${name}\`, by which its file is named`,
      );
    }
    const held = before(id);
    const { updated } = this.plan.fields;
    const isSame =
      updated !== null &&
      held?.isWhole === true &&
      row[updated] !== undefined &&
      held.value[updated] === row[updated];
    const value = (isSame ? { ...held.value, ...row } : row) as Held['value'];
    return { id, value, isWhole: isSame || !this.plan.isPartial };
  }

  /** @param id that it was asked for by, where nothing lists it */
  ofOne(record: unknown, id: string | null): Held {
    const own = id ?? this.idIn(record);
    if (own === null)
      throw new ServiceFailure(
        'protocol',
        `the answer for one of ${this.plan.id} does not say which it is`,
      );
    const isFields = isNode(record);
    return {
      id: own,
      value: isFields ? (record as Held['value']) : {},
      ...(isFields ? {} : { other: record as Held['other'] }),
      isWhole: true,
    };
  }

  /** Can it be what a request made that was sent at a time, in ms? By what was sent, and by its own time. */
  mayBeOf(held: Held, body: unknown, sentAt: number): boolean {
    const { made, updated } = this.plan.fields;
    const time = timeOf(held.value[made ?? updated ?? '']);
    if (time !== '' && Date.parse(time) < sentAt - CLOCKS_APART_MS) return false;
    const sent = isNode(body) ? Object.entries(body) : [];
    return sent.every(([name, value]) => isDeepStrictEqual(held.value[name] ?? null, value));
  }

  updatedAt({ value }: Held): string {
    const { updated } = this.plan.fields;
    return updated === null ? '' : timeOf(value[updated]);
  }

  // --- files

  nameOf = ({ id }: Held): string => fileNameOf([id], (name) => this.#taken.has(name));

  /** The id that a name stands for; null where it does not tell. */
  idNamed(name: string): string | null {
    const [id, ...more] = keyNamed(name) ?? [];
    return id === undefined || more.length > 0 ? null : id;
  }

  values({ value }: Held): Values {
    const { text } = this.plan.fields;
    if (this.form === 'json' || text === null) return value;
    const { [text]: body, ...fields } = value;
    return { ...fields, body: typeof body === 'string' ? body : '' };
  }

  typeOf(one: Held | null): RecordType {
    const { text } = this.plan.fields;
    const isMarkdown = this.form === 'markdown';
    const known = one === null ? [] : Object.keys(one.value);
    const writable = [...(this.create?.fields.keys() ?? []), ...(this.update?.fields.keys() ?? [])];
    const described = one === null ? [] : [...this.plan.fields.all.keys()];
    const names = [...new Set([...known, ...described, ...writable])].filter(
      (name) => !isMarkdown || name !== text,
    );
    const fields = Object.fromEntries(names.map((name) => [name, this.#spec(name, one === null)]));
    const body: Record<string, FieldSpec> =
      isMarkdown && text !== null ? { body: this.#spec(text, one === null) } : {};
    return { name: this.plan.id, form: this.form, fields: { ...fields, ...body } };
  }

  /** The type as README.md has it: what may be given, changed and read. */
  described(): RecordType {
    const [made, known] = [this.typeOf(null), this.typeOf({ id: '', value: {}, isWhole: true })];
    const names = Object.keys(known.fields);
    const fields = names.map((name) => {
      const given = made.fields[name];
      return [name, given?.access === 'create' ? given : (known.fields[name] ?? given)] as const;
    });
    return {
      ...known,
      fields: Object.fromEntries(
        fields.filter(([, one]) => one !== undefined),
      ) as RecordType['fields'],
    };
  }

  /** Columns of the index, and the cells of a record. */
  columns(): string[] {
    const { id, title, state, updated } = this.plan.fields;
    const others = [title, state, updated].filter(
      (name): name is string => name !== null && name !== id,
    );
    return ['id', ...new Set(others)];
  }

  row(held: Held): string[] {
    const [, ...others] = this.columns();
    return [held.id, ...others.map((name) => cellOf(held.value[name]))];
  }

  // --- writes

  /** The body for a new record. */
  bodyOfNew(values: Values): Values {
    return this.#named(values);
  }

  /** The body of an update: what differs, or for PUT all that may be sent. */
  bodyOfUpdate(one: Held, delta: Values): Values {
    const { update } = this;
    if (update === null) return {};
    const changed = this.#named(delta);
    const names = [...update.fields.keys()].filter(
      (name) => update.operation.method === 'put' || update.required.has(name),
    );
    const kept = names
      .filter((name) => one.value[name] !== undefined && !this.#isReadOnly(update.fields.get(name)))
      .map((name) => [name, one.value[name]] as const)
      .filter(
        ([name, value]) =>
          value !== null ||
          this.#checks.problems(update.fields.get(name), null, String).length === 0,
      );
    return { ...Object.fromEntries(kept), ...changed };
  }

  /** What of a whole body its schema does not take. */
  problems(sent: Sent | null, body: Values): Problem[] {
    if (sent === null) return [];
    const shown = (field: string): string =>
      this.form === 'markdown' && field === this.plan.fields.text ? 'body' : field;
    return this.#checks.problems(sent.schema, body, shown);
  }

  // --- within

  #named({ body, ...fields }: Values): Values {
    const { text } = this.plan.fields;
    if (this.form === 'json' || text === null)
      return body === undefined ? fields : { ...fields, body };
    return body === undefined ? fields : { ...fields, [text]: body };
  }

  #sent(operation: Operation | null): Sent | null {
    if (operation === null) return null;
    const schema = bodyOf(this.#from, operation);
    const required = this.#from.keyword(schema, 'required');
    return {
      operation,
      schema,
      fields: this.#from.properties(schema),
      required: new Set(Array.isArray(required) ? required.map(String) : []),
    };
  }

  #spec(name: string, isNew: boolean): FieldSpec {
    const key = `${isNew} ${name}`;
    const known = this.#specs.get(key);
    if (known !== undefined) return known;
    const made = this.#made(name, isNew);
    this.#specs.set(key, made);
    return made;
  }

  #made(name: string, isNew: boolean): FieldSpec {
    const sent = isNew ? this.create : this.update;
    const own = sent?.fields.get(name);
    if (sent === null || own === undefined || this.#isReadOnly(own)) {
      const shown = this.plan.fields.all.get(name) ?? own ?? {};
      const about = aboutOf(this.#from, shown);
      const other = isNew ? undefined : this.create?.fields.get(name);
      const otherMeans =
        other === undefined
          ? 'it is the service’s own: leave it as it is'
          : 'it is set once, when the record is made';
      return { schema: z.unknown(), access: 'read', about, otherMeans };
    }
    const initial = this.#from.keyword(own, 'default');
    return {
      schema: this.#checks.field(own),
      access: isNew ? 'create' : 'edit',
      about: aboutOf(this.#from, own),
      ...(isNew && sent.required.has(name) ? { required: true } : {}),
      ...(initial === undefined ? {} : { initial }),
    };
  }

  #isReadOnly(schema: Node | undefined): boolean {
    return schema !== undefined && this.#from.keyword(schema, 'readOnly') === true;
  }
}

function cellOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
