/** The rows of a collection that is only shown: a directory, its index, a file for each record. */
import type { StoredRecord } from '../../replica/replica.ts';
import type { Content, Entry, Params, Route } from './route.ts';
import { tsvEntry } from './tsv.ts';

/** A collection whose records are shown and not written. */
export interface ReadOnlyCollection {
  /** The pattern of the directory. */
  directory: string;
  /** The parameter that names one. */
  param: string;
  about: { directory: string; index: string; file: string };
  /** Why none is written, and what to do instead. */
  readOnly: string;
  needs: readonly string[];
  /** Is the text of one a document to search? */
  document?: boolean;
  /** What the replica has of it. */
  all(params: Params): StoredRecord[];
  /** The value of the parameter. */
  nameOf(record: StoredRecord): string;
  /** A record's file in listings. */
  entry(record: StoredRecord): Entry;
  /** The text of `index.tsv`. */
  index(params: Params): Content;
  /** The text of a record's file. */
  content(record: StoredRecord): Content;
}

/** The rows of a collection: its directory, its index, a file for each record. */
export function readOnlyCollection(of: ReadOnlyCollection): Route[] {
  const { directory, param, about, readOnly, needs, document = false } = of;
  const find = (params: Params): StoredRecord | undefined =>
    of.all(params).find((record) => of.nameOf(record) === params[param]);
  return [
    { pattern: directory, type: 'directory', about: about.directory },
    {
      pattern: `${directory}/index.tsv`,
      type: 'file',
      about: about.index,
      needs,
      readOnly,
      stat: (params) => tsvEntry(of.all(params)),
      read: of.index,
    },
    {
      pattern: `${directory}/:${param}.md`,
      type: 'file',
      about: `${about.file}; read-only`,
      document,
      needs,
      readOnly,
      entries: (params) =>
        of.all(params).map((record) => ({ ...of.entry(record), name: of.nameOf(record) })),
      stat: (params) => {
        const found = find(params);
        return found === undefined ? null : of.entry(found);
      },
      read: (params) => {
        const found = find(params);
        return found === undefined ? null : of.content(found);
      },
    },
  ];
}
