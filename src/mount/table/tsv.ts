/** Tables of records, one line each: a collection's table of contents. */
import type { RecordHead } from '../../replica/replica.ts';
import type { Content, Entry, NamedEntry } from './route.ts';

/** What a table needs of the records it is made of. */
type Source = Pick<RecordHead, 'version' | 'updatedAt'>;

/** The file: a line of names, then the rows. `records` are what the rows were made of. */
export function tsvContent(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  records: readonly Source[],
): Content {
  const lines = [head, ...rows].map((row) => row.map(cell).join('\t'));
  return {
    text: `${lines.join('\n')}\n`,
    version: versionOf(records),
    mtime: dateOf(newest(records)),
  };
}

/** What a listing knows of a table without making it. */
export function tsvEntry(records: readonly Pick<RecordHead, 'updatedAt'>[]): Entry {
  return { size: 64 + 80 * records.length, mtime: dateOf(newest(records)) };
}

/** What a listing knows of a record's file without making it; its name is the record's key. */
export function recordEntry({ key, size, updatedAt }: RecordHead): NamedEntry {
  return { name: key, size, mtime: dateOf(updatedAt) };
}

/** A service that gives no time gets the oldest one there is. */
export function dateOf(time: string): Date {
  return new Date(time === '' ? 0 : time);
}

/** The latest of some times, '' for none: ISO 8601 in UTC, so their order as text is their order in time. */
export function latestOf(times: Iterable<string>): string {
  let latest = '';
  for (const time of times) if (time > latest) latest = time;
  return latest;
}

/** A cell holds no tab and no line break: one line stays one record. */
function cell(text: string): string {
  return text.replace(/[\t\r\n]+/g, ' ');
}

function newest(records: readonly Pick<RecordHead, 'updatedAt'>[]): string {
  return latestOf(records.map(({ updatedAt }) => updatedAt));
}

/** Every record's version counts: a row can change without being the newest. */
function versionOf(records: readonly Source[]): string {
  return `${records.length} ${records
    .map(({ version }) => version.slice(-10))
    .sort()
    .join('')}`;
}
