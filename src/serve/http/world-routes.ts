/** Files, mounts, the schedule, and what all of it costs. */
import type { Service } from '../service.ts';
import { body, json, route } from './describe.ts';
import type { ServeApp } from './identity.ts';
import { metricsText } from './metrics.ts';
import * as schemas from './schemas.ts';

const getFile = route(
  'get',
  '/v1/files',
  'A file of the world, or a directory, in the name of whoever asks',
  { query: schemas.fileQuery },
  { 200: json(schemas.file, 'Up to 1 MiB of it from the offset on') },
);
const getSearch = route(
  'get',
  '/v1/search',
  'Search by meaning, as grep does without a flag',
  { query: schemas.searchQuery },
  { 200: json(schemas.searchResult, 'Lines, the best first') },
);
const getUsage = route(
  'get',
  '/v1/usage',
  'What was spent, by day',
  { query: schemas.usageQuery },
  { 200: json(schemas.usage, 'Tokens and turns') },
);
const getMounts = route(
  'get',
  '/v1/mounts',
  'The services, and whether they can be reached',
  {},
  {
    200: json(schemas.mounts, 'Each with what is held of it'),
  },
);
const listPrompts = route(
  'get',
  '/v1/schedule',
  'Prompts with a date, and those that come again',
  {},
  {
    200: json(schemas.prompt.array(), 'Those that whoever asks may see'),
  },
);
const postPrompt = route('post', '/v1/schedule', 'Schedule a prompt', body(schemas.promptDraft), {
  201: json(schemas.prompt, 'It waits'),
});
const deletePrompt = route(
  'delete',
  '/v1/schedule/{name}',
  'Take back a prompt that waits',
  { params: schemas.promptParams },
  { 200: json(schemas.done, 'It is gone') },
);
const getMetrics = route(
  'get',
  '/metrics',
  'For Prometheus',
  {},
  {
    200: {
      description: 'Counts, as text',
      content: { 'text/plain': { schema: schemas.text } },
    },
  },
);

const DAYS = 30;

/** Where mounts are, unless a deployment puts them elsewhere: what is searched where no path is named. */
const SEARCHED = '/mnt';

export function worldRoutes(app: ServeApp, service: Service): void {
  const { files, schedule } = service;
  app.openapi(getFile, async (c) => {
    const { path, offset = 0 } = c.req.valid('query');
    return c.json(await files.read(c.get('caller'), path, offset), 200);
  });
  app.openapi(getSearch, async (c) => {
    const { query, path = SEARCHED } = c.req.valid('query');
    return c.json(await files.search(c.get('caller'), query, path, c.req.raw.signal), 200);
  });
  app.openapi(getUsage, (c) => {
    const { days = DAYS } = c.req.valid('query');
    return c.json(service.usage(c.get('caller'), days), 200);
  });
  app.openapi(getMounts, async (c) => c.json(await service.mounts(c.get('caller')), 200));
  app.openapi(listPrompts, (c) => c.json(schedule.list(c.get('caller')).map(mutable), 200));
  app.openapi(postPrompt, (c) => {
    const added = schedule.add(c.get('caller'), c.req.valid('json'));
    return c.json(mutable(added), 201);
  });
  app.openapi(deletePrompt, (c) => {
    schedule.remove(c.get('caller'), c.req.valid('param').name);
    return c.json({ done: true as const }, 200);
  });
  app.openapi(getMetrics, (c) => c.text(metricsText(service, c.get('caller')), 200));
}

const mutable = <T extends { authors: readonly string[] }>(prompt: T) => ({
  ...prompt,
  authors: [...prompt.authors],
});
