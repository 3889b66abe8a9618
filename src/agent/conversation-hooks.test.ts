/** The deployment's code between a conversation and its models: what it may put in the place, and what it may not. */
import { expect, test } from 'vitest';
import {
  type ConversationHooks,
  type HookedMessage,
  HookFault,
  hookedModel,
  TurnHooks,
} from './conversation-hooks.ts';

const BY = { agent: 'a', session: 's', model: 'm' };

function hooks(given: Partial<ConversationHooks>) {
  const noted: { on?: string; [field: string]: unknown }[] = [];
  const all = { request: async () => undefined, ...given };
  const turn = new TurnHooks(all, BY, {
    append: ((entry: { name: string; data: object }) => {
      expect(entry).toMatchObject({ type: 'custom', name: 'turn/hook' });
      noted.push({ ...entry.data });
    }) as unknown as ConstructorParameters<typeof TurnHooks>[2]['append'],
  });
  return { turn, noted };
}

const system: HookedMessage = { role: 'system', content: 'be brief' };
const user = (text: string): HookedMessage => ({ role: 'user', content: [{ type: 'text', text }] });
const call = (id: string): HookedMessage => ({
  role: 'assistant',
  content: [{ type: 'tool-call', toolCallId: id }],
});
const result = (id: string, value = 'r'): HookedMessage => ({
  role: 'tool',
  content: [{ type: 'tool-result', toolCallId: id, output: { value } }],
});

/** What a hook that sends other messages comes to. */
async function sent(before: HookedMessage[], after: unknown): Promise<unknown> {
  const { turn } = hooks({ request: async () => after as never });
  return turn.request(before);
}

test('a hook that says nothing leaves all as it is, and nothing is noted', async () => {
  const { turn, noted } = hooks({});
  const messages = [system, user('hi')];
  expect(await turn.request(messages)).toBe(messages);
  expect(await turn.input('hi')).toBe('hi');
  const same = hooks({
    request: async ({ messages: all }) => ({ messages: all }),
    input: async ({ text }) => ({ text }),
  });
  expect(await same.turn.request(messages)).toEqual(messages);
  expect(await same.turn.input('hi')).toBe('hi');
  expect([noted, same.noted]).toEqual([[], []]);
});

test('it is asked with who asks, and with messages of its own', async () => {
  const seen: object[] = [];
  const { turn } = hooks({
    request: async ({ messages, ...by }) => {
      seen.push(by);
      (messages as HookedMessage[]).length = 0;
      return undefined;
    },
    input: async (input) => void seen.push(input),
  });
  const messages = [user('hi')];
  expect(await turn.request(messages)).toEqual([user('hi')]);
  await turn.input('hi');
  expect(seen).toEqual([BY, { ...BY, text: 'hi' }]);
});

test('what it changes is sent, and the log tells what was left out, what was put where; a text once', async () => {
  const before = [system, user('secret'), user('other')];
  const { turn, noted } = hooks({
    request: async () => ({ messages: [user('other'), user('[gone]')] }),
    input: async () => ({ text: 'hello' }),
  });
  expect(await turn.request(before)).toEqual([user('other'), user('[gone]')]);
  expect(await turn.input('hi')).toBe('hello');
  await turn.request(before);
  const digest = expect.stringMatching(/^[0-9a-f]{64}$/) as string;
  expect(noted).toEqual([
    {
      on: 'request',
      model: 'm',
      sent: [2, digest],
      added: { [String((noted[0]?.['sent'] as string[] | undefined)?.[1])]: user('[gone]') },
      left: [
        { place: 0, digest, role: 'system' },
        { place: 1, digest, role: 'user' },
      ],
    },
    { on: 'input', before: digest, after: digest },
    { ...noted[0], added: {} },
  ]);
});

test('it may refuse, and where it fails or answers anything else nothing is sent', async () => {
  const refuses = (given: unknown, sentence: string | RegExp) =>
    expect(sent([user('hi')], given)).rejects.toThrow(sentence);
  await refuses({ refuse: 'not today' }, 'parts.conversation refused it: not today');
  for (const answer of [
    { refuse: '' },
    'x',
    {},
    { messages: [] },
    { messages: [user('x')], more: 1 },
  ])
    await refuses(answer, 'it answered neither nothing, nor { refuse }');
  await refuses({ messages: [{ role: 'user', content: 'x' }] }, 'it answered neither');
  expect(await sent([user('hi')], null)).toEqual([user('hi')]);
  const failing = hooks({
    request: () => {
      throw new Error('down');
    },
    input: async () => ({ text: '' }),
  }).turn;
  await expect(failing.request([user('hi')])).rejects.toThrow(
    'parts.conversation failed, and nothing was sent: down',
  );
  await expect(failing.input('hi')).rejects.toThrow(HookFault);
});

test('a call stays with its result', async () => {
  const whole = [user('hi'), call('1'), result('1'), call('2'), result('2')];
  expect(await sent(whole, { messages: whole.slice(0, 3) })).toHaveLength(3);
  const apart = 'a call of a tool stands without its result, or a result without its call';
  await expect(sent(whole, { messages: whole.slice(0, 2) })).rejects.toThrow(apart);
  await expect(sent(whole, { messages: [user('hi'), result('1')] })).rejects.toThrow(apart);
  await expect(sent(whole, { messages: [call('1'), result('2')] })).rejects.toThrow(apart);
  // What was not whole before need not be after it.
  expect(await sent([call('1')], { messages: [call('1'), user('x')] })).toHaveLength(2);
});

test('text of a service keeps the marks that say so, unless its whole result is gone', async () => {
  const mark = '0'.repeat(32);
  const labelled = (text: string): string =>
    `<untrusted from="a" mark="${mark}">\n${text}\n</untrusted mark="${mark}">`;
  const before = [user('hi'), call('1'), result('1', labelled('secret'))];
  const after = (value: string) =>
    sent(before, { messages: [...before.slice(0, 2), result('1', value)] });
  expect(await after(labelled('…'))).toHaveLength(3);
  await expect(after('plain')).rejects.toThrow('the marks around text of a service are gone');
  await expect(after(`<untrusted from="a" mark="${mark}">`)).rejects.toThrow('are gone');
  expect(await sent(before, { messages: [user('hi')] })).toEqual([user('hi')]);
  const input = (text: string) =>
    hooks({ input: async () => ({ text }) }).turn.input(labelled('x'));
  expect(await input(labelled('y'))).toBe(labelled('y'));
  await expect(input('y')).rejects.toThrow('are gone');
});

test('a model is sent what the hooks give, whichever way it is asked; all else of it is its own', async () => {
  const { turn } = hooks({ request: async () => ({ messages: [user('other')] }) });
  const asked: unknown[] = [];
  const model = {
    modelId: 'm',
    own(this: { modelId: string }) {
      return this.modelId;
    },
    doGenerate: async (options: unknown) => asked.push(options),
    doStream: async (options: unknown) => asked.push(options),
  };
  const hooked = hookedModel(model as never, turn) as unknown as typeof model;
  await hooked.doGenerate({ prompt: [user('hi')], seed: 1 });
  await hooked.doStream({ prompt: [user('hi')] });
  expect(asked).toEqual([{ prompt: [user('other')], seed: 1 }, { prompt: [user('other')] }]);
  expect([hooked.modelId, hooked.own()]).toEqual(['m', 'm']);
});
