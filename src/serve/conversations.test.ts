/** Who may see and say what: sessions and messages of whoever is served. */
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { FsError } from '../errors.ts';
import type { Entry } from '../session/entry.ts';
import { type ConversationParts, Conversations, type Message } from './conversations.ts';
import type { QueuedTurn, TurnDraft } from './queue/turn.ts';
import type { Caller, Role } from './rights.ts';
import type { SessionSummary } from './sessions.ts';

const as = (role: Role, actor = 'ann', agent: string | null = null): Caller => ({
  actor,
  role,
  agent,
});
const ANN = as('user');
const ROOT = as('owner', 'root');

const session = (id: string, actor: string | null, more: Partial<SessionSummary> = {}) =>
  ({ id, actor, agent: null, title: `On ${id}`, parentSession: null, ...more }) as SessionSummary;

let sessions: SessionSummary[];
let drafts: TurnDraft[];
/** What the queue makes of a draft. */
let turnOf: (draft: TurnDraft) => QueuedTurn;
let waiting: QueuedTurn[];
let listed: unknown[];
let stopped: string[];
let begun: unknown[][];
let conversations: Conversations;

beforeEach(() => {
  sessions = [session('s1', 'ann'), session('s2', 'ben'), session('s3', 'ann')];
  drafts = [];
  waiting = [];
  listed = [];
  stopped = [];
  begun = [];
  turnOf = (draft) => ({ id: 't1', ...draft }) as unknown as QueuedTurn;
  const parts = {
    sessions: {
      list: (before?: string) => sessions.slice(sessions.findIndex(({ id }) => id === before) + 1),
      get: (id: string) => {
        const found = sessions.find((each) => each.id === id);
        if (found === undefined)
          throw new FsError('ENOENT', { path: `/sessions/${id}`, op: 'open' });
        return found;
      },
      create: (...given: unknown[]) => {
        begun.push(given);
        return session('new', 'ann');
      },
      fork: (...given: unknown[]) => {
        begun.push(given);
        return session('new', 'ann');
      },
      entry: (id: string, entry: string) =>
        ({ id: entry, type: 'bash_end', of: id, changed: [{ path: '/a' }] }) as unknown as Entry,
      read: (_: string, work: (file: unknown) => unknown) => {
        const ids = ['a', 'b', 'c', 'd'];
        return work({
          tree: {
            size: ids.length,
            id: (row: number) => ids[row],
            row: (id: string) => (ids.includes(id) ? ids.indexOf(id) : undefined),
          },
          get: (id: string) => (id === 'c' ? undefined : { id }),
        });
      },
    },
    journal: {
      list: (filter: { limit: number }) => {
        listed.push(filter);
        return waiting.slice(0, filter.limit);
      },
      get: (id: string) => waiting.find((each) => each.id === id) ?? null,
    },
    queue: {
      stop: (id: string) => stopped.push(id) > 0 && id !== 's3',
      submit: (draft: TurnDraft) => {
        drafts.push(draft);
        return { turn: turnOf(draft), isNew: true };
      },
    },
    feeds: { follow: vi.fn(() => 'a feed') },
  };
  conversations = new Conversations(parts as unknown as ConversationParts);
});

/** How something is refused; null where it is not. */
function refusal(attempt: () => unknown): string | null {
  try {
    attempt();
    return null;
  } catch (error) {
    if (!(error instanceof FsError)) throw error;
    return error.code;
  }
}

describe('sessions', () => {
  const ids = (caller: Caller, page = {}): string[] =>
    conversations.list(caller, page).map(({ id }) => id);

  it('are those of the caller; whoever may look sees all', () => {
    expect(ids(ANN)).toEqual(['s1', 's3']);
    for (const role of ['viewer', 'approver', 'owner'] as const)
      expect(ids(as(role, 'eve'))).toEqual(['s1', 's2', 's3']);
    expect(ids(as('user', 'eve'))).toEqual([]);
  });

  it('come a page at a time, by a word of their title, or as forks of one', () => {
    expect(ids(ROOT, { limit: 2 })).toEqual(['s1', 's2']);
    expect(ids(ROOT, { limit: 2, before: 's2' })).toEqual(['s3']);
    expect(ids(ROOT, { limit: 0 })).toEqual([]);
    expect(ids(ROOT, { text: 'ON S2' })).toEqual(['s2']);
    sessions.push(session('s4', 'ann', { parentSession: 's1' }));
    expect(ids(ROOT, { parent: 's1' })).toEqual(['s4']);
    expect(ids(ROOT, { parent: 's2' })).toEqual([]);
    sessions = Array.from({ length: 60 }, (_, at) => session(`n${at}`, 'ann'));
    expect(ids(ROOT)).toHaveLength(50);
    // What may not be seen takes no place away.
    sessions = [...sessions.map((each) => ({ ...each, actor: 'ben' })), session('mine', 'ann')];
    expect(ids(ANN)).toEqual(['mine']);
  });

  it('of others are not there', () => {
    const looks: (() => unknown)[] = [
      () => conversations.get(ANN, 's2'),
      () => conversations.entries(ANN, 's2', undefined, 5),
      () => conversations.entry(ANN, 's2', 'e'),
      () => conversations.changed(ANN, 's2', 'e'),
      () => conversations.follow(ANN, 's2', null, new AbortController().signal),
      () => conversations.fork(ANN, 's2', 'e'),
      () => conversations.submit(ANN, 's2', { text: 'x', key: 'k' }),
      () => conversations.stop(ANN, 's2'),
      () => conversations.messages(ANN, { session: 's2' }),
      () => conversations.get(ANN, 'none'),
    ];
    expect(looks.map(refusal)).toEqual(looks.map(() => 'ENOENT'));
    expect([drafts, stopped, begun]).toEqual([[], [], []]);
  });

  it('are seen by whoever may look, written to by their own, and by an owner', () => {
    const writes = (caller: Caller) => refusal(() => conversations.stop(caller, 's2'));
    expect(writes(as('user', 'ben'))).toBeNull();
    expect(writes(ROOT)).toBeNull();
    expect(writes(as('approver'))).toBe('EACCES');
    expect(writes(as('viewer'))).toBe('EACCES');
    // Who may have none may not write to their own either.
    expect(writes(as('viewer', 'ben'))).toBe('EACCES');
    expect(conversations.get(as('viewer'), 's2').id).toBe('s2');
    expect([conversations.stop(ANN, 's1'), conversations.stop(ANN, 's3')]).toEqual([true, false]);
  });

  it('are begun by whoever may, with an agent whose rights they have', () => {
    conversations.create(ANN, null);
    conversations.create(ANN, 'helper');
    const bound = as('user', 'ann', 'clerk');
    conversations.create(bound, null);
    conversations.create(bound, 'clerk');
    expect(begun).toEqual([
      ['ann', null],
      ['ann', 'helper'],
      ['ann', 'clerk'],
      ['ann', 'clerk'],
    ]);
    expect(refusal(() => conversations.create(bound, 'helper'))).toBe('EACCES');
    expect(refusal(() => conversations.create(as('viewer'), null))).toBe('EACCES');
  });

  it('go on from what was seen, as the caller’s own, with the agent of the first', () => {
    sessions.push(session('s4', 'ben', { agent: 'helper' }));
    conversations.fork(as('approver'), 's4', 'e1');
    expect(begun).toEqual([['s4', 'e1', 'ann', 'helper']]);
    expect(refusal(() => conversations.fork(as('viewer'), 's4', 'e1'))).toBe('EACCES');
    expect(refusal(() => conversations.fork(as('approver', 'ann', 'clerk'), 's4', 'e1'))).toBe(
      'EACCES',
    );
  });

  it('have an owner, as far as they are there', () => {
    expect([conversations.ownerOf('s2'), conversations.ownerOf('none')]).toEqual(['ben', null]);
  });
});

describe('entries', () => {
  const ids = (after: string | undefined, limit: number): string[] =>
    conversations.entries(ANN, 's1', after, limit).map(({ id }) => id);

  it('come in their order from the first, or after one; what is gone is left out', () => {
    expect(ids(undefined, 2)).toEqual(['a', 'b']);
    expect(ids('a', 2)).toEqual(['b']);
    expect(ids('b', 9)).toEqual(['d']);
    expect(ids('d', 9)).toEqual([]);
    expect(refusal(() => ids('none', 9))).toBe('ENOENT');
  });

  it('of commands say what they changed', () => {
    expect(conversations.changed(ANN, 's1', 'e')).toEqual([{ path: '/a' }]);
  });
});

describe('a message', () => {
  const submit = (more: Partial<Message>, caller = ANN) =>
    conversations.submit(caller, 's1', { text: 'hello', key: 'k1', ...more });

  it('becomes a turn of the session, in the name of whose it is', () => {
    sessions[0] = session('s1', 'ann', { agent: 'helper' });
    expect(submit({ model: 'openai/m' }, ROOT)).toMatchObject({ isNew: true, stopped: false });
    expect(drafts).toEqual([
      {
        session: 's1',
        source: 'api root',
        sourceId: 'k1',
        actor: 'ann',
        agent: 'helper',
        text: 'hello',
        mode: 'queue',
        model: 'openai/m',
        plan: false,
      },
    ]);
    submit({});
    expect(drafts[1]).not.toHaveProperty('model');
  });

  it.each<[Partial<Message>, mode: string, text: string]>([
    [{ text: '/steer faster' }, 'steer', 'faster'],
    [{ text: '/steer\nfaster' }, 'steer', 'faster'],
    [{ text: 'faster', mode: 'steer' }, 'steer', 'faster'],
    [{ text: 'faster', mode: 'queue' }, 'queue', 'faster'],
    [{ text: '/steering' }, 'queue', '/steering'],
    [{ text: 'not /steer' }, 'queue', 'not /steer'],
    [{ text: '/stopping' }, 'queue', '/stopping'],
    [{ text: '/stop it' }, 'queue', '/stop it'],
    // A turn with a plan of its own cannot be said to one that runs.
    [{ text: '/steer faster', plan: true }, 'queue', 'faster'],
    [{ text: 'half a pair \ud800', key: 'k' }, 'queue', 'half a pair \ufffd'],
  ])('%j is %s: %j', (message, mode, text) => {
    submit(message);
    expect(drafts).toMatchObject([{ mode, text, plan: message.plan ?? false }]);
  });

  it('may be that the turn which runs is to end', () => {
    for (const text of ['/stop', '/stop \n'])
      expect(submit({ text })).toEqual({ turn: null, isNew: true, stopped: true });
    expect([stopped, drafts]).toEqual([['s1', 's1'], []]);
  });

  it('without a word is refused', () => {
    for (const text of ['', ' \n', '/steer', '/steer '])
      expect(refusal(() => submit({ text }))).toBe('EINVAL');
    expect(drafts).toEqual([]);
  });

  it('is refused where a hundred wait', () => {
    waiting = Array.from({ length: 99 }, () => ({}) as QueuedTurn);
    expect(refusal(() => submit({}))).toBeNull();
    expect(listed).toEqual([{ session: 's1', states: ['queued'], limit: 100 }]);
    waiting.push({} as QueuedTurn);
    expect(refusal(() => submit({}))).toBe('EAGAIN');
    expect(drafts).toHaveLength(1);
    // What ends a turn is heard all the same.
    expect(submit({ text: '/stop' }).stopped).toBe(true);
  });

  it('whose key has come with another one is refused', () => {
    turnOf = (draft) => ({ ...draft, text: 'another' }) as unknown as QueuedTurn;
    expect(refusal(() => submit({}))).toBe('EEXIST');
    turnOf = (draft) => ({ ...draft, session: 's3' }) as unknown as QueuedTurn;
    expect(refusal(() => submit({}))).toBe('EEXIST');
  });

  it('is seen by whose it is, and by who may look', () => {
    waiting = [{ id: 't1', actor: 'ben' } as QueuedTurn];
    expect(conversations.message(as('user', 'ben'), 't1').id).toBe('t1');
    expect(conversations.message(as('viewer'), 't1').id).toBe('t1');
    expect(refusal(() => conversations.message(ANN, 't1'))).toBe('ENOENT');
    expect(refusal(() => conversations.message(ROOT, 'none'))).toBe('ENOENT');
  });

  it('is listed among those of a session, or among one’s own, or all for who may look', () => {
    conversations.messages(ANN, { session: 's1' });
    conversations.messages(ANN, { states: ['queued'], limit: 5 });
    conversations.messages(as('viewer'), { after: 't1', limit: 5_000 });
    expect(listed).toEqual([
      { session: 's1', limit: 1_000 },
      { states: ['queued'], limit: 5, actor: 'ann' },
      { after: 't1', limit: 1_000 },
    ]);
  });
});
