/**
 * Linear's schema, derived from the types that `@linear/sdk` ships. The SDK generates these from
 * the schema itself, so a query that this schema accepts is one that Linear's own types know, and a
 * field that it lacks is one that we have made up.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A declaration of the types file: what it is built on, and its lines. */
interface Declaration {
  /** Names before the braces (`Node & {`), or the members of a union. */
  bases: string[];
  fields: Field[];
  union: boolean;
}

interface Field {
  name: string;
  /** As GraphQL writes it: `[Issue!]!`. */
  type: string;
  /** Names that the type mentions. */
  mentions: string[];
  /** Why it should not be used any more; null where it may be. */
  deprecated: string | null;
}

const BUILT_IN: ReadonlySet<string> = new Set(['ID', 'String', 'Boolean', 'Int', 'Float']);
const ROOTS = ['Query', 'Mutation'] as const;

/** The text of the SDK's generated types: the one file of its `dist` that declares `type Query`. */
export function sdkTypes(): string {
  const dist = dirname(fileURLToPath(import.meta.resolve('@linear/sdk')));
  for (const name of readdirSync(dist).filter((file) => file.endsWith('.d.mts'))) {
    const text = readFileSync(join(dist, name), 'utf8');
    if (text.includes('\ntype Query = {')) return text;
  }
  throw new Error(`no file of ${dist} declares Linear's schema as types`);
}

/**
 * The schema in GraphQL's schema language, as far as Query and Mutation reach.
 *
 * @throws Error naming a declaration that is written in another way than the SDK's generator does
 */
export function deriveSdl(types: string): string {
  return new Derivation(types).sdl();
}

class Derivation {
  readonly #text: string;
  readonly #offsets = new Map<string, number>();
  /** The names of the declarations that hold arguments, by what they are in lower case. */
  readonly #arguments = new Map<string, string>();
  readonly #enums = new Map<string, string[]>();
  readonly #implementers = new Map<string, string[]>();
  readonly #declared = new Map<string, Declaration>();
  readonly #scalars = new Set<string>();

  constructor(types: string) {
    this.#text = types;
    for (const { 1: name = '', index } of types.matchAll(/^type (\w+) = /gm)) {
      if (!this.#offsets.has(name)) this.#offsets.set(name, index);
      if (name.endsWith('Args')) this.#arguments.set(name.toLowerCase(), name);
    }
    for (const [, name = '', body = ''] of types.matchAll(/^declare enum (\w+) \{\n([^}]*)\}/gm)) {
      this.#enums.set(
        name,
        [...body.matchAll(/^ {2}\w+ = "(\w+)"/gm)].map(([, value = '']) => value),
      );
    }
    for (const [, name = '', bases = ''] of types.matchAll(/^type (\w+) = ((?:\w+ & )+)\{$/gm)) {
      for (const base of bases.split(' & ').filter(Boolean)) {
        this.#implementers.set(base, [...(this.#implementers.get(base) ?? []), name]);
      }
    }
  }

  sdl(): string {
    const outputs = this.#reach([...ROOTS], (name) => this.#outputMentions(name));
    const inputs = this.#reach(
      outputs.flatMap((name) => this.#argumentsOf(name)),
      (name) => this.#declaration(name).fields.flatMap(({ mentions }) => mentions),
    );
    return [
      ...outputs.map((name) => this.#printOutput(name)),
      ...inputs.filter((name) => !outputs.includes(name)).map((name) => this.#printInput(name)),
      ...[...this.#scalars].map((name) => `scalar ${name}`),
    ]
      .filter(Boolean)
      .join('\n\n');
  }

  #reach(from: readonly string[], next: (name: string) => string[]): string[] {
    const seen = new Set<string>();
    const waiting = [...from];
    for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
      if (seen.has(name) || BUILT_IN.has(name) || this.#scalars.has(name)) continue;
      seen.add(name);
      if (!this.#enums.has(name)) waiting.push(...next(name));
    }
    return [...seen].sort();
  }

  #outputMentions(name: string): string[] {
    const { bases, fields } = this.#declaration(name);
    return [
      ...bases,
      ...fields.flatMap(({ mentions }) => mentions),
      ...(this.#implementers.get(name) ?? []),
    ];
  }

  /** The names that the arguments of a type's fields mention. */
  #argumentsOf(name: string): string[] {
    if (this.#enums.has(name)) return [];
    return this.#declaration(name).fields.flatMap((field) =>
      this.#argumentFields(name, field.name).flatMap(({ mentions }) => mentions),
    );
  }

  #argumentFields(type: string, field: string): Field[] {
    // The field `attachmentsForURL` has its arguments in `QueryAttachmentsForUrlArgs`.
    const name = this.#arguments.get(`${type}${field}Args`.toLowerCase());
    return name === undefined ? [] : this.#declaration(name).fields;
  }

  #declaration(name: string): Declaration {
    const known = this.#declared.get(name);
    if (known !== undefined) return known;
    const start = this.#offsets.get(name);
    if (start === undefined) throw new Error(`the SDK's types do not declare ${name}`);
    const head = this.#text.slice(start, this.#text.indexOf('\n', start));
    const right = head.slice(`type ${name} = `.length);
    const union = right.endsWith(';');
    const bases = right.split(/ [&|] |;|\{/).filter((part) => part.trim() !== '');
    const end = this.#text.indexOf('\n};', start);
    const body = union ? '' : this.#text.slice(start + head.length, end);
    const declared = { bases, union, fields: this.#fields(name, body) };
    this.#declared.set(name, declared);
    return declared;
  }

  #fields(owner: string, body: string): Field[] {
    let deprecated: string | null = null;
    return body.split('\n').flatMap((line) => {
      deprecated = /@deprecated (.+?)(?: \*\/)?$/.exec(line)?.[1] ?? deprecated;
      if (/^\s*(?:\/\*\*|\*|$)/.test(line) || line.includes('__typename?')) return [];
      const field = { ...this.#field(owner, line), deprecated };
      deprecated = null;
      return [field];
    });
  }

  #field(owner: string, line: string): Omit<Field, 'deprecated'> {
    const found = /^ {2}(\w+)(\??): (.+);$/.exec(line);
    if (found === null) throw new Error(`${owner}: cannot read ${JSON.stringify(line)}`);
    const [, name = '', optional = '', written = ''] = found;
    const mentions: string[] = [];
    const type = this.#type(written, mentions);
    // With a `?` the type is a Maybe already; without one, null is not allowed.
    return { name, mentions, type: optional === '?' ? type.replace(/!$/, '') : type };
  }

  #type(written: string, mentions: string[]): string {
    const wrapped = /^(Maybe|InputMaybe|Array)<(.+)>$/.exec(written);
    if (wrapped?.[1] === 'Array') return `[${this.#type(wrapped[2] ?? '', mentions)}]!`;
    if (wrapped !== null) return this.#type(wrapped[2] ?? '', mentions).replace(/!$/, '');
    const scalar = /^Scalars\["(\w+)"\]$/.exec(written)?.[1];
    if (scalar !== undefined && !BUILT_IN.has(scalar)) this.#scalars.add(scalar);
    const name = scalar ?? written;
    if (!/^\w+$/.test(name)) throw new Error(`cannot read the type ${written}`);
    if (scalar === undefined) mentions.push(name);
    return `${name}!`;
  }

  #printOutput(name: string): string {
    if (this.#enums.has(name)) return this.#printEnum(name);
    const { bases, fields, union } = this.#declaration(name);
    if (union) return `union ${name} = ${bases.join(' | ')}`;
    const above = bases.length === 0 ? '' : ` implements ${bases.join(' & ')}`;
    const kind = this.#implementers.has(name) ? 'interface' : 'type';
    const lines = fields.map(
      (field) =>
        `  ${field.name}${this.#printArguments(name, field)}: ${field.type}${printDeprecated(field)}`,
    );
    return `${kind} ${name}${above} {\n${lines.join('\n')}\n}`;
  }

  #printArguments(type: string, field: Field): string {
    const given = this.#argumentFields(type, field.name);
    if (given.length === 0) return '';
    return `(${given.map(printInputField).join(', ')})`;
  }

  #printInput(name: string): string {
    if (this.#enums.has(name)) return this.#printEnum(name);
    const lines = this.#declaration(name).fields.map((field) => `  ${printInputField(field)}`);
    return `input ${name} {\n${lines.join('\n')}\n}`;
  }

  #printEnum(name: string): string {
    return `enum ${name} { ${(this.#enums.get(name) ?? []).join(' ')} }`;
  }
}

function printDeprecated({ deprecated }: Field): string {
  return deprecated === null ? '' : ` @deprecated(reason: ${JSON.stringify(deprecated)})`;
}

/** What must be given cannot be deprecated. */
function printInputField(field: Field): string {
  const { name, type } = field;
  return `${name}: ${type}${type.endsWith('!') ? '' : printDeprecated(field)}`;
}
