/** How pages and rows are changed, and moved to the trash. */
import {
  type Edit,
  expectShape,
  type Outcome,
  type Params,
  type Problem,
  type Remove,
  ServiceFailure,
  type ServiceRequest,
  type Values,
} from '../../src/mount/index.ts';
import { outcome } from './creates.ts';
import { inPlace } from './in-place.ts';
import { isAsWritten } from './listed-blocks.ts';
import { editedBody, shownBody } from './markdown/index.ts';
import { type PageText, whole, wholeOf, withoutParts } from './markdown/parts.ts';
import { keyOfPlace } from './names.ts';
import { shownProperty } from './properties.ts';
import { fieldOf } from './records.ts';
import { asShown, checkNames, propertiesOf } from './references.ts';
import { nameIn, pageFields, recordOf } from './render.ts';
import { type ApiPage, blockSchema, listSchema, markdownSchema, pageSchema } from './schemas.ts';
import { applyUpdates, type ContentUpdate, contentUpdates, lostReferences } from './text-edits.ts';
import type { WriteParts } from './write-parts.ts';

const keyIn = (params: Params): string => keyOfPlace(params['place'] ?? '');

/** Changes a page's title, properties and text: of the text only the lines that differ. */
export function pageEdit(parts: WriteParts): Edit {
  const { store, sync } = parts;
  const texts = new ExpectedTexts();
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
      await sync.texts.lookup(key);
    },
    check: (params, delta) => checkEdit(parts, keyIn(params), delta),
    normal: (params, delta) => {
      const found = store.page(keyIn(params));
      return asShown(store, found === null ? null : store.sourceOf(found.page), delta);
    },
    request: (params, delta) => editRequest(parts, keyIn(params), delta, texts),
    send: (params, request) => sendEdit(parts, keyIn(params), request, texts),
  };
}

async function checkEdit(parts: WriteParts, key: string, delta: Values): Promise<Problem[]> {
  const { store } = parts;
  const found = pageFields(store, key);
  if (found === null) return [];
  const problems = await checkNames(parts, store.sourceOf(found.page), delta);
  for (const [name, value] of Object.entries(found.page.properties)) {
    const field = fieldOf({ name, type: value.type });
    const { fixed } = shownProperty(value, (id) => nameIn(store, id));
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
async function editRequest(
  { store, client }: WriteParts,
  key: string,
  delta: Values,
  texts: ExpectedTexts,
): Promise<ServiceRequest> {
  const found = pageFields(store, key);
  const held = store.body(key)?.body;
  if (found === null || held === undefined) throw new Error(`nothing is held of the page ${key}`);
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
  if (typeof body !== 'string') {
    if (properties === null) throw new Error('an edit that changes nothing');
    return properties;
  }
  const before = whole(held);
  const after = editedBody(before, body);
  const blocks = await inPlace(client, page.id, before, after);
  const lines = (text: string) => textRequest(page.id, held.markdown, ownText(held, text));
  const requests =
    blocks === null
      ? [lines(after)]
      : [...(blocks.mid === before ? [] : [lines(blocks.mid)]), ...blocks.requests];
  const request = chained([...requests, ...(properties === null ? [] : [properties])]);
  if (blocks !== null) texts.expect(request, after);
  return request;
}

/** An edit of a whole text as one of what the page's own text has. Throws ServiceFailure. */
function ownText(held: PageText, after: string): string {
  const own = withoutParts(held, after);
  if (own !== null && held.lacking === null) return own;
  const why = own === null ? 'a part that Notion gives by itself was changed' : held.lacking;
  throw new ServiceFailure(
    'invalid',
    `body: ${why}: of such a text single lines can be reworded here, and all else in Notion`,
  );
}

/** Requests that are sent one after the other. */
function chained(requests: readonly ServiceRequest[]): ServiceRequest {
  const [first, ...rest] = requests;
  if (first === undefined) throw new Error('an edit that changes nothing');
  return rest.length === 0 ? first : { ...first, next: chained(rest) };
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

async function sendEdit(
  parts: WriteParts,
  key: string,
  request: ServiceRequest,
  texts: ExpectedTexts,
): Promise<Outcome> {
  const { store, sync } = parts;
  const shown: ShownBlock[] = [];
  let made = 0;
  for (let next: ServiceRequest | undefined = request; next !== undefined; next = next.next) {
    const block = await sendStep(parts, key, next, made++);
    if (block !== null) shown.push(block);
  }
  if (!shown.every(({ asWritten }) => asWritten)) sync.notice(OTHERWISE);
  await lookupAfter(parts, key, request, { shown, expected: texts.of(request) });
  const page = store.page(key)?.page;
  if (page === undefined)
    throw new ServiceFailure('protocol', 'Notion changed the page, and does not have it any more');
  return outcome(store, page);
}

const OTHERWISE = 'Notion shows the text otherwise than it was written: read it again';

const isText = ({ url }: ServiceRequest): boolean => url.endsWith('/markdown');
const isBlock = ({ url }: ServiceRequest): boolean => url.startsWith('/v1/blocks/');

/** A block as an update's answer has it. */
interface ShownBlock {
  editedAt: string;
  asWritten: boolean;
}

/** Texts that pages will have once the blocks of a request are updated: they need not be asked for. */
class ExpectedTexts {
  readonly #texts = new Map<string, string>();

  expect(request: ServiceRequest, text: string): void {
    this.#texts.clear();
    this.#texts.set(request.url + JSON.stringify(request.body), text);
  }

  of(request: ServiceRequest): string | null {
    return this.#texts.get(request.url + JSON.stringify(request.body)) ?? null;
  }
}

/** What the answers did not tell: when the page was edited, and the text of updated blocks. */
async function lookupAfter(
  parts: WriteParts,
  key: string,
  request: ServiceRequest,
  { shown, expected: wanted }: { shown: readonly ShownBlock[]; expected: string | null },
): Promise<void> {
  const { sync, store } = parts;
  try {
    const page = store.page(key)?.page;
    let last = request;
    while (last.next !== undefined) last = last.next;
    const isKnown = wanted !== null && shown.every(({ asWritten }) => asWritten);
    if (page !== undefined && isBlock(last) && isKnown) {
      // A page was edited when the last one of its blocks was.
      const times = [page.last_edited_time, ...shown.map(({ editedAt }) => editedAt)];
      await sync.putPage({ ...page, last_edited_time: times.sort().at(-1) ?? '' }, 'write');
      return sync.texts.put(key, {
        ...wholeOf(wanted),
        lacking: store.body(key)?.body.lacking ?? null,
      });
    }
    // Without the time the next listing would make us ask for the text again.
    if (page !== undefined && (isText(last) || isBlock(last))) await sync.lookupPage(page.id);
    if (shown.length > 0) await sync.texts.lookup(key);
    const text = store.body(key)?.body;
    if (text !== undefined) sync.texts.put(key, text);
  } catch (error) {
    // The edit is made, whatever becomes of these questions: the next listing will tell, too.
    if (!(error instanceof ServiceFailure)) throw error;
  }
}

/** After a step that is made, a refusal of the next one is not "nothing changed". */
async function sendStep(
  parts: WriteParts,
  key: string,
  request: ServiceRequest,
  made: number,
): Promise<ShownBlock | null> {
  try {
    return await sendOne(parts, key, request);
  } catch (error) {
    if (!(error instanceof ServiceFailure) || made === 0) throw error;
    const what = isBlock(request) ? 'a part of the text' : 'the fields';
    const message = `the text was changed, and ${what} ${isBlock(request) ? 'was' : 'were'} not: ${error.message}`;
    throw new ServiceFailure('protocol', message, { cause: error });
  }
}

/** The block, where one was updated. */
async function sendOne(
  parts: WriteParts,
  key: string,
  request: ServiceRequest,
): Promise<ShownBlock | null> {
  const { client, store, sync } = parts;
  const { next: _, ...one } = request;
  const answer = await client.send(one);
  if (isBlock(request)) return shownBlock(request, answer);
  if (!isText(request)) {
    const page = expectShape('Notion', pageSchema, answer, 'the page that was written');
    await sync.putPage(page, 'write');
    return null;
  }
  const before = store.body(key)?.body.markdown;
  const text = expectShape('Notion', markdownSchema, answer, 'the text that was written');
  const { markdown } = text;
  sync.texts.put(key, await sync.texts.completed(text));
  if (markdown === before) {
    throw new ServiceFailure('protocol', 'Notion took the text and left the page as it was');
  }
  if (shownBody(markdown) !== shownBody(expected(request, before ?? ''))) sync.notice(OTHERWISE);
  return null;
}

function shownBlock(request: ServiceRequest, answer: unknown): ShownBlock {
  if (request.url.endsWith('/children')) {
    const { results } = expectShape('Notion', listSchema, answer, 'the blocks that were made');
    const made = expectShape('Notion', blockSchema.array(), results, 'the blocks that were made');
    const times = made.map(({ last_edited_time }) => last_edited_time);
    return { editedAt: times.sort().at(-1) ?? '', asWritten: true };
  }
  const block = expectShape('Notion', blockSchema, answer, 'the block that was written');
  const asWritten = request.method === 'DELETE' || isAsWritten(block, request);
  return { editedAt: block.last_edited_time, asWritten };
}

/** The text that a request asks for. */
function expected({ body }: ServiceRequest, before: string): string {
  const { insert_content, update_content } = body as {
    insert_content?: { content: string };
    update_content?: { content_updates: ContentUpdate[] };
  };
  return (
    insert_content?.content ?? applyUpdates(before, update_content?.content_updates ?? []) ?? ''
  );
}

/** Moves a page to the trash, from where Notion's own trash brings it back for 30 days. */
export function pageRemove({ client, store, sync }: WriteParts): Remove {
  const idOf = (params: Params) => store.page(keyIn(params))?.page.id ?? '';
  return {
    prepare: (params) => sync.below.ensure(keyIn(params)),
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
