/** The models that an index has vectors of, for whoever has to give them their keys. */
import fs from 'node:fs';
import { openSqlite } from '../../replica/sqlite.ts';

import type { SentenceModel } from './model-spec.ts';

/** @param file index.sqlite, which may be missing, or older than vectors are */
export function formerModels(file: string): SentenceModel[] {
  if (!fs.existsSync(file)) return [];
  const database = openSqlite(file, { readOnly: true });
  try {
    const table = "SELECT 1 FROM sqlite_master WHERE name = 'sentence_models'";
    if (database.prepare(table).get() === undefined) return [];
    // Only this program writes there.
    return database
      .prepare('SELECT spec FROM sentence_models')
      .all()
      .map(({ spec }) => JSON.parse(String(spec)) as SentenceModel);
  } finally {
    database.close();
  }
}
