/** Which paths of a description are mounted as what, and which are not, and why. */
import { fileNameOf } from '../../src/mount/index.ts';
import { type Description, DescriptionFault } from './description.ts';
import { type Fields, fieldsOf } from './fields.ts';
import type { CollectionHints, Hints } from './hints.ts';
import {
  answerOf,
  bodyOf,
  enveloped,
  keysOf,
  type Operation,
  operationOf,
  type Parameter,
  type Place,
  rowsIn,
} from './operations.ts';
import { ParamNames } from './param-names.ts';

/** What a parameter in a path stands for. */
export type Binding = { value: string } | { param: string } | { of: ResourcePlan };

/** Paths that are one kind of records. */
export interface ResourcePlan {
  /** One word. */
  id: string;
  /** `lookup`: found when named alone; `single`: one record that has no id. */
  kind: 'collection' | 'lookup' | 'single';
  /** The path that lists, or gives the one; of a lookup the one that it is below. */
  path: string;
  /** Where its records are in the mount, a pattern. */
  directory: string;
  /** The parameter of the mount that names one. */
  param: string;
  /** The parameters of the path, by their names. */
  bindings: ReadonlyMap<string, Binding>;
  list: Operation | null;
  rows: Place | null;
  one: Operation | null;
  /** What the path of one calls its id. */
  oneParam: string;
  /** Where a record is in the answer for one. */
  record: readonly string[];
  create: Operation | null;
  update: Operation | null;
  remove: Operation | null;
  fields: Fields;
  /** Rows of the listing lack fields that the answer for one has. */
  isPartial: boolean;
  hints: CollectionHints;
  /** Is something below its records? */
  isParent: boolean;
}

/** A directory for each of the values that were given for a parameter. */
export interface Level {
  directory: string;
  param: string;
  values: readonly string[];
}

export interface Plan {
  resources: readonly ResourcePlan[];
  levels: readonly Level[];
  refused: readonly { path: string; why: string }[];
}

interface Placed {
  directory: string;
  bindings: Map<string, Binding>;
}

/** More would take long to open, and nobody would look through them. */
const MOST_MOUNTED = 1_000;
/** Names that a directory of records has beside them. */
export const RESERVED: ReadonlySet<string> = new Set(['new', 'index', 'README']);
/** Headers that a client sends of itself. */
const OWN_HEADERS = new Set([
  'accept',
  'authorization',
  'content-type',
  'user-agent',
  'if-none-match',
  'if-modified-since',
  'if-match',
]);
const PARAM = /^\{([^{}]+)\}$/;
const segmentsOf = (path: string): string[] => path.split('/').filter((one) => one !== '');
/** Paths that differ in the names of their parameters alone are one. */
const shapeOf = (path: string): string =>
  `/${segmentsOf(path)
    .map((one) => (PARAM.test(one) ? '{}' : one))
    .join('/')}`;

export function planOf(from: Description, hints: Hints): Plan {
  return new Planning(from, hints).plan();
}

class Planning {
  readonly #from: Description;
  readonly #hints: Hints;
  readonly #names = new ParamNames();
  readonly #resources: ResourcePlan[] = [];
  readonly #levels = new Map<string, Level>();
  readonly #refused: { path: string; why: string }[] = [];
  /** By the shape of the path of one record. */
  readonly #byOne = new Map<string, ResourcePlan>();
  readonly #pathsByShape = new Map<string, string>();

  constructor(from: Description, hints: Hints) {
    this.#from = from;
    this.#hints = hints;
    for (const path of from.paths.keys()) {
      if (!this.#pathsByShape.has(shapeOf(path))) this.#pathsByShape.set(shapeOf(path), path);
    }
    for (const path of Object.keys(hints.collections ?? {})) {
      if (!from.paths.has(path))
        this.#refused.push({ path, why: 'the description has no such path, only hints do' });
    }
  }

  plan(): Plan {
    const { only } = this.#hints;
    const isMeant = (path: string): boolean =>
      only?.some((one) => path === one || path.startsWith(`${one.replace(/\/$/, '')}/`)) ?? true;
    const depth = (path: string): number => segmentsOf(path).length;
    const paths = [...this.#from.paths.keys()].filter(isMeant);
    for (const path of paths.sort((a, b) => depth(a) - depth(b) || (a < b ? -1 : 1))) {
      try {
        this.#consider(path);
      } catch (error) {
        if (!(error instanceof DescriptionFault)) throw error;
        this.#refused.push({ path, why: error.message });
      }
    }
    return {
      resources: this.#resources,
      levels: [...this.#levels.values()],
      refused: this.#refused,
    };
  }

  #consider(path: string): void {
    if (this.#resources.length >= MOST_MOUNTED) {
      throw new DescriptionFault(`no more than ${MOST_MOUNTED} are mounted: say which in \`only\``);
    }
    const hints = this.#hints.collections?.[path];
    if (hints === false || this.#byOne.get(shapeOf(path)) !== undefined) return;
    const get = operationOf(this.#from, path, 'get');
    if (get === null) {
      // What is made where nothing is listed has no file.
      if (!this.#isKnown(path)) this.#refused.push({ path, why: 'it is not read with GET' });
      return;
    }
    this.#refuseElsewhere(path, get);
    const segments = segmentsOf(path);
    const last = segments.at(-1) ?? '';
    if (PARAM.test(last)) return this.#lookup(path, get, hints ?? {});
    const { directory, bindings } = this.#placed(segments);
    const schema = answerOf(this.#from, get);
    if (schema === null && hints?.rows === undefined)
      throw new DescriptionFault('its answer is no JSON');
    const rows =
      hints?.rows === undefined
        ? rowsIn(this.#from, schema, last)
        : { at: keysOf(hints.rows), schema: this.#below(schema, keysOf(hints.rows)) };
    const own = {
      path,
      list: get,
      rows,
      bindings,
      hints: hints ?? {},
      directory: renamed(directory, hints?.as),
    };
    if (rows === null || !this.#collection(own, last)) this.#single(own, last);
  }

  /** @returns false where its rows have no id */
  #collection(own: Own, last: string): boolean {
    const { path, hints, bindings, rows } = own;
    const onePath = hints.one ?? this.#pathsByShape.get(`${shapeOf(path)}/{}`);
    const found = onePath === undefined ? null : operationOf(this.#from, onePath, 'get');
    if (hints.one !== undefined && found === null)
      throw new DescriptionFault(`${hints.one} is not read with GET`);
    const isAsked =
      found !== null && this.#isBound(found.path, bindings) && this.#lacking(found) === undefined;
    const one = isAsked ? found : null;
    const oneParam = PARAM.exec(segmentsOf(onePath ?? '').at(-1) ?? '')?.[1] ?? '';
    const schema = one === null ? null : answerOf(this.#from, one);
    const record = hints.record === undefined ? this.#recordIn(schema) : keysOf(hints.record);
    const whole = schema === null ? null : this.#below(schema, record);
    const row = fieldsOf(this.#from, rows?.schema, oneParam === '' ? null : oneParam, last, hints);
    if (row.id === null) return false;
    const fields =
      whole === null ? row : fieldsOf(this.#from, whole, oneParam, last, { ...hints, id: row.id });
    const isPartial =
      one !== null &&
      hints.whole !== true &&
      [...fields.all.keys()].some((name) => !row.all.has(name));
    const all = new Map([...fields.all, ...row.all]);
    const param = this.#names.of(oneParam || `${last}_id`);
    this.#add({
      ...own,
      ...this.#writes(path, onePath ?? null, hints, bindings),
      kind: 'collection',
      id: '',
      param,
      one,
      oneParam,
      record,
      fields: { ...fields, all, title: row.title ?? fields.title, updated: row.updated },
      isPartial,
      isParent: false,
    });
    return true;
  }

  #lookup(path: string, one: Operation, hints: CollectionHints): void {
    const above = segmentsOf(path).slice(0, -1);
    const oneParam = PARAM.exec(segmentsOf(path).at(-1) ?? '')?.[1] ?? '';
    if (this.#hints.params?.[oneParam] !== undefined) {
      const { directory, bindings } = this.#placed(segmentsOf(path));
      this.#single({ path, list: one, rows: null, bindings, hints, directory }, oneParam);
      return;
    }
    const schema = answerOf(this.#from, one);
    if (schema === null) throw new DescriptionFault('its answer is no JSON');
    const { directory, bindings } = this.#placed(above);
    const record = hints.record === undefined ? this.#recordIn(schema) : keysOf(hints.record);
    const fields = fieldsOf(
      this.#from,
      this.#below(schema, record),
      oneParam,
      above.at(-1) ?? '',
      hints,
    );
    this.#add({
      ...this.#writes(null, path, hints, bindings),
      kind: 'lookup',
      id: '',
      path: `/${above.join('/')}`,
      directory: renamed(directory, hints.as),
      param: this.#names.of(oneParam),
      bindings,
      list: null,
      rows: null,
      one,
      oneParam,
      record,
      fields,
      isPartial: false,
      hints,
      isParent: false,
    });
  }

  /** One record without an id, or a listing of what has none: shown as it is. */
  #single(own: Own, last: string): void {
    const cut = own.directory.lastIndexOf('/');
    const name = own.directory.slice(cut + 1);
    const isNamed = name !== '' && !name.startsWith(':');
    const literal = RESERVED.has(name)
      ? `%${name.charCodeAt(0).toString(16)}${name.slice(1)}`
      : isNamed
        ? name
        : literalOf(last || 'index');
    this.#add({
      ...own,
      kind: 'single',
      id: '',
      directory: isNamed ? own.directory.slice(0, cut) : own.directory,
      param: this.#names.only(literal),
      one: null,
      oneParam: literal,
      record: [],
      create: null,
      update: null,
      remove: null,
      fields: fieldsOf(this.#from, {}, null, last, {}),
      isPartial: false,
      isParent: false,
    });
  }

  #add(plan: ResourcePlan): void {
    const slug = slugOf(plan.path) || 'root';
    let id = slug;
    for (let n = 2; this.#resources.some((one) => one.id === id); n++) id = `${slug}-${n}`;
    const added = { ...plan, id };
    const place = (one: ResourcePlan): string =>
      `${one.directory} ${one.kind === 'single' ? one.oneParam : ''}`;
    const same = this.#resources.find(
      (one) => place(one) === place(added) && (one.kind === 'single') === (added.kind === 'single'),
    );
    if (same !== undefined) throw new DescriptionFault(`${same.path} has the same place`);
    for (const { of } of [...added.bindings.values()].filter((one) => 'of' in one))
      of.isParent = true;
    this.#resources.push(added);
    if (added.kind === 'single') return;
    this.#byOne.set(`${shapeOf(added.path)}/{}`.replace('//', '/'), added);
    if (added.one !== null) this.#byOne.set(shapeOf(added.one.path), added);
  }

  /** Is it where a record that is mounted is written? */
  #isKnown(path: string): boolean {
    return this.#resources.some((one) =>
      [one.create, one.update, one.remove].some(
        (each) => each !== null && shapeOf(each.path) === shapeOf(path),
      ),
    );
  }

  /** Where a path is in the mount. Throws DescriptionFault where a parameter of it stands for nothing. */
  #placed(segments: readonly string[]): Placed {
    let directory = '';
    const bindings = new Map<string, Binding>();
    for (const [index, segment] of segments.entries()) {
      const name = PARAM.exec(segment)?.[1];
      const shape = shapeOf(segments.slice(0, index + 1).join('/'));
      if (name === undefined) {
        if (/^\.{1,2}$|[?#\\]/.test(segment))
          throw new DescriptionFault(`\`${segment}\` cannot stand in a path`);
        if (/[{}]/.test(segment))
          throw new DescriptionFault(`\`${segment}\` is more than one parameter`);
        directory += `/${literalOf(segment)}`;
        const listed = this.#resources.find(
          (one) => one.kind === 'collection' && shapeOf(one.path) === shape,
        );
        if (listed !== undefined) directory = listed.directory;
        continue;
      }
      const given = this.#hints.params?.[name];
      const of = this.#byOne.get(shape);
      if (given !== undefined && !Array.isArray(given))
        bindings.set(name, { value: String(given) });
      else if (Array.isArray(given)) {
        directory = this.#level(directory, name, given.map(String));
        bindings.set(name, { param: this.#levels.get(directory)?.param ?? '' });
      } else if (of !== undefined && of.id !== '') {
        for (const [each, binding] of of.bindings) bindings.set(each, binding);
        directory = `${of.directory}/:${of.param}`;
        bindings.set(name, { of });
      } else {
        throw new DescriptionFault(
          `nothing lists what \`${name}\` stands for: give it in \`params\``,
        );
      }
    }
    return { directory, bindings };
  }

  #level(above: string, name: string, values: readonly string[]): string {
    const held = [...this.#levels.values()].find(
      (one) => one.directory.startsWith(`${above}/:`) && one.values.join() === values.join(),
    );
    if (held !== undefined) return held.directory;
    const param = this.#names.of(name);
    const directory = `${above}/:${param}`;
    this.#levels.set(directory, { directory, param, values });
    return directory;
  }

  /** Are all parameters but the last known? */
  #isBound(path: string, bindings: ReadonlyMap<string, Binding>): boolean {
    const names = segmentsOf(path)
      .map((one) => PARAM.exec(one)?.[1])
      .filter((one) => one !== undefined);
    return names
      .slice(0, -1)
      .every((name) => bindings.has(name) || typeof this.#hints.params?.[name] === 'string');
  }

  #writes(
    list: string | null,
    one: string | null,
    hints: CollectionHints,
    bindings: ReadonlyMap<string, Binding>,
  ): Pick<ResourcePlan, 'create' | 'update' | 'remove'> {
    const from = this.#from;
    if (hints.readOnly === true) return { create: null, update: null, remove: null };
    const at = (
      path: string | null,
      method: 'post' | 'patch' | 'put' | 'delete',
    ): Operation | null => {
      const operation = path === null ? null : operationOf(from, path, method);
      if (operation === null || this.#lacking(operation) !== undefined) return null;
      return method === 'delete' || from.properties(bodyOf(from, operation)).size > 0
        ? operation
        : null;
    };
    const own = one !== null && this.#isBound(one, bindings) ? one : null;
    const way = hints.update?.toLowerCase() as 'patch' | 'put' | 'post' | undefined;
    const update = way === undefined ? (at(own, 'patch') ?? at(own, 'put')) : at(own, way);
    return { create: at(list, 'post'), update, remove: at(own, 'delete') };
  }

  /** A parameter that must be given, and is not. */
  #lacking({ path, parameters }: Operation): Parameter | undefined {
    const hints = this.#hints.collections?.[path];
    const given = Object.keys((hints !== false && hints?.query) || {});
    const headers = Object.keys(this.#hints.headers ?? {}).map((name) => name.toLowerCase());
    const isGiven = (one: Parameter): boolean => {
      if (one.in === 'path') return true;
      if (one.in === 'header') return [...OWN_HEADERS, ...headers].includes(one.name.toLowerCase());
      return given.includes(one.name) || this.#from.keyword(one.schema, 'default') !== undefined;
    };
    return parameters.find((one) => one.isRequired && !isGiven(one));
  }

  #refuseElsewhere(path: string, get: Operation): void {
    const lacking = this.#lacking(get);
    if (lacking !== undefined) {
      const where = lacking.in === 'header' ? 'headers' : 'query';
      throw new DescriptionFault(
        `it needs the ${lacking.in} parameter \`${lacking.name}\`: give it in \`${where}\``,
      );
    }
    const own = this.#from.list(
      get.node['servers'] ?? this.#from.node(this.#from.paths.get(path))['servers'],
    );
    if (own.length > 0)
      throw new DescriptionFault(`it is at a server of its own, ${String(own[0]?.['url'])}`);
  }

  /** `{data: {…}}` is an envelope around the record. */
  #recordIn(schema: unknown): readonly string[] {
    if (schema === null) return [];
    const inner = enveloped(this.#from, schema);
    return inner === null ? [] : [inner[0]];
  }

  #below(schema: unknown, keys: readonly string[]): unknown {
    return keys.reduce<unknown>((one, key) => this.#from.properties(one).get(key) ?? {}, schema);
  }
}

type Own = Pick<ResourcePlan, 'path' | 'list' | 'rows' | 'bindings' | 'hints' | 'directory'>;

function renamed(directory: string, name: string | undefined): string {
  return name === undefined
    ? directory
    : `${directory.slice(0, directory.lastIndexOf('/'))}/${literalOf(name)}`;
}

/** A segment as a name in a pattern, where a colon would begin a parameter. */
const literalOf = (segment: string): string => fileNameOf([segment]).replaceAll(':', '%3A');
const slugOf = (path: string): string =>
  path.replaceAll(/[^A-Za-z0-9]+/g, '-').replaceAll(/^-|-$/g, '');
