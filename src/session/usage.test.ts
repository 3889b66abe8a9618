import { describe, expect, it } from 'vitest';
import type { Entry, EntryDraft } from './entry.ts';
import { foldUsage, newUsage, type SessionUsage } from './usage.ts';

function usageOf(...entries: EntryDraft[]): SessionUsage {
  const usage = newUsage();
  for (const entry of entries) foldUsage(usage, entry as Entry);
  return usage;
}

const said = (role: string, more: object = {}) => ({
  type: 'message',
  message: { role, content: 'x' },
  ...more,
});

describe('what a session has spent', () => {
  it('is nothing at first', () => {
    expect(usageOf()).toEqual({
      entries: 0,
      commands: 0,
      messages: { user: 0, assistant: 0, tool: 0 },
      tokens: { input: 0, output: 0, cachedInput: 0, reasoning: 0 },
      requests: 0,
      bytes: 0,
      mounts: {},
      models: {},
    });
  });

  it('counts entries of all kinds, commands as they begin, and messages by who said them', () => {
    const usage = usageOf(
      { type: 'bash_start' },
      { type: 'bash_end' },
      { type: 'custom' },
      said('user'),
      said('assistant'),
      said('assistant'),
      said('tool'),
      said('system'),
    );
    expect(usage).toMatchObject({
      entries: 8,
      commands: 1,
      messages: { user: 1, assistant: 2, tool: 1 },
    });
    expect(Object.keys(usage.messages)).toEqual(['user', 'assistant', 'tool']);
  });

  it('sums tokens, in all and by model; an answer without a model is in the sum alone', () => {
    const cost = { inputTokens: 10, outputTokens: 5, cachedInputTokens: 4, reasoningTokens: 3 };
    const usage = usageOf(
      said('assistant', { usage: cost, model: 'a' }),
      said('assistant', { usage: { inputTokens: 1 }, model: 'a' }),
      said('assistant', { usage: cost, model: 'b' }),
      said('assistant', { usage: { outputTokens: 2 } }),
      said('assistant', { model: 'c' }),
    );
    expect(usage.tokens).toEqual({ input: 21, output: 12, cachedInput: 8, reasoning: 6 });
    expect(usage.models).toEqual({ a: { input: 11, output: 5 }, b: { input: 10, output: 5 } });
  });

  it('sums requests and bytes, in all and by mount, with what was asked behind a command', () => {
    const usage = usageOf(
      {
        type: 'bash_end',
        requests: 3,
        spent: {
          '/mnt/a': { requests: 2, bytes: 100, behind: { requests: 4 } },
          '/mnt/b': { requests: 1, bytes: 10 },
        },
      },
      { type: 'bash_end', requests: 1, spent: { '/mnt/a': { requests: 1, bytes: 5 } } },
    );
    expect(usage).toMatchObject({ requests: 8, bytes: 115 });
    expect(usage.mounts).toEqual({
      '/mnt/a': { requests: 3, bytes: 105 },
      '/mnt/b': { requests: 1, bytes: 10 },
    });
  });

  it('takes nothing for a number that is none', () => {
    const usage = usageOf(
      { type: 'bash_end', requests: '3', spent: null },
      { type: 'bash_end', spent: 7 },
      { type: 'bash_end', spent: { '/mnt/a': { requests: 'x', bytes: null } } },
      said('assistant', { usage: { inputTokens: '7' }, model: 'a' }),
    );
    expect(usage).toMatchObject({
      requests: 0,
      bytes: 0,
      tokens: { input: 0 },
      mounts: { '/mnt/a': { requests: 0, bytes: 0 } },
      models: { a: { input: 0, output: 0 } },
    });
  });
});
