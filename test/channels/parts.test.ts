/** What channels are made of, by itself: failures, texts, files, comments, and what an adapter keeps. */
import type { Adapter, Attachment, Message } from 'chat';
import { describe, expect, test } from 'vitest';
import { fetchFile, filesOf } from '../../channels/chat-sdk/files.ts';
import { chatInstance } from '../../channels/chat-sdk/instance.ts';
import { failureOf, hasPlaceholder, postable } from '../../channels/chat-sdk/sending.ts';
import { keptState } from '../../channels/chat-sdk/state.ts';
import {
  answered,
  commentText,
  fileNames,
  rememberButtons,
  takeComment,
} from '../../channels/comments.ts';
import { messageOf, messageSchema, pressOf, pressSchema } from '../../channels/discord/messages.ts';
import { discordText } from '../../channels/discord/texts.ts';
import { bodyOf, commentIn, markOf, mentionOf, placeOf } from '../../channels/github/comments.ts';
import { load } from '../../channels/library.ts';
import { slackFailure } from '../../channels/slack/failures.ts';
import { richText } from '../../channels/slack/rich-text.ts';
import { type Delivery, DeliveryRefusal } from '../../src/mount/index.ts';
import { NotSent, type OutgoingMessage } from '../../src/serve/channels/index.ts';
import { memoryOf } from './memory.ts';

const outgoing = (more: Partial<OutgoingMessage> = {}): OutgoingMessage => ({
  key: '0b4f8a1e-0000-4000-8000-000000000001',
  thread: 't',
  text: 'hello',
  buttons: [],
  isExact: false,
  files: [],
  ...more,
});
const fault = (more: object, message = 'said'): Error => Object.assign(new Error(message), more);
/** ms after which it may be sent again; `never`; `unknown` where it may have arrived. */
const meaning = (failure: unknown): number | string =>
  failure instanceof NotSent ? (failure.againAfterMs ?? 'never') : 'unknown';

describe('a failure of an adapter', () => {
  test.each<[object, number | string]>([
    [{ code: 'RATE_LIMITED', retryAfter: 7 }, 7_000],
    [{ code: 'RATE_LIMITED' }, 30_000],
    [{ code: 'AUTH_FAILED' }, 'never'],
    [{ code: 'PERMISSION_DENIED' }, 'never'],
    [{ code: 'NOT_FOUND' }, 'never'],
    [{ code: 'VALIDATION_ERROR' }, 'never'],
    [{ code: 'NETWORK_ERROR' }, 'unknown'],
    [{ code: 'ECONNREFUSED' }, 5_000],
    [{ code: 'ENOTFOUND' }, 5_000],
    [{ code: 'EAI_AGAIN' }, 5_000],
    [{ code: 'EHOSTUNREACH' }, 5_000],
    [{ code: 'ENETUNREACH' }, 5_000],
    [{ code: 'UND_ERR_CONNECT_TIMEOUT' }, 5_000],
    [{ code: 'ECONNRESET' }, 'unknown'],
    [{ cause: fault({ code: 'ENOTFOUND' }) }, 5_000],
    [
      { code: 'NETWORK_ERROR', originalError: fault({ cause: fault({ code: 'ECONNREFUSED' }) }) },
      5_000,
    ],
    [{ cause: 'ENOTFOUND' }, 'unknown'],
    [{}, 'unknown'],
  ])('%j: is it certain that nothing was sent', (more, wanted) => {
    const error = fault(more);
    expect(meaning(failureOf(error))).toBe(wanted);
    if (wanted === 'unknown') expect(failureOf(error)).toBe(error);
    else expect((failureOf(error) as Error).cause).toBe(error);
  });

  test('that is no error is itself', () => {
    expect(failureOf('x')).toBe('x');
    expect(slackFailure('x')).toBe('x');
  });

  test.each<[object, number | string]>([
    [{ code: 'slack_webapi_rate_limited_error', retryAfter: 3 }, 3_000],
    [{ code: 'slack_webapi_rate_limited_error' }, 30_000],
    [{ code: 'slack_webapi_platform_error', data: { error: 'ratelimited' } }, 30_000],
    [{ code: 'slack_webapi_platform_error', data: { error: 'channel_not_found' } }, 'never'],
    [{ code: 'slack_webapi_platform_error', data: { error: 'fatal_error' } }, 'unknown'],
    [{ code: 'slack_webapi_platform_error', data: { error: 'internal_error' } }, 'unknown'],
    [{ code: 'slack_webapi_platform_error', data: { error: 'request_timeout' } }, 'unknown'],
    [{ code: 'slack_webapi_platform_error', data: { error: 'service_unavailable' } }, 'unknown'],
    [{ code: 'slack_webapi_platform_error' }, 'unknown'],
    [{ code: 'slack_webapi_request_error', original: fault({ code: 'ENOTFOUND' }) }, 5_000],
    [{ code: 'slack_webapi_request_error', original: fault({ code: 'ECONNRESET' }) }, 'unknown'],
    [{ code: 'slack_webapi_http_error' }, 'unknown'],
    [{ code: 'NOT_FOUND' }, 'never'],
    [{ cause: fault({ code: 'ENOTFOUND' }) }, 5_000],
  ])('of Slack %j: is it certain that nothing was sent', (more, wanted) => {
    const error = fault(more);
    expect(meaning(slackFailure(error))).toBe(wanted);
    if (wanted === 'unknown') expect(slackFailure(error)).toBe(error);
  });
});

describe('a message as an adapter sends it', () => {
  test('is markdown, or a card where it has buttons, with its files', () => {
    expect(postable(outgoing())).toEqual({ markdown: 'hello' });
    const files = [{ name: 'a.txt', bytes: Buffer.from('x') }];
    const uploads = [{ filename: 'a.txt', data: Buffer.from('x') }];
    expect(postable(outgoing({ files }))).toEqual({ markdown: 'hello', files: uploads });
    const buttons = [
      { label: 'Yes', token: 'T1' },
      { label: 'No', token: 'T2' },
    ];
    expect(postable(outgoing({ files, buttons }))).toEqual({
      card: {
        type: 'card',
        children: [
          { type: 'text', content: 'hello' },
          {
            type: 'actions',
            children: [
              { type: 'button', id: 'T1', label: 'Yes' },
              { type: 'button', id: 'T2', label: 'No' },
            ],
          },
        ],
      },
      files: uploads,
    });
    expect(hasPlaceholder('a {{Emoji:x}} b')).toBe(true);
    expect(hasPlaceholder('a {emoji:x} b')).toBe(false);
  });

  test('of Slack has no marks above its buttons that a text could break out of', () => {
    const text = (content: string, style?: object) => ({
      type: 'text',
      text: content,
      ...(style && { style }),
    });
    expect(
      richText('May **I** run `rm -r`?\n\n```sh\nrm\n**x**\n```\n\nwhy\n````\n```\n````').elements,
    ).toEqual([
      {
        type: 'rich_text_section',
        elements: [
          text('May '),
          text('I', { bold: true }),
          text(' run '),
          text('rm -r', { code: true }),
          text('?'),
        ],
      },
      { type: 'rich_text_preformatted', elements: [text('rm\n**x**')] },
      { type: 'rich_text_section', elements: [text('why')] },
      { type: 'rich_text_preformatted', elements: [text('```')] },
    ]);
    expect(richText('```\n\n```').elements).toEqual([
      { type: 'rich_text_preformatted', elements: [text(' ')] },
    ]);
    expect(richText('**a**').elements).toEqual([
      { type: 'rich_text_section', elements: [text('a', { bold: true })] },
    ]);
    expect(richText(' \n ').elements).toEqual([]);
    expect(richText('** a\n** ``').elements).toEqual([
      { type: 'rich_text_section', elements: [text('** a\n** ``')] },
    ]);
  });
});

describe('files that come in', () => {
  const one = (more: object): Attachment => ({ type: 'file', ...more }) as Attachment;
  test('are those that can be fetched, by their names or their kinds', () => {
    const fetchMetadata = { id: '7' };
    expect(
      filesOf([
        one({ name: 'a.txt', size: 3, fetchMetadata }),
        one({ name: 'b.txt' }),
        one({ mimeType: 'image/png', fetchMetadata }),
        one({ mimeType: 'image/svg+xml', fetchMetadata }),
        one({ fetchMetadata }),
      ]),
    ).toEqual([
      { name: 'a.txt', size: 3, reference: fetchMetadata },
      { name: 'file.png', size: null, reference: fetchMetadata },
      { name: 'file.bin', size: null, reference: fetchMetadata },
      { name: 'file.bin', size: null, reference: fetchMetadata },
    ]);
  });

  test('are fetched up to their largest', async () => {
    const file = { name: 'a.txt', size: null, reference: { id: '7' } };
    const adapter = (fetchData?: () => Promise<Buffer>) => ({
      rehydrateAttachment: (given: Attachment) => {
        expect(given).toMatchObject({ type: 'file', fetchMetadata: { id: '7' } });
        return { ...given, ...(fetchData && { fetchData }) };
      },
    });
    const three = adapter(async () => Buffer.from('abc')) as Pick<Adapter, 'rehydrateAttachment'>;
    expect(Buffer.from(await fetchFile(three, file, 3)).toString()).toBe('abc');
    await expect(fetchFile(three, file, 2)).rejects.toThrow('a.txt is too large');
    await expect(fetchFile(adapter() as typeof three, file, 3)).rejects.toThrow(
      'a.txt cannot be fetched',
    );
    await expect(fetchFile({} as typeof three, file, 3)).rejects.toThrow(NotSent);
  });
});

describe('what an adapter keeps', () => {
  test('is in the channel’s own memory, as long as it says', async () => {
    const memory = memoryOf({ known: 1 });
    const state = keptState(memory);
    expect([await state.get('known'), await state.get('other')]).toEqual([1, null]);
    await state.set('a', { b: 1 }, 7);
    expect([await state.get('a'), memory.terms()['a']]).toEqual([{ b: 1 }, 7]);
    expect([await state.setIfNotExists('a', 2), await state.setIfNotExists('c', 3, 9)]).toEqual([
      false,
      true,
    ]);
    expect([await state.get('a'), await state.get('c'), memory.terms()['c']]).toEqual([
      { b: 1 },
      3,
      9,
    ]);
    await state.delete('a');
    expect(await state.get('a')).toBeNull();
    expect([await state.getList('x'), await state.isSubscribed('x')]).toEqual([[], false]);
  });

  test('is locked by one at a time, until it is given back or its time is over', async () => {
    let now = 0;
    const state = keptState(memoryOf(), () => now);
    const first = await state.acquireLock('t', 10);
    if (first === null) throw new Error('it is not locked');
    expect(first).toMatchObject({ threadId: 't', expiresAt: 10 });
    expect(await state.acquireLock('t', 10)).toBeNull();
    expect(await state.acquireLock('u', 10)).not.toBeNull();
    now = 9;
    expect(await state.extendLock(first, 10)).toBe(true);
    now = 18;
    expect(await state.acquireLock('t', 10)).toBeNull();
    now = 19;
    const second = await state.acquireLock('t', 10);
    if (second === null) throw new Error('it is not locked');
    expect(await state.extendLock(first, 10)).toBe(false);
    await state.releaseLock(first);
    expect(await state.acquireLock('t', 10)).toBeNull();
    await state.releaseLock(second);
    expect(await state.acquireLock('t', 10)).not.toBeNull();
  });
});

describe('the news of an adapter', () => {
  const opened = () => {
    const got: unknown[] = [];
    const faults: string[] = [];
    const { chat, logger } = chatInstance(
      {
        memory: memoryOf(),
        name: 'desk',
        onFault: (error) => faults.push((error as Error).message),
      },
      {
        message: (message) => got.push(message),
        command: (event) => got.push(event),
        action: (event) => {
          got.push(event);
          throw new Error('not kept');
        },
      },
    );
    return { chat, logger, got, faults };
  };

  test('are handed on, and whoever waits is told when they were taken', async () => {
    const { chat, got } = opened();
    const begun: Promise<unknown>[] = [];
    const options = { waitUntil: (work: Promise<unknown>) => void begun.push(work) };
    const message = { id: '1' } as Message;
    await chat.processMessage({} as Adapter, 't', message, options);
    await chat.processMessage({} as Adapter, 't', async () => message, options);
    await chat.handleIncomingMessage({} as Adapter, 't', message);
    const command = { command: '/x' } as never;
    await chat.processSlashCommand(command, options);
    const action = { actionId: 'T' } as never;
    await expect(chat.processAction(action, options)).rejects.toThrow('not kept');
    expect(got).toEqual([message, message, message, command, action]);
    expect(begun).toHaveLength(4);
    await Promise.allSettled(begun);
    expect(chat.getUserName()).toBe('desk');
    expect(await chat.getState().get('x')).toBeNull();
  });

  test('that are faults are said, and nothing else is', () => {
    const { chat, logger, faults } = opened();
    logger.debug('no');
    logger.info('no');
    logger.warn('first', { error: new Error('why') }, 'so', { other: 1 }, 3);
    chat.getLogger('x').child('y').error('second', new Error('that'));
    expect(faults).toEqual(['first why so  ', 'second that']);
  });
});

describe('comments', () => {
  const MENTION = /(^|\s)@desk\b/g;
  const comment = (text: string) => ({
    id: 'c1',
    thread: 't',
    sender: { id: 'ana', name: 'Ana' },
    text,
  });

  async function taken(
    text: string,
    known: Record<string, unknown> = {},
    look?: Parameters<typeof takeComment>[3],
    isKnown = true,
  ) {
    const got: unknown[] = [];
    const host = {
      memory: memoryOf(known),
      isKnown: () => isKnown,
      receive: (message: object) => got.push({ received: message }),
      pressed: (button: object) => got.push({ pressed: button }),
    };
    await takeComment(host, comment(text), MENTION, look);
    expect(got).toHaveLength(1);
    return got[0];
  }

  test('that mention the account are said to it, without the mention; what they quote is others’', async () => {
    expect(await taken('hi @desk do it')).toEqual({
      received: { ...comment(''), text: 'hi  do it', isAddressed: true },
    });
    expect(await taken('hello')).toMatchObject({ received: { text: 'hello', isAddressed: false } });
    expect(await taken('> @desk no\r\n  > more\nme')).toEqual({
      received: { ...comment(''), text: 'me', isAddressed: false, quoted: '@desk no\nmore' },
    });
    expect(await taken('> a\n@desk yes')).toMatchObject({
      received: { isAddressed: true, text: 'yes', quoted: 'a' },
    });
  });

  test('that answer press a button, where one is known by its code', async () => {
    const known = { 'button T1': 'm1' };
    expect(await taken('@desk /answer T1', known)).toEqual({
      pressed: {
        token: 'T1',
        message: 'm1',
        id: 'c1',
        thread: 't',
        sender: { id: 'ana', name: 'Ana' },
        doubt: undefined,
      },
    });
    expect(await taken('/answer T2', known)).toMatchObject({
      received: { isAddressed: true, text: '/answer T2' },
    });
    expect(await taken('/answer T1 because', known)).toMatchObject({
      received: { isAddressed: true },
    });
    expect(
      await taken(`/answer ${'x'.repeat(24)}`, { [`button ${'x'.repeat(24)}`]: 'm2' }),
    ).toMatchObject({ pressed: { message: 'm2' } });
    expect(
      await taken(`/answer ${'x'.repeat(25)}`, { [`button ${'x'.repeat(25)}`]: 'm2' }),
    ).toHaveProperty('received');
  });

  test('that answer are held against what was read, where a known person answers', async () => {
    const asked: unknown[] = [];
    const look = async (...given: unknown[]) => {
      asked.push(given);
      return 'edited' as const;
    };
    const known = { 'button T1': 'm1' };
    expect(await taken('/answer T1', known, look)).toMatchObject({ pressed: { doubt: 'edited' } });
    expect(await taken('/answer yes', known, look)).toMatchObject({
      received: { doubt: 'edited' },
    });
    expect(await taken('/answer T1', known, look, false)).toMatchObject({
      pressed: { doubt: undefined },
    });
    expect(await taken('@desk hello', known, look)).not.toHaveProperty('received.doubt');
    expect(asked).toEqual([
      ['t', { token: 'T1', message: 'm1' }],
      ['t', null],
    ]);
  });

  test('of ours say by which words they are answered, and which files they lack', () => {
    const buttons = [
      { label: 'Yes', token: 'T1' },
      { label: 'No', token: 'T2' },
    ];
    const files = [
      { name: 'a`b.txt', bytes: Buffer.from('x') },
      { name: 'c', bytes: Buffer.from('x') },
    ];
    expect(commentText(outgoing())).toBe('hello');
    expect(commentText(outgoing({ buttons, files }))).toBe(
      'hello\n\nNot attached here, and in the session: `ab.txt`, `c`\n\nAnswer by a comment that says\n- Yes: `/answer T1`\n- No: `/answer T2`',
    );
    expect(fileNames(outgoing())).toBe('');
    const memory = memoryOf();
    rememberButtons(memory, outgoing({ buttons }), 'm1');
    expect([memory.get('button T1'), memory.get('button T2')]).toEqual(['m1', 'm1']);
    expect(memory.terms()['button T1']).toBe(2 * 86_400_000);
  });

  test('that are refused are told why, and other faults are nobody’s answer', async () => {
    const refused = async (kind: ConstructorParameters<typeof DeliveryRefusal>[0]) => {
      const response = await answered(() => {
        throw new DeliveryRefusal(kind, 'no');
      });
      return [response.status, await response.text()];
    };
    expect(await refused('malformed')).toEqual([400, 'no']);
    expect(await refused('unsigned')).toEqual([401, 'no']);
    expect(await refused('stale')).toEqual([401, 'no']);
    await expect(answered(() => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    expect((await answered(() => new Response(null, { status: 202 }))).status).toBe(202);
  });
});

describe('a delivery of GitHub', () => {
  const USER = { id: 7, login: 'ana', type: 'User' };
  const of = (event: string, more: object = {}) => {
    const body = {
      action: event === 'issues' ? 'opened' : 'created',
      repository: { full_name: 'acme/app.js' },
      issue: { id: 1, number: 12, body: 'the issue', user: USER },
      ...(event === 'issues' ? {} : { comment: { id: 99, body: 'the comment', user: USER } }),
      sender: { id: 7 },
      ...more,
    };
    const delivery: Delivery = {
      header: (name) => (name === 'x-github-event' ? event : null),
      body: Buffer.from(JSON.stringify(body)),
    };
    return commentIn(delivery);
  };

  test('is what a person has written just now', () => {
    expect(of('issue_comment')).toEqual({
      id: 'comment:99',
      thread: 'acme/app.js#12',
      sender: { id: '7', name: 'ana' },
      text: 'the comment',
    });
    expect(of('issues')).toMatchObject({ id: 'issue:1', text: 'the issue' });
    expect(of('issues', { issue: { id: 1, number: 12, body: null, user: USER } })).toMatchObject({
      text: '',
    });
  });

  test.each<[string, string, object]>([
    ['of something else', 'push', {}],
    ['of an edit', 'issue_comment', { action: 'edited' }],
    ['of a comment that is opened', 'issue_comment', { action: 'opened' }],
    ['of an issue that is created', 'issues', { action: 'created' }],
    ['of nobody', 'issue_comment', { comment: { id: 1, user: null } }],
    ['of a bot', 'issue_comment', { comment: { id: 1, user: { ...USER, type: 'Bot' } } }],
    ['that another one told of', 'issues', { sender: { id: 8 } }],
    [
      'of a program in somebody’s name',
      'issue_comment',
      { comment: { id: 1, user: USER, performed_via_github_app: {} } },
    ],
    ['without a comment', 'issue_comment', { comment: undefined }],
  ])('%s is none', (_what, event, more) => {
    expect(of(event, more)).toBeNull();
  });

  test('of what is no repository is malformed', () => {
    expect(() => of('issues', { repository: { full_name: '../x/y' } })).toThrow(DeliveryRefusal);
  });

  test('has a place, mentions, and a mark of its own', () => {
    expect(placeOf('acme/app.js#12')).toEqual({ owner: 'acme', repo: 'app.js', issue_number: 12 });
    const found = (text: string) => text.replace(mentionOf('desk-bot'), '$1');
    expect(found('@desk-bot hi, (@Desk-Bot) and\n@desk-bot.')).toBe(' hi, () and\n.');
    for (const other of ['x@desk-bot', '@desk-bots', '@desk-bot-2', 'a/@desk-bot', '-@desk-bot'])
      expect([other, other.search(mentionOf('desk-bot'))]).toEqual([other, -1]);
    expect(bodyOf(outgoing())).toBe(`hello\n\n${markOf(outgoing())}`);
    expect(markOf({ key: 'k' })).toBe('<!-- dirigent k -->');
  });
});

describe('Discord', () => {
  const USER = { id: '7', username: 'ana', global_name: 'Ana' };
  const SELF = '99';
  const read = (more: object = {}, isDirect = false) =>
    messageOf(
      messageSchema.parse({ id: '1', channel_id: 'c', author: USER, content: 'hi', ...more }),
      SELF,
      isDirect,
    );

  test('tells of a message who said what, and to whom', () => {
    expect(read()).toEqual({
      id: '1',
      thread: 'c',
      sender: { id: '7', name: 'Ana' },
      text: 'hi',
      isAddressed: false,
      files: [],
    });
    expect(read({}, true)).toMatchObject({ isAddressed: true });
    const mentions = [{ id: SELF, username: 'desk' }];
    expect(read({ mentions, content: '<@99> do <@!99>it <@7>' })).toMatchObject({
      isAddressed: true,
      text: 'do it <@7>',
    });
    expect(read({ mentions: [USER] })).toMatchObject({ isAddressed: false });
    expect(read({ author: { id: '7', username: 'ana' } })?.sender.name).toBe('ana');
    const attachments = [
      { filename: 'a', size: 3, url: 'https://x.example/a' },
      { filename: 'b', url: 'https://x.example/b' },
    ];
    expect(read({ attachments })?.files).toEqual([
      { name: 'a', size: 3, reference: { url: 'https://x.example/a' } },
      { name: 'b', size: null, reference: { url: 'https://x.example/b' } },
    ]);
  });

  test('tells of nothing that a program or Discord itself says', () => {
    for (const more of [
      { author: { ...USER, bot: true } },
      { webhook_id: '3' },
      { type: 7 },
      { type: 18 },
    ])
      expect([more, read(more)]).toEqual([more, null]);
    expect(read({ type: 19 })).not.toBeNull();
    expect(read({ author: { ...USER, bot: false } })).not.toBeNull();
  });

  test('tells what a message repeats of others, but for what the agent said', () => {
    const by = (id: string, content: string) => ({ author: { id, username: 'x' }, content });
    expect(read({ referenced_message: by('8', 'theirs') })?.quoted).toBe('theirs');
    expect(read({ referenced_message: by(SELF, 'mine') })).not.toHaveProperty('quoted');
    expect(read({ referenced_message: { content: 'nobody’s' } })).not.toHaveProperty('quoted');
    const message_snapshots = [{ message: { content: 'passed' } }, { message: { content: ' ' } }];
    expect(read({ message_snapshots, referenced_message: by('8', 'theirs') })?.quoted).toBe(
      'passed\ntheirs',
    );
  });

  test('tells who pressed what', () => {
    const press = (more: object) => {
      const given = {
        id: 'i',
        token: 't',
        type: 3,
        channel_id: 'c',
        message: { id: 'm' },
        data: { custom_id: 'T' },
      };
      return pressOf(pressSchema.parse({ ...given, ...more }));
    };
    expect(press({ user: USER })).toEqual({
      thread: 'c',
      message: 'm',
      sender: { id: '7', name: 'Ana' },
      token: 'T',
    });
    expect(press({ member: { user: USER }, user: { ...USER, id: '8' } })?.sender.id).toBe('7');
    expect(press({})).toBeNull();
  });

  const JOINER = '\u2060';
  test.each([
    ['| a | bb |\n|---|:-:|\n| long | x |', '```\na     bb\n----  --\nlong  x\n```'],
    ['| a |\n| - |\nafter', '```\na\n-\n```\nafter'],
    ['| é\\|x | b |\n|---|---|\n| 1 |', '```\né|x  b\n---  -\n1\n```'],
    ['| a |\n| b |', '| a |\n| b |'],
    ['| a |', '| a |'],
    ['```js\nx\n```', '```js\nx\n```'],
    ['~~~c++ -x\n```\n~~~', `\`\`\`c++-x\n\`${JOINER}\`${JOINER}\`\n\`\`\``],
    ['````\n```\n````\nb', `\`\`\`\n\`${JOINER}\`${JOINER}\`\n\`\`\`\nb`],
    ['```\n``` x\n| a |\n|---|\n```', `\`\`\`\n\`${JOINER}\`${JOINER}\` x\n| a |\n|---|\n\`\`\``],
    ['| `` |\n|---|', `\`\`\`\n\`${JOINER}\`\n--\n\`\`\``],
  ])('shows %j', (markdown, shown) => {
    expect(discordText(markdown)).toBe(shown);
  });
});

describe('packages of a channel', () => {
  test('that are not there are named, with what installs them', async () => {
    const missing = (name: string) => () =>
      Promise.reject(new Error(`Cannot find package '${name}' imported from x`));
    await expect(load('desk', ['a', 'b'], missing('b/sub'))).rejects.toThrow('npm install a b');
    await expect(load('desk', ['a', 'b'], missing('c'))).rejects.toThrow("Cannot find package 'c'");
    await expect(load('desk', ['a'], () => Promise.reject(new Error('broken')))).rejects.toThrow(
      'broken',
    );
    await expect(load('desk', ['a'], () => Promise.reject('odd'))).rejects.toBe('odd');
    expect(await load('desk', ['a'], async () => 7)).toBe(7);
  });
});
