/** An OpenAPI 3 description as it is read: one file, its own references alone, whatever it holds. */
import { readFileSync, statSync } from 'node:fs';
import { z } from 'zod';
import { ConfigError, readYaml, YamlFault } from '../../src/mount/index.ts';

/** A JSON object of the description. */
export type Node = Readonly<Record<string, unknown>>;

/** Larger files are not read. Bytes. */
const LARGEST = 32 * 1024 * 1024;
/** Of YAML, which takes a hundred times as long to read as JSON. Characters and tokens. */
const LARGEST_YAML = { characters: 4 * 1024 * 1024, tokens: 500_000 };
/** More paths are nobody's description. */
const MOST_PATHS = 20_000;
/** So many references lead on to another. */
const MOST_HOPS = 32;
/** A schema is composed of so many at most. */
const MOST_PARTS = 500;

export const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A part of the description that cannot be used, and why. */
export class DescriptionFault extends Error {
  override readonly name = 'DescriptionFault';
}

const nodes = z.record(z.string(), z.unknown());
const descriptionSchema = z.looseObject({
  openapi: z.string().optional(),
  swagger: z.string().optional(),
  info: z
    .looseObject({ title: z.string().optional(), description: z.string().optional() })
    .optional(),
  paths: nodes.optional(),
});

/** A description. Whatever is looked up in it may be a reference to elsewhere in the file. */
export class Description {
  readonly #root: Node;
  readonly title: string;
  readonly about: string;
  /** By their templates, `/pets/{petId}`. */
  readonly paths: ReadonlyMap<string, Node>;

  /** @throws ConfigError where it is none of OpenAPI 3 */
  constructor(data: unknown, file: string) {
    const parsed = descriptionSchema.safeParse(data);
    if (!parsed.success || (parsed.data.openapi ?? parsed.data.swagger) === undefined) {
      throw new ConfigError('', `${file} is no OpenAPI description: it has no field \`openapi\``);
    }
    const { openapi, swagger, info, paths } = parsed.data;
    if (openapi === undefined || !/^3\.[012](?:\.|$)/.test(openapi)) {
      const version = openapi ?? swagger;
      throw new ConfigError(
        '',
        `${file} is of OpenAPI ${version}: 3.0 and 3.1 are read; convert it, as swagger2openapi does`,
      );
    }
    this.#root = parsed.data;
    this.title = oneLine(info?.title ?? '') || 'the service';
    this.about = oneLine(info?.description ?? '');
    if (paths === undefined || Object.keys(paths).length === 0) {
      throw new ConfigError('', `${file} describes no paths`);
    }
    const count = Object.keys(paths).length;
    if (count > MOST_PATHS) {
      throw new ConfigError('', `${file} describes ${count} paths; ${MOST_PATHS} are looked at`);
    }
    this.paths = new Map(
      Object.entries(paths).filter(([path, one]) => path.startsWith('/') && isNode(one)) as [
        string,
        Node,
      ][],
    );
  }

  /** What stands at a place, or at the place that it refers to. Throws DescriptionFault. */
  node(value: unknown): Node {
    return this.located(value).node;
  }

  /** The same, and the pointer that led there; null where none did. Throws DescriptionFault. */
  located(value: unknown): { node: Node; pointer: string | null } {
    let at = value;
    let pointer: string | null = null;
    for (let hops = 0; hops < MOST_HOPS; hops++) {
      if (!isNode(at)) return { node: {}, pointer };
      if (typeof at['$ref'] !== 'string') return { node: at, pointer };
      pointer = at['$ref'];
      at = this.#pointed(pointer);
    }
    throw new DescriptionFault(`${pointer} refers to itself`);
  }

  /** A list of the description, each of them a node. Throws DescriptionFault. */
  list(value: unknown): Node[] {
    return Array.isArray(value) ? value.map((one) => this.node(one)) : [];
  }

  /** What is at `components/KIND`, at `servers` or at `security`. */
  root(...keys: readonly string[]): unknown {
    return keys.reduce<unknown>(
      (at, key) => (isNode(at) && Object.hasOwn(at, key) ? at[key] : undefined),
      this.#root,
    );
  }

  /** The properties of an object's schema, those of all that it is composed of included. Throws DescriptionFault. */
  properties(schema: unknown): Map<string, Node> {
    const found = new Map<string, Node>();
    this.#gather(schema, found, new Set());
    return found;
  }

  /** The first of a schema and of what it is composed of that has a keyword; undefined for none. */
  keyword(schema: unknown, name: string, seen = new Set<Node>()): unknown {
    const node = this.node(schema);
    if (seen.has(node) || seen.size > MOST_PARTS) return undefined;
    seen.add(node);
    if (node[name] !== undefined) return node[name];
    for (const part of composed(node)) {
      const value = this.keyword(part, name, seen);
      if (value !== undefined) return value;
    }
    return undefined;
  }

  /** What the items of an array are, by all that its schema is composed of; undefined where nothing says so. */
  items(schema: unknown, seen = new Set<Node>()): unknown {
    const node = this.node(schema);
    if (seen.has(node) || seen.size > MOST_PARTS) return undefined;
    seen.add(node);
    const all = [node['items'], ...composed(node).map((part) => this.items(part, seen))];
    const known = all.filter((one) => one !== undefined);
    return known.length > 1 ? { allOf: known } : known[0];
  }

  /** The types that a schema allows, as far as it says so. */
  types(schema: unknown): string[] {
    const type = this.keyword(schema, 'type');
    if (Array.isArray(type)) return type.filter((one) => typeof one === 'string' && one !== 'null');
    if (typeof type === 'string') return [type];
    if (this.keyword(schema, 'items') !== undefined) return ['array'];
    return this.keyword(schema, 'properties') === undefined ? [] : ['object'];
  }

  #gather(schema: unknown, into: Map<string, Node>, seen: Set<Node>): void {
    const node = this.node(schema);
    if (seen.has(node) || seen.size > MOST_PARTS) return;
    seen.add(node);
    const { properties } = node;
    if (isNode(properties)) {
      for (const [name, one] of Object.entries(properties)) {
        const known = into.get(name);
        if (isNode(one)) into.set(name, known === undefined ? one : { allOf: [known, one] });
      }
    }
    for (const part of composed(node)) this.#gather(part, into, seen);
  }

  #pointed(pointer: string): unknown {
    if (!pointer.startsWith('#/')) {
      throw new DescriptionFault(`it refers to ${pointer}, outside of the file, which is not read`);
    }
    const keys = pointer.slice(2).split('/').map(unescaped);
    const found = this.root(...keys);
    if (found === undefined)
      throw new DescriptionFault(`it refers to ${pointer}, which is not there`);
    return found;
  }
}

const composed = (node: Node): unknown[] =>
  ['allOf', 'oneOf', 'anyOf'].flatMap((key) =>
    Array.isArray(node[key]) ? (node[key] as unknown[]) : [],
  );

function unescaped(key: string): string {
  const plain = /%[0-9a-f]{2}/i.test(key) ? decoded(key) : key;
  return plain.replaceAll('~1', '/').replaceAll('~0', '~');
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    if (error instanceof URIError) return text;
    throw error;
  }
}

/** The first sentence or so, as one line. */
export function oneLine(text: string, longest = 120): string {
  const line = text.replaceAll(/[\p{Cc}\s]+/gu, ' ').trim();
  const [sentence = ''] = line.split(/(?<=[.!?]) /);
  return sentence.length <= longest
    ? sentence.replace(/\.$/, '')
    : `${sentence.slice(0, longest)}…`;
}

/**
 * Reads JSON or YAML of a file of the host.
 * @throws ConfigError where it cannot be read
 */
export function readDocument(file: string): unknown {
  const { size } = statSync(file);
  if (size > LARGEST) {
    throw new ConfigError(
      '',
      `${file} has ${size.toLocaleString('en')} bytes; ${LARGEST.toLocaleString('en')} are read`,
    );
  }
  const text = readFileSync(file, 'utf8').replace(/^\uFEFF/, '');
  try {
    return /^\s*\{/.test(text) ? JSON.parse(text) : readYaml(text, 'core', LARGEST_YAML).value;
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof YamlFault)) throw error;
    throw new ConfigError('', `${file} is neither JSON nor YAML: ${error.message}`, error);
  }
}
