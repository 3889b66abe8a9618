/** Values between Notion's form and a line of frontmatter: what is shown, what is taken, and what is said of refusals. */
import { describe, expect, it, test } from 'vitest';
import type { NotionClient } from './client.ts';
import { failureOfAnswer, failureOfFile, limitEnd } from './failures.ts';
import { fileIn } from './files-of-blocks.ts';
import { idIn, referencesIn } from './markdown/references.ts';
import { keyOf, keyOfPlace, keysOfPlace, nameOf } from './names.ts';
import {
  requested,
  richText,
  shownProperty,
  shownText,
  titleOf,
  titleProperty,
} from './properties.ts';
import {
  commentRecord,
  commentValues,
  fieldOf,
  pageKey,
  pageRecord,
  pageValues,
  rowRecord,
} from './records.ts';
import type {
  ApiBlock,
  ApiPage,
  ApiSource,
  PropertyConfig,
  PropertyValue,
  Run,
} from './schemas.ts';
import { lostReferences } from './text-edits.ts';
import { PageTexts } from './texts.ts';

const run = (plain_text: string, more: object = {}): Run => ({ type: 'text', plain_text, ...more });
const HEX = '0123456789abcdef0123456789abcdef';
const ID = '01234567-89ab-cdef-0123-456789abcdef';

describe('a property', () => {
  const shown = (type: string, own: unknown, more: object = {}) =>
    shownProperty({ type, [type]: own, ...more } as PropertyValue, (id) =>
      id === 'known' ? 'Page--1' : null,
    );

  it.each<[string, unknown, unknown]>([
    ['title', [run('a'), run('b')], 'ab'],
    ['rich_text', [], ''],
    ['rich_text', null, ''],
    ['select', { id: '1', name: 'x' }, 'x'],
    ['select', null, null],
    ['status', { id: '1', name: 'Done' }, 'Done'],
    [
      'multi_select',
      [
        { id: '1', name: 'x' },
        { id: '2', name: 'y' },
      ],
      ['x', 'y'],
    ],
    [
      'people',
      [{ id: 'u1', name: 'Ana' }, { id: 'u2' }, { id: 'u3', name: null }],
      ['Ana', 'u2', 'u3'],
    ],
    ['relation', [{ id: 'known' }, { id: 'other' }], ['Page--1', 'other']],
    ['date', null, null],
    ['date', { start: '2025-01-31', end: null, time_zone: null }, '2025-01-31'],
    ['date', { start: '2025-01-31', end: '2025-02-01', time_zone: null }, '2025-01-31/2025-02-01'],
    ['files', [{ name: 'a.pdf' }], ['a.pdf']],
    ['formula', { type: 'number', number: 3 }, 3],
    ['formula', { type: 'string', string: null }, null],
    ['rollup', { type: 'array', array: [1] }, '[1]'],
    ['unique_id', { prefix: null, number: 3 }, 3],
    ['unique_id', { prefix: 'T', number: 3 }, 'T-3'],
    ['created_by', { id: 'u1', name: 'Ana' }, 'Ana'],
    ['last_edited_by', { id: 'u1' }, 'u1'],
    ['number', 7, 7],
    ['checkbox', false, false],
    ['url', null, null],
    ['verification', { state: 'x' }, '{"state":"x"}'],
  ])('%s of %j is shown as %j', (type, own, value) => {
    expect(shown(type, own)).toEqual({ value, fixed: null });
  });

  it('that a line cannot hold says what would be lost', () => {
    expect(shown('relation', [{ id: 'a' }], { has_more: true }).fixed).toContain(
      'more entries than Notion sends at once',
    );
    expect(shown('relation', [{ id: 'a' }], { has_more: false }).fixed).toBeNull();
    expect(shown('date', { start: 'x', end: null, time_zone: 'Europe/Berlin' }).fixed).toContain(
      'the time zone Europe/Berlin',
    );
    const annotations = { bold: false, color: 'default' };
    expect(shownText([run('a', { annotations, href: null })]).fixed).toBeNull();
    expect(shownText([{ plain_text: 'a' }]).fixed).toBeNull();
    for (const formatted of [
      run('a', { annotations: { ...annotations, bold: true } }),
      run('a', { annotations: { ...annotations, color: 'red' } }),
      run('a', { href: 'https://x.example' }),
      run('a', { type: 'mention' }),
    ])
      expect(shownText([run('x'), formatted])).toEqual({
        value: 'xa',
        fixed: expect.stringContaining('formatting, links or mentions'),
      });
  });

  it.each<[string, unknown, unknown]>([
    ['title', 'a', [{ type: 'text', text: { content: 'a' } }]],
    ['rich_text', '', []],
    ['rich_text', null, []],
    ['select', 'x', { name: 'x' }],
    ['select', null, null],
    ['status', null, null],
    ['multi_select', ['x', 'y'], [{ name: 'x' }, { name: 'y' }]],
    ['multi_select', null, []],
    ['people', ['Ana'], [{ object: 'user', id: 'id of Ana' }]],
    ['relation', ['P'], [{ id: 'id of P' }]],
    ['date', null, null],
    ['date', '2025-01-31', { start: '2025-01-31' }],
    ['date', '2025-01-31/2025-02-01', { start: '2025-01-31', end: '2025-02-01' }],
    ['number', 3, 3],
    ['checkbox', true, true],
  ])('%s is asked for by %j as %j', (type, value, wanted) => {
    const ids = {
      user: (name: string) => `id of ${name}`,
      page: (name: string) => `id of ${name}`,
    };
    expect(requested(type, value, ids)).toEqual(wanted);
  });

  it('of text has runs of 2,000 characters, none of which parts a pair', () => {
    const lengths = (text: string) => richText(text).map((one) => one.text.content.length);
    expect(lengths('')).toEqual([]);
    expect(lengths('x'.repeat(2_000))).toEqual([2_000]);
    expect(lengths('x'.repeat(2_001))).toEqual([2_000, 1]);
    expect(lengths(`${'x'.repeat(1_999)}😀`)).toEqual([1_999, 2]);
  });

  it('that is the title is that of a page, whatever it is called', () => {
    const page = {
      object: 'page',
      properties: {
        Size: { type: 'number', number: 1 },
        Name: { type: 'title', title: [run('T')] },
      },
    } as unknown as ApiPage;
    expect([titleOf(page), titleProperty(page)]).toEqual(['T', 'Name']);
    const none = { object: 'page', properties: {} } as unknown as ApiPage;
    expect([titleOf(none), titleProperty(none)]).toEqual(['', 'title']);
    expect(
      titleOf({ object: 'data_source', title: [run('D'), run('B')] } as unknown as ApiSource),
    ).toBe('DB');
  });
});

describe('a field', () => {
  const config = (type: string, more: object = {}): PropertyConfig => ({
    id: 'i',
    name: 'F',
    type,
    ...more,
  });
  const options = { options: [{ name: 'Open' }, { name: 'Done' }] };
  const specOf = (one: PropertyConfig) => {
    const source = {
      properties: { T: config('title', { name: 'T' }), F: one },
    } as unknown as ApiSource;
    return rowRecord(source).fields[fieldOf(one)];
  };
  const taken = (one: PropertyConfig, value: unknown) => specOf(one)?.schema.safeParse(value);

  it.each<[PropertyConfig, unknown[], unknown[]]>([
    [config('rich_text'), ['', 'a', null, 'x'.repeat(200_000)], [3, 'x'.repeat(200_001)]],
    [config('number'), [1.5, null], ['1', true]],
    [config('checkbox'), [true, false], [null, 'yes']],
    [config('url'), ['x', null, 'x'.repeat(2_000)], ['', 'x'.repeat(2_001), 3]],
    [config('email'), ['a@b.example', null, 'x'.repeat(200)], ['', 'x'.repeat(201)]],
    [config('phone_number'), ['1'], ['x'.repeat(201)]],
    [
      config('date'),
      [
        null,
        '2025-01-31',
        '2025-01-31T09:00',
        '2025-01-31T09:00:00.5Z',
        '2025-01-31T09:00:00+01:00',
        '2025-01-30/2025-01-31',
      ],
      [
        '2025-02-30',
        '2025-13-01',
        '31.01.2025',
        '2025-01-31T25:00',
        'x',
        '',
        '2025-01-01/2025-01-02/2025-01-03',
        '2025-01-01/',
      ],
    ],
    [config('select', { select: options }), ['Open', null], ['open', 'New', 3]],
    [config('status', { status: options }), ['Done', null], ['x']],
    [
      config('multi_select', { multi_select: options }),
      [[], null, ['Open', 'Done']],
      [['x'], 'Open', [3]],
    ],
    [config('people'), [['a'], null, Array(100).fill('a')], [Array(101).fill('a'), 'a']],
    [config('relation'), [['a'], []], [[1], 'a']],
  ])('of $type takes what the service would', (one, right, wrong) => {
    expect(right.filter((value) => taken(one, value)?.success !== true)).toEqual([]);
    expect(wrong.filter((value) => taken(one, value)?.success !== false)).toEqual([]);
    expect(specOf(one)?.access).toBe('create');
  });

  it('that is cleared is the empty value of its kind', () => {
    expect(taken(config('rich_text'), null)?.data).toBe('');
    expect(taken(config('people'), null)?.data).toEqual([]);
    expect(specOf(config('rich_text'))?.initial).toBe('');
    expect(specOf(config('number'))?.initial).toBeNull();
    expect(specOf(config('checkbox'))?.initial).toBe(false);
    expect(specOf(config('people'))?.initial).toEqual([]);
    expect(specOf(config('select', { select: options }))?.initial).toBeNull();
  });

  it('that the service sets is shown alone, and options that are meant are named', () => {
    expect(specOf(config('formula'))?.access).toBe('read');
    const message = (value: string) =>
      taken(config('select', { select: options }), value)?.error?.issues[0]?.message;
    expect(message('Opne')).toMatch(/^there is no option "Opne" \(nearest: Open/);
    expect(message('Zzzzzzzz')).toBe('there is no option "Zzzzzzzz"');
    expect(specOf(config('select', { select: options }))?.about).toBe('one of Open, Done, or null');
    expect(specOf(config('select'))?.schema.safeParse('x').success).toBe(false);
  });

  it('has its property’s name, unless a file has one of that name', () => {
    const names = ['F', 'id', 'url', 'body', 'title', 'created_time', 'incomplete', 'constructor'];
    expect(names.map((name) => fieldOf({ name, type: 'number' }))).toEqual([
      'F',
      ...['id', 'url', 'body', 'title', 'created_time', 'incomplete'].map(
        (name) => `${name} (property)`,
      ),
      'constructor',
    ]);
    expect(fieldOf({ name: 'Name', type: 'title' })).toBe('title');
  });

  it('of a title is one line of up to 2,000 characters', () => {
    const { schema } = pageRecord.fields['title'] ?? {};
    expect(['a', 'x'.repeat(2_000)].every((one) => schema?.safeParse(one).success)).toBe(true);
    for (const wrong of ['', ' ', 'x'.repeat(2_001), 'a\nb', 'a\rb', 3, null])
      expect([wrong, schema?.safeParse(wrong).success]).toEqual([wrong, false]);
  });

  it('of a text is as the next read shows it, and up to 450,000 bytes', () => {
    const { schema } = pageRecord.fields['body'] ?? {};
    expect(schema?.safeParse('* a\n* b').data).toBe('- a\n- b');
    expect(schema?.safeParse('é'.repeat(225_000)).success).toBe(true);
    expect(schema?.safeParse('é'.repeat(225_001)).error?.issues[0]?.message).toBe(
      'is larger than 450000 bytes',
    );
    const wrong = Array.from({ length: 12 }, () => '##### a').join('\n');
    const issues = schema?.safeParse(wrong).error?.issues ?? [];
    expect(issues).toHaveLength(10);
    expect(issues[1]?.message).toMatch(/^line 2 of the text: Notion has headings/);
  });

  it('of a comment is a text, and may answer another', () => {
    const { body, reply_to } = commentRecord.fields;
    expect(reply_to?.schema.safeParse('01234567-89AB-cdef-0123-456789abcdef.md').data).toBe(HEX);
    expect(reply_to?.schema.safeParse(null).success).toBe(true);
    expect(reply_to?.schema.safeParse(3).success).toBe(false);
    expect(
      ['', ' \n', 'x'.repeat(200_001)].map((one) => body?.schema.safeParse(one).success),
    ).toEqual([false, false, false]);
    expect(body?.schema.safeParse('x'.repeat(200_000)).success).toBe(true);
  });

  it('of a page is what the page says; a row’s properties are fields, too', () => {
    const page = {
      object: 'page',
      id: ID,
      url: 'https://x.example',
      created_time: 'c',
      last_edited_time: 'e',
      properties: {
        Name: { type: 'title', title: [run('a\r\nb')] },
        url: { type: 'url', url: 'own' },
        Size: { type: 'number', number: 3 },
      },
    } as unknown as ApiPage;
    const own = { id: ID, url: 'https://x.example', created_time: 'c', last_edited_time: 'e' };
    expect(pageValues(page, null, () => null)).toEqual({ title: 'a b', ...own });
    expect(pageValues(page, {} as ApiSource, () => null)).toEqual({
      title: 'a b',
      'url (property)': 'own',
      Size: 3,
      ...own,
    });
    const comment = {
      id: ID,
      discussion_id: ID,
      created_by: { id: 'u' },
      created_time: 'c',
      last_edited_time: 'e',
      rich_text: [run('hi')],
    };
    expect(commentValues(comment, () => 'Ana')).toEqual({
      id: HEX,
      author: 'Ana',
      discussion: HEX,
      created_time: 'c',
      last_edited_time: 'e',
      body: 'hi',
    });
    expect(commentValues(comment, () => null)['author']).toBe('u');
  });
});

describe('a name', () => {
  it('ends in the last digits of its id, by which it is found', () => {
    expect(keyOf(ID)).toBe('456789abcdef');
    expect(nameOf('A b', ID)).toBe('A-b--456789abcdef');
    expect(keyOfPlace('x/A-b--456789abcdef')).toBe('456789abcdef');
    expect(keysOfPlace('A--456789abcdef/B--000000000001')).toEqual([
      '456789abcdef',
      '000000000001',
    ]);
  });

  it('has up to 180 bytes of the title', () => {
    const title = (text: string) => nameOf(text, ID).slice(0, -14);
    expect(title('x'.repeat(180))).toHaveLength(180);
    expect(title('x'.repeat(181))).toHaveLength(180);
    expect(Buffer.byteLength(title('é'.repeat(100)))).toBe(180);
    expect(title(`${'x'.repeat(179)}-y`)).toBe('x'.repeat(179));
    expect(title('u\u0308')).toBe('ü');
  });

  it.each([
    ['456789abcdef', '456789abcdef'],
    ['Title--456789abcdef.md', '456789abcdef'],
    [ID, '456789abcdef'],
    [HEX, '456789abcdef'],
    ['Title', null],
    ['456789abcde', null],
    ['456789abcdef.txt', null],
  ])('%j is that of the page %j', (text, key) => {
    expect(pageKey(text)).toBe(key);
  });

  it.each([
    [HEX, ID],
    [HEX.toUpperCase(), ID],
    [ID, ID],
    [`https://www.notion.so/Title-${HEX}`, ID],
    [`https://www.notion.so/Title-${HEX}?v=${'1'.repeat(32)}#x`, ID],
    [`x${HEX}`, ID],
    [HEX.slice(1), null],
    ['https://www.notion.so/Title', null],
  ])('%j has the id %j', (text, id) => {
    expect(idIn(text)).toBe(id);
  });

  it('in a text is each page and database that it stands for, once', () => {
    const other = `${'1'.repeat(8)}-1111-1111-1111-${'1'.repeat(12)}`;
    const text = `<page url="https://www.notion.so/${HEX}">A</page>\n<database inline="true" url="${other}">B</database>\n<page url="${ID}"/>\n<page url="none"/>\n<mention-page url="${'2'.repeat(32)}"/>`;
    expect(referencesIn(text)).toEqual([ID, other]);
    expect(lostReferences('> <page url="1"/> ', '\t<page url="1"/>')).toEqual([]);
    expect(lostReferences('<database url="1"/>\n<unknown url="2"/>', '<unknown url="3"/>')).toEqual(
      ['<database url="1"/>', '<unknown url="2"/>', '<unknown url="3"/>'],
    );
  });
});

describe('a refusal', () => {
  const NOW = new Date('2025-01-01T00:00:00Z');
  const of = (status: number, text = '', until: Date | null = null) => {
    const { kind, message, retryAt } = failureOfAnswer(status, text, {
      until,
      now: NOW,
      cause: null,
    });
    return { kind, message, retryAt: retryAt ?? null };
  };

  it.each([
    [429, '7', 7],
    [529, '0', 0],
    [429, '1.5', 1.5],
    [429, null, 30],
    [429, 'soon', 30],
    [429, '-1', 30],
  ])('by %i with a wait of %j lasts %d s', (status, after, seconds) => {
    expect(limitEnd(status, after, NOW)?.getTime()).toBe(NOW.getTime() + seconds * 1_000);
  });
  test('by another status is no limit', () => {
    expect([limitEnd(400, '7', NOW), limitEnd(503, '7', NOW)]).toEqual([null, null]);
  });

  it.each([
    [401, 'auth', 'check NOTION_TOKEN'],
    [403, 'forbidden', 'Notion answered 403: no way; the integration may lack'],
    [404, 'missing', 'not shared with the integration'],
    [409, 'limited', 'somebody else is saving there: no way; try again'],
    [400, 'invalid', 'Notion answered 400: no way'],
    [499, 'invalid', 'Notion answered 499: no way'],
    [500, 'server', 'Notion answered 500; try again later'],
    [502, 'server', 'Notion answered 502; try again later'],
  ])('by %i is %s', (status, kind, message) => {
    const failure = of(status, '{"message":"no\\n way"}');
    expect(failure).toMatchObject({ kind, retryAt: null });
    expect(failure.message).toContain(message);
  });

  it('that is a limit says when it ends', () => {
    const until = new Date(NOW.getTime() + 60_000);
    expect(of(429, '', until)).toMatchObject({ kind: 'limited', retryAt: until });
    expect(of(429, '', until).message).toContain('its limit of requests is used up');
    expect(of(529, '', until).message).toContain('it is overloaded');
  });

  it('of something between is told in its own words', () => {
    expect(of(400, '<html>\nbad gateway</html>').message).toBe(
      'Notion answered 400: <html> bad gateway</html>',
    );
    expect(of(400, '{"code":"x"}').message).toBe('Notion answered 400: {"code":"x"}');
    expect(of(400, '[1]').message).toBe('Notion answered 400: [1]');
    expect(of(400, 'x'.repeat(300)).message).toHaveLength('Notion answered 400: '.length + 200);
  });

  it.each([
    [404, 'missing'],
    [410, 'missing'],
    [403, 'forbidden'],
    [500, 'server'],
    [503, 'server'],
  ])('of a file by %i is %s', (status, kind) => {
    expect(failureOfFile(status)).toMatchObject({ kind, status });
  });
});

describe('the file of a block', () => {
  const of = (content: object) => fileIn({ type: 'pdf', pdf: content } as unknown as ApiBlock);
  it('is where the block says, and is called what it says, or what its address does', () => {
    const url = 'https://x.example/a/b%20c.pdf?sig=1';
    expect(of({ type: 'file', file: { url }, name: 'N.pdf' })).toEqual({ url, name: 'N.pdf' });
    expect(of({ type: 'file', file: { url } })).toEqual({ url, name: 'b c.pdf' });
    expect(of({ type: 'file', file: { url: 'https://x.example/100%.pdf' } })?.name).toBe(
      '100%.pdf',
    );
    expect(of({ type: 'external', external: { url } })).toBeNull();
    expect(of({ type: 'file', file: { url: 'none' } })).toBeNull();
    expect(fileIn({ type: 'paragraph' } as unknown as ApiBlock)).toBeNull();
  });
});

describe('a text with parts that could not be loaded', () => {
  const answer = (markdown: string, unknown_block_ids: string[] = [], truncated = false) => ({
    object: 'page_markdown',
    id: 'x',
    markdown,
    unknown_block_ids,
    truncated,
  });
  function completed(
    first: ReturnType<typeof answer>,
    parts: Record<string, ReturnType<typeof answer>>,
  ) {
    const asked: string[] = [];
    const client = {
      get: async (_schema: unknown, path: string) => {
        const id = path.split('/')[1] ?? '';
        asked.push(id);
        return parts[id] ?? answer('', [id]);
      },
    } as unknown as NotionClient;
    const texts = new PageTexts({ client } as never);
    return texts.completed(first).then((text) => ({ ...text, asked }));
  }

  it('asks for each of them once, and for what these lack', async () => {
    const found = await completed(answer('m', ['a', 'b']), {
      a: answer('A', ['c', 'b']),
      b: answer('B'),
      c: answer('C', ['a']),
    });
    expect(found).toEqual({
      markdown: 'm',
      parts: { a: 'A', b: 'B', c: 'C' },
      lacking: null,
      asked: ['a', 'b', 'c', 'b'],
    });
  });

  it('says what is missing all the same', async () => {
    expect((await completed(answer('m', ['a']), {})).lacking).toMatch(
      /^1 block of the text could not be loaded/,
    );
    expect((await completed(answer('m', ['a', 'b']), {})).lacking).toMatch(
      /^2 blocks of the text could not be loaded/,
    );
    expect((await completed(answer('m', [], true), {})).lacking).toContain('has cut the text');
    expect((await completed(answer('m', ['a'], true), { a: answer('A') })).lacking).toBeNull();
  });

  it('asks for fifty at most', async () => {
    const ids = Array.from({ length: 60 }, (_, n) => `${n}`);
    const found = await completed(
      answer('m', ids),
      Object.fromEntries(ids.map((id) => [id, answer(id)])),
    );
    expect(found.asked).toHaveLength(50);
    expect(found.lacking).toMatch(/^10 blocks/);
  });
});
