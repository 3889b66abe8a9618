/** The calls of a step: when they run, and what the log and the model have of each. */
import { describe, expect, test } from 'vitest';
import { RuleBook } from './rules.ts';
import { memoryAccess, memoryTranscript, probe, scriptedTurn, sentTo } from './testing.ts';
import { type AgentTool, ToolFault } from './tool.ts';

const call = { call: 'probe' };

describe('the calls of a step', () => {
  test('are in the log when they begin, durably where their work lasts', async () => {
    for (const loggedFirst of [true, false]) {
      const at: number[] = [];
      const tools = [probe(async () => String(at.push(transcript.named('turn/call').length)))];
      const { transcript, run } = scriptedTurn([[{ call: 'probe', input: { n: 3 } }]], {
        tools: tools.map((each) => ({ ...each, loggedFirst })),
      });
      await run();
      expect(at).toEqual([1]);
      expect(transcript.named('turn/call')).toMatchObject([
        { type: 'custom', data: { callId: 'call-1-0', name: 'probe', input: { n: 3 } } },
      ]);
      expect(transcript.durable.includes('turn/call')).toBe(loggedFirst);
    }
  });

  test('front ends are told how each begins, what it prints and how it ends', async () => {
    const printing = probe();
    const prepare: AgentTool['prepare'] = () => ({
      value: async ({ onOutput, callId }) => {
        onOutput('stderr', Buffer.from(callId));
        return { text: 'printed', failed: true };
      },
    });
    const { transcript, run } = scriptedTurn([[call]], { tools: [{ ...printing, prepare }] });
    await run();
    const of = { callId: 'call-1-0', name: 'probe' };
    expect(transcript.events.filter(({ type }) => type.startsWith('tool-'))).toEqual([
      { type: 'tool-start', ...of, input: {} },
      { type: 'tool-output', callId: 'call-1-0', stream: 'stderr', bytes: Buffer.from('call-1-0') },
      { type: 'tool-end', ...of, text: 'printed', failed: true },
    ]);
  });

  test('that change something run one after the other, those that only look at once', async () => {
    const order: string[] = [];
    const run = async ({ n = 0 }): Promise<string> => {
      order.push(`+${n}`);
      await Promise.resolve().then(() => undefined);
      await new Promise(setImmediate);
      order.push(`-${n}`);
      return String(n);
    };
    const two = [1, 2].map((n) => ({ call: 'probe', input: { n } }));
    await scriptedTurn([two], { tools: [probe(run)] }).run();
    expect(order.splice(0)).toEqual(['+1', '-1', '+2', '-2']);
    await scriptedTurn([two], { tools: [probe(run, { readOnly: true })] }).run();
    expect(order).toEqual(['+1', '+2', '-1', '-2']);
  });

  test('one that waits for a person lets the next one go on', async () => {
    const second = Promise.withResolvers<void>();
    const prepare: AgentTool['prepare'] = (input) => ({
      value: async ({ onParked }) => {
        const isFirst = (input as { n: number }).n === 1;
        if (isFirst) onParked?.();
        else second.resolve();
        await second.promise;
        return { text: isFirst ? 'first' : 'second' };
      },
    });
    const two = [1, 2].map((n) => ({ call: 'probe', input: { n } }));
    const { model, run } = scriptedTurn([two], { tools: [probe(undefined, { prepare })] });
    await run();
    expect(sentTo(model)[1]?.messages.at(-1)).toBe('tool: first second');
  });

  test('give what they have read to whoever remembers it', async () => {
    const filesRead = new Set(['/mnt/a']);
    const access = memoryAccess({ filesRead: () => ['/mnt/b', '/mnt/c'] });
    await scriptedTurn([[call]], { filesRead, access }).run();
    expect([...filesRead]).toEqual(['/mnt/a', '/mnt/b', '/mnt/c']);
  });

  test('a result is a text for the model, or its failure; both are in the log', async () => {
    const failing = async ({ n }: { n?: number | undefined }): Promise<string> => {
      if (n === 2) throw new ToolFault('not today');
      return 'probed';
    };
    const replies = [[1, 2].map((n) => ({ call: 'probe', input: { n } }))];
    const { transcript, run } = scriptedTurn(replies, { tools: [probe(failing)] });
    await run();
    const [fine, failed] = transcript.entries.filter(
      (each) => (each['message'] as { role?: string } | undefined)?.role === 'tool',
    );
    const of = { type: 'tool-result', toolName: 'probe' };
    expect(fine?.['message']).toEqual({
      role: 'tool',
      content: [{ ...of, toolCallId: 'call-1-0', output: { type: 'text', value: 'probed' } }],
    });
    expect(failed).toMatchObject({
      message: {
        content: [
          { ...of, toolCallId: 'call-1-1', output: { type: 'error-text', value: 'not today' } },
        ],
      },
      failure: 'tool',
    });
    for (const field of ['failure', 'retried', 'untrusted']) expect(fine).not.toHaveProperty(field);
  });

  test('a result from a service stands between marks, with the rules that it has met below', async () => {
    const access = memoryAccess({ origins: () => ['/mnt/github'], rules: () => ['style'] });
    const transcript = memoryTranscript();
    const style = {
      name: 'style',
      paths: ['/mnt/**'],
      path: '/harness/style.md',
      text: 'Be kind.',
    };
    const rules = new RuleBook([style], transcript);
    const { run } = scriptedTurn([[call]], { access, transcript, rules });
    await run();
    const entry = transcript.entries.find((each) => each['untrusted'] !== undefined);
    expect(entry).toMatchObject({ untrusted: ['/mnt/github'] });
    expect(JSON.stringify(entry?.['message'])).toMatch(
      /<untrusted from=.*probed.*is no instruction\.\\n\\n<rule from=.*Be kind\./,
    );
  });

  test('one that was run a second time says so', async () => {
    let runs = 0;
    const flaky = async (): Promise<string> => {
      if (++runs === 1) throw Object.assign(new Error('busy'), { code: 'EBUSY' });
      return 'probed';
    };
    const { transcript, run } = scriptedTurn([[call]], {
      tools: [probe(flaky, { repeatable: true })],
    });
    await run();
    expect(transcript.entries.find((each) => each['retried'] === true)).toBeDefined();
  });
});
