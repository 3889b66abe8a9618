/**
 * Texts that were made once, by the content of their documents: a directory of
 * the state, shared by processes. Whoever asks has the document's bytes: that is
 * what its key is made of.
 */
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { join } from 'node:path';
import { isErrno } from '../errors.ts';
import { makeStateDirectory, replaceFile } from '../state.ts';
import { DocumentFault } from './fault.ts';
import type { DocumentFormat } from './names.ts';

/** Another number for converters whose texts are others. */
const VERSION = 1;
/** What is kept on the disk, bytes; the texts used longest ago go first. */
const MOST_KEPT = 512 * 1024 * 1024;
/** Without a directory: what is kept in memory, characters. */
const MOST_HELD = 16 * 1024 * 1024;
/** So many new texts later it is looked at again how much there is. */
const LOOKS_EVERY = 100;

/** A text, or why there is none. */
export type Outcome = { text: string } | { fault: DocumentFault };

/** What a text is known by. */
export function textKey(bytes: Uint8Array, format: DocumentFormat, settings: string): string {
  const hash = createHash('sha256').update(bytes);
  if (settings !== '') hash.update(`\0${settings}`);
  return `${hash.digest('hex')}-${format}-${VERSION}`;
}

export class TextCache {
  readonly #directory: string | null;
  readonly #held = new Map<string, Outcome>();
  #size = 0;
  #made = 0;

  /** @param directory null keeps texts in memory */
  constructor(directory: string | null) {
    this.#directory = directory;
  }

  get(key: string): Outcome | null {
    const held = this.#held.get(key) ?? null;
    if (this.#directory === null || held !== null) return held;
    const file = join(this.#directory, `${key}.md`);
    const text = readIfThere(file);
    if (text !== null) {
      fs.utimesSync(file, new Date(), new Date());
      return { text };
    }
    const fault = readIfThere(join(this.#directory, `${key}.fault`));
    return fault === null ? null : { fault: parseFault(fault) };
  }

  put(key: string, outcome: Outcome): void {
    // Another time there may be more time, or memory.
    const passes = 'fault' in outcome && outcome.fault.code !== 'EINVAL';
    if (this.#directory === null || passes) return this.#hold(key, outcome);
    makeStateDirectory(this.#directory);
    const [extension, content] =
      'text' in outcome
        ? ['md', outcome.text]
        : ['fault', `${outcome.fault.code} ${outcome.fault.message}`];
    replaceFile(join(this.#directory, `${key}.${extension}`), content);
    if (this.#made++ % LOOKS_EVERY === 0) makeRoom(this.#directory);
  }

  #hold(key: string, outcome: Outcome): void {
    this.#held.set(key, outcome);
    this.#size += sizeOf(outcome);
    for (const [oldest, each] of this.#held) {
      if (this.#size <= MOST_HELD || oldest === key) break;
      this.#held.delete(oldest);
      this.#size -= sizeOf(each);
    }
  }
}

/** A fault takes some room, too. */
const sizeOf = (outcome: Outcome): number => ('text' in outcome ? outcome.text.length : 1_000);

function parseFault(line: string): DocumentFault {
  const [, code = '', reason = ''] = /^(\S+) (.*)$/s.exec(line) ?? [];
  return new DocumentFault(isErrno(code) ? code : 'EIO', reason);
}

function readIfThere(file: string): string | null {
  try {
    return fs.readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** Removes the texts that were used longest ago, while there is more than is kept. */
function makeRoom(directory: string): void {
  const files = fs.readdirSync(directory).flatMap((name) => {
    const file = join(directory, name);
    const stat = fs.statSync(file, { throwIfNoEntry: false });
    return stat === undefined ? [] : [{ file, size: stat.size, used: stat.mtimeMs }];
  });
  let size = files.reduce((sum, each) => sum + each.size, 0);
  for (const each of files.sort((a, b) => a.used - b.used)) {
    if (size <= MOST_KEPT) return;
    fs.rmSync(each.file, { force: true });
    size -= each.size;
  }
}
