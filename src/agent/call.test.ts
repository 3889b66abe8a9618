/** One call: what is checked before its work, and what becomes of whatever goes wrong. */
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { FsError } from '../errors.ts';
import type { ToolCallFacts } from '../policy/gate.ts';
import { runCall, type ToolCall } from './call.ts';
import { memoryAccess } from './testing.ts';
import { type AgentTool, defineTool, ToolFault, type ToolOutput } from './tool.ts';
import type { CallAccess } from './world-access.ts';

const input = z.strictObject({ path: z.string(), n: z.number().optional() });
type Input = z.output<typeof input>;

function probe(
  run: (input: Input) => Promise<string | ToolOutput> = async () => 'probed',
  more: Partial<AgentTool> = {},
): AgentTool {
  return { ...defineTool({ name: 'probe', description: 'A probe.', input, run }), ...more };
}

const given = { id: 'c1', name: 'probe', input: { path: '/a' } };

function calling(
  tools: readonly AgentTool[],
  more: { call?: Partial<ToolCall>; access?: Partial<CallAccess>; signal?: AbortSignal } = {},
) {
  const access = memoryAccess(more.access);
  const context = {
    access,
    callId: 'c1',
    signal: more.signal ?? new AbortController().signal,
    onOutput: () => undefined,
  };
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const result = runCall({ ...given, ...more.call }, byName, context);
  return { result, access };
}

/** A tool that throws each of these in turn, and then works. */
function throwing(...errors: unknown[]) {
  const inputs: unknown[] = [];
  const tool = probe(
    async (input) => {
      inputs.push(input);
      if (inputs.length <= errors.length) throw errors[inputs.length - 1];
      return 'probed';
    },
    { repeatable: true },
  );
  return { tool, inputs };
}

describe('before its work', () => {
  test('a tool that is not there is named with those that are', async () => {
    const call = { name: 'prob' };
    expect(await calling([probe(), probe(undefined, { name: 'other' })], { call }).result).toEqual({
      text: 'there is no tool "prob"; the tools are probe, other',
      failed: true,
      failure: 'unknown-tool',
    });
    expect((await calling([], { call }).result).text).toBe(
      'there is no tool "prob"; no tool can be called now',
    );
  });

  test('each fault of an input is named, with what it takes; nothing is asked and nothing done', async () => {
    const asked: unknown[] = [];
    const permit = async () => {
      asked.push(0);
      return { decision: 'allow' as const, rule: '', reason: '' };
    };
    const { tool, inputs } = throwing();
    const call = { input: { n: 'x', more: 1 } };
    const { failure, failed, text } = await calling([tool], { call, access: { permit } }).result;
    expect({ failure, failed }).toEqual({ failure: 'validation', failed: true });
    expect(text.split('\n')).toEqual([
      'the input of probe is not valid, and nothing was done:',
      expect.stringMatching(/^- path: /),
      expect.stringMatching(/^- n: /),
      expect.stringMatching(/^- .*more/),
      'It takes: path, n (optional).',
    ]);
    expect([asked, inputs]).toEqual([[], []]);
  });

  test('a tool that takes nothing says so', async () => {
    const none = z.strictObject({});
    const tool = defineTool({ name: 'probe', description: '', input: none, run: async () => '' });
    expect((await calling([tool]).result).text).toMatch(/It takes: nothing\.$/);
  });

  test.each([
    ['{"path": ', '{"path": '],
    ['x'.repeat(200), 'x'.repeat(200)],
    [`${'a'.repeat(101)}${'b'.repeat(100)}`, `${'a'.repeat(100)} … ${'b'.repeat(100)}`],
  ])(
    'arguments that are no JSON are shown, long ones by both ends: %j',
    async (malformed, shown) => {
      const { text, failure } = await calling([probe()], { call: { malformed } }).result;
      expect(failure).toBe('validation');
      expect(text).toContain(`- the arguments are not valid JSON: ${shown}\n`);
    },
  );

  test('the policy is asked with the tool and its input; what it refuses is not done', async () => {
    const facts: ToolCallFacts[] = [];
    const permit = async (tool: ToolCallFacts) => {
      facts.push(tool);
      return { decision: 'deny' as const, rule: 'r', reason: 'not here' };
    };
    const { tool, inputs } = throwing();
    const host = { ...tool, host: true, readOnly: true };
    const refused = {
      text: 'probe: Permission denied\nnot here',
      failed: true,
      failure: 'tool',
    };
    expect(await calling([tool], { access: { permit } }).result).toEqual(refused);
    expect(await calling([host], { access: { permit } }).result).toEqual(refused);
    const told = { name: 'probe', input: '{"path":"/a"}' };
    expect(facts).toEqual([
      { ...told, host: false, readOnly: false },
      { ...told, host: true, readOnly: true },
    ]);
    expect(inputs).toEqual([]);
  });

  test('a tool without a word of where it runs is none of the host, and no input is null', async () => {
    const facts: ToolCallFacts[] = [];
    const permit = async (tool: ToolCallFacts) => {
      facts.push(tool);
      return { decision: 'allow' as const, rule: '', reason: '' };
    };
    const { host: _, ...tool } = probe(undefined, {
      prepare: () => ({ value: async () => ({ text: 'probed' }) }),
    });
    const call = { input: undefined };
    expect(await calling([tool], { access: { permit }, call }).result).toEqual({ text: 'probed' });
    expect(facts).toEqual([{ name: 'probe', host: false, readOnly: false, input: 'null' }]);
  });

  test.each([
    [new Error('it is gone'), 'it is gone'],
    ['gone', 'gone'],
  ])('a policy that fails refuses: %s', async (error, what) => {
    const permit = () => Promise.reject(error);
    const { tool, inputs } = throwing();
    expect(await calling([tool], { access: { permit } }).result).toEqual({
      text: `probe: Permission denied\nthe gate failed, which refuses: ${what}`,
      failed: true,
      failure: 'tool',
    });
    expect(inputs).toEqual([]);
  });
});

describe('what goes wrong', () => {
  test.each([
    [new ToolFault('not today'), 'tool', 'not today'],
    [new FsError('EACCES', { path: '/a', op: 'open' }), 'tool', '/a: Permission denied'],
    [
      new FsError('EACCES', { path: '/a', op: 'open', reason: 'ask first' }),
      'tool',
      '/a: Permission denied\nask first',
    ],
    [new Error('a bug'), 'unexpected', 'the tool broke: a bug'],
    ['a string', 'unexpected', 'the tool broke: a string'],
  ])('%s is a result for the model, and not tried again', async (error, failure, text) => {
    const { tool, inputs } = throwing(error);
    expect(await calling([tool]).result).toEqual({ text, failed: true, failure });
    expect(inputs).toHaveLength(1);
  });

  test.each(['EAGAIN', 'EBUSY', 'ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT'])(
    'for a moment is tried once more, where that does no harm: %s',
    async (code) => {
      const error = Object.assign(new Error('wait'), { code });
      const once = throwing(error);
      expect(await calling([once.tool]).result).toEqual({ text: 'probed', retried: true });
      expect(once.inputs).toEqual([{ path: '/a' }, { path: '/a' }]);
      const twice = throwing(error, error);
      expect(await calling([twice.tool]).result).toMatchObject({ failed: true, retried: true });
      expect(twice.inputs).toHaveLength(2);
      const harmful = throwing(error);
      const tool = { ...harmful.tool, repeatable: false };
      expect(await calling([tool]).result).not.toHaveProperty('retried');
      expect(harmful.inputs).toHaveLength(1);
    },
  );

  test('is not tried again where nobody waits any more, nor where no error says its code', async () => {
    const stop = new AbortController();
    stop.abort();
    const error = Object.assign(new Error('wait'), { code: 'EBUSY' });
    const stopped = throwing(error);
    await calling([stopped.tool], { signal: stop.signal }).result;
    const bare = throwing({ code: 'EBUSY' });
    await calling([bare.tool]).result;
    const other = throwing(Object.assign(new Error('no'), { code: 'ENOENT' }));
    await calling([other.tool]).result;
    expect([stopped, bare, other].map(({ inputs }) => inputs.length)).toEqual([1, 1, 1]);
  });
});

describe('what a call has read', () => {
  test('is named once each: by what the work says, and by what was seen; the turn is told', async () => {
    const tool = probe(async () => ({ text: 'x', untrusted: ['/mnt/a', '/mnt/b'] }));
    const access = {
      origins: () => ['/mnt/b', '/mnt/c'],
      rules: () => ['style'],
      filesRead: () => ['/mnt/a/x.md'],
    };
    const call = calling([tool], { access });
    expect(await call.result).toEqual({
      text: 'x',
      rules: ['style'],
      filesRead: ['/mnt/a/x.md'],
      untrusted: ['/mnt/a', '/mnt/b', '/mnt/c'],
    });
    expect(call.access.noted).toEqual([['/mnt/a', '/mnt/b', '/mnt/c']]);
  });

  test('counts where it failed, too, and where nothing was read nothing is said', async () => {
    const { tool } = throwing(new ToolFault('no'));
    const failed = calling([tool], { access: { origins: () => ['/mnt/a'] } });
    expect(await failed.result).toMatchObject({ failure: 'tool', untrusted: ['/mnt/a'] });
    expect(failed.access.noted).toEqual([['/mnt/a']]);
    const clean = calling([probe()]);
    expect(await clean.result).toEqual({ text: 'probed' });
    expect(clean.access.noted).toEqual([]);
  });
});

test('the work is handed the access of its call, which knows when it is stopped and whom to tell', async () => {
  const own = memoryAccess({ origins: () => ['/mnt/own'] });
  const watches: unknown[] = [];
  const { signal } = new AbortController();
  const contexts: unknown[] = [];
  const tool = probe(undefined, {
    prepare: () => ({
      value: async (context) => {
        contexts.push(context.access, context.callId);
        return { text: '' };
      },
    }),
  });
  const access = memoryAccess({
    forCall: (watch) => {
      watches.push(watch);
      return own;
    },
  });
  const onParked = (): void => undefined;
  const context = { access, callId: 'c1', signal, onOutput: () => undefined };
  const tools = new Map([['probe', tool]]);
  await runCall(given, tools, { ...context, onParked });
  expect(await runCall(given, tools, context)).toMatchObject({ untrusted: ['/mnt/own'] });
  expect(contexts).toEqual([own, 'c1', own, 'c1']);
  expect(watches).toEqual([{ signal, onParked }, { signal }]);
});
