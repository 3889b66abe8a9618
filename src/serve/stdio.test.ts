/** A deployment that another program drives: what it may ask, what it is answered, and when it is over. */
import { describe, expect, test } from 'vitest';
import { ConfigError, FsError } from '../errors.ts';
import type { FeedEvent } from './feed.ts';
import type { QueuedTurn } from './queue/turn.ts';
import type { Service } from './service.ts';
import { serveStdio } from './stdio.ts';

type Said = Record<string, unknown>;

/** A service that notes what it is asked, and lines that are sent one by one. */
function open() {
  const asked: unknown[][] = [];
  const written: Said[] = [];
  const feeds = new Map<string, { push(event: FeedEvent): void }>();
  const results: Record<string, () => unknown> = {};
  const note =
    (name: string, usual: unknown) =>
    (...given: unknown[]) => {
      asked.push([name, ...given.slice(1)]);
      expect(given[0]).toEqual({ actor: 'user', role: 'owner', agent: null });
      return name in results ? results[name]?.() : usual;
    };
  let made = 0;
  const follow = (_: unknown, session: string, from: unknown, signal: AbortSignal) => {
    asked.push(['follow', session, from]);
    const waiting: FeedEvent[] = [];
    let wake = (): void => undefined;
    feeds.set(session, {
      push: (event) => {
        waiting.push(event);
        wake();
      },
    });
    signal.addEventListener('abort', () => wake());
    return (async function* () {
      while (!signal.aborted) {
        const next = waiting.shift();
        if (next !== undefined) yield next;
        else
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
      }
    })();
  };
  const create = (caller: unknown, agent: unknown) => {
    note('create', null)(caller, agent);
    made += 1;
    return { id: `s${made}` };
  };
  const service = {
    conversations: {
      ...{ create, follow },
      submit: note('submit', { turn: null, isNew: true, stopped: false }),
      stop: note('stop', true),
    },
    decisions: {
      decide: note('decide', { state: 'allowed' }),
      answerQuestion: note('answer', { state: 'answered' }),
    },
  } as unknown as Service;
  const lines: string[] = [];
  let wakeLines = (): void => undefined;
  let isOver = false;
  const send = (value: unknown) => {
    lines.push(typeof value === 'string' ? value : JSON.stringify(value));
    wakeLines();
  };
  const stop = new AbortController();
  const ended = serveStdio({
    service,
    lines: (async function* () {
      for (;;) {
        const line = lines.shift();
        if (line !== undefined) yield line;
        else if (isOver) return;
        else
          await new Promise<void>((resolve) => {
            wakeLines = resolve;
          });
      }
    })(),
    write: async (value) => written.push(value as Said),
    signal: stop.signal,
  });
  const end = () => {
    isOver = true;
    wakeLines();
    return ended;
  };
  /** Sends a line, and gives its answer. */
  const ask = async (value: unknown): Promise<Said> => {
    const before = written.length;
    send(value);
    await expect.poll(() => written.length).toBeGreaterThan(before);
    return written.at(-1) ?? {};
  };
  return { asked, written, feeds, results, ask, send, end, ended, stop };
}

const turn = (id: string, state: QueuedTurn['state']) =>
  ({ id, state, approvals: [], questions: [], outcome: null }) as unknown as QueuedTurn;

describe('a request', () => {
  test.each<[Said, unknown[], unknown]>([
    [{ do: 'begin', agent: 'reader' }, ['create', 'reader'], { session: 's1' }],
    [{ do: 'begin' }, ['create', null], { session: 's1' }],
    [{ do: 'stop', session: 's' }, ['stop', 's'], { stopped: true }],
    [
      { do: 'approve', approval: 'a', digest: 'd' },
      ['decide', 'a', 'd', { decision: 'allow' }],
      { state: 'allowed' },
    ],
    [
      { do: 'answer', approval: 'a', digest: 'd', decision: 'deny' },
      ['decide', 'a', 'd', { decision: 'deny' }],
      { state: 'allowed' },
    ],
    [
      {
        do: 'answer',
        approval: 'a',
        digest: 'd',
        decision: 'allow',
        scope: 'prefix',
        prefix: '/x',
      },
      ['decide', 'a', 'd', { decision: 'allow', scope: 'prefix', prefix: '/x' }],
      { state: 'allowed' },
    ],
    [
      { do: 'reply', question: 'q', digest: 'd', value: { decision: 'approve' } },
      ['answer', 'q', 'd', { decision: 'approve' }],
      { state: 'answered' },
    ],
  ])('%j is carried out, and answered by its id', async (request, call, result) => {
    const { asked, ask, end } = open();
    expect(await ask({ ...request, id: 7 })).toEqual({ id: 7, result });
    expect(asked[0]).toEqual(call);
    await end();
  });

  test('to say something is one message of its session, which is followed from then on', async () => {
    const { asked, ask, end } = open();
    const message = { do: 'submit', session: 's', text: 'hi', key: 'k', model: 'm', plan: true };
    expect(await ask(message)).toEqual({
      id: undefined,
      result: { session: 's', message: null, isNew: true, stopped: false },
    });
    await ask({ do: 'steer', session: 's', text: 'more' });
    await ask({ do: 'submit', text: 'new' });
    expect(asked).toEqual([
      ['follow', 's', null],
      ['submit', 's', { text: 'hi', key: 'k', plan: true, model: 'm' }],
      [
        'submit',
        's',
        { text: 'more', key: expect.stringMatching(/^[0-9a-f-]{36}$/), plan: false, mode: 'steer' },
      ],
      ['create', null],
      ['follow', 's1', null],
      ['submit', 's1', { text: 'new', key: expect.any(String), plan: false }],
    ]);
    await end();
  });

  test.each<[unknown, string]>([
    ['{', 'the line is no JSON'],
    [{ do: 'other' }, ''],
    [{ do: 'submit', text: '' }, 'text'],
    [{ do: 'submit', text: 'x'.repeat(256 * 1024 + 1) }, 'text'],
    [{ do: 'submit', text: 'x', key: '' }, 'key'],
    [{ do: 'submit', text: 'x', key: 'k'.repeat(201) }, 'key'],
    [{ do: 'submit', text: 'x', more: 1 }, 'more'],
    [{ do: 'answer', approval: 'a', digest: 'd', decision: 'maybe' }, 'decision'],
    [{ do: 'answer', approval: 'a', digest: 'd', decision: 'allow', scope: 'all' }, 'scope'],
  ])('that is none is answered with what is wrong: %#', async (line, said) => {
    const { asked, ask, end } = open();
    const { error } = await ask(line);
    expect(error).toEqual({ code: 'EINVAL', message: expect.stringContaining(said) });
    expect((error as { message: string }).message).not.toContain('\n');
    expect(asked).toEqual([]);
    // And the next one is taken all the same; empty lines are nothing.
    await ask({ do: 'submit', text: 'x'.repeat(256 * 1024), key: 'k'.repeat(200) });
    await end();
  });

  test('that fails is answered with why', async () => {
    const { results, ask, end } = open();
    results['stop'] = () => {
      throw new FsError('ENOENT', { path: '/s', op: 'open', reason: 'no such session' });
    };
    expect(await ask({ do: 'stop', session: 's', id: 'x' })).toEqual({
      ...{ id: 'x', error: { code: 'ENOENT', message: 'no such session' } },
    });
    results['stop'] = () => {
      throw new ConfigError('agent', 'there is none');
    };
    expect(await ask({ do: 'stop', session: 's' })).toMatchObject({ error: { code: 'EINVAL' } });
    await end();
  });

  test('that fails as nobody foresaw ends it', async () => {
    const { results, send, ended } = open();
    results['stop'] = () => {
      throw new TypeError('a fault');
    };
    send({ do: 'stop', session: 's' });
    await expect(ended).rejects.toThrow('a fault');
  });
});

describe('what happens in a session', () => {
  test('is told between the answers, as it comes', async () => {
    const { written, feeds, ask, send, end } = open();
    await ask({ do: 'begin' });
    send('  ');
    const push = feeds.get('s1')?.push ?? expect.fail();
    push({ kind: 'entry', entry: { id: 'e' } } as unknown as FeedEvent);
    push({ kind: 'passing', event: { type: 'text-delta' } } as unknown as FeedEvent);
    push({ kind: 'turn', turn: turn('t', 'done') } as unknown as FeedEvent);
    await expect
      .poll(() => written.slice(1))
      .toEqual([
        { session: 's1', entry: { id: 'e' } },
        { session: 's1', event: { type: 'text-delta' } },
        { session: 's1', message: expect.objectContaining({ id: 't', state: 'done' }) },
      ]);
    await end();
  });

  test.each(['done', 'failed', 'stopped', 'parked'] as const)(
    'is waited for once the lines have ended, until it is %s',
    async (state) => {
      const { feeds, results, ask, end } = open();
      results['submit'] = () => ({ turn: turn('t', 'queued'), isNew: true, stopped: false });
      expect(await ask({ do: 'submit', session: 's', text: 'x' })).toMatchObject({
        result: { message: { id: 't', state: 'queued' } },
      });
      const over = { is: false };
      const ended = end().then(() => {
        over.is = true;
      });
      const push = feeds.get('s')?.push ?? expect.fail();
      push({ kind: 'turn', turn: turn('t', 'running') } as unknown as FeedEvent);
      for (let turns = 0; turns < 50; turns++) await Promise.resolve();
      expect(over.is).toBe(false);
      push({ kind: 'turn', turn: turn('t', state) } as unknown as FeedEvent);
      await ended;
    },
  );

  test('is waited for no longer once it is told to end', async () => {
    const { results, ask, ended, stop } = open();
    results['submit'] = () => ({ turn: turn('t', 'running'), isNew: true, stopped: false });
    await ask({ do: 'submit', session: 's', text: 'x' });
    stop.abort();
    await ended;
  });
});
