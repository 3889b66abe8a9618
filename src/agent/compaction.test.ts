/** What a summary is made of, what it stands for, and what becomes of its failures. */
import { describe, expect, test } from 'vitest';
import type { Entry } from '../session/entry.ts';
import {
  type Compaction,
  type CompactionRequest,
  type CompactorOptions,
  compactContext,
  fitContext,
  HEADINGS,
} from './compaction.ts';
import {
  type MemoryAccess,
  memoryAccess,
  memoryTranscript,
  type ScriptedReply,
  said,
  scriptedModel,
  sentTo,
} from './testing.ts';

const LONG = 'word '.repeat(200);
/** Three turns: the last two always stay. */
const TURNS = ['first', 'second', 'third'].flatMap((turn) => [
  said('user', `${turn} question`),
  said('assistant', `${turn} answer ${LONG}`),
]);

function open(replies: readonly ScriptedReply[] = [], more: Partial<CompactorOptions> = {}) {
  const transcript = memoryTranscript(TURNS);
  const access = memoryAccess();
  const model = scriptedModel(replies);
  const options: CompactorOptions = {
    transcript,
    access,
    model,
    system: 'You summarise.',
    instructions: [],
    // Nothing stays but the last two turns.
    window: { contextWindow: 18_000, overhead: 100, keepTokens: 0 } as CompactorOptions['window'],
    part: null,
    memory: false,
    now: () => new Date('2026-03-04T23:59:00Z'),
    ...more,
  };
  return { transcript, access, model, options };
}

const { signal } = new AbortController();
const summaryOf = (entries: readonly Entry[]): string =>
  String(entries.find(({ type }) => type === 'compaction')?.['summary']);

describe('a summary', () => {
  test('stands for all before the turns that stay, and says what it cost', async () => {
    const { transcript, model, options } = open([['## Summary\nAll is well.']]);
    expect(await compactContext(options, signal)).toBe(true);
    const [entry, ...others] = transcript.named('compaction');
    expect(others).toEqual([]);
    expect(entry).toMatchObject({
      firstKeptEntryId: 'e2',
      tokensBefore: expect.any(Number),
      data: { inputTokens: 10, outputTokens: 5 },
    });
    expect(entry).not.toHaveProperty('untrusted');
    expect(transcript.durable).toEqual(['compaction']);
    const [asked] = sentTo(model);
    expect(asked?.system).toBe('You summarise.');
    expect(asked?.messages).toHaveLength(1);
    expect(asked?.messages[0]).toMatch(
      /^user: user: first question\n\nassistant: first answer (?:word )+\n\nSummarise the conversation above/,
    );
    expect(asked?.messages[0]).toContain(HEADINGS.join(', '));
    expect(transcript.view().messages).toHaveLength(5);
  });

  test('is none where nothing stands before the turns that stay', async () => {
    const transcript = memoryTranscript(TURNS.slice(2));
    const { model, options } = open([], { transcript });
    expect(await compactContext(options, signal)).toBe(false);
    expect(transcript.named('compaction')).toEqual([]);
    expect(model.doGenerateCalls).toEqual([]);
  });

  test('of text of a service is such text', async () => {
    const [first, ...rest] = TURNS;
    const marked = { ...first, type: 'message', untrusted: ['/mnt/github'] };
    const transcript = memoryTranscript([marked, ...rest]);
    await compactContext(open([], { transcript }).options, signal);
    expect(transcript.named('compaction')).toMatchObject([{ untrusted: ['/mnt/github'] }]);
  });

  test('has no secrets, neither those of the conversation nor those that a model makes up', async () => {
    const [, ...rest] = TURNS;
    const key = `ghp_${'a1'.repeat(18)}`;
    const transcript = memoryTranscript([said('user', `take ${key}`), ...rest]);
    const { model, options } = open([[`The key is ${key}.`]], { transcript });
    await compactContext(options, signal);
    expect(JSON.stringify(sentTo(model))).not.toContain(key);
    expect(sentTo(model)[0]?.messages[0]).toContain('user: take [redacted]');
    expect(summaryOf(transcript.entries)).toContain('The key is [redacted].');
  });
});

describe('the headings of a summary', () => {
  const headed = async (text: string): Promise<Map<string, string>> => {
    const { transcript, options } = open([[text]]);
    await compactContext(options, signal);
    const sections = summaryOf(transcript.entries)
      .split('\n\n## ')
      .map((each) => each.replace(/^## /, '').split('\n'));
    return new Map(sections.map(([title = '', ...body]) => [title, body.join('\n')]));
  };

  test('are all eight in their order, and what the model left out is none', async () => {
    const sections = await headed('## Risks/Concerns\nIt is late.\n## Decisions\nWe go.\nNow.');
    expect([...sections.keys()]).toEqual([...HEADINGS]);
    expect(HEADINGS).toEqual([
      'Summary',
      'Decisions',
      'Files Read',
      'Files Modified',
      'Commands Run',
      'Tools Used',
      'Open TODOs',
      'Risks/Concerns',
    ]);
    expect(sections.get('Decisions')).toBe('We go.\nNow.');
    expect(sections.get('Risks/Concerns')).toBe('It is late.');
    expect(sections.get('Summary')).toBe('none');
    expect(sections.get('Tools Used')).toBe('none');
  });

  test('are known in any case and depth; what stands elsewhere is part of the summary', async () => {
    const sections = await headed(
      'To begin with.\n\n# DECISIONS \nWe go.\n### Surprises\nOne.\n## Summary\nAll is well.\n#### Deep\nStays.',
    );
    expect(sections.get('Decisions')).toBe('We go.');
    expect(sections.get('Summary')).toBe(
      'To begin with.\nSurprises\nOne.\nAll is well.\n#### Deep\nStays.',
    );
  });

  test('that are not known, or come twice, are kept with their text', async () => {
    const sections = await headed(
      '## Summary\nAll is well.\n## Surprises\nOne.\n## Decisions\nWe go.\n## Decisions\nNow.',
    );
    expect(sections.get('Summary')).toBe('All is well.\nSurprises\nOne.');
    expect(sections.get('Decisions')).toBe('We go.\nNow.');
  });
});

describe('standing sections of instructions', () => {
  test('are put in again below the summary, each with where it comes from', async () => {
    const instructions = [
      {
        path: '/workspace/AGENTS.md',
        text: '# Project\nAbout.\n\n## Session Startup\nRead it.\n\n## Style\nNice.\n\n### Red Lines\nNever.\n',
      },
      { path: '/harness/AGENTS.md', text: '## Style\nNice.\n' },
      { path: '/harness/b.md', text: '# Red Lines of ours\nNo.\n' },
    ];
    const { transcript, options } = open([['x']], { instructions });
    await compactContext(options, signal);
    const [, ...standing] = summaryOf(transcript.entries).split('## Risks/Concerns\nnone');
    expect(standing).toEqual([
      '\n\nFrom /workspace/AGENTS.md:\n\n## Session Startup\nRead it.\n\n\n### Red Lines\nNever.\n\nFrom /harness/b.md:\n\n# Red Lines of ours\nNo.',
    ]);
  });
});

describe('the memory', () => {
  const flushed = async (
    reply: string,
    before?: string,
  ): Promise<MemoryAccess & { log: Entry[] }> => {
    const { access, transcript, options } = open([[reply], ['summary']], { memory: true });
    if (before !== undefined) access.disk.set('/memory/2026-03-04.md', before);
    await compactContext(options, signal);
    return Object.assign(access, { log: transcript.named('turn/memory') });
  };

  test('gets the facts of a conversation before it is summarised, by the date of the day', async () => {
    const { access, model, transcript, options } = open([['- one\n- two'], ['s']], {
      memory: true,
    });
    await compactContext(options, signal);
    expect([...access.disk]).toEqual([['/memory/2026-03-04.md', '- one\n- two\n']]);
    const [flush, summary] = sentTo(model);
    expect(flush?.system).toMatch(/^You keep the memory of an agent\./);
    expect(flush?.messages[0]).toMatch(/^user: user: first question\n\nassistant: first answer/);
    expect(summary?.system).toBe('You summarise.');
    expect(transcript.entries.slice(TURNS.length)).toMatchObject([
      { name: 'turn/memory', data: { file: '/memory/2026-03-04.md', facts: 2 } },
      { type: 'compaction' },
    ]);
  });

  test.each([
    ['# x\n', '# x\n- one\n'],
    ['# x', '# x\n- one\n'],
    ['', '- one\n'],
  ])('keeps what there was: %j', async (before, after) => {
    expect((await flushed('- one', before)).disk.get('/memory/2026-03-04.md')).toBe(after);
  });

  test('gets no prose, no secrets, and nothing where there is nothing', async () => {
    const { disk, log } = await flushed('Here:\n- token: abcdefgh12\n* no\n-no');
    expect([...disk.values()]).toEqual(['- token: [redacted]\n']);
    expect(log).toMatchObject([{ data: { facts: 1 } }]);
    const none = await flushed('NONE');
    expect([none.disk.size, none.log]).toEqual([0, []]);
  });

  test('is not asked for where there is none', async () => {
    const { model, access, options } = open([['- one']]);
    await compactContext(options, signal);
    expect(model.doGenerateCalls).toHaveLength(1);
    expect(access.disk.size).toBe(0);
  });
});

describe('before a request', () => {
  test('nothing is done while the conversation fits, with what is sent beside it', async () => {
    const { transcript, model, options } = open();
    const tokens = transcript.view().tokens;
    // Free for an answer: 16,384.
    const window = { ...options.window, contextWindow: tokens + 100 + 16_384 };
    await fitContext({ ...options, window }, signal);
    expect(transcript.events).toEqual([]);
    await fitContext(
      { ...options, window: { ...window, contextWindow: window.contextWindow - 1 } },
      signal,
    );
    expect(transcript.events).toEqual([{ type: 'notice', text: 'the conversation is summarised' }]);
    expect(transcript.named('compaction')).toHaveLength(1);
    expect(model.doGenerateCalls).toHaveLength(1);
  });

  test('nothing is said where it is too long and nothing can be summarised', async () => {
    const transcript = memoryTranscript(TURNS.slice(2));
    const { options } = open([], { transcript });
    await fitContext({ ...options, window: { contextWindow: 1 } }, signal);
    expect(transcript.events).toEqual([]);
    expect(transcript.entries).toHaveLength(4);
  });

  test('a failure is told and kept, and the turn goes on', async () => {
    const { transcript, options } = open([new Error('it broke')]);
    await fitContext({ ...options, window: { contextWindow: 1 } }, signal);
    expect(transcript.named('turn/compaction-failed')).toMatchObject([
      { data: { message: 'it broke' } },
    ]);
    expect(transcript.events.at(-1)).toEqual({
      type: 'notice',
      text: 'the summary failed, the turn goes on: it broke',
    });
  });

  test('a turn that was stopped meanwhile has no failure to tell', async () => {
    const stop = new AbortController();
    const { transcript, options } = open([new Error('aborted')]);
    stop.abort();
    await fitContext({ ...options, window: { contextWindow: 1 } }, stop.signal);
    expect(transcript.entries).toHaveLength(TURNS.length);
    expect(transcript.events).toHaveLength(1);
  });
});

describe('a compaction of the deployment’s own', () => {
  const by = (compact: Compaction['compact']): Partial<CompactorOptions> => ({ part: { compact } });

  test('is handed the conversation, what the house would keep, and how much fits', async () => {
    const requests: CompactionRequest[] = [];
    const { transcript, model, options } = open(
      [],
      by((request) => {
        requests.push(request);
        return { summary: '  ours, password: hunter22  ' };
      }),
    );
    const tokens = transcript.view().tokens;
    await compactContext(
      { ...options, instructions: [{ path: '/a', text: '# Red Lines\nNo.' }] },
      signal,
    );
    expect(requests).toMatchObject([
      {
        firstKeptEntryId: 'e2',
        tokens,
        overhead: 100,
        contextWindow: 18_000,
        untrusted: [],
        conversation: expect.stringMatching(/^user: first question\n\nassistant: first answer/),
      },
    ]);
    expect(requests[0]?.entries.map(({ id }) => id)).toEqual(['e0', 'e1', 'e2', 'e3', 'e4', 'e5']);
    const [entry] = transcript.named('compaction');
    expect(entry).toMatchObject({ firstKeptEntryId: 'e2', tokensBefore: tokens });
    expect(entry).not.toHaveProperty('data');
    expect(summaryOf(transcript.entries)).toBe(
      'ours, password: [redacted]\n\nFrom /a:\n\n# Red Lines\nNo.',
    );
    expect(model.doGenerateCalls).toEqual([]);
    expect(transcript.events).toEqual([]);
  });

  test('is told of nothing beside the messages where nothing is sent there', async () => {
    const overheads: number[] = [];
    const { options } = open(
      [],
      by(({ overhead }) => {
        overheads.push(overhead);
        return null;
      }),
    );
    const { overhead: _, ...window } = options.window;
    await compactContext({ ...options, window }, signal);
    expect(overheads).toEqual([0]);
  });

  test('may keep more or less than the house would', async () => {
    const { transcript, options } = open(
      [],
      by(async () => ({ summary: 'ours', firstKeptEntryId: 'e4' })),
    );
    await compactContext(options, signal);
    expect(transcript.named('compaction')).toMatchObject([{ firstKeptEntryId: 'e4' }]);
  });

  test.each([null, undefined])(
    'that answers %s leaves it to the house without a word',
    async (answer) => {
      const { transcript, options } = open(
        [['## Summary\nhouse']],
        by(() => answer as null),
      );
      await compactContext(options, signal);
      expect(summaryOf(transcript.entries)).toMatch(/^## Summary\nhouse/);
      expect(transcript.named('turn/compaction-fallback')).toEqual([]);
    },
  );

  test.each<[string, () => unknown, RegExp]>([
    ['throws', () => Promise.reject(new Error('no')), /^no$/],
    ['says nothing', () => ({ summary: '  ' }), /must not be empty/],
    ['answers something else', () => ({ summary: 'x', more: 1 }), /more/],
    [
      'cuts where nothing is',
      () => ({ summary: 'x', firstKeptEntryId: 'e9' }),
      /e9 is not in view/,
    ],
    [
      'cuts within a turn',
      () => ({ summary: 'x', firstKeptEntryId: 'e3' }),
      /does not begin a turn/,
    ],
    ['keeps too much', () => ({ summary: 'x'.repeat(9_000) }), /do not fit/],
  ])(
    'that %s is not used: why is told and kept, and the house summarises',
    async (_, answer, why) => {
      const { transcript, options } = open(
        [['## Summary\nhouse']],
        by(answer as Compaction['compact']),
      );
      expect(await compactContext(options, signal)).toBe(true);
      expect(transcript.named('compaction')).toHaveLength(1);
      expect(summaryOf(transcript.entries)).toMatch(/^## Summary\nhouse/);
      const [fallback] = transcript.named('turn/compaction-fallback');
      const message = (fallback?.['data'] as { message?: string } | undefined)?.message;
      expect(message).toMatch(why);
      expect(transcript.events).toEqual([
        {
          type: 'notice',
          text: `the compaction of this deployment cannot be used, the house summarises: ${message}`,
        },
      ]);
    },
  );

  test('is told when the turn is stopped, and that is no fault of it', async () => {
    const stop = new AbortController();
    const stopped = Promise.withResolvers<void>();
    const { transcript, model, options } = open(
      [],
      by((_, given) => {
        given.signal.addEventListener('abort', () => stopped.resolve());
        stop.abort();
        return new Promise(() => undefined);
      }),
    );
    await expect(compactContext(options, stop.signal)).rejects.toThrow('it was interrupted');
    await stopped.promise;
    expect(transcript.entries).toHaveLength(TURNS.length);
    expect(model.doGenerateCalls).toEqual([]);
  });
});
