/**
 * A record as one markdown file: YAML fields between two `---` lines, the body
 * below. `parse(render(x))` gives x back, to the byte, whatever the body holds.
 */
import { Document, parseDocument, visit } from 'yaml';

/** Fields in their order, and the text below. */
export interface Frontmatter {
  fields: Record<string, unknown>;
  body: string;
}

/** A text that is no such file; the message says why and where. */
export class FrontmatterError extends Error {
  override readonly name = 'FrontmatterError';
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
  const document = new Document(fields);
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
  const yaml = document.toString({
    lineWidth: 0,
    blockQuote: false,
    doubleQuotedMinMultiLineLength: Number.MAX_SAFE_INTEGER,
    flowCollectionPadding: false,
  });
  return body === '' ? `---\n${yaml}---\n` : `---\n${yaml}---\n\n${body}\n`;
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
  const document = parseDocument(yaml, { version: '1.2', schema: 'core', uniqueKeys: true });
  const [error] = document.errors;
  if (error !== undefined) {
    const first = error.message.split('\n')[0] ?? error.message;
    throw new FrontmatterError(`the fields are no valid YAML: ${first.replace(/:$/, '')}`);
  }
  const fields: unknown = document.toJS({ maxAliasCount: 100 });
  if (fields === null) return {};
  if (typeof fields !== 'object' || Array.isArray(fields)) {
    throw new FrontmatterError('the fields must be lines of `name: value`');
  }
  return fields as Record<string, unknown>;
}

/** Undoes what rendering put around a body: one empty line before, one newline behind. */
function bodyBelow(rest: string): string {
  const start = /^\r?\n/.exec(rest)?.[0].length ?? 0;
  const body = rest.slice(start);
  return body.endsWith('\n') ? body.slice(0, -1) : body;
}
