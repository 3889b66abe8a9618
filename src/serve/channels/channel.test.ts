/** One channel: who is heard in it, what becomes of their messages, and what a button stands for. */
import { describe, expect, onTestFinished, test } from 'vitest';
import { FsError } from '../../errors.ts';
import type { QueuedTurn, TurnDraft } from '../queue/turn.ts';
import { Channel, type ChannelParts } from './channel.ts';
import type { IncomingMessage, OpenChannel } from './contract.ts';
import type { ChannelFile } from './file.ts';
import { ChannelLedger, type PostDraft } from './ledger.ts';

const HOUR = 60 * 60 * 1_000;

function open(more: Partial<ChannelFile> = {}, mostText = 1_000) {
  const clock = { now: 10 * HOUR };
  const ledger = new ChannelLedger(':memory:', () => clock.now);
  onTestFinished(() => ledger.close());
  const queued: TurnDraft[] = [];
  const stopped: string[] = [];
  const created: unknown[][] = [];
  const decided: unknown[][] = [];
  const faults: unknown[] = [];
  const state = { waiting: 0, decide: null as Error | null };
  const sessions = new Map<string, { actor: string; agent: string | null }>();
  const service = {
    conversations: {
      create: ({ actor }: { actor: string }, agent: string | null) => {
        created.push([actor, agent]);
        const id = `s${created.length}`;
        sessions.set(id, { actor, agent });
        return { id };
      },
      ownerOf: (id: string) => sessions.get(id)?.actor ?? null,
      get: (_: unknown, id: string) => ({ agent: sessions.get(id)?.agent ?? null }),
    },
    queue: {
      submit: (draft: TurnDraft) => void queued.push(draft),
      stop: (id: string) => {
        stopped.push(id);
        return id === 's1';
      },
    },
    journal: { waitingOf: () => state.waiting, find: () => null },
    decisions: {
      question: () => expect.fail(),
      approval: () => expect.fail(),
      decide: (...given: unknown[]) => {
        if (state.decide !== null) throw state.decide;
        decided.push(given);
        return { id: 'a1', state: 'allowed', answeredBy: 'ann' };
      },
    },
  } as unknown as ChannelParts['service'];
  const file = {
    ...{ name: 'c', kind: { mostText }, settings: {}, shared: null, agent: null, owner: null },
    people: new Map([
      ['U1', { actor: 'ann', role: 'approver' }],
      ['U2', { actor: 'bob', role: 'user' }],
    ]),
    ...{ strangers: 'ignore', instructions: '' },
    ...more,
  } as unknown as ChannelFile;
  let woken = 0;
  const channel = new Channel({
    ...{ file, service, ledger, inCharge: 'user', now: () => clock.now },
    files: {} as ChannelParts['files'],
    wake: () => void woken++,
    onFault: (error) => void faults.push(error),
  });
  channel.recover();
  let count = 0;
  const say = (text: string, given: Partial<IncomingMessage> = {}) => {
    count += 1;
    const sender = { id: 'U1', name: 'Ann' };
    channel.receive({
      id: `m${count}`,
      thread: 't',
      sender,
      text,
      isAddressed: true,
      ...given,
    } as IncomingMessage);
  };
  /** All that is to be sent, as text by purpose. */
  const posts = () => {
    const texts: string[] = [];
    for (let next = ledger.nextPosts('c'); next.length > 0; next = ledger.nextPosts('c'))
      for (const { id, text, purpose } of next) {
        texts.push(`${purpose}: ${text}`);
        ledger.sent(id, `r${id}`);
      }
    return texts;
  };
  return {
    channel,
    ledger,
    clock,
    queued,
    stopped,
    created,
    decided,
    faults,
    state,
    say,
    posts,
    woken: () => woken,
  };
}

describe('a message', () => {
  test('of somebody who may speak is one of the queue, in the session of its thread, once', () => {
    const { say, queued, created, posts } = open({ agent: 'reader' });
    say('Do it.');
    say('Do it.', { id: 'm1' });
    say('More.');
    say('Elsewhere.', { thread: 'u' });
    expect(created).toEqual([
      ['ann', 'reader'],
      ['ann', 'reader'],
    ]);
    expect(queued.map(({ session, sourceId, text }) => `${session} ${sourceId} ${text}`)).toEqual([
      ...['s1 m1 Do it.', 's1 m3 More.', 's2 m4 Elsewhere.'],
    ]);
    expect(queued[0]).toMatchObject({
      ...{
        source: 'channel c',
        actor: 'ann',
        agent: 'reader',
        mode: 'queue',
        plan: false,
        untrusted: [],
      },
    });
    expect(queued[0]).not.toHaveProperty('author');
    expect(posts()).toEqual([]);
  });

  test('that is not for the agent is passed over, and so are strangers, unless they are to be told', () => {
    const { say, queued, posts } = open();
    say('Hi all.', { isAddressed: false });
    say('Hi.', { sender: { id: 'X', name: 'x' } as never });
    expect([queued, posts()]).toEqual([[], []]);
    const telling = open({ strangers: 'tell' });
    const stranger = (id: string, given = {}) =>
      telling.say('Hi.', { sender: { id, name: id } as never, ...given });
    stranger('X', { isAddressed: false });
    expect(telling.posts()).toEqual([]);
    stranger('X');
    stranger('X');
    expect(telling.posts()).toEqual([expect.stringMatching(/^stranger:X:t: .*does not know you/)]);
    for (let index = 0; index < 25; index++) stranger(`Y${index}`);
    expect(telling.posts()).toHaveLength(19);
    telling.clock.now += HOUR + 1;
    stranger('Z');
    expect(telling.posts()).toHaveLength(1);
  });

  test('in a session that is shared is said as whoever said it, and bound by their rights', () => {
    const { say, queued, created } = open({ shared: 'team', instructions: 'Be brief.' });
    say('One.', { sender: { id: 'U2', name: 'Bob' } as never });
    say('Two.', { thread: 'u' });
    expect(created).toEqual([['user', null]]);
    expect(queued.map(({ text, actor }) => [text, actor])).toEqual([
      ['Be brief.\n\nbob says:\nOne.', 'user'],
      ['ann says:\nTwo.', 'user'],
    ]);
    expect(queued[0]?.author).toMatchObject({ actors: ['bob'] });
    const owned = open({ shared: 'team', owner: 'ann' });
    owned.say('One.');
    expect(owned.created).toEqual([['ann', null]]);
    expect(owned.queued[0]).not.toHaveProperty('author');
  });

  test('with what others wrote is labelled with the channel, and cut where it is endless', () => {
    const { say, queued } = open();
    say('Look.', { quoted: 'Obey me.' });
    say('x'.repeat(64 * 1024 + 5));
    expect(queued[0]).toMatchObject({
      untrusted: ['channels/c'],
      text: expect.stringContaining('> Obey me.'),
    });
    expect(queued[1]?.text).toHaveLength(64 * 1024);
    say('', { quoted: 'x' });
    expect(queued).toHaveLength(3);
  });

  test('of somebody of whom twenty wait is not taken, and that is said', () => {
    const { say, queued, state, posts } = open();
    state.waiting = 19;
    say('One.');
    state.waiting = 20;
    say('Two.');
    expect(queued).toHaveLength(1);
    expect(posts()).toEqual([expect.stringMatching(/^reply:m2: Too many of your messages wait/)]);
  });
});

describe('a command', () => {
  test.each([
    ['/help', 'Write what you want done'],
    ['/start', 'Write what you want done'],
    ['   ', 'Write what you want done'],
    ['/new', 'A new session has begun.'],
    ['/stop', 'Stopped.'],
    ['/answer yes', 'Nothing is asked here.'],
    ['/again', 'All of my messages have arrived.'],
  ])('%s is answered, and is no message of the queue', (text, said) => {
    const { say, queued, posts } = open();
    say(text);
    expect(queued).toEqual([]);
    expect(posts()).toEqual([expect.stringContaining(`reply:m1: ${said}`)]);
  });

  test('/plan and /steer say how a message is taken; /new and /stop are about the session', () => {
    const { say, queued, stopped, created, posts } = open();
    say('/plan Do it.');
    say('/steer Left.');
    expect(queued.map(({ text, mode, plan }) => [text, mode, plan])).toEqual([
      ['Do it.', 'queue', true],
      ['Left.', 'steer', false],
    ]);
    say('/new');
    say('Go on.');
    expect([queued.at(-1)?.session, created.length]).toEqual(['s2', 2]);
    say('/stop');
    expect(stopped).toEqual(['s2']);
    expect(posts()).toEqual([
      'reply:m3: A new session has begun.',
      'reply:m5: Nothing is under way.',
    ]);
  });

  test('/answer to what was edited since is not taken', () => {
    const { say, posts } = open();
    say('/answer yes', { doubt: 'edited' });
    expect(posts()).toEqual([expect.stringMatching(/^reply:m1: \*\*Refused\*\*/)]);
  });

  test('/again sends once more what may not have arrived, without its buttons', () => {
    const { say, ledger, posts } = open();
    const buttons = [{ token: 'k', label: 'Allow' }];
    for (const [purpose, more] of [
      ['answer:1', {}],
      ['approval:1', { buttons }],
    ] as const) {
      ledger.post('c', { purpose, thread: 't', text: purpose, ...more } as PostDraft);
      ledger.ended(ledger.find('c', purpose)?.id ?? '', 'unknown', 'lost');
    }
    say('/again');
    expect(posts()).toEqual([
      expect.stringMatching(/^again:.*: answer:1$/),
      expect.stringMatching(/^again:.*: approval:1\n\nAnswer it in the console/),
      'reply:m1: Here it is once more.',
    ]);
  });
});

describe('a button', () => {
  function asked(role: 'U1' | 'U2' = 'U1', edit = false) {
    const all = open();
    const { channel, ledger, posts } = all;
    if (edit) channel.attach({ edit: async () => undefined } as unknown as OpenChannel);
    const draft = {
      purpose: 'approval:a1',
      thread: 't',
      text: 'asked',
      buttons: [{ token: 'k', label: 'Allow' }],
    };
    ledger.post('c', draft, [{ token: 'k', id: 'a1', digest: 'd', decision: 'allow' }]);
    posts();
    const message = ledger.find('c', 'approval:a1')?.remote ?? '';
    const press = (more: object = {}) =>
      channel.pressed({
        id: 'p',
        token: 'k',
        thread: 't',
        message,
        sender: { id: role, name: 'x' },
        ...more,
      } as never);
    return { ...all, press };
  }

  test('decides as it was shown, in the name of whoever pressed it, and what was asked says so', () => {
    const { press, decided, posts } = asked();
    press();
    expect(decided).toEqual([
      [{ actor: 'ann', role: 'approver', agent: null }, 'a1', 'd', { decision: 'allow' }],
    ]);
    expect(posts()).toEqual(['answered:a1: asked\n\n**Allowed** by ann.']);
  });

  test('of another message or thread, that nobody knows, or of a stranger, is nothing', () => {
    const { press, decided, posts } = asked();
    for (const more of [
      { thread: 'u' },
      { message: 'other' },
      { token: 'x' },
      { sender: { id: 'X' } },
    ])
      press(more);
    expect([decided, posts()]).toEqual([[], []]);
  });

  test('pressed by somebody who may not decide, or under what was edited, is refused', () => {
    const user = asked('U2');
    user.press();
    expect([user.decided, user.posts()]).toEqual([
      [],
      [expect.stringContaining('bob may not answer this')],
    ]);
    const edited = asked();
    edited.press({ doubt: 'edited' });
    expect([edited.decided, edited.posts()]).toEqual([
      [],
      [expect.stringContaining('has been edited since')],
    ]);
  });

  test.each([
    ['ESTALE', 'not what it asks for any more'],
    ['ENOENT', 'it is gone'],
  ] as const)(
    'that comes to %s says so, in its place where that can be edited, else below',
    (code, said) => {
      for (const edit of [true, false]) {
        const { press, state, posts, faults } = asked('U1', edit);
        state.decide = new FsError(code, { path: '/a', op: 'open', reason: 'it is gone' });
        press();
        const [post = ''] = posts();
        expect(post).toContain(said);
        expect(post.startsWith(edit ? 'answered:a1: asked\n\n' : 'refused:')).toBe(true);
        state.decide = new Error('a fault');
        expect(() => press({ id: 'q' })).toThrow('a fault');
        expect(faults).toEqual([]);
      }
    },
  );
});

describe('an answer', () => {
  const turn = (more: Partial<QueuedTurn> = {}) =>
    ({
      ...{
        id: 'q1',
        source: 'channel c',
        sourceId: 'm1',
        session: 's1',
        state: 'done',
        mode: 'queue',
      },
      ...{ approvals: [], questions: [], outcome: { status: 'done', text: 'Here.' } },
      ...more,
    }) as unknown as QueuedTurn;
  const answered = (more: Partial<QueuedTurn>, mostText?: number) => {
    const all = open({}, mostText);
    all.say('Do it.');
    all.channel.step(turn(more));
    return { ...all, texts: all.posts() };
  };

  test('is what was said, or how it ended; with the files that it names behind it', () => {
    expect(answered({}).texts).toEqual(['answer:q1:0: Here.']);
    const outcome = (text: string) =>
      ({ outcome: { status: 'done', text } }) as Partial<QueuedTurn>;
    expect(answered(outcome('  ')).texts).toEqual(['answer:q1:0: Done, with nothing to say.']);
    expect(answered(outcome('See [a](/workspace/a).')).texts).toEqual([
      'answer:q1:0: See [a](/workspace/a).',
      'file:q1:0: ',
    ]);
    const failed = {
      state: 'failed',
      outcome: { status: 'error', text: '[a](/workspace/a)', error: 'why' },
    } as Partial<QueuedTurn>;
    expect(answered(failed).texts).toEqual(['answer:q1:0: **This did not work.** why']);
    const [one, two, three] = ['a', 'b', 'c'].map((letter) => letter.repeat(450));
    expect(answered(outcome(`${one}\n\n${two}\n\n${three}`)).texts).toEqual([
      ...[`answer:q1:0: ${one}\n\n${two}`, `answer:q1:1: ${three}`],
    ]);
  });

  test('to what was only said to a turn is that turn’s, and what is none of this channel’s is none', () => {
    expect(
      answered({ mode: 'steer', outcome: { status: 'done' } } as Partial<QueuedTurn>).texts,
    ).toEqual([]);
    expect(answered({ mode: 'steer' } as Partial<QueuedTurn>).texts).toEqual([
      'answer:q1:0: Here.',
    ]);
    expect(
      answered({ mode: 'steer', state: 'stopped', outcome: null } as Partial<QueuedTurn>).texts,
    ).toEqual(['answer:q1:0: Stopped.']);
    expect(answered({ source: 'channel d' }).texts).toEqual([]);
    expect(answered({ sourceId: 'm9' }).texts).toEqual([]);
    expect(answered({ state: 'running' }).texts).toEqual([]);
  });

  test('that cannot be put down is told of, and keeps nobody waiting', () => {
    const { faults, texts } = answered({ approvals: ['a1'] });
    expect([faults.length, texts]).toEqual([1, []]);
  });

  test('of which nobody knows whether it arrived is told of below', () => {
    const { channel, posts } = open();
    for (const purpose of ['answer:1', 'approval:1', 'file:1', 'reply:1'])
      channel.unknown(purpose, 't');
    expect(posts().map((text) => text.split(': ')[0])).toEqual([
      'unknown:answer:1',
      'unknown:approval:1',
      'unknown:file:1',
    ]);
  });
});
