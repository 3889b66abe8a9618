import type { CommandNode } from 'just-bash';
import type { RedirectionNode, WordPart } from './interpreter-types.ts';
import { redirectionsOf } from './redirects.ts';

/**
 * `$'` and `$"` in a here-document are text, and just-bash takes them for quotes: a line
 * `grep 'foo$'` loses half of what follows. In the source the dollar is escaped.
 */

/** An opening operator with its word, quoted or not. */
const OPENING = /<<(-?)[ \t]*(?:(['"])([^'"\n]+)\2|(\\?)([\w.!-]+))/g;
/** A dollar before a quote, what is escaped already, and where a command begins or ends. */
const DOLLAR = /\\.|\$\(|\(|\)|`|\$(?=['"])/gs;

/** An opening operator whose word goes on behind the end of the line. */
const BROKEN = /<<-?[ \t]*(?:[^\s'"<>()|&;\\]|\\[^\n])*(?:\\\n(?:[^\s'"<>()|&;\\]|\\[^\n])*)+/g;

/**
 * The script with the marks of here-documents on one line each: just-bash takes the backslash that
 * breaks one for a quote. The line is made up for behind the document.
 */
export function joinMarks(script: string): string {
  if (!/<<-?[ \t]*[^\s'"]*\\\n/.test(script)) return script;
  let made = '';
  let rest = script;
  for (let found = rest.search(BROKEN); found >= 0; found = rest.search(BROKEN)) {
    const [broken = ''] = rest.slice(found).match(BROKEN) ?? [];
    const mark = broken.replaceAll('\\\n', '');
    const lines = rest.slice(found + broken.length).split('\n');
    const end = endOf(lines, 1, mark.replace(/^<<-?[ \t]*/, ''), mark.startsWith('<<-'));
    made += rest.slice(0, found);
    if (end === null) {
      made += broken;
      rest = rest.slice(found + broken.length);
      continue;
    }
    const more = Array.from({ length: broken.split('\n').length - 1 }, () => '');
    made += mark;
    rest = [...lines.slice(0, end + 1), ...more, ...lines.slice(end + 1)].join('\n');
  }
  return made + rest;
}

/** The script with the dollars before quotes escaped in its here-documents. */
export function escapeHereDocuments(script: string): string {
  if (!script.includes('<<') || !/\$['"]/.test(script)) return script;
  const lines = script.split('\n');
  for (let at = 0; at < lines.length; at++) {
    for (const match of (lines[at] ?? '').matchAll(OPENING)) {
      const [, dash, quote, quoted, backslash, plain] = match;
      const end = endOf(lines, at + 1, quoted ?? plain ?? '', dash === '-');
      if (end === null) continue;
      if (quote === undefined && backslash === '') {
        const body = escapeDollars(lines.slice(at + 1, end).join('\n'));
        lines.splice(at + 1, end - at - 1, ...(end === at + 1 ? [] : body.split('\n')));
      }
      at = end;
    }
  }
  return lines.join('\n');
}

/** The line of the delimiter; null where there is none: then it was no here-document. */
function endOf(
  lines: readonly string[],
  from: number,
  delimiter: string,
  tabs: boolean,
): number | null {
  for (let at = from; at < lines.length; at++) {
    const line = lines[at] ?? '';
    if ((tabs ? line.replace(/^\t+/, '') : line) === delimiter) return at;
  }
  return null;
}

/** Within `$(…)` and backticks quotes are quotes. */
function escapeDollars(body: string): string {
  let depth = 0;
  let ticks = false;
  return body.replace(DOLLAR, (piece) => {
    if (piece === '`') ticks = !ticks;
    else if (piece === '$(') depth++;
    else if (piece === '(' && depth > 0) depth++;
    else if (piece === ')' && depth > 0) depth--;
    return piece === '$' && depth === 0 && !ticks ? '\\$' : piece;
  });
}

/**
 * The command with its here-documents as bash takes them: a `~` at the beginning is text, and `<<-`
 * takes away the tabs that are written, not those that come out of an expansion.
 */
export function mendHereDocuments(node: CommandNode): CommandNode {
  const list = redirectionsOf(node);
  const redirections = list.map(mended);
  if (redirections.every((one, index) => one === list[index])) return node;
  return { ...node, redirections } as CommandNode;
}

function mended(one: RedirectionNode): RedirectionNode {
  const { target } = one;
  if (target.type !== 'HereDoc') return one;
  const { content, stripTabs } = target;
  const [first] = content.parts;
  if (!stripTabs && first?.type !== 'TildeExpansion') return one;
  const parts = content.parts.map((part, index): WordPart => {
    if (part.type === 'TildeExpansion') return { type: 'Literal', value: `~${part.user ?? ''}` };
    if (!stripTabs || part.type !== 'Literal') return part;
    const value = part.value.replace(/\n\t+/g, '\n');
    return { ...part, value: index === 0 ? value.replace(/^\t+/, '') : value };
  });
  return { ...one, target: { ...target, content: { ...content, parts }, stripTabs: false } };
}
