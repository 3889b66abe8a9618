/**
 * What a person is shown of operations before they decide, and the digest that
 * binds their answer to it: what is at each place, and what would be put there.
 */

import { filePatch } from '../patch.ts';
import type { Proposal } from '../policy/gate.ts';
import { escapeName } from '../visible.ts';
import { type State, sha256, stateDigest } from './states.ts';
import type { Place } from './table.ts';
import type { Wish } from './wish.ts';

/** More than this is not shown whole. Characters. */
const SHOWN = 64 * 1024;
/** A time so close to now is meant as "now": a second `touch` is the same wish. ms. */
const NOW_MS = 60_000;

/** What is proposed, and how to look at it. */
export interface Proposed {
  wishes: readonly Wish[];
  /** By path: what the hooks left of what is written. */
  data: ReadonlyMap<string, Uint8Array>;
  /** What is at the places of the wishes now, by path. */
  look(): Promise<ReadonlyMap<string, State>>;
  /**
   * A file as whoever acts would read it; null where that is refused, or would be asked about.
   * @param content that it must have, where that is known
   * @throws Error where it has another by now
   */
  read(place: Place, content?: string): Promise<Uint8Array | null>;
}

/** Operations on what is not there yet. */
const MAKING: ReadonlySet<string> = new Set(['create', 'mkdir', 'symlink']);

/** A proposal that remembers what it found when the digest was made. */
export class WishProposal implements Proposal {
  readonly #proposed: Proposed;
  #found: ReadonlyMap<string, State> | null = null;

  constructor(proposed: Proposed) {
    this.#proposed = proposed;
  }

  /** What was at each place when a person was to be asked; null where nobody was. */
  get found(): ReadonlyMap<string, State> | null {
    return this.#found;
  }

  /** What is there, or comes from there, is shown; what is only made was not there. */
  get quoted(): { path: string; mount: string }[] {
    const shown = this.#proposed.wishes.flatMap(({ op, place, intent }) => [
      ...(MAKING.has(op) ? [] : [place]),
      ...(intent?.from === undefined ? [] : [intent.from]),
    ]);
    return shown.map(({ path, at }) => ({ path, mount: at.point }));
  }

  async digest(): Promise<string> {
    const { wishes, look } = this.#proposed;
    const found = await look();
    this.#found = found;
    const before = [...found].map(([path, state]) => [path, stateDigest(state)]);
    return sha256(JSON.stringify([before, wishes.map((wish) => this.#intent(wish))]));
  }

  /** The first path at which something else is than when the digest was made; null where all is as it was. */
  async moved(): Promise<string | null> {
    const before = this.#found;
    if (before === null) return null;
    const now = await this.#proposed.look();
    return (
      [...before.keys()].find(
        (path) => stateDigest(before.get(path)) !== stateDigest(now.get(path)),
      ) ?? null
    );
  }

  async preview(): Promise<string> {
    const { wishes } = this.#proposed;
    const moved = new Set(wishes.flatMap(({ op, place }) => (op === 'rename' ? place.path : [])));
    const made = new Set(wishes.flatMap(({ intent, place }) => (intent ? place.path : [])));
    let text = '';
    for (const [index, wish] of wishes.entries()) {
      const { path } = wish.place;
      if (wish.op === 'read' || (REMOVING.has(wish.op) && moved.has(path))) continue;
      if (wish.intent === undefined && made.has(path) && wish.op !== 'link') continue;
      text += await this.#shown(wish);
      if (text.length > SHOWN) return cut(text, wishes.length - index - 1);
    }
    return text;
  }

  /** What of a wish is not said by its operation and by what is there. */
  #intent({ op, place, intent = {} }: Wish): unknown {
    const { target, mode, mtime, from, to } = intent;
    const data = this.#proposed.data.get(place.path) ?? intent.data;
    return [
      op,
      place.path,
      data === undefined ? null : sha256(data),
      target ?? null,
      mode ?? null,
      mtime === undefined ? null : isNow(mtime) ? 'now' : mtime.getTime(),
      from?.path ?? null,
      to?.path ?? null,
    ];
  }

  async #shown(wish: Wish): Promise<string> {
    const { op, place, intent = {} } = wish;
    const { mode, mtime, target, to } = intent;
    const name = escapeName(place.path);
    const state = this.#found?.get(place.path);
    switch (op) {
      case 'rename':
        return to === undefined ? '' : `move ${name} to ${escapeName(to.path)}\n`;
      case 'link':
        return `give ${name} a second name\n`;
      case 'symlink':
        return `link ${name} -> ${escapeName(target ?? '')}\n`;
      case 'mkdir':
        return `new directory ${name}${modeText(mode)}\n`;
      case 'chmod':
        return `mode of ${name}: ${octal(state?.mode ?? 0)} -> ${octal(mode ?? 0)}\n`;
      case 'utimes':
        return `time of ${name}: ${mtime === undefined || isNow(mtime) ? 'now' : mtime.toISOString()}\n`;
      case 'unlink':
      case 'rmdir':
        return this.#removal(wish, state);
      case 'call':
        return `call ${name}\n${textOf(intent.data ?? null) ?? ''}\n`;
      default: {
        const note = mode === undefined ? '' : `mode of ${name}: ${octal(mode)}\n`;
        return `${note}${await this.#written(wish)}`;
      }
    }
  }

  async #removal({ op, place }: Wish, state: State | undefined): Promise<string> {
    const name = escapeName(place.path);
    if (op === 'rmdir') return `remove directory ${name}\n`;
    if (state?.type === 'symlink') return `remove link ${name} -> ${escapeName(state.content)}\n`;
    const line = `remove file ${name} (${state?.size ?? 0} bytes)\n`;
    // Of a tree the names are enough; of one file, what is lost with it.
    if (this.#proposed.wishes.length > 1 || !isDigest(state?.content)) return line;
    const text = textOf(await this.#read(place));
    return text === null ? line : `${line}${patch(place, text, '')}`;
  }

  /** A file with the content that the digest stands for. */
  #read(place: Place): Promise<Uint8Array | null> {
    const content = this.#found?.get(place.path)?.content;
    return this.#proposed.read(place, isDigest(content) ? content : undefined);
  }

  /** A patch against what is there, or what can be said of bytes. */
  async #written({ op, place, intent = {} }: Wish): Promise<string> {
    const { data } = this.#proposed;
    const { from } = intent;
    const bytes = data.get(place.path) ?? intent.data ?? (from && (await this.#read(from)));
    const name = escapeName(place.path);
    if (bytes === undefined || bytes === null)
      return `${name}: its content is not shown, since it may not be read\n`;
    const after = textOf(bytes);
    if (after === null)
      return `${name}: ${bytes.length} bytes that are no text, SHA-256 ${sha256(bytes)}\n`;
    const there = this.#found?.get(place.path)?.type === 'file';
    const before = there ? textOf(await this.#read(place)) : '';
    if (before === null) return `${name}:\n${after}`;
    return patch(place, before, op === 'append' ? before + after : after);
  }
}

const REMOVING: ReadonlySet<Wish['op']> = new Set<Wish['op']>(['unlink', 'rmdir']);

const isDigest = (content: string | undefined): boolean => /^[0-9a-f]{64}$/.test(content ?? '');

const isNow = (time: Date): boolean => Math.abs(time.getTime() - Date.now()) < NOW_MS;

const octal = (mode: number): string => (mode & 0o7777).toString(8).padStart(4, '0');

const modeText = (mode: number | undefined): string =>
  mode === undefined ? '' : ` (mode ${octal(mode)})`;

const patch = ({ path }: Place, before: string, after: string): string =>
  filePatch(path.slice(1), before, after);

function textOf(bytes: Uint8Array | null): string | null {
  if (bytes === null) return null;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}

function cut(text: string, left: number): string {
  const more = left === 0 ? '' : `, and ${left} more operations`;
  return `${text.slice(0, SHOWN)}\n… (${text.length} characters${more})\n`;
}
