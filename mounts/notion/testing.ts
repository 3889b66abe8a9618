/** A stand-in with a workspace, and a mount on it: for the tests of this folder. */
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ChangeJournal } from '../../src/changes/journal.ts';
import { type FsError, isFsError } from '../../src/errors.ts';
import type { ServiceMount } from '../../src/mount/service.ts';
import { Replica } from '../../src/replica/replica.ts';
import {
  type DumpedPage,
  type NotionStandIn,
  type PageSeed,
  type SeedInput,
  startNotionStandIn,
} from '../../test/stand-ins/notion/index.ts';
import { createNotionMount, type NotionMountOptions } from './index.ts';
import { nameOf } from './names.ts';

export const TOKEN = 'ntn_averysecrettoken0000000000000000';

/** An id that is the same for the same name. */
export function id(name: string): string {
  const hex = createHash('sha256').update(name).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** The name that a page with a title has, by the name of its id. */
export function named(title: string, key = title): string {
  return nameOf(title, id(key));
}

const START = Date.parse('2025-01-01T00:00:00Z');

/** ISO 8601, so many minutes after the start of 2025. */
export function minute(n: number): string {
  return new Date(START + n * 60_000).toISOString();
}

export function page(key: string, more: Partial<PageSeed> = {}): PageSeed {
  return {
    id: id(key),
    parent: null,
    title: key,
    createdAt: minute(0),
    editedAt: minute(1),
    by: id('Mara'),
    ...more,
  };
}

/** A workspace: two people and a bot, the pages, and a database `Tasks` with its rows at the top. */
export function workspace(pages: readonly PageSeed[], rows: readonly PageSeed[] = []): SeedInput {
  return {
    users: [
      { id: id('Mara'), name: 'Mara', email: 'mara@example.org' },
      { id: id('Tomasz'), name: 'Tomasz', email: 'tomasz@example.org' },
      { id: id('bot'), name: 'bot', email: null },
    ],
    tokens: { [TOKEN]: id('bot') },
    pages: [...pages, ...rows.map((row) => ({ ...row, parent: id('Tasks') }))],
    databases: [
      {
        id: id('Tasks'),
        dataSourceId: id('Tasks source'),
        parent: null,
        title: 'Tasks',
        properties: {
          Name: { type: 'title' },
          Status: { type: 'status', options: ['Open', 'Doing', 'Done'] },
          Kind: { type: 'select', options: ['bug', 'idea'] },
          Areas: { type: 'multi_select', options: ['api', 'docs', 'web'] },
          Points: { type: 'number' },
          Due: { type: 'date' },
          Urgent: { type: 'checkbox' },
          Owner: { type: 'people' },
          Notes: { type: 'rich_text' },
          Link: { type: 'url' },
          Mail: { type: 'email' },
          Blocks: { type: 'relation', target: id('Tasks') },
          url: { type: 'rich_text' },
          Made: { type: 'created_time' },
        },
        createdAt: minute(0),
        by: id('Mara'),
      },
    ],
    comments: [],
  };
}

export const TASKS = `/${named('Tasks', 'Tasks source')}`;

/** The stand-in of a file of tests: a process starts slowly, a new seed is quick. */
export class Workbench implements AsyncDisposable {
  readonly notion: NotionStandIn;

  private constructor(notion: NotionStandIn) {
    this.notion = notion;
  }

  static async start(): Promise<Workbench> {
    return new Workbench(await startNotionStandIn({ seed: workspace([]) }));
  }

  async bench(seed: SeedInput): Promise<Bench> {
    await this.notion.reseed(seed);
    return new Bench(this.notion);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.notion.close();
  }
}

/** One test's worth of mounts on a directory that goes away with it. */
export class Bench implements Disposable {
  readonly directory = mkdtempSync(join(tmpdir(), 'dirigent-notion-'));
  readonly notices: string[] = [];
  readonly notion: NotionStandIn;
  readonly #open: { close(): void }[] = [];
  #offset = 0;

  constructor(notion: NotionStandIn) {
    this.notion = notion;
  }

  /** The mounts' clock: the present, until it is moved. */
  readonly now = (): Date => new Date(Date.now() + this.#offset);

  move(ms: number): void {
    this.#offset += ms;
  }

  /** A mount with a replica and a journal of its own, on files that all mounts of the bench share. */
  mount(options: Partial<NotionMountOptions> = {}): ServiceMount & { journal: ChangeJournal } {
    const replica = new Replica(join(this.directory, 'replica.sqlite'), this.now);
    const changes = new ChangeJournal(join(this.directory, 'changes.sqlite'), this.now);
    this.#open.push(replica, changes);
    const mount = createNotionMount({
      token: TOKEN,
      baseUrl: this.notion.url,
      stage: false,
      replica,
      changes,
      now: this.now,
      onNotice: (text) => this.notices.push(text),
      ...options,
    });
    return Object.assign(mount, { journal: options.changes ?? changes });
  }

  /** A replica that nobody shares. */
  fresh(): Pick<NotionMountOptions, 'replica'> {
    const replica = new Replica(':memory:', this.now);
    this.#open.push(replica);
    return { replica };
  }

  /** Method, path and status of what was asked since the last call. */
  async asked(): Promise<string[]> {
    const rows = await this.notion.requests();
    await this.notion.resetRequests();
    return rows.map(({ method, url, status }) => `${method} ${url} ${status}`);
  }

  /** Of what was asked, what could have changed something. */
  async mutations(): Promise<string[]> {
    return (await this.asked()).filter(
      (line) =>
        !line.startsWith('GET') && !/^POST \/v1\/(search|data_sources\/[^/]+\/query) /.test(line),
    );
  }

  /** A page as the stand-in has it. */
  async stored(key: string): Promise<DumpedPage> {
    const found = (await this.notion.dump()).find((one) => one.id === id(key) || one.title === key);
    if (found === undefined) throw new Error(`the stand-in has no page ${key}`);
    return found;
  }

  [Symbol.dispose](): void {
    for (const one of this.#open) one.close();
    rmSync(this.directory, { recursive: true });
  }
}

export async function text(mount: ServiceMount, path: string): Promise<string> {
  return Buffer.from(await mount.read(path)).toString();
}

export async function write(mount: ServiceMount, path: string, content: string): Promise<void> {
  await mount.write?.(path, Buffer.from(content));
}

export async function names(mount: ServiceMount, path: string): Promise<string[]> {
  return (await mount.readdir(path)).map(({ name }) => name);
}

/** The failure of an operation that must fail as a file operation. */
export async function failure(work: Promise<unknown>): Promise<FsError> {
  try {
    await work;
  } catch (error) {
    if (isFsError(error)) return error;
    throw error;
  }
  throw new Error('it did not fail');
}
