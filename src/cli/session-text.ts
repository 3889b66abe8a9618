/** Sessions as text at a terminal. */
import { isFsError } from '../errors.ts';
import { inline } from '../session/blobs.ts';
import { type Entry, isMessage, textOf } from '../session/entry.ts';
import { SessionFile, type SessionPlace } from '../session/file.ts';
import type { CommandItem, HumanItem } from '../session/human-view.ts';
import { sessionIds } from '../session/mount.ts';
import { short } from '../session/tree-text.ts';
import { joined, type VisibleText, visible, visibleLines, visibleName } from '../visible.ts';

/** A session in a list. */
export interface SessionRow {
  id: string;
  created: string;
  parentSession: string | null;
  entries: number;
  commands: number;
  /** How it began: the first message of the user, or the first command. */
  title: string;
  line: string;
}

/**
 * Newest first. A session that cannot be read is listed with the reason.
 * @param limit how many at most; `more` says how many there are besides
 */
export function listSessions(
  place: SessionPlace,
  limit?: number,
): { rows: SessionRow[]; more: number } {
  const ids = sessionIds(place).reverse();
  const shown = ids.slice(0, limit);
  return { rows: shown.map((id) => readRow(place, id)), more: ids.length - shown.length };
}

function readRow(place: SessionPlace, id: string): SessionRow {
  const file = new SessionFile(place, id);
  try {
    return rowOf(file.refresh());
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const title = `cannot be read: ${'reason' in error ? error.reason : error.message}`;
    const line = `${id}  ${title}`;
    return { id, created: '', parentSession: null, entries: 0, commands: 0, title, line };
  } finally {
    file.close();
  }
}

function rowOf(file: SessionFile): SessionRow {
  const { id, created, parentSession } = file.header;
  const { entries, commands } = file.tree.usage;
  const title = titleOf(file);
  const counts = `${entries} ${entries === 1 ? 'entry' : 'entries'}`;
  const broken = file.faults.length === 0 ? '' : ' (broken)';
  const line = `${id}  ${time(created)}  ${counts.padStart(12)}  ${short(title, 48)}${broken}`;
  return { id, created, parentSession, entries, commands, title, line };
}

/** Did a person speak with an agent in it? A sub-agent's session is none, and one that cannot be read neither. */
export function isConversation(place: SessionPlace, id: string): boolean {
  const file = new SessionFile(place, id);
  try {
    for (const entry of file.refresh().own()) {
      if (entry.type === 'custom' && entry['name'] === 'turn/delegate') return false;
      if (isMessage(entry) && entry.message.role === 'user') return true;
    }
    return false;
  } catch (error) {
    if (isFsError(error)) return false;
    throw error;
  } finally {
    file.close();
  }
}

function titleOf(file: SessionFile): string {
  let command = '';
  for (const entry of file.own()) {
    if (isMessage(entry) && entry.message.role === 'user') return textOf(entry.message);
    if (command === '' && entry.type === 'bash_start') command = `$ ${entry['command']}`;
  }
  return command;
}

/** The branch up to an entry, with its long outputs. */
export function readBranch(file: SessionFile, leaf: string | null): Entry[] {
  return file.branch(leaf).map((entry) => inline(entry, file.place.blobs) as Entry);
}

/** The human's view as text. What was said and printed is indented: nothing in it passes for a heading. */
export function showText(file: SessionFile, items: readonly HumanItem[]): VisibleText {
  const { id, created, parentSession } = file.header;
  const from = parentSession === null ? '' : `, forked from ${parentSession}`;
  const parts = items.map((item) => visible`${headingOf(item)}\n${bodyOf(item)}`);
  return joined([visible`session ${id}, ${time(created)}${from}\n`, ...parts], '\n');
}

function headingOf(item: HumanItem): VisibleText {
  const place = visible`── ${item.id}  ${time(item.timestamp)}`;
  switch (item.kind) {
    case 'command':
      return visible`${place}  ${statusOf(item)}`;
    case 'call':
      return visible`${place}  call of ${item.tool}`;
    case 'result':
      return visible`${place}  ${item.failed ? 'failure' : 'result'} of ${item.tool}`;
    case 'note':
      return visible`${place}  ${item.title}`;
    default:
      return visible`${place}  ${item.kind}`;
  }
}

const statusOf = ({ exitCode, requests }: CommandItem): string => {
  const status = exitCode === null ? 'command, interrupted' : `command, exit ${exitCode}`;
  return requests === 0 ? status : `${status}, ${requests} requests`;
};

function bodyOf(item: HumanItem): VisibleText {
  if (item.kind === 'call') return lines(item.input);
  if (item.kind !== 'command') return lines(item.text);
  const { command, stdout, stderr, changed } = item;
  const paths = changed.map(({ path }) => visible`  changed ${visibleName(path)}\n`);
  return joined([lines(`$ ${command}`), lines(stdout), lines(stderr), ...paths]);
}

const lines = (text: string): VisibleText =>
  visibleLines(text === '' || text.endsWith('\n') ? text : `${text}\n`, { prefix: '  ' });

/** `2026-02-03 04:05:06`, UTC. */
const time = (iso: string): string => iso.slice(0, 19).replace('T', ' ');
