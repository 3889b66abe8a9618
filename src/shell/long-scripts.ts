/**
 * Scripts beyond what just-bash's parser takes at once, a megabyte. Long here-documents are taken out
 * and put back once it is parsed; what is left is parsed in pieces, each of whole commands, as bash
 * itself reads a script.
 */
import { parse, type ScriptNode, type StatementNode, type WordNode } from 'just-bash';
import type { NamespaceFs } from '../namespace/types.ts';
import { parseWithArrays } from './array-literals.ts';
import type { Run } from './frame.ts';
import type { CommandResult, WordPart } from './interpreter-types.ts';
import { isFlow } from './run.ts';
import { prepareSource } from './source.ts';

/** What the parser is given at once, in characters: far fewer than it takes, and so are their tokens. */
const PIECE = 64 * 1024;
const MOST = 900_000;
const LONG = 180_000;
/** Shorter here-documents stay where they are. */
const LONG_DOCUMENT = 4096;
const OPENING = /<<(-?)[ \t]*(?:(['"])([^'"\n]+)\2|(\\?)([\w.!-]+))/g;

/** Is a script too long to be parsed at once? A piece of it may have the tokens of one word each. */
export function isLong(script: string): boolean {
  return script.length > LONG;
}

/** What just-bash is given to parse in the place of a long script, which is run for it. */
export const STAND_IN = ':';

/** `eval` of a long text, and `source` of a long file; null for all else. */
export async function evaluateLong(
  name: string,
  args: readonly string[],
  run: Run,
  fs: NamespaceFs,
): Promise<CommandResult | null> {
  const { state } = run.ctx;
  const [first = '', ...more] = args;
  if (name === 'eval') return isLong(first) ? run.ctx.executeScript(parseLong(first)) : null;
  if ((name !== '.' && name !== 'source') || more.length > 0 || !first.includes('/')) return null;
  const path = fs.resolvePath(state.cwd, first);
  if (!(await fs.exists(path)) || (await fs.stat(path)).size <= LONG) return null;
  const script = prepareSource(await fs.readFile(path), state.shoptOptions['extglob'] === true);
  state.sourceDepth = (state.sourceDepth ?? 0) + 1;
  try {
    return await run.ctx.executeScript(parseLong(script));
  } catch (error) {
    if (!isFlow(error) || error.name !== 'ReturnError') throw error;
    const { stdout = '', stderr = '', exitCode = 0 } = error;
    return { stdout, stderr, exitCode };
  } finally {
    state.sourceDepth--;
  }
}

interface Document {
  mark: string;
  body: string;
  quoted: boolean;
  /** Its place in the script once it is parsed. */
  found: boolean;
}

/** Parses a script of any length. Throws the parser's own errors. */
export function parseLong(script: string): ScriptNode {
  const taken = withoutDocuments(script);
  const node = parsePieces(taken.script);
  putBack(node, taken.documents);
  // One that is nowhere was none: text in quotes looks like it.
  return taken.documents.every(({ found }) => found) ? node : parsePieces(script);
}

/** The script with a mark in the place of each long here-document. */
function withoutDocuments(script: string): { script: string; documents: Document[] } {
  const documents: Document[] = [];
  if (!script.includes('<<')) return { script, documents };
  let prefix = 'dirigent_document';
  while (script.includes(prefix)) prefix += '_';
  const kept: string[] = [];
  for (let at = 0; at < script.length; ) {
    const line = lineAt(script, at);
    kept.push(line);
    at += line.length + 1;
    for (const match of line.matchAll(OPENING)) {
      const [, dash, quote, quoted, backslash, plain] = match;
      const end = endOf(script, at, quoted ?? plain ?? '', dash === '-');
      if (end === null) continue;
      const written = script.slice(at, end);
      if (written.length < LONG_DOCUMENT) kept.push(...written.split('\n').slice(0, -1));
      else {
        const mark = `${prefix}_${documents.length}_`;
        const body = dash === '-' ? written.replace(/^\t+/gm, '') : written;
        documents.push({
          mark,
          body,
          quoted: quote !== undefined || backslash !== '',
          found: false,
        });
        // As many lines as before, so that those after it keep their numbers.
        kept.push(mark + '\n'.repeat(written.split('\n').length - 2));
      }
      const last = lineAt(script, end);
      kept.push(last);
      at = end + last.length + 1;
    }
  }
  return { script: kept.join('\n'), documents };
}

function lineAt(script: string, at: number): string {
  const end = script.indexOf('\n', at);
  return script.slice(at, end === -1 ? script.length : end);
}

/** Where the line of the delimiter begins; null where there is none. */
function endOf(script: string, from: number, delimiter: string, tabs: boolean): number | null {
  for (let at = from; at < script.length; ) {
    const line = lineAt(script, at);
    if ((tabs ? line.replace(/^\t+/, '') : line) === delimiter) return at;
    at += line.length + 1;
  }
  return null;
}

function putBack(node: unknown, documents: Document[]): void {
  if (documents.length === 0 || typeof node !== 'object' || node === null) return;
  const target = node as { type?: unknown; content?: WordNode };
  if (target.type === 'HereDoc' && target.content !== undefined) {
    const [part] = target.content.parts;
    const text = part !== undefined && 'value' in part ? part.value : '';
    const document = documents.find(({ mark, found }) => !found && text.startsWith(mark));
    if (document !== undefined) {
      document.found = true;
      target.content.parts = document.quoted
        ? [{ type: 'Literal', value: document.body }]
        : expandingParts(document.body);
    }
    return;
  }
  for (const inner of Object.values(node)) putBack(inner, documents);
}

/** The parts of a here-document in which variables and substitutions are expanded. */
function expandingParts(body: string): WordPart[] {
  const parts: WordPart[] = [];
  for (let at = 0; at < body.length; ) {
    let size = PIECE;
    let made: WordPart[] | null = null;
    let end = at;
    while (made === null) {
      end = endOfLine(body, at + size);
      const piece = body.slice(at, end);
      if (!/[$`\\]/.test(piece)) made = [{ type: 'Literal', value: piece }];
      else if (end === body.length || isClosed(piece)) made = partsOf(piece);
      else size *= 2;
    }
    parts.push(...made);
    at = end;
  }
  return parts;
}

function partsOf(piece: string): WordPart[] {
  let delimiter = 'DIRIGENT_END';
  while (piece.includes(delimiter)) delimiter += '_';
  const [statement] = parse(`: <<${delimiter}\n${piece}\n${delimiter}\n`).statements;
  const [command] = statement?.pipelines[0]?.commands ?? [];
  const [redirection] = command?.type === 'SimpleCommand' ? command.redirections : [];
  const target = redirection?.target;
  if (target?.type !== 'HereDoc') throw new Error('a here-document was parsed as something else');
  const parts = [...target.content.parts];
  const last = parts.at(-1);
  // The line's end before the delimiter.
  if (last?.type === 'Literal') {
    parts[parts.length - 1] = { ...last, value: last.value.replace(/\n$/, '') };
  }
  return parts;
}

/** Can a text be cut after it, with no substitution open and no line joined to the next? */
function isClosed(piece: string): boolean {
  const count = (what: RegExp): number => piece.match(what)?.length ?? 0;
  return (
    count(/\$\(/g) <= count(/\)/g) &&
    count(/\$\{/g) <= count(/\}/g) &&
    count(/(?<!\\)`/g) % 2 === 0 &&
    !/(?<!\\)(?:\\\\)*\\\n$/.test(piece)
  );
}

function parsePieces(script: string): ScriptNode {
  const statements: StatementNode[] = [];
  let line = 0;
  for (let at = 0; at < script.length; ) {
    let size = PIECE;
    let made: ScriptNode | null = null;
    let end = at;
    while (made === null) {
      end = endOfLine(script, at + size);
      made = parsedPiece(script.slice(at, end), end === script.length);
      size *= 2;
    }
    moveLines(made, line);
    statements.push(...made.statements);
    line += script.slice(at, end).match(/\n/g)?.length ?? 0;
    at = end;
  }
  return { type: 'Script', statements };
}

/** The commands of a piece; null if it ends within one. */
function parsedPiece(piece: string, last: boolean): ScriptNode | null {
  if (!last && /(?<!\\)(?:\\\\)*\\\n$/.test(piece)) return null;
  let node: ScriptNode;
  try {
    node = parseWithArrays(piece) ?? parse(piece);
  } catch (error) {
    if (last || piece.length > MOST || !(error instanceof Error)) throw error;
    return null;
  }
  return last || !isOpen(node) ? node : null;
}

/** Does a script end where more is to come: after `&&`, or in a here-document? */
function isOpen({ statements }: ScriptNode): boolean {
  const statement = statements.at(-1);
  const command = statement?.pipelines.at(-1)?.commands.at(-1);
  if (statements.some(({ deferredError }) => deferredError !== undefined)) return true;
  if (hasOpenDocument(statement)) return true;
  if (command?.type !== 'SimpleCommand') return false;
  const { name, assignments, redirections } = command;
  return name === null && assignments.length === 0 && redirections.length === 0;
}

function hasOpenDocument(node: unknown): boolean {
  if (typeof node !== 'object' || node === null) return false;
  const { type, terminated } = node as { type?: unknown; terminated?: unknown };
  if (type === 'HereDoc') return terminated === false;
  return Object.values(node).some(hasOpenDocument);
}

/** The offset after the end of the line in which another one is. */
function endOfLine(text: string, at: number): number {
  const end = at >= text.length ? -1 : text.indexOf('\n', at);
  return end === -1 ? text.length : end + 1;
}

function moveLines(node: unknown, by: number): void {
  if (by === 0 || typeof node !== 'object' || node === null) return;
  const known = node as { line?: unknown };
  if (typeof known.line === 'number') known.line += by;
  for (const inner of Object.values(node)) moveLines(inner, by);
}
