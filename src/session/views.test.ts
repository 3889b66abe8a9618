/** What people read of a session: its branch, its page, its tree, and what differs between two snapshots. */
import { describe, expect, test } from 'vitest';
import type { Entry } from './entry.ts';
import type { SessionFile } from './file.ts';
import { htmlPage } from './html.ts';
import { describeNote, type HumanItem, humanView } from './human-view.ts';
import { SessionTree } from './tree.ts';
import { short, treeText } from './tree-text.ts';

type Draft = { type: string; [field: string]: unknown };

const TIME = '2026-03-01T10:11:12.345Z';

/** Entries, each after the one before it unless it says otherwise. */
const entriesOf = (drafts: readonly Draft[]): Entry[] =>
  drafts.map(
    (draft, index) =>
      ({
        id: `e${index}`,
        parentId: index === 0 ? null : `e${index - 1}`,
        timestamp: TIME,
        ...draft,
      }) as unknown as Entry,
  );

function fileOf(entries: readonly Entry[], header: object = {}): SessionFile {
  const tree = new SessionTree();
  for (const [line, entry] of entries.entries())
    tree.add(entry, { source: 0, line, offset: 0, length: 0 }, true);
  return {
    header: { id: 'S1', created: TIME, parentSession: null, parentEntry: null, ...header },
    tree,
    get: (id: string) => entries.find((entry) => entry.id === id) ?? null,
  } as unknown as SessionFile;
}

const message = (role: string, content: unknown, more: object = {}): Draft => ({
  type: 'message',
  message: { role, content },
  ...more,
});
const say = (text: string): object => ({ type: 'text', text });
const call = (id: string, name = 'bash', input: unknown = { a: 1 }): object => ({
  type: 'tool-call',
  toolCallId: id,
  toolName: name,
  input,
});
const result = (id: string, type: string, value: unknown): object => ({
  type: 'tool-result',
  toolCallId: id,
  toolName: 'bash',
  output: { type, value },
});

describe('the view of a person', () => {
  const seen = (...drafts: Draft[]): Partial<HumanItem>[] =>
    humanView(entriesOf(drafts)).map(({ timestamp, ...rest }) => {
      expect(timestamp).toBe(TIME);
      return rest as Partial<HumanItem>;
    });

  test('has the parts of messages one after the other', () => {
    expect(
      seen(
        message('user', 'hello'),
        message('assistant', [{ type: 'reasoning', text: 'hm' }, say('so'), call('1')], {
          model: 'm',
        }),
        message('tool', [
          result('1', 'text', 'out'),
          result('2', 'error-text', 'no'),
          result('3', 'execution-denied', undefined),
          say('t'),
        ]),
        message('user', [
          { type: 'file', mediaType: 'image/png' },
          { type: 'image', mediaType: 7 },
          { type: 'text' },
        ]),
      ),
    ).toEqual([
      { kind: 'user', id: 'e0', text: 'hello', model: null },
      { kind: 'reasoning', id: 'e1', text: 'hm' },
      { kind: 'assistant', id: 'e1', text: 'so', model: 'm' },
      { kind: 'call', id: 'e1', toolCallId: '1', tool: 'bash', input: '{\n  "a": 1\n}' },
      { kind: 'result', id: 'e2', toolCallId: '1', tool: 'bash', text: 'out', failed: false },
      { kind: 'result', id: 'e2', toolCallId: '2', tool: 'bash', text: 'no', failed: true },
      { kind: 'result', id: 'e2', toolCallId: '3', tool: 'bash', text: '', failed: true },
      { kind: 'note', id: 'e2', type: 'part', title: 'text', text: '' },
      { kind: 'note', id: 'e3', type: 'part', title: 'file', text: 'image/png' },
      { kind: 'note', id: 'e3', type: 'part', title: 'image', text: '' },
      { kind: 'user', id: 'e3', text: '', model: null },
    ]);
  });

  test('has a call without an input', () => {
    expect(seen(message('assistant', [{ ...call('1'), input: undefined }]))).toMatchObject([
      { input: '' },
    ]);
  });

  test('has commands with their ends, and no bookkeeping', () => {
    const changed = [{ path: '/a' }];
    expect(
      seen(
        { type: 'bash_start', command: 'ls', cwd: '/w', toolCallId: '1' },
        { type: 'bash_start', command: 'sleep' },
        {
          type: 'bash_end',
          start: 'e0',
          exitCode: 0,
          stdout: 'o',
          stderr: 'e',
          requests: 2,
          changed,
        },
        { type: 'label' },
        { type: 'leaf' },
        { type: 'signature' },
      ),
    ).toEqual([
      {
        kind: 'command',
        id: 'e2',
        command: 'ls',
        toolCallId: '1',
        cwd: '/w',
        exitCode: 0,
        stdout: 'o',
        stderr: 'e',
        requests: 2,
        changed,
      },
      {
        kind: 'command',
        id: 'e1',
        command: 'sleep',
        toolCallId: null,
        cwd: null,
        exitCode: null,
        stdout: '',
        stderr: '',
        requests: 0,
        changed: [],
      },
    ]);
  });
});

test.each<[Draft, string, string]>([
  [{ type: 'compaction', summary: 's' }, 'compaction', 's'],
  [{ type: 'branch_summary', summary: 's' }, 'summary of another branch', 's'],
  [{ type: 'model_change', model: 'm' }, 'model', 'm'],
  [{ type: 'model_change', model: 1 }, 'model', ''],
  [
    {
      type: 'change',
      change: { state: 'applied', op: 'update', mount: '/mnt/a', path: '/b', id: '7' },
    },
    'change applied',
    'update /mnt/a/b 7',
  ],
  [{ type: 'approval', approval: { state: 'asked', path: '/b' } }, 'approval asked', '/b'],
  [{ type: 'approval', approval: { mount: '/mnt/a' } }, 'approval', '/mnt/a'],
  [{ type: 'change' }, 'change', ''],
  [
    { type: 'question', question: { state: 'answered', question: 'Why?', answer: ['x'] } },
    'question answered',
    'Why?: ["x"]',
  ],
  [{ type: 'question', question: { question: 'Why?', answer: null } }, 'question', 'Why?'],
  [{ type: 'question' }, 'question', ''],
  [{ type: 'custom', name: 'n', data: 'd' }, 'n', 'd'],
  [{ type: 'custom', data: { a: 1 } }, 'custom', '{"a":1}'],
  [{ type: 'custom' }, 'custom', ''],
  [{ type: 'other', prev: 'p', hash: 'h', a: 1 }, 'other', '{"a":1}'],
])('a note about %j', (draft, title, text) => {
  const [entry] = entriesOf([draft]);
  expect(describeNote(entry as Entry)).toEqual({ title, text });
});

describe('the page', () => {
  const page = (drafts: readonly Draft[], header: object = {}): string => {
    const entries = entriesOf(drafts);
    return htmlPage(fileOf(entries, header), entries);
  };
  const facts = (html: string): string => /<p class="facts">(.*)<\/p>/.exec(html)?.[1] ?? '';
  const title = (html: string): string => /<h1>(.*)<\/h1>/.exec(html)?.[1] ?? '';
  /** Its articles, without times and anchors. */
  const articles = (html: string): string[] =>
    [
      ...html.matchAll(
        /<article id="[^"]*" class="([^"]*)">\n<header><b>(.*?)<\/b>(.*?)<time[^\n]*\n(.*?)\n<\/article>/gs,
      ),
    ].map(([, kind, name, mark, body]) => `${kind}|${name}|${mark}|${body}`);

  test('says what the session is', () => {
    const html = page(
      [
        message('user', 'one'),
        message('assistant', 'two', { usage: { inputTokens: 5, outputTokens: 7 } }),
        { type: 'bash_start', command: 'ls' },
        { type: 'bash_end', start: 'e2', exitCode: 0, requests: 2 },
      ],
      { parentSession: 'S0' },
    );
    expect(facts(html)).toBe(
      'Session S1 · begun 2026-03-01 10:11:12 UTC · forked from S0 · 2 messages · 1 command · 5 tokens in, 7 out · 2 requests',
    );
    expect(facts(page([]))).toBe(
      'Session S1 · begun 2026-03-01 10:11:12 UTC · 0 messages · 0 commands',
    );
    expect(html).toContain(
      '<article id="e0-0" class="user">\n<header><b>User</b><time datetime="2026-03-01T10:11:12.345Z">2026-03-01 10:11:12</time><a href="#e0-0">e0</a></header>\n<p class="text">one</p>\n</article>',
    );
  });

  test.each<[string, Draft[]]>([
    ['Session S1', []],
    [
      'first',
      [message('assistant', 'no'), message('user', ' \nfirst\nsecond'), message('user', 'x')],
    ],
    ['ls', [{ type: 'bash_start', command: 'ls' }]],
    ['Session S1', [message('user', '')]],
    ['a'.repeat(90), [message('user', 'a'.repeat(90))]],
    [`${'a'.repeat(89)}…`, [message('user', 'a'.repeat(91))]],
    ['&#60;b&#62; &#38; &#34;&#39;', [message('user', '<b> & "\'')]],
  ])('is called %s', (name, drafts) => {
    expect(title(page(drafts))).toBe(name);
    expect(page(drafts)).toContain(`<title>${name}</title>`);
  });

  test('shows each item by its kind', () => {
    expect(
      articles(
        page([
          message('assistant', [{ type: 'reasoning', text: 'hm' }, say('so'), call('1', 'read')], {
            model: 'm',
          }),
          message('tool', [result('1', 'text', 'out'), result('2', 'error-text', 'bad\u0007')]),
          { type: 'custom', name: 'n', data: 'd' },
          message('assistant', 'x'),
          { type: 'label', target: 'e3', label: 'here' },
        ]),
      ),
    ).toEqual([
      'reasoning|Reasoning||<p class="text">hm</p>',
      'assistant|m||<p class="text">so</p>',
      'call|Call of read||<pre>{\n  &#34;a&#34;: 1\n}</pre>',
      'result|Result of bash||<pre>out</pre>',
      'result bad|Failure of bash||<pre>bad␇</pre>',
      'note custom|n||<p class="text">d</p>',
      'assistant|Assistant| <span>[here]</span>|<p class="text">x</p>',
    ]);
  });

  test('shows a command in place of the call that it was run for, whose result is folded', () => {
    const end = {
      type: 'bash_end',
      start: 'e1',
      exitCode: 1,
      stdout: 'o\n',
      stderr: 'e',
      requests: 1,
    };
    expect(
      articles(
        page([
          message('assistant', [call('1')]),
          { type: 'bash_start', command: 'ls', cwd: '/w', toolCallId: '1' },
          { ...end, changed: [{ path: '/a' }, { path: '/<' }] },
          message('tool', [result('1', 'text', 'o')]),
          { type: 'bash_start', command: 'sleep' },
          { type: 'bash_start', command: 'true' },
          { ...end, start: 'e5', exitCode: 0, stdout: '', stderr: '', requests: 0 },
        ]),
      ),
    ).toEqual([
      'command bad|Command, exit 1, in /w, 1 request||<pre class="command">ls</pre><pre>o\n</pre><pre class="stderr">e</pre><details><summary>2 changed paths</summary><ul><li>/a</li><li>/&#60;</li></ul></details>',
      'result given|Result of bash||<details><summary>as the model was given it</summary><pre>o</pre></details>',
      'command bad|Command, interrupted||<pre class="command">sleep</pre>',
      'command|Command, exit 0||<pre class="command">true</pre>',
    ]);
  });

  test('folds what is long', () => {
    const lines = (count: number): string => 'x\n'.repeat(count);
    const bodyOf = (draft: Draft): string => articles(page([draft]))[0]?.split('|')[3] ?? '';
    const out = (text: string): string => bodyOf(message('tool', [result('1', 'text', text)]));
    expect(out(lines(24))).toMatch(/^<pre>/);
    expect(out(lines(25))).toMatch(/^<details><summary>25 lines<\/summary><pre>/);
    const thought = (length: number): string =>
      bodyOf(message('assistant', [{ type: 'reasoning', text: 'x'.repeat(length) }]));
    expect(thought(600)).toMatch(/^<p class="text">/);
    expect(thought(601)).toMatch(
      /^<details><summary>x{80} …<\/summary><p class="text">x{601}<\/p>/,
    );
  });
});

describe('the tree', () => {
  const tree = (drafts: readonly Draft[], header: object = {}): string[] =>
    treeText(fileOf(entriesOf(drafts), header)).split('\n');

  test('has a line an entry, with its label and where the session stands', () => {
    expect(
      tree(
        [
          message('user', 'hello\nthere'),
          message('assistant', [say('so'), call('1'), call('2', 'read')]),
          message('tool', [result('1', 'text', ''), say('x')]),
          { type: 'custom', name: 'n', data: 'd' },
          { type: 'label', target: 'e1', label: 'here' },
        ],
        { parentSession: 'S0', parentEntry: 'e9' },
      ),
    ).toEqual([
      `session S1  ${TIME}`,
      'forked from S0 at e9',
      'e0  user: hello',
      'e1  assistant: so → bash, read [here]',
      'e2  results: bash, text',
      'e3  n: d ←',
      '',
    ]);
  });

  test('has commands by their ends', () => {
    expect(
      tree([
        { type: 'bash_start', command: 'ls' },
        { type: 'bash_end', start: 'e0', exitCode: 2 },
        { type: 'bash_start', command: 'sleep' },
        { type: 'bash_end', start: 'gone', exitCode: 0 },
        { type: 'bash_start', command: 'top' },
      ]).slice(1),
    ).toEqual([
      'e1  $ ls → 2',
      'e2  $ sleep → interrupted',
      'e3  $ ? → 0',
      'e4  $ top → not ended ←',
      '',
    ]);
  });

  test('draws its ways where it forks', () => {
    const note = (data: string, parentId?: string | null): Draft => ({
      type: 'custom',
      data,
      ...(parentId === undefined ? {} : { parentId }),
    });
    expect(
      tree([
        note('a'),
        note('b'),
        note('c', 'e0'),
        note('d', 'e1'),
        note('e', 'e1'),
        { type: 'leaf', parentId: 'e2' },
        note('f', 'e5'),
        note('g', null),
      ]).slice(1),
    ).toEqual([
      '├─ e0  custom: a',
      '│  ├─ e1  custom: b',
      '│  │  ├─ e3  custom: d',
      '│  │  └─ e4  custom: e',
      '│  └─ e2  custom: c',
      '│     e6  custom: f',
      '└─ e7  custom: g ←',
      '',
    ]);
  });

  test.each([
    ['a\nb', 5, 'a'],
    ['  abcde ', 5, 'abcde'],
    ['abcdef', 5, 'abcd…'],
    ['😀😀😀', 2, '😀…'],
    ['', 5, ''],
  ])('shortens %j to %d', (text, width, line) => {
    expect(short(text, width)).toBe(line);
  });

  test('is 72 characters wide', () => {
    expect(short('x'.repeat(72))).toHaveLength(72);
    expect(short('x'.repeat(73))).toBe(`${'x'.repeat(71)}…`);
  });
});
