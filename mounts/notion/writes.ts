/** How pages and rows are changed, and moved to the trash. */
import type { ServiceRequest } from '../../src/changes/change.ts';
import { expectShape, ServiceFailure } from '../../src/mount/failure.ts';
import type { Problem, Values } from '../../src/mount/record.ts';
import type { Edit, Outcome, Params, Remove } from '../../src/mount/route.ts';
import type { NotionClient } from './client.ts';
import { outcome } from './creates.ts';
import { keyOfPlace } from './names.ts';
import { shown } from './properties.ts';
import { fieldOf } from './records.ts';
import { asShown, checkNames, propertiesOf } from './references.ts';
import { nameIn, pageFields, recordOf } from './render.ts';
import { type ApiPage, markdownSchema, pageSchema } from './schemas.ts';
import type { NotionStore } from './store.ts';
import type { NotionSync } from './sync.ts';
import { contentUpdates, lostReferences } from './text-edits.ts';

export interface WriteParts {
  client: NotionClient;
  store: NotionStore;
  sync: NotionSync;
}

const keyIn = (params: Params): string => keyOfPlace(params['place'] ?? '');

/** Changes a page's title, properties and text: of the text only the lines that differ. */
export function pageEdit(parts: WriteParts): Edit {
  const { store, sync } = parts;
  return {
    record: (params) => recordOf(store, keyIn(params)),
    current: (params) => {
      const found = pageFields(store, keyIn(params));
      return found === null ? null : { values: found.values, version: found.version };
    },
    refresh: async (params) => {
      await sync.ensurePlace(params['place'] ?? '');
      const key = keyIn(params);
      const id = store.page(key)?.page.id;
      if (id === undefined) return;
      await sync.lookupPage(id);
      await sync.lookupBody(key);
    },
    check: (params, delta) => checkEdit(parts, keyIn(params), delta),
    normal: (params, delta) => {
      const found = store.page(keyIn(params));
      return asShown(store, found === null ? null : store.sourceOf(found.page), delta);
    },
    request: (params, delta) => editRequest(parts, keyIn(params), delta),
    send: (params, request) => sendEdit(parts, keyIn(params), request),
  };
}

async function checkEdit(parts: WriteParts, key: string, delta: Values): Promise<Problem[]> {
  const { store } = parts;
  const found = pageFields(store, key);
  if (found === null) return [];
  const problems = await checkNames(parts, store.sourceOf(found.page), delta);
  for (const [name, value] of Object.entries(found.page.properties)) {
    const field = fieldOf({ name, type: value.type });
    const { fixed } = shown(value, (id) => nameIn(store, id));
    if (Object.hasOwn(delta, field) && fixed !== null) {
      problems.push({ field, message: `${fixed}: change it in Notion` });
    }
  }
  if (typeof delta['body'] === 'string') {
    const [lost] = lostReferences(String(found.values['body']), delta['body']);
    if (lost !== undefined) {
      const message = `the line ${lost} stands for something that a text cannot hold: leave it as it is (pages are made with new.md, and moved to the trash with rm)`;
      problems.push({ field: 'body', message });
    }
  }
  return problems;
}

/** The text first: it is what Notion may still refuse, and then nothing has changed. */
function editRequest({ store }: WriteParts, key: string, delta: Values): ServiceRequest {
  const found = pageFields(store, key);
  if (found === null) throw new Error(`nothing is held of the page ${key}`);
  const { body, ...fields } = delta;
  const { page } = found;
  const configs = Object.entries(page.properties).map(([name, { type }]) => ({ name, type }));
  const properties: ServiceRequest | null =
    Object.keys(fields).length === 0
      ? null
      : {
          method: 'PATCH',
          url: `/v1/pages/${page.id}`,
          body: { properties: propertiesOf(store, configs, fields) },
        };
  const text =
    typeof body === 'string' ? textRequest(page.id, String(found.values['body']), body) : null;
  if (text === null && properties === null) throw new Error('an edit that changes nothing');
  if (text === null) return properties as ServiceRequest;
  return properties === null ? text : { ...text, next: properties };
}

function textRequest(id: string, before: string, after: string): ServiceRequest {
  const body =
    before === ''
      ? { type: 'insert_content', insert_content: { content: after } }
      : {
          type: 'update_content',
          update_content: { content_updates: contentUpdates(before, after) },
        };
  return { method: 'PATCH', url: `/v1/pages/${id}/markdown`, body };
}

async function sendEdit(parts: WriteParts, key: string, request: ServiceRequest): Promise<Outcome> {
  const { sync, store } = parts;
  const { next, ...first } = request;
  await sendOne(parts, key, first);
  if (next !== undefined) await sendSecond(parts, key, next);
  else if (first.url.endsWith('/markdown')) {
    // The text's answer has no time: without it the next listing would make us ask again.
    const id = store.page(key)?.page.id;
    if (id !== undefined) await lookupAfter(parts, id);
  }
  const page = store.page(key)?.page;
  if (page === undefined)
    throw new ServiceFailure('protocol', 'Notion changed the page, and does not have it any more');
  const text = store.body(key)?.body.markdown;
  if (text !== undefined) sync.putBody(key, text);
  return outcome(store, page);
}

/** The edit is made, whatever becomes of this question: the next listing will tell, too. */
async function lookupAfter({ sync }: WriteParts, id: string): Promise<void> {
  try {
    await sync.lookupPage(id);
  } catch (error) {
    if (!(error instanceof ServiceFailure)) throw error;
  }
}

async function sendOne(parts: WriteParts, key: string, request: ServiceRequest): Promise<void> {
  const { client, store, sync } = parts;
  const answer = await client.send(request);
  if (!request.url.endsWith('/markdown')) {
    await sync.putPage(
      expectShape('Notion', pageSchema, answer, 'the page that was written'),
      'write',
    );
    return;
  }
  const before = store.body(key)?.body.markdown;
  const { markdown } = expectShape('Notion', markdownSchema, answer, 'the text that was written');
  sync.putBody(key, markdown);
  if (markdown === before) {
    throw new ServiceFailure('protocol', 'Notion took the text and left the page as it was');
  }
}

/** The first half is made: a refusal of the second one is not "nothing changed". */
async function sendSecond(parts: WriteParts, key: string, request: ServiceRequest): Promise<void> {
  try {
    await sendOne(parts, key, request);
  } catch (error) {
    if (!(error instanceof ServiceFailure)) throw error;
    throw new ServiceFailure(
      'protocol',
      `the text was changed, and the fields were not: ${error.message}`,
      {
        cause: error,
      },
    );
  }
}

/** Moves a page to the trash, from where Notion's own trash brings it back for 30 days. */
export function pageRemove({ client, store, sync }: WriteParts): Remove {
  const idOf = (params: Params) => store.page(keyIn(params))?.page.id ?? '';
  return {
    refuse: (params) => {
      const below = store.below(keyIn(params)).length;
      return below === 0
        ? null
        : `${below} ${below === 1 ? 'page is' : 'pages are'} below it, and would go with it: remove those first`;
    },
    request: (params) => ({
      method: 'PATCH',
      url: `/v1/pages/${idOf(params)}`,
      body: { in_trash: true },
    }),
    send: async (params, request) => {
      await client.send(request);
      store.put({ ...(store.page(keyIn(params))?.page as ApiPage), in_trash: true }, 'write');
    },
    gone: async (params) => {
      const key = keyIn(params);
      const id = idOf(params);
      if (id !== '') await sync.lookupPage(id);
      return store.page(key) === null;
    },
  };
}
