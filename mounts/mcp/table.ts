/** The rows of an MCP mount: tools and prompts to call, resources to read. */
import {
  type Collection,
  type Content,
  dateOf,
  ServiceFailure as Failure,
  type Freshness,
  type Route,
  type ServiceFailure,
  type StoredRecord,
  tsvContent,
  tsvEntry,
} from '../../src/mount/index.ts';
import { LISTS, type ListName, type McpClient } from './client.ts';
import { nameOf } from './names.ts';
import { Programs } from './programs.ts';
import type { Contents } from './schemas.ts';
import type { Held, McpStore } from './store.ts';

/** Lists tell of their changes themselves: they are asked for again so many times less often than other files. */
const SELDOM = 6;

export interface TableOptions {
  name: string;
  title: string;
  client: McpClient;
  store: McpStore;
  freshness: Freshness;
  freshMs: number;
  trustHints: boolean;
}

const READ_ONLY = 'it is what the server says';

export class McpTable {
  readonly collections: Readonly<Record<string, Collection>>;
  readonly #options: TableOptions;
  readonly #programs: Programs;

  constructor(options: TableOptions) {
    const { store, client, freshness, freshMs } = options;
    this.#options = options;
    const seldom = { scope: [], freshMs: freshMs * SELDOM };
    this.collections = {
      ...Object.fromEntries(
        (Object.keys(LISTS) as ListName[]).map((list): [string, Collection] => [
          list,
          {
            ...seldom,
            heldSince: () => store.heldSince(list),
            lacking: () => store.lacking(list),
            sync: () => this.#sync(list),
          },
        ]),
      ),
      server: {
        ...seldom,
        heldSince: () => store.heldSince('server'),
        sync: async () => store.keepServer(await client.about()),
      },
    };
    this.#programs = new Programs({
      ...options,
      ensure: (list) => freshness.ensureCollection(this.collections, list, {}),
      notice: (text) => freshness.notice(text),
    });
  }

  get routes(): Route[] {
    const { store } = this.#options;
    return [
      this.#json('/server.json', 'what the server says of itself, and how it is to be used', {
        needs: ['server'],
        held: () => store.server(),
      }),
      { pattern: '/tools', type: 'directory', about: 'its tools' },
      {
        pattern: '/tools/:tool',
        type: 'file',
        about: 'a tool, to be run: --help tells its arguments',
        ...this.#listed('tools'),
        stat: ({ tool = '' }) => entryOf(store.tool(tool)),
        read: ({ tool = '' }) =>
          textOf(store.tool(tool), (one) => this.#programs.text('tool', one)),
        readOnly: READ_ONLY,
        program: this.#programs.tool,
      },
      this.#json('/tools/:tool.json', 'its definition, with the schema of its arguments', {
        ...this.#listed('tools'),
        held: ({ tool = '' }) => store.tool(tool),
      }),
      { pattern: '/prompts', type: 'directory', about: 'its prompts' },
      {
        pattern: '/prompts/:prompt',
        type: 'file',
        about: 'a prompt, to be run: it prints its messages',
        ...this.#listed('prompts'),
        stat: ({ prompt = '' }) => entryOf(store.prompt(prompt)),
        read: ({ prompt = '' }) =>
          textOf(store.prompt(prompt), (one) => this.#programs.text('prompt', one)),
        readOnly: READ_ONLY,
        program: this.#programs.prompt,
      },
      this.#json('/prompts/:prompt.json', 'its definition', {
        ...this.#listed('prompts'),
        held: ({ prompt = '' }) => store.prompt(prompt),
      }),
      {
        pattern: '/resources',
        type: 'directory',
        about: 'its resources, named by their addresses',
      },
      this.#index(),
      this.#templates(),
      this.#resource(),
    ];
  }

  // --- within

  async #sync(list: ListName): Promise<void> {
    const { client, store, freshness, title } = this.#options;
    const { rows, lacking, leftOut } = await client.list(list);
    const left = leftOut + store.keep(list, rows, lacking);
    if (left > 0)
      freshness.notice(
        `${title}: ${left} of its ${list} are none, or have a name twice, and are left out`,
      );
  }

  #listed(list: ListName): Pick<Route, 'needs' | 'entries'> {
    return {
      needs: [list],
      entries: () =>
        this.#options.store.all(list).map((record) => ({ ...entry(record), name: record.key })),
    };
  }

  #json(
    pattern: string,
    about: string,
    {
      held,
      ...row
    }: Pick<Route, 'needs' | 'entries'> & {
      held(params: Parameters<NonNullable<Route['stat']>>[0]): Held<unknown> | null;
    },
  ): Route {
    return {
      pattern,
      type: 'file',
      about,
      ...row,
      readOnly: READ_ONLY,
      stat: (params) => entryOf(held(params)),
      read: (params) => textOf(held(params), (one) => `${JSON.stringify(one, null, 2)}\n`),
    };
  }

  #index(): Route {
    const { store } = this.#options;
    return {
      pattern: '/resources/index.tsv',
      type: 'file',
      about: 'the resources, one line each',
      needs: ['resources'],
      readOnly: READ_ONLY,
      stat: () => tsvEntry(store.all('resources')),
      read: () => {
        const all = store.all('resources');
        const rows = all.map(({ key }) => {
          const {
            uri = '',
            name = '',
            title = '',
            mimeType = '',
            size,
            description = '',
          } = store.resource(key)?.value ?? {};
          return [
            key,
            uri,
            title === '' ? name : title,
            mimeType,
            size === undefined ? '' : String(size),
            description,
          ];
        });
        return tsvContent(['file', 'uri', 'title', 'type', 'bytes', 'description'], rows, all);
      },
    };
  }

  #templates(): Route {
    const { store } = this.#options;
    const content = (): Content => {
      const all = store.all('templates');
      const text = `${JSON.stringify(
        all.map(({ value }) => value),
        null,
        2,
      )}\n`;
      return { ...tsvContent([], [], all), text };
    };
    return {
      pattern: '/resources/templates.json',
      type: 'file',
      about:
        'addresses with blanks: what they stand for is read by its name, filled in, `/` as `%2F`',
      needs: ['templates'],
      readOnly: READ_ONLY,
      stat: () => tsvEntry(store.all('templates')),
      read: content,
    };
  }

  #resource(): Route {
    const { store, freshness } = this.#options;
    const question = (file: string) => ({
      key: `contents ${file}`,
      heldSince: () => store.contents(file)?.record.checkedAt ?? null,
      ask: () => this.#fetch(file),
    });
    return {
      pattern: '/resources/:resource',
      type: 'file',
      about: 'a resource, by its address, in which `/` is `%2F`',
      document: true,
      readOnly: READ_ONLY,
      costly: ({ resource = '' }) => !freshness.readsFresh(question(resource)),
      listed: () => freshness.readsFreshCollection(this.collections, 'resources', {}),
      prepare: async ({ resource = '' }, purpose, eagerness) => {
        await freshness.ensureCollection(this.collections, 'resources', {}, eagerness);
        if (purpose === 'list') return;
        if (purpose === 'entry' && store.resource(resource) !== null) return;
        await freshness.ensureOne(question(resource), () => store.contents(resource) !== null);
      },
      entries: () =>
        store.all('resources').map((record) => ({ ...entry(record), name: record.key })),
      stat: ({ resource = '' }) => {
        const held = store.contents(resource);
        const listed = store.resource(resource);
        if (held === null && listed === null) return null;
        const { record } = held ?? (listed as Held<unknown>);
        const bytes =
          held === null ? (listed?.value.size ?? 1) : bytesOf(held.value.contents).length;
        return {
          size: Math.max(1, bytes),
          mtime: dateOf(record.updatedAt),
          version: record.version,
        };
      },
      read: ({ resource = '' }) => {
        const held = store.contents(resource);
        if (held === null) return null;
        const bytes = bytesOf(held.value.contents);
        const { version, updatedAt } = held.record;
        return { text: Buffer.from(bytes).toString(), bytes, version, mtime: dateOf(updatedAt) };
      },
    };
  }

  async #fetch(file: string): Promise<void> {
    const { client, store } = this.#options;
    const uri = store.resource(file)?.value.uri ?? nameOf(file);
    if (uri === null) return;
    try {
      store.keepContents(file, await client.read(uri));
    } catch (error) {
      if (!isAbsent(error)) throw error;
      store.forgetContents(file);
      if (store.resource(file) !== null) throw error;
    }
  }
}

const isAbsent = (error: unknown): error is ServiceFailure =>
  error instanceof Failure && error.absent;

/** All parts, one after the other. */
function bytesOf(contents: readonly Contents[]): Uint8Array {
  return Buffer.concat(
    contents.map(({ text, blob }) =>
      blob === undefined ? Buffer.from(text ?? '') : Buffer.from(blob, 'base64'),
    ),
  );
}

const entry = ({ size, updatedAt }: StoredRecord) => ({
  size: Math.max(1, size),
  mtime: dateOf(updatedAt),
});

const entryOf = (held: Held<unknown> | null) => held && entry(held.record);

function textOf<T>(held: Held<T> | null, render: (one: T) => string): Content | null {
  if (held === null) return null;
  const { version, updatedAt } = held.record;
  return { text: render(held.value), version, mtime: dateOf(updatedAt) };
}
