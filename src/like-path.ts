/** What a person may have meant by a path on the host that is not there. */
import fs from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { meant } from './nearest.ts';

/** ` (did you mean /a/b?)`, of what lies beside the path; empty where nothing is like it. */
export function likePath(path: string): string {
  const directory = dirname(path);
  if (!fs.statSync(directory, { throwIfNoEntry: false })?.isDirectory()) return '';
  const name = basename(path);
  // One that is there under this very name is not what was meant.
  const near = meant(
    name,
    fs.readdirSync(directory).filter((other) => other !== name),
  );
  return near === null ? '' : ` (did you mean ${join(directory, near)}?)`;
}
