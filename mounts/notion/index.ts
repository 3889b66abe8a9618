/** The Notion mount: what is shared with an integration, nested as in the workspace. */
import { z } from 'zod';
import {
  type ChangeProbe,
  openServiceMount,
  peopleHint,
  type ServiceMount,
  type ServiceOptions,
} from '../../src/mount/index.ts';
import { NotionClient } from './client.ts';
import { commentRecord, pageRecord } from './records.ts';
import { NotionStore } from './store.ts';
import { NotionSync } from './sync.ts';
import { notionRoutes, PARAMS } from './table.ts';

/** `token`: of an integration; `baseUrl`: of a stand-in, `https://api.notion.com` by default. */
export type NotionMountOptions = ServiceOptions;

/** Limits and habits, for README.md. */
const HINTS: readonly string[] = [
  'A name is the title, `--` and the last 12 digits of the id, which alone count: a path with an old title goes on working, `Roadmap--*.md` finds a page by its title, and `Roadmap--*/` what is below it; after a move the old path is gone.',
  'A page `Title--ID.md` has its pages below it in `Title--ID/`. That directory is there for every page, and listed once something is in it: write `Title--ID/new.md` to make the first one. The rows of a database are in its own directory, made by its `new.md`.',
  'A text comes back as it was written; an empty line ends a block. What Notion cannot hold is refused with its line. An edit changes the blocks that differ, and no other; a tick or a reworded line keeps its block.',
  peopleHint('name', ['e-mail address', 'id']),
  '`rm` of a page moves it to the trash of Notion, from where it can be restored for 30 days; a page with pages below it is not removed.',
  'Options of select, multi-select and status must exist; `schema.json` of the database lists them. Properties of pages that are no rows: the title only.',
  '`by-id/ID` and `by-id/https://…` are links to the page or database with that id or address; `search/WORDS/` has what Notion finds by title.',
  'Comments are in `Title--ID/comments/`, which is found when named; walks and searches do not meet them. Those on single blocks are in `comments/BLOCK/`; `comments/blocks.tsv` has the ids.',
  'Titles and single texts have 2,000 characters at most, lists 100 entries, a whole text 450,000 bytes.',
];

export function createNotionMount(options: NotionMountOptions): ServiceMount {
  return openServiceMount(options, {
    kind: 'notion',
    title: 'Notion',
    client: (given) => new NotionClient(given),
    account: accountOf,
    changes: notionChanges,
    probe,
    store: (...given) => new NotionStore(...given),
    table: (parts) => {
      const sync = new NotionSync(parts);
      return {
        about:
          'Pages and databases of Notion as files, as far as they are shared with the integration. Reading fetches what is needed and keeps it; writing a file changes the page.',
        hints: HINTS,
        records: [pageRecord, commentRecord],
        params: PARAMS,
        ofRecords: true,
        search: true,
        collections: sync.collections,
        routes: notionRoutes({ ...parts, sync }),
      };
    },
  });
}

const bot = z.looseObject({ id: z.string() });

/** An integration has a bot of its own in each workspace, and sees there what is shared with it. */
async function accountOf(client: NotionClient): Promise<string> {
  return (await client.get(bot, 'users/me', 'whose token it is')).id;
}

const edited = z.looseObject({ id: z.string(), last_edited_time: z.string() });

/** What was edited last. Its time is a whole minute, in which more may come: until it is over, nothing is told for sure. */
function notionChanges(client: NotionClient, now: () => Date): ChangeProbe {
  const sort = { direction: 'descending', timestamp: 'last_edited_time' };
  return {
    subjectOf: () => '',
    marks: async () => {
      const { results } = await client.list('search', { body: { sort }, size: 1 });
      const newest = edited.safeParse(results[0]).data;
      const minute = newest?.last_edited_time ?? '';
      const asked = new Date(client.serverTime(now().getTime())).toISOString();
      const isOver = minute.slice(0, 16) < asked.slice(0, 16);
      return new Map([['', `${newest?.id} ${minute} ${isOver ? 'over' : asked}`]]);
    },
  };
}

const me = z.looseObject({
  name: z.string().nullish(),
  bot: z.looseObject({ workspace_name: z.string().nullish() }).optional(),
});

/** The integration, and the workspace that it belongs to. */
async function probe(client: NotionClient): Promise<string | null> {
  const { name, bot } = await client.get(me, 'users/me', 'who we are');
  const parts = [name, bot?.workspace_name].filter((part) => part !== null && part !== undefined);
  return parts.length === 0 ? null : parts.join(', ');
}
