/** `tree.txt`: a line an entry, indented where the session forks. */

import { escapeLine, escapeText } from '../visible.ts';
import { type Entry, isMessage, isToolCall, partsOf, textOf } from './entry.ts';
import type { SessionFile } from './file.ts';
import { describeNote } from './human-view.ts';
import { isBookkeeping } from './tree.ts';

const WIDTH = 72;

/** The whole tree as text. The active leaf is marked, labels are in brackets. */
export function treeText(file: SessionFile): string {
  const { header, tree } = file;
  const lines = [`session ${header.id}  ${header.created}`];
  if (header.parentSession !== null) {
    lines.push(`forked from ${header.parentSession} at ${header.parentEntry}`);
  }
  const { children, roots } = shape(file);
  const leaf = tree.leaf === null ? '' : tree.id(tree.standing(tree.row(tree.leaf) ?? -1));
  const todo = roots.map((row, index) => ({ row, ...indent('', '', roots.length, index) }));
  todo.reverse();
  for (let next = todo.pop(); next !== undefined; next = todo.pop()) {
    const { row, first, rest } = next;
    const entry = file.get(tree.id(row)) as Entry;
    const label = tree.label(entry.id);
    const marks = `${label === undefined ? '' : ` [${label}]`}${entry.id === leaf ? ' ←' : ''}`;
    lines.push(`${first}${entry.id}  ${escapeLine(lineOf(entry, file, leaf) + marks)}`);
    const below = children.get(row) ?? [];
    const rows = below.map((child, index) => ({
      row: child,
      ...indent(rest, rest, below.length, index),
    }));
    todo.push(...rows.reverse());
  }
  return `${lines.join('\n')}\n`;
}

/** A chain is not indented; only where there are several ways, they are drawn. */
function indent(first: string, rest: string, ways: number, index: number) {
  if (ways === 1) return { first, rest };
  const end = index === ways - 1;
  return { first: `${first}${end ? '└─ ' : '├─ '}`, rest: `${rest}${end ? '   ' : '│  '}` };
}

/** Who stands below whom, once bookkeeping and the starts of commands that have ended are taken out. */
function shape(file: SessionFile) {
  const { tree } = file;
  const children = new Map<number, number[]>();
  const roots: number[] = [];
  const isHidden = (row: number): boolean => {
    if (tree.type(row) === 'bash_start') return !tree.isInterrupted(tree.id(row));
    return isBookkeeping(tree.type(row));
  };
  const shown = (row: number): number => {
    let at = row;
    while (at !== -1 && isHidden(at)) at = tree.parent(at);
    return at;
  };
  for (let row = 0; row < tree.size; row++) {
    if (shown(row) !== row) continue;
    const parent = shown(tree.parent(row));
    if (parent === -1) roots.push(row);
    else children.set(parent, [...(children.get(parent) ?? []), row]);
  }
  return { children, roots };
}

/** A command is one line: its end's, at which /workspace is as the command left it. */
function lineOf(entry: Entry, file: SessionFile, leaf: string): string {
  if (entry.type === 'bash_start') {
    const end = entry.id === leaf ? 'not ended' : 'interrupted';
    return `$ ${short(String(entry['command']))} → ${end}`;
  }
  if (entry.type === 'bash_end') {
    const start = file.get(String(entry['start']));
    return `$ ${short(String(start?.['command'] ?? '?'))} → ${entry['exitCode']}`;
  }
  if (!isMessage(entry)) {
    const { title, text } = describeNote(entry);
    return `${title}: ${short(text)}`;
  }
  const { message } = entry;
  const calls = partsOf(message).filter(isToolCall);
  const tools = calls.length === 0 ? '' : ` → ${calls.map(({ toolName }) => toolName).join(', ')}`;
  if (message.role !== 'tool') return `${message.role}: ${short(textOf(message))}${tools}`;
  const results = partsOf(message).map((part) => String(part['toolName'] ?? part.type));
  return `results: ${results.join(', ')}`;
}

/** The first line, cut to a width. */
export function short(text: string, width = WIDTH): string {
  const line = text.trim().split('\n', 1)[0] ?? '';
  const characters = [...line];
  return escapeText(
    characters.length > width ? `${characters.slice(0, width - 1).join('')}…` : line,
  );
}
