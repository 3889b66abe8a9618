/** A stand-in with a workspace, and a mount on it: for the tests of this folder. */
import { createHash } from 'node:crypto';
import { credential } from '../../test/credentials/tokens.ts';
import { ServiceBench } from '../../test/services/testing.ts';
import {
  type DumpedPage,
  type NotionStandIn,
  type PageSeed,
  type SeedInput,
  startNotionStandIn,
} from '../../test/stand-ins/notion/index.ts';
import { NOTION_VERSION } from './client.ts';
import { createNotionMount, type NotionMountOptions } from './index.ts';
import { nameOf } from './names.ts';

export { failure, names, text, write } from '../../test/services/testing.ts';

export const TOKEN = credential('ntn_', 'notion');

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

/** Every file at and below a directory, as `find` meets them. */
export async function files(
  mount: { readdir(path: string): Promise<{ name: string; type: string }[]> },
  path = '/',
): Promise<string[]> {
  const rows = await mount.readdir(path);
  const below = await Promise.all(
    rows.map(({ name, type }) => {
      const one = path === '/' ? `/${name}` : `${path}/${name}`;
      return type === 'directory' ? files(mount, one) : Promise.resolve([one]);
    }),
  );
  return below.flat();
}

/** One test's worth of mounts. */
export class Bench extends ServiceBench<NotionMountOptions> implements Disposable {
  readonly notion: NotionStandIn;

  constructor(notion: NotionStandIn) {
    super('notion', createNotionMount, { token: TOKEN, baseUrl: notion.url });
    this.notion = notion;
  }

  /** A replica that nobody shares. */
  fresh(): Pick<NotionMountOptions, 'replica'> {
    return { replica: this.replica(':memory:') };
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

  /** The types of a page's blocks, as the blocks' own endpoint lists them. */
  async types(key: string): Promise<string[]> {
    const page = await this.stored(key);
    const answer = await fetch(new URL(`/v1/blocks/${page.id}/children`, this.notion.url), {
      headers: { authorization: `Bearer ${TOKEN}`, 'notion-version': NOTION_VERSION },
    });
    const { results } = (await answer.json()) as { results: { type: string }[] };
    return results.map(({ type }) => type);
  }

  [Symbol.dispose](): void {
    this.end();
  }
}
