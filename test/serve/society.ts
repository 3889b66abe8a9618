/**
 * People of every role on one server, each of whom has something that others are not to see or to
 * do: what the documents say of that, written down once more, apart from the code that holds it.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, onTestFinished } from 'vitest';
import type { WorldConfig } from '../../entry/index.ts';
import { Bench, REPO, TOKEN } from '../../mounts/github/testing.ts';
import type { Approval } from '../../src/policy/approval.ts';
import type { QueuedTurn } from '../../src/serve/queue/turn.ts';
import type { Role } from '../../src/serve/rights.ts';
import { type ChatRequest, calls, lastText, says } from '../stand-ins/model/index.ts';
import {
  answersOf,
  type Description,
  describedBy,
  isStream,
  type Operation,
  requestOf,
  type Thing,
} from './fuzzing.ts';
import {
  begun,
  type Client,
  deployed,
  type Served,
  said,
  scripted,
  serve,
  settled,
} from './support.ts';

/** Somebody, and the word that only they have said. */
export interface Person extends Client {
  name: string;
  role: Role;
  secret: string;
}

/** Roles that see what is others'. */
const SEES: ReadonlySet<Role> = new Set(['viewer', 'approver', 'owner']);

/** Who is never answered with success, by method and path: docs/serve.md. */
const NEVER: readonly [roles: readonly Role[], operations: readonly string[]][] = [
  [
    ['viewer'],
    [
      'POST /v1/sessions',
      'POST /v1/sessions/{session}/messages',
      'POST /v1/sessions/{session}/stop',
      'POST /v1/sessions/{session}/entries/{entry}/fork',
      'POST /v1/schedule',
      'DELETE /v1/schedule/{name}',
    ],
  ],
  [
    ['viewer', 'user'],
    ['POST /v1/approvals/{id}/answer', 'POST /v1/changes/apply', 'POST /v1/changes/drop'],
  ],
  [
    ['viewer', 'user', 'approver'],
    ['POST /v1/proposals/accept', 'POST /v1/proposals/reject'],
  ],
  [
    ['user'],
    [
      'GET /v1/changes',
      'GET /v1/changes/{id}',
      'GET /v1/proposals',
      'GET /v1/mounts',
      'GET /metrics',
    ],
  ],
];

/** What is there in an answer that belongs to somebody, and whose it is. */
function ownersIn({ path }: Operation, body: unknown): string[] {
  const rows = (Array.isArray(body) ? body : [body]) as Record<string, unknown>[];
  if (/^\/v1\/(?:sessions|messages)/.test(path) && !path.includes('/entries'))
    return rows.flatMap(({ actor, message }) =>
      [actor, (message as QueuedTurn | null | undefined)?.actor].filter(
        (each): each is string => typeof each === 'string',
      ),
    );
  if (path.startsWith('/v1/schedule'))
    return rows.flatMap(({ authors = [] }) => authors as string[]);
  if (path === '/v1/usage')
    return rows.flatMap(({ turns = [] }) =>
      (turns as { actor: string }[]).map(({ actor }) => actor),
    );
  return [];
}

/** Everything by which something could be named: ids, digests, names, places. */
const NAMES =
  /[0-9A-HJKMNP-TV-Z]{26}|[0-9a-hjkmnp-tv-z]{26}|[0-9a-f]{64}|c-[0-9a-z-]+|[\w.-]+\.md/g;
const MOST_KNOWN = 400;

const MOST_THINGS = 60;
const PROPOSED_EVERY = 5;

/** What is said and scheduled that something comes of. */
const NEW: readonly Thing[] = ['ask more', 'stage more', 'hello', '/stop', '/steer on'].flatMap(
  (text, index) => [
    { text, mode: 'queue' },
    { name: `p-${index}.md`, at: '2099-01-01T09:00:00Z', prompt: text },
    { path: '/workspace', offset: 0, query: 'hello' },
  ],
);

/** What an operation is about: `approvals`, or `sessions/entries`. */
const kindOf = (path: string): string => {
  const [, , kind = '', , below] = path.split('/');
  return below === 'entries' ? 'sessions/entries' : kind;
};

/** What an answer told of, by the names that requests have for it. */
function thingsIn(kind: string, at: string, body: unknown): Thing[] {
  const rows = (
    Array.isArray(body) ? body : ((body as { proposals?: unknown[] }).proposals ?? [body])
  ) as Record<string, unknown>[];
  return rows.slice(0, 20).flatMap(({ id, digest, path, name }): Thing[] => {
    switch (kind) {
      case 'sessions':
        return [{ session: id }];
      case 'sessions/entries':
        return at.includes('/entries/') ? [] : [{ session: at.split(/[/?]/)[3], entry: id }];
      case 'changes':
        return [{ id, ids: [id], changes: [{ id, digest }] }];
      case 'approvals':
        return ['allow', 'deny'].map((decision) => ({ id, digest, decision }));
      case 'proposals':
        return [{ path, digest }];
      case 'schedule':
        return [{ name }];
      default:
        return [];
    }
  });
}

const WRITING = /^(?:ask|stage) (\S+)/;

/** Writes what has to be approved, stages what it is told to, and says again what it has heard. */
function scriptedPerson({ messages }: ChatRequest) {
  const text = lastText(messages);
  if (messages.at(-1)?.role === 'tool') return says('so it is');
  const [verb, word] = WRITING.exec(text) ?? [];
  if (word === undefined) return says(`heard ${text.slice(0, 200)}`);
  const command = verb?.startsWith('ask')
    ? `echo x > /workspace/asked-${word}`
    : `sed -i 's/^title: .*/title: ${word}/' /mnt/github${REPO}/issues/3.md`;
  return calls(['bash', { command }]);
}

export interface Society {
  served: Served;
  people: Person[];
  description: Description;
  operations: Operation[];
  /** Operations that have been answered with success, such as `GET /v1/me`. */
  done: ReadonlySet<string>;
  /** Sends so many requests, in any order, of anybody. @returns what was wrong */
  ask(count: number, seed?: number): Promise<string[]>;
}

/**
 * @param staged with a service, to which writes are staged
 * @param speakers those who have said something; all who may, if absent
 */
export async function society({
  staged = false,
  speakers,
}: {
  staged?: boolean;
  speakers?: readonly string[];
} = {}): Promise<Society> {
  const deployment = deployed();
  mkdirSync(join(deployment, 'harness/agents'));
  const looker = '---\ndescription: looks\nfilesystem: read-only\n---\nYou look.\n';
  writeFileSync(join(deployment, 'harness/agents/looker.md'), looker);
  const world = staged ? await stagedWorld() : {};
  const model = await scripted(scriptedPerson);
  const served = serve(deployment, model, { parkAfterMs: 10 }, world, { T: TOKEN });
  const roles: [string, Role, string?][] = [
    ['olga', 'owner'],
    ['uwe', 'user'],
    ['ute', 'user'],
    ['leo', 'user', 'looker'],
    ['vera', 'viewer'],
    ['ada', 'approver'],
  ];
  const people = roles.map(
    ([name, role, agent]): Person => ({
      ...served.client(name, role, agent),
      name,
      role,
      secret: `what ${name} alone has said`,
    }),
  );
  const known = ['/workspace', '/', '/session/past', '/mnt', 'soon.md', 'prompts/tidy.md'];
  for (const person of people.filter(({ role }) => role !== 'viewer')) {
    const { id } = await begun(person);
    known.push(id, `/session/past/${id}/log.jsonl`);
    if (speakers?.includes(person.name) === false) continue;
    await settled(person, await said(person, id, person.secret));
    const asking = await said(person, id, `ask ${person.name}`);
    // Leo's agent may write nothing, and is not asked.
    await settled(person, asking, [person.name === 'leo' ? 'done' : 'parked']);
    if (staged && person.role !== 'user')
      await settled(person, await said(person, id, `stage ${person.name}`));
    known.push(asking.id);
  }
  const propose = (): void => {
    const place = join(deployment, '.dirigent/proposals/prompts');
    mkdirSync(place, { recursive: true });
    writeFileSync(join(place, 'tidy.md'), 'Tidy up.\n');
  };
  const [olga] = people as [Person];
  const { description, operations } = await describedBy(olga);
  const faultOf = answersOf(description);
  const asked = await olga.get<Approval[]>('/v1/approvals');
  for (const { id, digest } of asked) known.push(id, digest);

  const wrongOf = (
    person: Person,
    operation: Operation,
    status: number,
    text: string,
  ): string[] => {
    const wrong: string[] = [];
    if (status >= 500 && status !== 503) wrong.push('it failed');
    const fault = faultOf(operation, status, text);
    if (fault !== null) wrong.push(fault);
    const what = `${operation.method} ${operation.path}`;
    if (status < 300 && NEVER.some(([who, all]) => who.includes(person.role) && all.includes(what)))
      wrong.push(`a ${person.role} was let`);
    if (SEES.has(person.role)) return wrong;
    const others = people.filter(({ name }) => name !== person.name);
    for (const { name, secret } of others)
      if (text.includes(secret)) wrong.push(`${name}'s was told`);
    if (status < 300)
      for (const owner of ownersIn(operation, JSON.parse(text)))
        if (owner !== person.name) wrong.push(`${owner}'s was told`);
    // What a session waits for is its own.
    const waits = /^\/v1\/(?:approvals|questions)/.test(operation.path) && status < 300;
    if (waits)
      for (const each of [JSON.parse(text)].flat() as Pick<Approval, 'session'>[])
        if (served.service.conversations.ownerOf(each.session) !== person.name)
          wrong.push('an approval of somebody else was told');
    return wrong;
  };

  const done = new Set<string>();
  const things = new Map<string, Thing[]>();
  const learn = ({ path }: Operation, at: string, text: string): void => {
    for (const [name] of text.slice(0, 20_000).matchAll(NAMES))
      if (!known.includes(name)) known.push(name);
    // The oldest go, but for those of the beginning.
    known.splice(30, Math.max(0, known.length - MOST_KNOWN));
    const kind = kindOf(path);
    if (path === '/metrics') return;
    const all = [...(things.get(kind) ?? []), ...thingsIn(kind, at, JSON.parse(text))];
    things.set(kind, all.slice(-MOST_THINGS));
  };

  const one = async (seed: number): Promise<string[]> => {
    const [person, operation] = drawn(
      fc.tuple(fc.constantFrom(...people), fc.constantFrom(...operations)),
      seed,
    );
    const about = [...(things.get(kindOf(operation.path)) ?? []), ...NEW];
    const { path, body } = drawn(requestOf(operation, description, known, about), seed);
    const response = await person.send(operation.method, path, body);
    if (isStream(operation) && response.ok) {
      await response.body?.cancel();
      const owner = served.service.conversations.ownerOf(path.split(/[/?]/)[3] ?? '');
      if (SEES.has(person.role) || owner === person.name) return [];
      return [`${person.name} follows a session of ${owner}`];
    }
    const text = await response.text();
    if (response.ok) {
      learn(operation, path, text);
      done.add(`${operation.method} ${operation.path}`);
    }
    const asked = `${person.name} ${operation.method} ${path} ${JSON.stringify(body)}: ${response.status} ${text.slice(0, 2_000)}`;
    return wrongOf(person, operation, response.status, text).map((each) => `${each}: ${asked}`);
  };

  return {
    served,
    people,
    description,
    operations,
    done,
    ask: async (count, seed = Math.floor(Math.random() * 2 ** 31)) => {
      const wrong: string[] = [];
      for (let sent = 0; sent < count && wrong.length === 0; sent++) {
        if (sent % PROPOSED_EVERY === 0) propose();
        for (const each of await one(seed + sent)) wrong.push(`seed ${seed + sent}: ${each}`);
      }
      expect(served.faults).toEqual([]);
      return wrong;
    },
  };
}

/** What a seed gives, every time. */
function drawn<T>(arbitrary: fc.Arbitrary<T>, seed: number): T {
  const [value] = fc.sample(arbitrary, { numRuns: 1, seed });
  return value as T;
}

async function stagedWorld(): Promise<WorldConfig> {
  const bench = await Bench.start({ issues: 5, commentsEach: 0, pullEvery: 100 });
  onTestFinished(() => bench[Symbol.asyncDispose]());
  const github = { source: 'github', mode: 'stage', baseUrl: bench.github.url, tokenEnv: 'T' };
  return { mounts: { '/mnt/github': github } } as WorldConfig;
}
