/** Files of channels: those that come in are put into the world, and those that an answer names are read, by the gate. */
import { createHash } from 'node:crypto';
import { DEFAULT_AGENT } from '../../agent/harness-view.ts';
import type { Doorway, EnterOptions, Visit } from '../../doors/door.ts';
import { isFsError, sentenceOf } from '../../errors.ts';
import { escapeLine } from '../../visible.ts';
import type { TurnDraft } from '../queue/turn.ts';
import type { IncomingFile, OpenChannel, OutgoingFile } from './contract.ts';

/** Where files go out from. */
const WORKSPACE = '/workspace';
/** Where files come in. */
const INBOX = `${WORKSPACE}/inbox`;
/** Of one message. */
const MOST_FILES = 10;
/** Services take and give about so much. Bytes. */
const MOST_BYTES = 20 * 1024 * 1024;
const MOST_NAME = 80;
/** A world that a terminal holds is asked for again. */
const TRIES = 5;
const AGAIN_MS = 1_000;

/** Whose world it is, and who has asked. */
type Place = Pick<TurnDraft, 'actor' | 'agent' | 'session' | 'author'>;

/** A file that came, and where it is put. */
export interface PlacedFile {
  file: IncomingFile;
  path: string;
}

/** Names for the files of a message: nobody's words, and no two alike. */
export function placed(message: string, files: readonly IncomingFile[]): PlacedFile[] {
  const id = createHash('sha256').update(message).digest('hex').slice(0, 8);
  return files.slice(0, MOST_FILES).map((file, index) => {
    const name = file.name
      .normalize('NFC')
      .replaceAll(/[^\p{L}\p{N}._-]+/gu, '_')
      .replace(/^[._-]+/, '')
      .slice(-MOST_NAME)
      .toWellFormed();
    const number = files.length > 1 ? `-${index + 1}` : '';
    return { file, path: `${INBOX}/${id}${number}-${name === '' ? 'file' : name}` };
  });
}

/** What the agent is told of files that came with a message. */
export function filesText(files: readonly PlacedFile[]): string {
  if (files.length === 0) return '';
  const lines = files.map(({ path, file }) => {
    const size = file.size === null ? '' : ` (${file.size} bytes)`;
    return `- ${path}${size}\n`;
  });
  return `\n\nFiles that came with it:\n${lines.join('')}`;
}

/** Files of one channel. */
export class ChannelFiles {
  readonly #doorway: Pick<Doorway, 'enter'>;
  readonly #origin: string;

  /** @param origin what text that comes in is labelled with */
  constructor(doorway: Pick<Doorway, 'enter'>, origin: string) {
    this.#doorway = doorway;
    this.#origin = origin;
  }

  /** Puts files where they belong. @returns what went wrong, a line each */
  async take(
    place: Place,
    files: readonly PlacedFile[],
    fetch: NonNullable<OpenChannel['fetch']>,
  ): Promise<string[]> {
    const faults: string[] = [];
    for (const { file, path } of files) {
      try {
        if ((file.size ?? 0) > MOST_BYTES)
          throw new Error(`it has ${file.size} bytes, and ${MOST_BYTES} are taken`);
        const bytes = await fetch(file, MOST_BYTES);
        await this.#within(place, { untrusted: [this.#origin] }, async ({ fs }) => {
          await fs.mkdir(INBOX, { recursive: true });
          await fs.writeFile(path, bytes);
        });
      } catch (error) {
        faults.push(`${path} is not there: ${sentenceOf(error)}`);
      }
    }
    return faults;
  }

  /** Reads a file that is sent, or says in its place why it is not. */
  async read(place: Place, path: string): Promise<OutgoingFile | string> {
    try {
      // The agent has chosen the name, and whose world it is may read more than it, and than who has asked.
      const { agent, author } = place;
      const onBehalfOf = [agent ?? DEFAULT_AGENT, ...(author?.actors ?? [])];
      return await this.#within(place, { onBehalfOf }, async ({ fs }) => {
        const real = await fs.realpath(path);
        if (!real.startsWith(`${WORKSPACE}/`)) return `${escapeLine(path)} is not in ${WORKSPACE}`;
        const { isFile, size } = await fs.stat(real);
        if (!isFile) return `${escapeLine(path)} is no file`;
        if (size > MOST_BYTES) return `${escapeLine(path)} is too large to be sent`;
        const name = path.slice(path.lastIndexOf('/') + 1);
        return { name, bytes: await fs.readFileBuffer(real) };
      });
    } catch (error) {
      if (!isFsError(error)) throw error;
      return `${escapeLine(path)} could not be sent: ${sentenceOf(error)}`;
    }
  }

  async #within<T>(
    { actor, agent, session }: Place,
    options: Pick<EnterOptions, 'untrusted' | 'onBehalfOf'>,
    work: (visit: Visit) => Promise<T>,
  ): Promise<T> {
    const principal = { actor, session, ...(agent == null ? {} : { agent }) };
    for (let tries = 1; ; tries++) {
      try {
        await using visit = await this.#doorway.enter(principal, options);
        return await work(visit);
      } catch (error) {
        if (tries >= TRIES || !isFsError(error, 'EBUSY')) throw error;
        await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
      }
    }
  }
}

/** A link or a picture of Markdown whose place is in the workspace. */
const LINK = /\]\(\s*<?(\/workspace\/[^)>\n]+?)>?\s*\)/g;

/** The files that an answer names. */
export function filesNamed(answer: string): string[] {
  const paths = [...answer.matchAll(LINK)].map(([, path = '']) => decoded(path));
  return [...new Set(paths)].slice(0, MOST_FILES);
}

function decoded(path: string): string {
  try {
    return decodeURI(path);
  } catch (error) {
    if (error instanceof URIError) return path;
    throw error;
  }
}
