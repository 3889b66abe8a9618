/** The lines typed at the prompt, kept in the state directory from session to session. */
import fs from 'node:fs';
import { join } from 'node:path';
import { replaceFile } from '../state.ts';
import { isVisibleLine } from '../visible.ts';

/** How many lines are kept. */
export const HISTORY_LIMIT = 1000;

/** Where the history of a world is kept. */
export const historyFile = (state: string): string => join(state, 'history');

/** The lines of earlier sessions, newest first, as readline wants them: it draws them as they are. */
export function readHistory(file: string): string[] {
  if (!fs.existsSync(file)) return [];
  return fs
    .readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '' && isVisibleLine(line.replaceAll('\t', ' ')))
    .slice(-HISTORY_LIMIT)
    .reverse();
}

/**
 * Adds a line, readable by its user alone. Sessions that run at the same time
 * append, so that neither loses the other's; each start trims the file.
 */
export function appendHistory(file: string, line: string): void {
  fs.appendFileSync(file, `${line}\n`, { mode: 0o600 });
}

/** Drops what is too old, in one step, so that a crash leaves the old file or the new one. */
export function trimHistory(file: string): void {
  const lines = readHistory(file).reverse();
  if (
    !fs.existsSync(file) ||
    fs.readFileSync(file, 'utf8').split('\n').length - 1 <= lines.length
  ) {
    return;
  }
  replaceFile(file, `${lines.join('\n')}\n`);
}
