/**
 * A record as one markdown file: YAML fields between two `---` lines, the body
 * below. `parse(render(x))` gives x back, to the byte, whatever the body holds.
 */
import { Document, isScalar, visit } from 'yaml';
import { brand } from '../../errors.ts';
import { readYaml, type Yaml, YamlFault } from '../../yaml.ts';

/** Fields in their order, and the text below. */
export interface Frontmatter {
  fields: Record<string, unknown>;
  body: string;
}

/** A text that is no such file; the message says why and where. */
export class FrontmatterError extends Error {
  override readonly name = 'FrontmatterError';

  static {
    brand(FrontmatterError, 'FrontmatterError');
  }
}

/**
 * Renders a record: one line a field, lists in brackets on that line (so that
 * `sed` can edit them), an empty line, the body, a final newline.
 *
 * `comments` are put behind the fields they are named for.
 */
export function renderFrontmatter(
  { fields, body }: Frontmatter,
  comments: Readonly<Record<string, string>> = {},
): string {
  const yaml = fieldLines(fields, comments);
  return body === '' ? `---\n${yaml}---\n` : `---\n${yaml}---\n\n${body}\n`;
}

/**
 * Texts that YAML reads back as themselves without quotes, by sight: most
 * fields of most records. The library needs some 0.2 ms to come to the same.
 */
const PLAIN =
  /^(?:[A-Za-z](?:[A-Za-z0-9 _.@/()+-]*[A-Za-z0-9_)])?|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ|https?:\/\/[A-Za-z0-9._/:-]*[A-Za-z0-9_/])$/;
/** Texts that the core schema reads as something else. */
const RESERVED = /^(?:null|true|false)$/i;
/** Longer ones are left to the library. */
const PLAIN_MAX = 200;
const NAME = /^[a-z][a-z_]*$/;

function isPlain(value: unknown): value is string {
  return (
    typeof value === 'string' &&
    value.length <= PLAIN_MAX &&
    PLAIN.test(value) &&
    !RESERVED.test(value)
  );
}

/** One line of YAML for a field, or null where only the library can tell. */
function plainLine(name: string, value: unknown): string | null {
  if (!NAME.test(name) || RESERVED.test(name)) return null;
  if (value === null || typeof value === 'boolean' || Number.isSafeInteger(value)) {
    return `${name}: ${Object.is(value, -0) ? '-0' : value}\n`;
  }
  if (isPlain(value)) return `${name}: ${value}\n`;
  if (Array.isArray(value) && value.every((item) => isPlain(item))) {
    return `${name}: [${value.join(', ')}]\n`;
  }
  return null;
}

/** Any field, as the library writes it. */
export function libraryLines(
  fields: Readonly<Record<string, unknown>>,
  comments: Readonly<Record<string, string>> = {},
): string {
  const document = new Document(fields, { aliasDuplicateObjects: false });
  visit(document, {
    Seq: (_key, node) => {
      node.flow = true;
    },
    Pair: (_key, pair) => {
      const name = String((pair.key as { value?: unknown }).value);
      const comment = comments[name];
      const value = pair.value as { comment?: string } | null;
      if (comment !== undefined && value !== null) value.comment = ` ${comment}`;
    },
  });
  return document.toString({
    lineWidth: 0,
    blockQuote: false,
    doubleQuotedMinMultiLineLength: Number.MAX_SAFE_INTEGER,
    flowCollectionPadding: false,
  });
}

function fieldLines(
  fields: Readonly<Record<string, unknown>>,
  comments: Readonly<Record<string, string>>,
): string {
  return Object.entries(fields)
    .map(([name, value]) => {
      const plain = comments[name] === undefined ? plainLine(name, value) : null;
      return plain ?? libraryLines({ [name]: value }, comments);
    })
    .join('');
}

const OPENING = /^---[ \t]*\r?\n/;
const CLOSING = /^---[ \t]*(?:\r?\n|$)/m;

/**
 * @throws FrontmatterError when the fields are missing, unclosed, or no YAML mapping.
 */
export function parseFrontmatter(text: string): Frontmatter {
  const opening = OPENING.exec(text);
  if (opening === null) {
    throw new FrontmatterError('the file must begin with a line `---` and its fields');
  }
  const inner = text.slice(opening[0].length);
  const closing = CLOSING.exec(inner);
  if (closing === null) throw new FrontmatterError('the fields must end with a line `---`');
  return {
    fields: parseFields(inner.slice(0, closing.index)),
    body: bodyBelow(inner.slice(closing.index + closing[0].length)),
  };
}

function parseFields(yaml: string): Record<string, unknown> {
  const { document, value: fields } = read(yaml);
  refuseLostText(yaml, document);
  if (fields === null) return {};
  if (typeof fields !== 'object' || Array.isArray(fields)) {
    throw new FrontmatterError('the fields must be lines of `name: value`');
  }
  return fields as Record<string, unknown>;
}

function read(yaml: string): Yaml {
  try {
    return readYaml(yaml);
  } catch (error) {
    if (error instanceof YamlFault) throw new FrontmatterError(invalid(yaml, error));
    throw error;
  }
}

/** What is wrong with YAML, where, and, if quotes would do, the line with them. */
function invalid(yaml: string, { at, message }: YamlFault): string {
  const [line = '', number] = lineAt(yaml, at);
  const quoted = quotedLine(line);
  const how = quoted === null ? '' : `; put the value in quotes: ${quoted}`;
  return `the fields are no valid YAML: line ${number} of them, \`${cut(line)}\`: ${message}${how}`;
}

/** Longer lines are neither shown whole nor mended. Characters. */
const LONGEST_SHOWN = 200;

const cut = (line: string): string =>
  line.length > LONGEST_SHOWN ? `${line.slice(0, LONGEST_SHOWN)}…` : line;

/** The line around a position, and its number from 1. An error at a line's very end is that line's. */
function lineAt(yaml: string, at: number): [line: string, number: number] {
  const before = yaml.slice(0, at);
  const start = before.lastIndexOf('\n') + 1;
  const end = yaml.indexOf('\n', start);
  const line = yaml.slice(start, end < 0 ? undefined : end);
  const number = before.split('\n').length;
  return line === '' && number > 1 ? lineAt(yaml, start - 1) : [line, number];
}

const FIELD_LINE = /^([^\s:#][^:]*): +(\S.*?)\s*$/;

/** `title: A: b` as `title: "A: b"`; null where quotes would not mend it. */
function quotedLine(line: string): string | null {
  if (line.length > LONGEST_SHOWN) return null;
  const [, name, value] = FIELD_LINE.exec(line) ?? [];
  if (name === undefined || value === undefined) return null;
  const around = /^(["']).*\1$/.test(value);
  const unclosed = /^"[^"]*$|^'[^']*$/.test(value);
  const plain = around ? value.slice(1, -1) : unclosed ? value.slice(1) : value;
  const quoted = `${name}: ${JSON.stringify(plain)}`;
  try {
    readYaml(quoted);
    return quoted;
  } catch (error) {
    if (error instanceof YamlFault) return null;
    throw error;
  }
}

/** `title: Fix #12` is `Fix` in YAML: what nobody meant as a comment is not dropped in silence. */
function refuseLostText(yaml: string, document: Yaml['document']): void {
  visit(document, {
    Pair: (_key, { value }) => {
      if (!isScalar(value) || typeof value.comment !== 'string') return;
      if (/^\s|^$/.test(value.comment)) return;
      const [line, number] = lineAt(yaml, value.range?.[0] ?? 0);
      const quoted = quotedLine(line);
      throw new FrontmatterError(
        `line ${number} of the fields, \`${cut(line)}\`: what follows " #" is a comment in YAML and would be lost${
          quoted === null ? '' : `; put the value in quotes: ${quoted}`
        }`,
      );
    },
  });
}

/** Undoes what rendering put around a body: one empty line before, one newline behind. */
function bodyBelow(rest: string): string {
  const start = /^\r?\n/.exec(rest)?.[0].length ?? 0;
  const body = rest.slice(start);
  return body.endsWith('\n') ? body.slice(0, -1) : body;
}
