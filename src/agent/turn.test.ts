/** The loop by itself: what it asks the model, what it keeps, and how it ends. */
import { describe, expect, test } from 'vitest';
import { BudgetExceeded } from './budget.ts';
import { HookFault } from './conversation-hooks.ts';
import { type Steered, TurnParked } from './delivery.ts';
import { memoryAccess, memoryTranscript, probe, scriptedTurn, sentTo } from './testing.ts';
import { MAX_STEPS, type Turn, WRAP_UP } from './turn.ts';

const delivery = { message: 'm1', part: 2 };
const call = { call: 'probe' };

/** Gives each list once, and then nothing. */
function steeredBy(...lists: Steered[][]): () => Steered[] {
  return () => lists.shift() ?? [];
}
const told = (text: string, more: Partial<Steered> = {}): Steered => ({ text, delivery, ...more });

describe('what the log has of a turn', () => {
  test('is the prompt, whole before anything is asked, each answer with its cost, and the end without the text', async () => {
    const { transcript, run } = scriptedTurn([['Hello', ' there.']]);
    const result = await run();
    const usage = { inputTokens: 10, outputTokens: 5 };
    expect(result).toEqual({ status: 'done', text: 'Hello there.', steps: 1, usage });
    expect(transcript.entries).toMatchObject([
      { type: 'message', message: { role: 'user', content: 'the prompt' } },
      {
        type: 'message',
        message: {
          role: 'assistant',
          content: [
            { type: 'text', text: 'Hello' },
            { type: 'text', text: ' there.' },
          ],
        },
        usage: { ...usage, cachedInputTokens: 0, reasoningTokens: 0 },
        model: 'openai/scripted',
        finishReason: 'stop',
      },
      { type: 'custom', name: 'turn/end', data: { status: 'done', steps: 1, usage } },
    ]);
    expect(transcript.entries[2]?.['data']).toEqual({ status: 'done', steps: 1, usage });
    for (const field of ['model', 'untrusted', 'delivery'])
      expect(transcript.entries[0]).not.toHaveProperty(field);
    expect(transcript.durable).toEqual(['message', 'turn/end', 'sign']);
  });

  test('names the message of a queue and the services whose text is in the prompt', async () => {
    const { transcript, run } = scriptedTurn([], { delivery, untrusted: ['/mnt/github'] });
    await run();
    expect(transcript.entries[0]).toMatchObject({ untrusted: ['/mnt/github'], delivery });
    expect(transcript.entries.at(-1)).toMatchObject({ data: { status: 'done', delivery } });
  });

  test('says of a prompt of the runtime’s own that it is, and no hook sees that', async () => {
    const asked: string[] = [];
    const input = async (text: string): Promise<string> => {
      asked.push(text);
      return text;
    };
    const { transcript, run } = scriptedTurn([], { resumed: true, input });
    await run();
    expect(transcript.entries[0]).toMatchObject({ model: 'dirigent' });
    expect(asked).toEqual([]);
  });

  test('has no answer where the model said nothing', async () => {
    const { transcript, run } = scriptedTurn([[]]);
    expect(await run()).toMatchObject({ status: 'done', text: '' });
    expect(transcript.messages().map(({ role }) => role)).toEqual(['user']);
  });

  test('the costs of all steps are summed', async () => {
    const { run } = scriptedTurn([[call], [call], ['ok']]);
    expect(await run()).toMatchObject({ usage: { inputTokens: 30, outputTokens: 15 }, steps: 3 });
  });
});

describe('what hooks make of the prompt', () => {
  test('is what is kept and sent', async () => {
    const { model, run } = scriptedTurn([], { input: async (text) => `${text}, filtered` });
    await run();
    expect(sentTo(model)[0]?.messages).toEqual(['user: the prompt, filtered']);
  });

  test('may be a refusal: nothing is kept of the prompt, nothing is sent, and the end says why', async () => {
    const input = async (): Promise<string> => {
      throw new HookFault('not that');
    };
    const { transcript, model, run } = scriptedTurn([], { input, delivery });
    const refused = { status: 'error', steps: 0, error: 'not that' };
    const usage = { inputTokens: 0, outputTokens: 0 };
    expect(await run()).toEqual({ ...refused, text: '', usage });
    expect(transcript.entries.map(({ data }) => data)).toEqual([{ ...refused, usage, delivery }]);
    expect(model.doStreamCalls).toEqual([]);
  });

  test('no other failure is taken for a refusal', async () => {
    const input = async (): Promise<string> => {
      throw new Error('the disk is full');
    };
    await expect(scriptedTurn([], { input }).run()).rejects.toThrow('the disk is full');
  });
});

describe('what is said while a turn runs', () => {
  test('is part of the next request, and goes by the hooks; its services are noted before it is sent', async () => {
    const steered = steeredBy([], [told('faster', { untrusted: ['/mnt/slack'] }), told('now')]);
    const input = async (text: string): Promise<string> => text.toUpperCase();
    const { transcript, model, access, run } = scriptedTurn([[call], ['ok']], { steered, input });
    expect((await run()).status).toBe('done');
    expect(sentTo(model)[1]?.messages).toEqual([
      'user: THE PROMPT',
      'assistant: tool-call',
      'tool: probed',
      'user: FASTER',
      'user: NOW',
    ]);
    expect(access.noted.flat()).toEqual(['/mnt/slack']);
    const [first, second] = transcript.entries.filter((each) => each['delivery'] === delivery);
    expect(first).toMatchObject({ untrusted: ['/mnt/slack'] });
    expect(second).not.toHaveProperty('untrusted');
  });

  test('after the last answer is answered, too, unless no step is left', async () => {
    // Asked before the first request, and after the answer.
    const more = scriptedTurn([['one'], ['two']], { steered: steeredBy([], [told('and?')]) });
    expect(await more.run()).toMatchObject({ status: 'done', text: 'two', steps: 2 });
    const steered = steeredBy([], [told('and?')]);
    const last = scriptedTurn([['one'], ['two']], { maxSteps: 1, steered });
    expect(await last.run()).toMatchObject({ status: 'done', text: 'one', steps: 1 });
    // Whoever said it gets it back with the next turn.
    expect(steered()).toHaveLength(1);
  });
});

describe('the end of a turn', () => {
  test('politely at a budget: before a request, and where the request itself would break it', async () => {
    let left = 1;
    const budget = { exceeded: () => (left-- > 0 ? null : 'I stop here.') };
    const { transcript, model, run } = scriptedTurn([[call], ['never']], { budget });
    const usage = { inputTokens: 10, outputTokens: 5 };
    const over = { status: 'budget', text: 'I stop here.', error: 'I stop here.', steps: 1 };
    expect(await run()).toEqual({ ...over, usage });
    expect(model.doStreamCalls).toHaveLength(1);
    expect(transcript.entries.at(-2)).toMatchObject({
      message: { role: 'assistant', content: 'I stop here.' },
      model: 'dirigent',
    });
    expect(transcript.events.at(-1)).toEqual({ type: 'text-delta', text: '\nI stop here.' });
    const broken = scriptedTurn([[call], new BudgetExceeded('I stop here.')]);
    expect(await broken.run()).toEqual({ ...over, usage });
    expect(broken.transcript.messages().at(-1)?.content).toBe('I stop here.');
  });

  test('at its last step: that one has no tools and is told so, those before are not', async () => {
    const { model, run } = scriptedTurn([[call], [call], ['wrapped up']], { maxSteps: 3 });
    expect(await run()).toMatchObject({ status: 'done', text: 'wrapped up', steps: 3 });
    expect(sentTo(model).map(({ system }) => system)).toEqual([
      'You are one.',
      'You are one.',
      `You are one.\n\n${WRAP_UP}`,
    ]);
    expect(model.doStreamCalls.map(({ tools = [] }) => tools.length)).toEqual([1, 1, 0]);
  });

  test('at its last step where the model still calls: what it called is not there, and the end says so', async () => {
    const ran: number[] = [];
    const tools = [probe(async () => String(ran.push(0)))];
    const { transcript, run } = scriptedTurn([[call], ['so', call], ['never']], {
      maxSteps: 2,
      tools,
    });
    expect(await run()).toMatchObject({
      status: 'steps',
      text: 'so',
      steps: 2,
      error: 'the turn was ended after 2 steps',
    });
    expect(ran).toHaveLength(1);
    expect(transcript.entries.at(-2)).toMatchObject({ failure: 'unknown-tool' });
  });

  test('without a limit of its own comes after a hundred steps', async () => {
    expect(MAX_STEPS).toBe(100);
    const { run } = scriptedTurn(Array.from({ length: 200 }, () => [call]));
    expect(await run()).toMatchObject({ status: 'steps', steps: 100 });
  });

  test('by a person, or to go on later, keeps what was said', async () => {
    for (const [reason, status] of [
      [new Error('enough'), 'stopped'],
      [new TurnParked(), 'parked'],
    ] as const) {
      const stop = new AbortController();
      const tools = [probe(async () => String(stop.abort(reason)))];
      const { transcript, run } = scriptedTurn([['Look:', call], ['never']], {
        tools,
        signal: stop.signal,
      });
      expect(await run()).toMatchObject({ status, text: 'Look:', steps: 1 });
      expect(transcript.messages().map(({ role }) => role)).toEqual(['user', 'assistant', 'tool']);
    }
  });

  test('with an error of the model keeps what came before it, with the results', async () => {
    const { transcript, run } = scriptedTurn([['Look:', call, new Error('it broke')], ['never']]);
    expect(await run()).toMatchObject({
      status: 'error',
      text: 'Look:',
      steps: 1,
      error: 'openai/scripted failed: it broke',
    });
    expect(transcript.messages().map(({ role }) => role)).toEqual(['user', 'assistant', 'tool']);
  });
});

describe('an answer', () => {
  test('is reviewed once: what is objected goes to the model as the runtime’s own words', async () => {
    const seen: string[] = [];
    const review = async (text: string): Promise<string> => `no: ${seen.push(text)}`;
    const { transcript, model, run } = scriptedTurn([['one'], ['two'], ['three']], { review });
    expect(await run()).toMatchObject({ status: 'done', text: 'two', steps: 2 });
    expect(seen).toEqual(['one']);
    expect(sentTo(model)[1]?.messages.at(-1)).toBe('user: no: 1');
    expect(transcript.entries.filter((each) => each['model'] === 'dirigent')).toHaveLength(1);
  });

  test('stands where nothing is objected, and where no step is left to answer in', async () => {
    const content = scriptedTurn([['one']], { review: async () => null });
    expect(await content.run()).toMatchObject({ text: 'one', steps: 1 });
    const last = scriptedTurn([['one']], { review: async () => 'no', maxSteps: 1 });
    expect(await last.run()).toMatchObject({ status: 'done', text: 'one', steps: 1 });
  });

  test('is amended, and told which jobs still run: each in the log and in the result', async () => {
    const jobs = [
      { number: 1, text: 'sleep 60' },
      { number: 2, text: 'make' },
    ];
    const access = memoryAccess({
      jobs: () => jobs as unknown as ReturnType<Turn['access']['jobs']>,
    });
    const amend = async (text: string): Promise<string> => `But ${text}`;
    const { transcript, run } = scriptedTurn([['one']], { amend, access });
    const running =
      "Still running in the background: 1 (sleep 60), 2 (make). What they print is in /session/jobs/; they end with the session's world.";
    expect(await run()).toMatchObject({
      text: `one\n\nBut one\n\n${running}`,
      jobs: ['1 (sleep 60)', '2 (make)'],
    });
    expect(transcript.messages().slice(2)).toEqual([
      { role: 'assistant', content: 'But one' },
      { role: 'assistant', content: running },
    ]);
  });

  test('stays as it is where there is nothing to add', async () => {
    for (const nothing of [null, '']) {
      const { transcript, run } = scriptedTurn([['one']], { amend: async () => nothing });
      const result = await run();
      expect(result.text).toBe('one');
      expect(result).not.toHaveProperty('jobs');
      expect(transcript.messages()).toHaveLength(2);
    }
  });
});

test('before each request room is made, after what was said meanwhile was put in', async () => {
  const lengths: number[] = [];
  const { signal } = new AbortController();
  const given: unknown[] = [];
  const { transcript, run } = scriptedTurn([[call], ['ok']], {
    signal,
    steered: steeredBy([told('also')]),
    fit: async (stop) => {
      given.push(stop);
      lengths.push(transcript.messages().length);
    },
  });
  await run();
  expect(lengths).toEqual([2, 4]);
  expect(given).toEqual([signal, signal]);
});

test('a call that a killed turn had begun is in the log before the prompt of the next one', async () => {
  const begun = { callId: 'lost', name: 'probe', input: { n: 1 } };
  const transcript = memoryTranscript([{ type: 'custom', name: 'turn/call', data: begun }]);
  const { model, run } = scriptedTurn([], { transcript });
  await run();
  expect(sentTo(model)[0]?.messages).toEqual([
    'assistant: tool-call',
    expect.stringMatching(/^tool: .*interrupted/),
    'user: the prompt',
  ]);
});
