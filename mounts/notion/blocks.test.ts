/** Edits block by block: what differs between two texts, which blocks these are, and what is sent for it. */
import { describe, expect, it } from 'vitest';
import { changesBetween } from './block-changes.ts';
import { requestsOf } from './block-requests.ts';
import type { NotionClient } from './client.ts';
import { inPlace } from './in-place.ts';
import { isAsWritten, ListedBlocks, listedBlock, mentionsOf } from './listed-blocks.ts';
import type { Inline } from './markdown/blocks.ts';
import { readInline } from './markdown/inline.ts';
import { nodesOf, plainText } from './markdown/nodes.ts';
import { readNotion } from './markdown/notion.ts';
import { whole, withoutParts } from './markdown/parts.ts';
import { mentionTags, plainOf, plainRuns, richTextOf } from './markdown/rich-text.ts';
import type { ApiBlock, Run } from './schemas.ts';

const nodes = (markdown: string) => nodesOf(readNotion(markdown));
const inline = (source: string): Inline[] => readInline(source, { underscores: false });
const MENTION = '<mention-user url="user://1">Ada</mention-user>';

describe('the changes between two texts', () => {
  /** `update 0.1`, `remove 0.2`, `insert 0 after 1 of 2`; and which block at the top is which before. */
  const brief = (before: string, after: string) => {
    const found = changesBetween(nodes(before), nodes(after));
    if (found === null) return null;
    const changes = found.changes.map((one) => {
      const where = `${one.op} ${one.path.join('.')}`;
      return one.op === 'insert' ? `${where} after ${one.after} of ${one.nodes.length}` : where;
    });
    return [...changes, found.tops.join()];
  };

  it.each<[string, string, string, string[] | null]>([
    ['none', 'a\nb', 'a\nb', ['0,1']],
    ['of words', 'a b c\nd', 'a b x\nd', ['update 0', '0,1']],
    ['of all words of the only line', 'a', 'b', ['update 0', '0']],
    ['of all words of a line, with another below', 'a', 'b\nx', ['update 0', '0,']],
    [
      'of the words of the second of two, with one before',
      'a\nb c',
      'x\na\nb d',
      ['update 1', ',0,1'],
    ],
    [
      'of all words behind one that is reworded',
      'a b\nc\nd',
      'a x\ny\nd',
      ['update 0', 'update 1', '0,1,2'],
    ],
    ['of a tick', '- [ ] a', '- [x] a', ['update 0', '0']],
    ['of a kind', 'a', '# a', ['']],
    ['of a color', 'a {color="red"}', 'a {color="blue"}', ['']],
    ['of what is below', '- a\n\t- b\n\t- c', '- a\n\t- b\n\t- d', ['update 0.1', '0']],
    ['of a line and of what is below', '- a\n\t- b', '- x\n\t- y', ['update 0', 'update 0.0', '0']],
    ['of what goes below', '- a\n\t- b\n\t- c\n\t- d', '- a\n\t- b\n\t- d', ['remove 0.1', '0']],
    [
      'of what comes below',
      '- a\n\t- b\n\t- c',
      '- a\n\t- b\n\t- x\n\t- y\n\t- c',
      ['insert 0 after 0 of 2', '0'],
    ],
    [
      'of what comes first below',
      '- a\n\t- c',
      '- a\n\t- b\n\t- c',
      ['insert 0 after null of 1', '0'],
    ],
    [
      'of what comes in two places',
      '- a\n\t- c',
      '- a\n\t- b\n\t- c\n\t- d',
      ['insert 0 after null of 1', 'insert 0 after 0 of 1', '0'],
    ],
    ['of a line that comes at the top', 'a\nb', 'a\nx\nb', ['0,,1']],
    ['of a line that goes at the top', 'a\nx\nb', 'a\nb', ['0,2']],
    [
      'of what a callout says first',
      '<callout>\n\ta\n\tb\n</callout>',
      '<callout>\n\tx\n\tb\n</callout>',
      ['update 0.0', '0'],
    ],
    [
      'of what stands below that',
      '<callout>\n\ta\n\tb\n</callout>',
      '<callout>\n\ta\n\tb\n\tc\n</callout>',
      ['insert 0 after 1 of 1', '0'],
    ],
    [
      'of the first below that',
      '<callout>\n\ta\n\t- b\n</callout>',
      '<callout>\n\ta\n\t- x\n\t- b\n</callout>',
      ['insert 0 after 0 of 1', '0'],
    ],
    [
      'of a callout that begins to say something',
      '<callout>\n\t- a\n</callout>',
      '<callout>\n\tx\n\t- a\n</callout>',
      [''],
    ],
    [
      'of cells',
      '<table header-row="true">\n<tr>\n<td>a</td>\n<td>b</td>\n</tr>\n</table>',
      '<table header-row="true">\n<tr>\n<td>a</td>\n<td>c</td>\n</tr>\n</table>',
      ['update 0.0', '0'],
    ],
    ['of lines that swap', 'one two three\nfour five six', 'four five six\none two three', ['1,']],
    [
      'of reworded lines among others',
      'one two three\nfour five six\nseven',
      'one two 3\neight nine\nfour five 6\nseven',
      ['update 0', 'update 1', '0,,1,2'],
    ],
    [
      'of an item by what is below it',
      '- a b\n\t- c d e',
      '- new\n- x b\n\t- c d e',
      ['update 0', ',0'],
    ],
    ['of half of the words', 'a b c d', 'a b\nx y z q', ['update 0', '0,']],
  ])('are %s', (_what, before, after, wanted) => {
    expect(brief(before, after)).toEqual(wanted);
  });

  it('say what a block was and is', () => {
    expect(changesBetween(nodes('- [ ] a'), nodes('- [x] b'))?.changes).toEqual([
      {
        op: 'update',
        path: [0],
        old: { type: 'text', text: inline('a'), checked: false },
        now: { type: 'text', text: inline('b'), checked: true },
      },
    ]);
  });
});

describe('a text as the blocks of a list', () => {
  const types = (markdown: string) => nodes(markdown).map(({ type }) => type);

  it('has the names that the API has', () => {
    expect(
      types(
        'p\n## h\n- [ ] t\n- b\n1. n\n> q\n---\n<empty-block/>\n```c\nx\n```\n$$\nx\n$$\n![c](u)\n<unknown url="x"/>',
      ),
    ).toEqual([
      ...['paragraph', 'heading_2', 'to_do', 'bulleted_list_item', 'numbered_list_item', 'quote'],
      ...['divider', 'paragraph', 'code', 'equation', 'image', null],
    ]);
    expect(
      types(
        '<details>\n<summary>s</summary>\n\tx\n</details>\n<columns>\n\t<column>\n\t\ta\n\t</column>\n</columns>\n<synced_block>\n\ta\n</synced_block>',
      ),
    ).toEqual(['toggle', 'column_list', 'synced_block']);
  });

  it('looks into columns, synced blocks and tables with more than heads', () => {
    const [columns] = nodes('<columns>\n\t<column>\n\t\ta\n\t\tb\n\t</column>\n</columns>');
    expect(columns).toMatchObject({
      rest: '<columns>',
      children: [{ type: 'column', children: [{ type: 'paragraph' }, { type: 'paragraph' }] }],
    });
    const [table] = nodes(
      '<table header-column="true">\n<tr color="red"><th>a</th><td>b **c**</td></tr>\n</table>',
    );
    expect(table).toEqual({
      type: 'table',
      content: null,
      rest: '<table header-column="true"></table>',
      children: [
        {
          type: 'table_row',
          content: { type: 'row', cells: [inline('a'), inline('b **c**')] },
          rest: '<tr color="red"><th></th><td></td></tr>',
          children: [],
        },
      ],
    });
    expect(nodes('<table header-column="true"></table>')).toMatchObject([{ type: null }]);
  });

  it('knows what a callout says itself, and what is below it', () => {
    expect(nodes('<callout>\n\ta\n\t- b\n</callout>')).toMatchObject([
      { lead: { type: 'paragraph' }, children: [{ type: 'bulleted_list_item' }] },
    ]);
    expect(nodes('<callout>\n\t- a\n\t- b\n</callout>')[0]?.children).toHaveLength(2);
    for (const first of ['- a', 'a {color="red"}', 'a\n\t\tb'])
      expect(nodes(`<callout>\n\t${first}\n</callout>`)[0]).not.toHaveProperty('lead');
    expect(nodes('<callout>\n</callout>')).toEqual([
      { type: 'callout', content: null, rest: '', children: [] },
    ]);
  });

  it('tells the number that a list begins with', () => {
    expect(nodes('7. a {color="red"}\n8. b').map(({ rest }) => rest)).toEqual([
      '{color="red"} 7',
      '',
    ]);
  });

  it.each([
    ['a **b** `c` $d$ [e](u)', 'a b c d e'],
    ['a<br>b', 'a\nb'],
    [`a ${MENTION}`, 'a Ada'],
    ['a <mention-date start="2025-01-31"/>', 'a '],
    ['```c\nx\n```', 'x'],
    ['$$\nx\n$$', 'x'],
    ['![c](u)', 'c'],
    ['---', ''],
  ])('says %j in plain text', (markdown, wanted) => {
    expect(plainText(nodes(markdown)[0] as never)).toBe(wanted);
  });

  it('says a row cell by cell', () => {
    const [table] = nodes('| a | **b** |\n| --- | --- |');
    expect(table?.children.map(plainText)).toEqual(['a\tb']);
  });
});

describe('a text as a request has it', () => {
  const runs = (source: string) => richTextOf(inline(source), () => null);
  const run = (content: string, annotations: object = {}, link?: string) => ({
    type: 'text',
    text: { content, ...(link && { link: { url: link } }) },
    annotations,
  });

  it.each<[string, object[] | null]>([
    ['a', [run('a')]],
    [
      '**a** *b* ~~c~~ `d`',
      [
        run('a', { bold: true }),
        run(' '),
        run('b', { italic: true }),
        run(' '),
        run('c', { strikethrough: true }),
        run(' '),
        run('d', { code: true }),
      ],
    ],
    ['**a *b***', [run('a ', { bold: true }), run('b', { bold: true, italic: true })]],
    ['a<br>b', [run('a'), run('\n'), run('b')]],
    ['$x$', [{ type: 'equation', equation: { expression: 'x' }, annotations: {} }]],
    [
      '[a **b**](https://x.example)',
      [run('a ', {}, 'https://x.example'), run('b', { bold: true }, 'https://x.example')],
    ],
    ['<span color="red">a</span>b', [run('a', { color: 'red' }), run('b')]],
    ['<span color="red_bg">a</span>', [run('a', { color: 'red_background' })]],
    ['<span underline="true">a</span>', [run('a', { underline: true })]],
    ['<span underline="false">a</span>', [run('a')]],
    [
      '<span color="red"><span underline="true">a</span>b</span>',
      [run('a', { color: 'red', underline: true }), run('b', { color: 'red' })],
    ],
    ['**<span color="red">a</span>**', [run('a', { bold: true, color: 'red' })]],
    ['<span color="red">a', null],
    ['a</span>', null],
    ['<span discussion-urls="x">a</span>', null],
    [MENTION, null],
    ['[^https://x.example]', null],
  ])('%j', (source, wanted) => {
    expect(runs(source)).toEqual(wanted);
  });

  it('has mentions that are known, with their styles', () => {
    const known = { type: 'mention', mention: { type: 'user' } };
    expect(richTextOf(inline(`**${MENTION}**`), (tag) => (tag === MENTION ? known : null))).toEqual(
      [{ ...known, annotations: { bold: true } }],
    );
    expect(mentionTags(inline(`a ${MENTION} **${MENTION}** <span color="red">b</span>`))).toEqual([
      MENTION,
      MENTION,
    ]);
    expect(plainOf(inline('a</span>'))).toBe('a');
  });

  it('has runs of 2,000 characters, of which no pair is parted', () => {
    const contents = (text: string) =>
      plainRuns(text)?.map((one) => (one['text'] as { content: string }).content.length);
    expect(contents('')).toEqual([]);
    expect(contents('x'.repeat(2_000))).toEqual([2_000]);
    expect(contents('x'.repeat(4_001))).toEqual([2_000, 2_000, 1]);
    expect(contents(`${'x'.repeat(1_999)}😀y`)).toEqual([1_999, 3]);
    expect(contents(`${'x'.repeat(1_998)}😀`)).toEqual([2_000]);
    expect(contents(`${'x'.repeat(1_999)}\ud83d`)).toEqual([2_000]);
  });

  it('has a hundred runs, and formulas of 1,000 characters, at most', () => {
    const bold = (count: number): Inline[] =>
      Array.from({ length: count }, () => ({ type: 'code', text: 'x' }));
    expect(richTextOf(bold(100), () => null)).toHaveLength(100);
    expect(richTextOf(bold(101), () => null)).toBeNull();
    const formula = (length: number): Inline[] => [{ type: 'math', text: 'x'.repeat(length) }];
    expect(richTextOf(formula(1_000), () => null)).toHaveLength(1);
    expect(richTextOf(formula(1_001), () => null)).toBeNull();
  });
});

describe('new blocks', () => {
  const requests = (markdown: string) => requestsOf(nodes(markdown));
  const rich = (content: string) => [{ type: 'text', text: { content }, annotations: {} }];

  it.each<[string, object]>([
    ['a', { paragraph: { rich_text: rich('a') } }],
    ['# a', { heading_1: { rich_text: rich('a') } }],
    ['- [x] a', { to_do: { rich_text: rich('a'), checked: true } }],
    ['- [ ] a', { to_do: { rich_text: rich('a'), checked: false } }],
    ['---', { divider: {} }],
    ['<empty-block/>', { paragraph: { rich_text: [] } }],
    ['```c\nx\n```', { code: { rich_text: rich('x'), language: 'c' } }],
    ['$$\nx\n$$', { equation: { expression: 'x' } }],
    [
      '![c](https://x.example)',
      { image: { type: 'external', external: { url: 'https://x.example' }, caption: rich('c') } },
    ],
    [
      '- a\n\t- b',
      {
        bulleted_list_item: {
          rich_text: rich('a'),
          children: [{ type: 'bulleted_list_item', bulleted_list_item: { rich_text: rich('b') } }],
        },
      },
    ],
  ])('of %j are asked for', (markdown, wanted) => {
    const [type] = Object.keys(wanted);
    expect(requests(markdown)).toEqual([{ type, ...wanted }]);
  });

  it('that only the markdown can say are not', () => {
    for (const markdown of [
      'a {color="red"}',
      '7. a',
      `a ${MENTION}`,
      '![c](https://x.example) {color="red"}',
      `![${MENTION}](https://x.example)`,
      '<callout>\n\ta\n</callout>',
      '<columns>\n\t<column>\n\t\ta\n\t</column>\n</columns>',
      '| a |\n| --- |',
      '<unknown url="x"/>',
      '- a\n\t- b {color="red"}',
    ])
      expect([markdown, requests(markdown)]).toEqual([markdown, null]);
    expect(requests('a\nb {color="red"}')).toBeNull();
  });

  it('of rows have their cells', () => {
    const [table] = nodes(`| a | ${MENTION} |\n| --- | --- |\n| b | c |`);
    const [heads, row] = table?.children ?? [];
    expect(requestsOf([row as never])).toEqual([
      { type: 'table_row', table_row: { cells: [rich('b'), rich('c')] } },
    ]);
    expect(requestsOf([heads as never])).toBeNull();
  });

  it('are a hundred at most, and two levels deep', () => {
    const many = (count: number) => Array.from({ length: count }, () => 'a').join('\n');
    expect(requests(many(100))).toHaveLength(100);
    expect(requests(many(101))).toBeNull();
    expect(requests('- a\n\t- b')).toHaveLength(1);
    expect(requests('- a\n\t- b\n\t\t- c')).toBeNull();
  });
});

describe('a block that Notion lists', () => {
  const text = (plain_text: string, more: object = {}): Run =>
    ({ type: 'text', plain_text, ...more }) as Run;
  const block = (type: string, content: object, id = 'b') =>
    ({
      object: 'block',
      id,
      created_time: '2025-01-01T00:00:00.000Z',
      last_edited_time: '2025-01-01T00:00:00.000Z',
      created_by: { object: 'user', id: 'u' },
      parent: { type: 'page_id', page_id: 'page' },
      type,
      [type]: content,
    }) as unknown as ApiBlock;

  it('has its text, whatever holds it', () => {
    const of = (type: string, content: object) => {
      const { texts, text: all } = listedBlock(block(type, content));
      return [texts.length, all];
    };
    expect(of('paragraph', { rich_text: [text('a'), text('b')] })).toEqual([1, 'ab']);
    expect(of('image', { caption: [text('c')], rich_text: [text('no')] })).toEqual([1, 'c']);
    expect(of('code', { rich_text: [text('x')], caption: [text('no')] })).toEqual([1, 'x']);
    expect(of('table_row', { cells: [[text('a')], [text('b')]] })).toEqual([2, 'a\tb']);
    expect(of('equation', { expression: 'x' })).toEqual([0, 'x']);
    expect(of('divider', {})).toEqual([0, '']);
    expect(listedBlock({ id: 'b', type: 'odd' } as unknown as ApiBlock)).toEqual({
      id: 'b',
      type: 'odd',
      texts: [],
      text: '',
    });
  });

  it('is as it was written, by what the answer says', () => {
    const is = (shown: ApiBlock, content: object) =>
      isAsWritten(shown, { method: 'PATCH', url: '', body: { [shown.type]: content } });
    const written = (content: string) => [{ text: { content } }];
    const shown = block('paragraph', { rich_text: [text('a'), text('b')] });
    expect(is(shown, { rich_text: written('ab') })).toBe(true);
    expect(is(shown, { rich_text: written('abc') })).toBe(false);
    expect(is(shown, { checked: true })).toBe(true);
    expect(is(shown, { rich_text: [{ mention: {} }, ...written('x')] })).toBe(true);
    expect(is(block('equation', { expression: 'x' }), { expression: 'x' })).toBe(true);
    expect(is(block('equation', { expression: 'x' }), { expression: 'y' })).toBe(false);
    expect(
      is(block('paragraph', { rich_text: [text('x')] }), {
        rich_text: [{ equation: { expression: 'x' } }],
      }),
    ).toBe(true);
    expect(is(block('image', { caption: [text('c')] }), { caption: written('d') })).toBe(false);
    const row = block('table_row', { cells: [[text('a')], [text('b')]] });
    expect(is(row, { cells: [written('a'), written('b')] })).toBe(true);
    expect(is(row, { cells: [written('a'), written('c')] })).toBe(false);
    expect(is(row, { cells: [written('a'), written('b'), written('c')] })).toBe(false);
  });

  it('tells what its mentions stand for, where they are as many', () => {
    const user = {
      type: 'mention',
      plain_text: 'Ada',
      mention: { type: 'user', user: { id: 'u' } },
    } as unknown as Run;
    const odd = { ...user, mention: { type: 'custom_emoji' } } as Run;
    const before = inline(`a ${MENTION}`);
    expect(mentionsOf(before, [text('a '), user])(MENTION)).toEqual({
      type: 'mention',
      mention: { type: 'user', user: { id: 'u' } },
    });
    expect(mentionsOf(before, [text('a ')])(MENTION)).toBeNull();
    expect(mentionsOf(before, [user, user])(MENTION)).toBeNull();
    expect(mentionsOf(before, [odd])(MENTION)).toBeNull();
    expect(mentionsOf(before, [user])('<mention-user url="user://2">B</mention-user>')).toBeNull();
  });

  /** Lists by their parents: what the API would answer, page by page. */
  const client = (lists: Record<string, ApiBlock[]>, size = 100) => {
    const asked: string[] = [];
    const one = {
      async *pages(path: string) {
        asked.push(path);
        const all = lists[path.split('/')[1] ?? ''] ?? [];
        for (let at = 0; at === 0 || at < all.length; at += size)
          yield { results: all.slice(at, at + size), more: at + size < all.length };
      },
    };
    return { asked, client: one as unknown as NotionClient };
  };
  const p = (content: string, id: string, type = 'paragraph') =>
    block(type, { rich_text: [text(content)] }, id);

  it('is found by its place, where the list says the same; each list is asked for once', async () => {
    const { client: line, asked } = client({
      page: [p('a', '1'), p('b', '2', 'bulleted_list_item')],
      2: [p('c', '3')],
    });
    const blocks = new ListedBlocks(line);
    const all = nodes('a\n- b\n\tc');
    expect((await blocks.find('page', all, [0]))?.id).toBe('1');
    expect((await blocks.find('page', all, [1]))?.id).toBe('2');
    expect((await blocks.find('page', all, [1, 0]))?.id).toBe('3');
    expect(asked).toEqual(['blocks/page/children', 'blocks/2/children']);
    expect(await blocks.find('page', all, [2])).toBeNull();
    expect(await blocks.find('page', all, [0, 0])).toBeNull();
    for (const other of ['x\n- b\n\tc', '# a\n- b\n\tc', 'a', 'a\n- b\n\tc\nd'])
      expect([other, await blocks.find('page', nodes(other), [0])]).toEqual([other, null]);
  });

  it('of a mention is found whatever it is called', async () => {
    const mention = { type: 'mention', plain_text: '@Ada' } as Run;
    const one = {
      ...p('', '1'),
      paragraph: { rich_text: [text('a '), mention] },
    } as unknown as ApiBlock;
    const { client: line } = client({ page: [one] });
    expect((await new ListedBlocks(line).find('page', nodes(`a ${MENTION}`), [0]))?.id).toBe('1');
  });

  it('of a callout is the callout itself, unless its first text is a block of its own', async () => {
    const all = nodes('<callout>\n\ta\n\tb\n</callout>');
    const own = client({ page: [p('a', '1', 'callout')], 1: [p('b', '2')] });
    expect((await new ListedBlocks(own.client).find('page', all, [0, 0]))?.id).toBe('1');
    expect((await new ListedBlocks(own.client).find('page', all, [0, 1]))?.id).toBe('2');
    const apart = client({ page: [p('', '1', 'callout')], 1: [p('a', '3'), p('b', '2')] });
    expect((await new ListedBlocks(apart.client).find('page', all, [0, 0]))?.id).toBe('3');
    const other = client({ page: [p('x', '1', 'callout')], 1: [p('b', '2')] });
    expect(await new ListedBlocks(other.client).find('page', all, [0, 0])).toBeNull();
  });

  it('is not looked for among more than 300', async () => {
    const of = async (count: number) => {
      const { client: line } = client({
        page: Array.from({ length: count }, (_, n) => p('a', `${n}`)),
      });
      const all = nodes(Array.from({ length: count }, () => 'a').join('\n'));
      return (await new ListedBlocks(line).find('page', all, [0]))?.id ?? null;
    };
    expect([await of(300), await of(301)]).toEqual(['0', null]);
  });

  describe('is edited where it is', () => {
    const rich = (content: string) => [{ type: 'text', text: { content }, annotations: {} }];
    const edit = async (before: string, after: string, lists: Record<string, ApiBlock[]>) => {
      const { client: line } = client(lists);
      const found = await inPlace(line, 'page', before, after);
      return (
        found && {
          mid: found.mid,
          requests: found.requests.map(({ method, url, body }) => [method, url, body]),
        }
      );
    };

    it.each<[string, string, string, ApiBlock, object]>([
      ['a word', 'a', 'b', p('a', '1'), { paragraph: { rich_text: rich('b') } }],
      ['a tick alone', '- [ ] a', '- [x] a', p('a', '1', 'to_do'), { to_do: { checked: true } }],
      [
        'a tick and a word',
        '- [ ] a',
        '- [x] b',
        p('a', '1', 'to_do'),
        { to_do: { rich_text: rich('b'), checked: true } },
      ],
      [
        'code',
        '```c\na\n```',
        '```c\nb\n```',
        p('a', '1', 'code'),
        { code: { rich_text: rich('b') } },
      ],
      [
        'a language',
        '```c\na\n```',
        '```go\na\n```',
        p('a', '1', 'code'),
        { code: { language: 'go' } },
      ],
      [
        'a formula',
        '$$\na\n$$',
        '$$\nb\n$$',
        block('equation', { expression: 'a' }, '1'),
        { equation: { expression: 'b' } },
      ],
      [
        'a caption',
        '![a](u)',
        '![b](u)',
        block('image', { caption: [text('a')] }, '1'),
        { image: { caption: rich('b') } },
      ],
      [
        'a picture',
        '![a](u)',
        '![a](v)',
        block('image', { caption: [text('a')] }, '1'),
        { image: { external: { url: 'v' } } },
      ],
    ])('by %s', async (_what, before, after, listed, body) => {
      expect(await edit(before, after, { page: [listed] })).toEqual({
        mid: before,
        requests: [['PATCH', '/v1/blocks/1', body]],
      });
    });

    const LIST = '- a\n\t- b\n\t- c';
    const LISTED = {
      page: [p('a', '1', 'bulleted_list_item')],
      1: [p('b', '2', 'bulleted_list_item'), p('c', '3', 'bulleted_list_item')],
    };
    const made = (content: string) => [
      { type: 'bulleted_list_item', bulleted_list_item: { rich_text: rich(content) } },
    ];

    it('by what comes and goes below it', async () => {
      const requests = async (after: string) => (await edit(LIST, after, LISTED))?.requests;
      expect(await requests('- a\n\t- b')).toEqual([['DELETE', '/v1/blocks/3', null]]);
      expect(await requests('- a\n\t- x\n\t- b\n\t- c')).toEqual([
        ['PATCH', '/v1/blocks/1/children', { children: made('x'), position: { type: 'start' } }],
      ]);
      expect(await requests('- a\n\t- b\n\t- x\n\t- c')).toEqual([
        [
          'PATCH',
          '/v1/blocks/1/children',
          { children: made('x'), position: { type: 'after_block', after_block: { id: '2' } } },
        ],
      ]);
      expect(await requests('- a\n\t- b\n\t- x {color="red"}\n\t- c')).toBeUndefined();
    });

    it('first in a callout, behind its own text', async () => {
      const lists = { page: [p('a', '1', 'callout')], 1: [p('b', '2')] };
      const found = await edit(
        '<callout>\n\ta\n\tb\n</callout>',
        '<callout>\n\ta\n\tx\n\tb\n</callout>',
        lists,
      );
      expect(found?.requests).toMatchObject([
        ['PATCH', '/v1/blocks/1/children', { position: { type: 'start' } }],
      ]);
    });

    it('beside lines that come and go at the top, which are a text of their own', async () => {
      const lists = { page: [...LISTED.page, p('z', '9')], 1: LISTED[1] };
      expect(await edit(`${LIST}\nz`, '- a\n\t- b\n\t- d\nnew\nz', lists)).toEqual({
        mid: `${LIST}\nnew\nz`,
        requests: [['PATCH', '/v1/blocks/3', { bulleted_list_item: { rich_text: rich('d') } }]],
      });
      // A line at the top is then one of them, if nothing below it changes.
      expect(await edit('y\nz', 'x\nnew line\nz', { page: [p('y', '1'), p('z', '2')] })).toBeNull();
    });

    it('unless another block stands there, or more than twenty differ', async () => {
      expect(await edit('a', 'b', { page: [p('other', '1')] })).toBeNull();
      expect(await edit('a', 'a', { page: [p('a', '1')] })).toBeNull();
      const many = (count: number, word: string) =>
        Array.from({ length: count }, (_, n) => `${word} ${n}`).join('\n');
      const of = (count: number) =>
        edit(many(count, 'a'), many(count, 'b'), {
          page: Array.from({ length: count }, (_, n) => p(`a ${n}`, `${n}`)),
        });
      expect((await of(20))?.requests).toHaveLength(20);
      expect(await of(21)).toBeNull();
      expect(await edit(`a ${MENTION}`, `b ${MENTION}`, { page: [p('a Ada', '1')] })).toBeNull();
    });
  });
});

describe('a text that came in parts', () => {
  const [ONE, TWO] = ['1', '2'].map((n) => `0000000${n}-0000-4000-8000-000000000000`) as [
    string,
    string,
  ];
  const line = (id: string) =>
    `<unknown url="https://app.notion.com/p/x#${id.replaceAll('-', '')}" alt="column"/>`;
  const unknown = (id: string) =>
    `<unknown url="https://www.notion.so/${id.replaceAll('-', '')}" alt="column"/>`;
  const held = (markdown: string, parts: Record<string, string>) => ({
    markdown,
    parts,
    lacking: null,
  });

  it('is whole with its parts where they belong, as deep as their lines', () => {
    const text = held(`a\n\t${unknown(ONE)}\nb`, { [ONE]: `x\n\n\t${unknown(TWO)}`, [TWO]: 'y' });
    expect(whole(text)).toBe('a\n\tx\n\n\t\ty\nb');
    expect(whole(held(`${unknown(ONE)}`, {}))).toBe(unknown(ONE));
    expect(whole(held(`${unknown(ONE)}`, { [ONE]: unknown(ONE) }))).toBe(unknown(ONE));
    expect(whole(held(`${line(ONE)} and more`, { [ONE]: 'x' }))).toBe(`${line(ONE)} and more`);
  });

  it('is its own text again, unless a part was changed, doubled or has got something below it', () => {
    const text = held(`a\n${unknown(ONE)}\nb`, { [ONE]: 'x\ny' });
    expect(withoutParts(text, 'A\nx\ny\nb\nc')).toBe(`A\n${unknown(ONE)}\nb\nc`);
    expect(withoutParts(text, 'a\nx\nz\nb')).toBeNull();
    expect(withoutParts(text, 'a\nx\ny\nx\ny\nb')).toBeNull();
    expect(withoutParts(text, 'a\nx\ny\n\tz\nb')).toBeNull();
    expect(withoutParts(text, 'a\nx\ny')).toBe(`a\n${unknown(ONE)}`);
    expect(withoutParts(held('a\nb', {}), 'c')).toBe('c');
    const deep = held(`a\n\t${unknown(ONE)}\n\tb`, { [ONE]: 'x' });
    expect(withoutParts(deep, 'a\n\tx\n\tb')).toBe(deep.markdown);
  });
});
