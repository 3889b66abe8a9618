/** Single forms of the two languages: what each is read as, written as, and refused for. */
import { describe, expect, it } from 'vitest';
import {
  type Block,
  colonsSpan,
  isSingleTag,
  isStrayClose,
  numbersOf,
  opensContainer,
  spanOf,
  splitAttrs,
  withDeepTables,
} from './blocks.ts';
import { carriedOver } from './carry.ts';
import { bodyTroubles, canonicalBody, notionBody, shownBody } from './index.ts';
import { CELL, ESCAPING, LITERAL, NOTION, readInline, writeInline } from './inline.ts';
import { languageOf } from './languages.ts';
import { columnsOf, continuationOf, FENCE, ITEM, itemLines, stripColumns } from './lines.ts';
import { readNotion, writeNotion } from './notion.ts';
import { readText } from './read-text.ts';
import { pipeRow, readPipes, readTags, startsTable, writeTags } from './tables.ts';

const inline = (source: string, underscores = true) => readInline(source, { underscores });
const text = (one: string) => ({ type: 'text', text: one });

describe('a piece of text', () => {
  it.each<[string, object[]]>([
    ['**a**', [{ type: 'bold', children: [text('a')] }]],
    ['__a__', [{ type: 'bold', children: [text('a')] }]],
    ['*a*', [{ type: 'italic', children: [text('a')] }]],
    ['_a_', [{ type: 'italic', children: [text('a')] }]],
    ['~~a~~', [{ type: 'strike', children: [text('a')] }]],
    ['a_b_c', [text('a_b_c')]],
    ['_a_b', [text('_a_b')]],
    ['** a**', [text('** a**')]],
    ['**a **', [text('**a **')]],
    ['*a', [text('*a')]],
    ['*a\\* b*', [{ type: 'italic', children: [text('a* b')] }]],
    [
      '*a `*` b*',
      [{ type: 'italic', children: [text('a '), { type: 'code', text: '*' }, text(' b')] }],
    ],
    ['*a ` b*', [{ type: 'italic', children: [text('a ` b')] }]],
    [
      '*a **b** c*',
      [
        {
          type: 'italic',
          children: [text('a '), { type: 'bold', children: [text('b')] }, text(' c')],
        },
      ],
    ],
    ['`a`', [{ type: 'code', text: 'a' }]],
    ['`` a`b ``', [{ type: 'code', text: 'a`b' }]],
    ['` a `', [{ type: 'code', text: 'a' }]],
    ['` `', [{ type: 'code', text: ' ' }]],
    ['`a\nb`', [{ type: 'code', text: 'a b' }]],
    ['``a`', [text('``a`')]],
    ['$a$', [{ type: 'math', text: 'a' }]],
    ['$`a`$', [{ type: 'math', text: 'a' }]],
    ['$a b$', [{ type: 'math', text: 'a b' }]],
    ['$a\\$b$', [{ type: 'math', text: 'a\\$b' }]],
    ['$ a$', [text('$ a$')]],
    ['$a $', [text('$a $')]],
    ['$5 and $6', [text('$5 and $6')]],
    ['$a$5', [text('$a$5')]],
    ['$a\nb$', [text('$a'), { type: 'break' }, text('b$')]],
    ['a\nb', [text('a'), { type: 'break' }, text('b')]],
    ['a  \n  b', [text('a'), { type: 'break' }, text('b')]],
    ['a\\\nb', [text('a'), { type: 'break' }, text('b')]],
    [
      'a<br>b<br/>c<br />d',
      [
        text('a'),
        { type: 'break' },
        text('b'),
        { type: 'break' },
        text('c'),
        { type: 'break' },
        text('d'),
      ],
    ],
    ['\\*a\\', [text('*a\\')]],
    ['\\a', [text('\\a')]],
    [
      '<https://x.example>',
      [{ type: 'link', url: 'https://x.example', children: [text('https://x.example')] }],
    ],
    ['<b>a</b>', [text('<b>a</b>')]],
    [
      '<span color="red">a</span>',
      [{ type: 'tag', text: '<span color="red">' }, text('a'), { type: 'tag', text: '</span>' }],
    ],
    ['<mention-date start="x"/>', [{ type: 'tag', text: '<mention-date start="x"/>' }]],
    [
      '<mention-user url="x">A</mention-user>',
      [{ type: 'tag', text: '<mention-user url="x">A</mention-user>' }],
    ],
    ['<mention-user url="x">A</mention-page>', [text('<mention-user url="x">A</mention-page>')]],
    ['[^web:x]', [{ type: 'tag', text: '[^web:x]' }]],
    ['[a](u)', [{ type: 'link', url: 'u', children: [text('a')] }]],
    ['[a](<u v>)', [{ type: 'link', url: 'u v', children: [text('a')] }]],
    ['[a](u_(v))', [{ type: 'link', url: 'u_(v)', children: [text('a')] }]],
    ['[a](u\\)v)', [{ type: 'link', url: 'u)v', children: [text('a')] }]],
    ['[a [b] c](u)', [{ type: 'link', url: 'u', children: [text('a [b] c')] }]],
    ['[a\\] b](u)', [{ type: 'link', url: 'u', children: [text('a] b')] }]],
    ['[a](u', [text('[a](u')]],
    ['[a] (u)', [text('[a] (u)')]],
    ['[a](u v)', [text('[a](u v)')]],
    ['[a', [text('[a')]],
    [
      '[**a**](u)',
      [{ type: 'link', url: 'u', children: [{ type: 'bold', children: [text('a')] }] }],
    ],
  ])('%j is read', (source, wanted) => {
    expect(inline(source)).toEqual(wanted);
  });

  it('of Notion’s has no marks of underscores', () => {
    expect(inline('_a_ __b__', false)).toEqual([text('_a_ __b__')]);
  });

  it('tells what Notion cannot hold', () => {
    const told = (source: string) => {
      const all: string[] = [];
      readInline(source, { underscores: true, trouble: (message) => all.push(message) });
      return all;
    };
    expect(told('![a](u)')).toEqual([expect.stringContaining('images as blocks')]);
    expect(told('![a]')).toEqual([]);
    expect(told("[a](u 't')")).toEqual([expect.stringContaining('a link with a title ("a")')]);
    expect(told('[a](u "t")')).toHaveLength(1);
  });

  it.each<[string, string]>([
    ['a\\*b', 'a\\*b'],
    ['a<br>b', 'a<br>b'],
    ['`a`', '`a`'],
    ['`` a`b ``', '``a`b``'],
    ['`` `a ``', '`` `a ``'],
    ['`` a` ``', '`` a` ``'],
    ['`  a  `', '`  a  `'],
    ['[a](<u v>)', '[a](<u v>)'],
    ['[a](u_(v))', '[a](u_(v))'],
    ['**a *b* ~~c~~** $d$', '**a *b* ~~c~~** $d$'],
  ])('%j is written for Notion as %j', (source, wanted) => {
    expect(writeInline(inline(source), NOTION)).toBe(wanted);
  });

  it('has what may be a mark escaped, as far as it is one there', () => {
    const special = '\\*~`$[]<>{}|^_#-';
    const nodes = [text(special)] as never;
    expect(writeInline(nodes, NOTION)).toBe('\\\\\\*\\~\\`\\$\\[\\]\\<\\>\\{\\}\\|\\^_#-');
    expect(writeInline(nodes, { ...ESCAPING, lineBreak: '' })).toBe(
      '\\\\\\*\\~\\`\\$\\[\\]\\<\\>\\{\\}\\|\\^\\_#-',
    );
    expect(writeInline([text('a|b')] as never, { ...CELL, lineBreak: '' })).toBe('a|b');
    expect(writeInline(nodes, { ...LITERAL, lineBreak: '' })).toBe(special);
  });
});

describe('lines', () => {
  it('are as deep as their tabs and spaces', () => {
    expect(['a', ' a', '\ta', '  \ta', '    \ta', '\t a', ''].map(columnsOf)).toEqual([
      0, 1, 4, 4, 8, 5, 0,
    ]);
    expect(stripColumns('\ta', 2)).toBe('  a');
    expect(stripColumns('    a', 4)).toBe('a');
    expect(stripColumns('  a', 4)).toBe('a');
    expect(stripColumns(' \ta', 4)).toBe('a');
    expect(stripColumns('\t\ta', 6)).toBe('  a');
  });

  it('of an item are those that are indented by two, with empty ones between', () => {
    expect(itemLines(['- a', '  b', '', '  c', ' d'], 0)).toEqual({
      lines: ['b', '', 'c'],
      length: 4,
    });
    expect(itemLines(['- a', '', 'b'], 0)).toEqual({ lines: [], length: 1 });
    expect(itemLines(['x', '  - a', '    b', '   c'], 1)).toEqual({ lines: ['b'], length: 2 });
    expect(itemLines(['- a', '      b', '    c'], 0)).toEqual({ lines: ['b', 'c'], length: 3 });
    expect(continuationOf(['a', 'b', '', 'c'], () => false)).toBe(2);
    expect(continuationOf(['a', '- b'], (lines, at) => lines[at] === '- b')).toBe(1);
    expect(continuationOf(['a', 'b'], () => false)).toBe(2);
  });

  it('that open code or an item are told from those that do not', () => {
    expect(FENCE.exec('  ````js x ')?.slice(1)).toEqual(['  ', '````', 'js x']);
    expect(['``', '```a`', '~~'].map((one) => FENCE.test(one))).toEqual([false, false, false]);
    expect(ITEM.exec('  10) a b ')?.slice(1)).toEqual(['  ', '10)', 'a b']);
    expect(ITEM.exec('-')?.slice(1)).toEqual(['', '-', undefined]);
    expect(['-a', '1234567890. a', '1a'].map((one) => ITEM.test(one))).toEqual([
      false,
      false,
      false,
    ]);
  });

  it.each([
    ['js', 'javascript'],
    [' TS ', 'typescript'],
    ['', 'plain text'],
    ['C++', 'c++'],
    ['objective-c++', 'objective-c'],
    ['java/c/c++/c#', 'java/c/c++/c#'],
    ['dockerfile', 'docker'],
    ['wasm', 'webassembly'],
  ])('of code in %j are of %s', (name, language) => {
    expect(languageOf(name)).toEqual({ language });
  });
  it('of code in no language of Notion’s have one that is near', () => {
    expect(languageOf('pythn')).toEqual({ nearest: expect.arrayContaining(['python']) });
    expect(languageOf('zzzzzzzzzz')).toEqual({ nearest: [] });
  });
});

describe('a tag', () => {
  it('stands alone, opens, or closes what no line opens', () => {
    expect(
      [
        '<page url="x">A</page>',
        '<video src="x"/>',
        '<pdf/>',
        '<pages/>',
        '<page url="x">',
        '<b/>',
      ].map(isSingleTag),
    ).toEqual([true, true, true, false, false, false]);
    expect(
      ['<columns>', '<column a="b">', '<meeting-notes>', '<table>', 'x'].map(opensContainer),
    ).toEqual(['columns', 'column', 'meeting-notes', null, null]);
    expect(
      ['</columns>', '</table>', '</details>', '</callout>', '</b>', '<table>'].map(isStrayClose),
    ).toEqual([true, true, true, true, false, false]);
  });

  it.each<[string[], number]>([
    [['<a>', '</a>'], 2],
    [['<a>', '<a x="1">', '</a>', '</a>', 'x'], 4],
    [['<a>', '<a>one line</a>', '</a>'], 3],
    [['<a>', '<a/>', '</a>'], 3],
    [['<a>', '```', '</a>', '```', '</a>'], 5],
    [['<a>', '````', '```', '</a>', '````', '</a>'], 6],
    [['<a>', '<ab>', '</a>'], 3],
    [['<a>', 'x'], 0],
  ])('of %j takes %i lines', (lines, length) => {
    expect(spanOf(lines, 0, 'a')).toBe(length);
  });

  it('of the older callouts, too', () => {
    expect(colonsSpan(['::: callout', '::: callout {icon="x"}', ':::', ':::', 'x'], 0)).toBe(4);
    expect(colonsSpan(['::: callout', 'x'], 0)).toBe(0);
  });

  it('behind a line is what it says of it', () => {
    expect(splitAttrs('a {color="red"}')).toEqual(['a', '{color="red"}']);
    expect(splitAttrs('{color="red" x="y"}')).toEqual(['', '{color="red" x="y"}']);
    for (const none of ['a{color="red"}', 'a {color=red}', 'a {color="red"} b', 'a {}'])
      expect(splitAttrs(none)).toEqual([none, '']);
  });

  it('of a table has its lines as deep as it is, and none of code', () => {
    expect(withDeepTables(['\t<table>', '<tr>', '\t\t<td>', '</table>', 'x'])).toEqual([
      '\t<table>',
      '\t<tr>',
      '\t\t<td>',
      '\t</table>',
      'x',
    ]);
    const code = ['```', '\t<table>', '<tr>', '</table>', '```'];
    expect(withDeepTables(code)).toEqual(code);
    expect(withDeepTables(['\t<table>', 'x'])).toEqual(['\t<table>', 'x']);
  });
});

describe('a table', () => {
  it('begins above a line of dashes', () => {
    expect(startsTable('a|b', '-|-')).toBe(true);
    expect(startsTable('| a |', '|:--:|')).toBe(true);
    for (const [line, next] of [
      ['a', '-|-'],
      ['a|b', '---'],
      ['a|b', '|a|'],
      ['a|b', undefined],
      ['a|b', '||'],
    ] as const)
      expect([line, next, startsTable(line, next)]).toEqual([line, next, false]);
  });

  it('of pipes has its cells, and ends where a line has none', () => {
    const { rows, length } = readPipes(
      ['x', '| a | b\\|c |', '|---|---|', '| `d\\|` | \\\\e', 'end'],
      1,
      { underscores: true },
    );
    expect(length).toBe(3);
    expect(rows).toEqual([
      [[text('a')], [text('b|c')]],
      [[{ type: 'code', text: 'd|' }], [text('\\e')]],
    ]);
    expect(pipeRow(['a|b', 'c'])).toBe('| a\\|b | c |');
  });

  it('of tags is one only with heads, texts and rows as long', () => {
    const read = (source: string) => readTags(source.split('\n'), { underscores: false });
    const open = '<table header-row="true">';
    expect(read(`${open}\n<tr>\n<th>a</th>\n<td> b </td>\n</tr>\n</table>`)).toEqual([
      [[text('a')], [text('b')]],
    ]);
    expect(
      read(
        '<table fit-page-width="true" header-row="true" header-column="false"><tr><td>a</td></tr></table>',
      ),
    ).toHaveLength(1);
    for (const none of [
      `${open}</table>`,
      `${open}<tr><td>a</td></tr><tr><td>a</td><td>b</td></tr></table>`,
      `${open}<tr><td color="red">a</td></tr></table>`,
      `${open}<tr><td>a</td></tr>x</table>`,
      '<table><tr><td>a</td></tr></table>',
      '<table header-row="true" header-column="true"><tr><td>a</td></tr></table>',
      `${open}<tr><td>a</td></tr>`,
    ])
      expect([none, read(none)]).toEqual([none, null]);
    expect(writeTags([[[text('a')] as never]], NOTION)).toEqual([
      open,
      '\t<tr>',
      '\t\t<td>a</td>',
      '\t</tr>',
      '</table>',
    ]);
  });
});

describe('a block of a file', () => {
  const types = (source: string) =>
    readText(source).blocks.map((one) => (one.type === 'text' ? one.of.kind : one.type));
  it.each<[string, string[]]>([
    ['a\nb', ['paragraph']],
    ['a\n\nb', ['paragraph', 'paragraph']],
    ['a\n# b', ['paragraph', 'heading']],
    ['a\n- b', ['paragraph', 'bullet']],
    ['a\n-', ['paragraph']],
    ['a\n1. b', ['paragraph', 'number']],
    ['a\n2. b', ['paragraph']],
    ['a\n> b', ['paragraph', 'quote']],
    ['a\n```\nb\n```', ['paragraph', 'code']],
    ['a\n***', ['paragraph', 'divider']],
    ['a\n![b](c)', ['paragraph', 'image']],
    ['a\n<empty-block/>', ['paragraph', 'empty']],
    ['a\n<page url="x"/>', ['paragraph', 'raw']],
    ['a\n<columns>\n</columns>', ['paragraph', 'raw']],
    ['a\n<details><summary>b</summary></details>', ['paragraph', 'toggle']],
    ['a\n<callout>\nb\n</callout>', ['paragraph', 'callout']],
    ['a\n$$\nb\n$$', ['paragraph', 'math']],
    ['a\n::: callout\nb\n:::', ['paragraph', 'callout']],
    ['a\n| b |\n| - |', ['paragraph', 'table']],
    ['- [ ] a\n- [X] b\n- [y] c\n- [ ]', ['todo', 'todo', 'bullet', 'todo']],
    ['1. [ ] a', ['number']],
    ['* * *\n- - -\n___', ['divider', 'divider', 'divider']],
    ['#a', ['paragraph']],
    ['#', ['heading']],
    ['> [!TIP]\n> a', ['callout']],
    ['> [!OTHER]\n> a', ['quote']],
    ['\ta', []],
  ])('%j is %j', (source, wanted) => {
    expect(types(source)).toEqual(wanted);
  });

  it('holds what is a tab deeper', () => {
    expect(readText('a\n\n\tb\n\n\tc\nd').blocks).toMatchObject([
      { children: [{ text: [text('b')] }, { text: [text('c')] }] },
      { text: [text('d')] },
    ]);
    expect(readText('- a\n\n  b\n  - c').blocks).toMatchObject([
      { children: [{ of: { kind: 'paragraph' } }, { of: { kind: 'bullet' } }] },
    ]);
    expect(readText('> a\n>\n> - b\nc').blocks).toMatchObject([
      { of: { kind: 'quote' }, text: [text('a')], children: [{ of: { kind: 'bullet' } }] },
      { of: { kind: 'paragraph' } },
    ]);
    expect(readText('> - b').blocks).toMatchObject([
      { text: [], children: [{ of: { kind: 'bullet' } }] },
    ]);
    expect(
      readText('<details open="true"><summary> a </summary>\n\tb\n</details>').blocks,
    ).toMatchObject([
      { attrs: ' open="true"', text: [text('a')], children: [{ text: [text('b')] }] },
    ]);
    expect(readText('<callout icon="x">\n\ta\n</callout>\nb').blocks).toMatchObject([
      { attrs: ' icon="x"', children: [{}] },
      {},
    ]);
    expect(readText('  ```js\n  a\n    b\n  ```').blocks).toEqual([
      { type: 'code', language: 'javascript', code: 'a\n  b' },
    ]);
    expect(readText('![a](<b c>) {color="red"}').blocks).toMatchObject([
      { url: 'b c', attrs: '{color="red"}' },
    ]);
    expect(readText('$$ a $$').blocks).toEqual([{ type: 'math', text: 'a' }]);
  });

  it.each<[string, string, number]>([
    ['a\n\n</callout>', 'closes what no line before it opens', 3],
    ['<columns>\na', 'is not closed by a line </columns>', 1],
    ['<callout>\na', 'is not closed by a line </callout>', 1],
    ['<details>\na\n</details>', 'is not followed by a line <summary>', 1],
    ['$$\na', 'is not closed by a line $$', 1],
    ['![a](b "c")', 'a caption, in the brackets, and no title', 1],
    ['- ```js', 'code in a list stands on a line of its own', 1],
    ['a\n\n  \n    b', 'begins with four spaces', 4],
    ['###### a', 'headings of four levels', 1],
    ['| a |\n| - | - |', 'has 2 columns, and the line above has 1', 2],
    ['~~~\na', 'is not closed by a line ~~~', 1],
    ['a\n==', 'the underline of a heading', 2],
    ['[a]: https://b.example', 'the address of the reference link [a]', 1],
    ['[^a]: b', 'the footnote [^a]', 1],
  ])('%j is told: %s', (source, message, line) => {
    const [first] = bodyTroubles(source);
    expect([first?.line, first?.message.includes(message)]).toEqual([line, true]);
  });

  it('that would be read as another one has its first character escaped', () => {
    for (const source of ['\\# a', '\\- a', '1\\. a', '\\+ a', '\\> a', '\\---']) {
      expect([source, bodyTroubles(source)]).toEqual([source, []]);
      expect([source, canonicalBody(canonicalBody(source))]).toEqual([
        source,
        canonicalBody(source),
      ]);
      expect([source, types(canonicalBody(source))]).toEqual([source, ['paragraph']]);
      expect([source, shownBody(notionBody(source))]).toEqual([source, canonicalBody(source)]);
    }
    expect(notionBody('\\# a')).toBe('\\# a');
    expect(notionBody('\\- a')).toBe('\\- a');
    expect(notionBody('1\\. a')).toBe('\\1. a');
    expect(notionBody('#a')).toBe('#a');
  });
});

describe('a block of Notion’s', () => {
  it.each<[string, object]>([
    ['```\na\n```', { type: 'code', language: 'plain text', code: 'a' }],
    ['````js\n```\n````', { type: 'code', language: 'js', code: '```' }],
    ['```js\na', { type: 'code', code: 'a' }],
    ['- [x] a', { of: { kind: 'todo', checked: true } }],
    ['- [ ]', { of: { kind: 'todo', checked: false }, text: [] }],
    ['#### a', { of: { kind: 'heading', level: 4 } }],
    ['##### a', { of: { kind: 'paragraph' } }],
    ['7. a', { of: { kind: 'number', start: 7 } }],
    ['1. a', { of: { kind: 'number' } }],
    ['> a', { of: { kind: 'quote' } }],
    ['\\- a', { of: { kind: 'paragraph' }, text: [text('- a')] }],
    ['![a](b) {color="red"}', { type: 'image', url: 'b', attrs: '{color="red"}' }],
    [
      '::: callout\n\ta\n:::',
      { type: 'callout', attrs: '', children: [{ of: { kind: 'paragraph' } }] },
    ],
    ['::: callout\na', { of: { kind: 'paragraph' } }],
    [
      '<details>\n<summary>a</summary>\n\tb\n</details>',
      { of: { kind: 'toggle' }, children: [{}] },
    ],
    ['<details>\na\n</details>', { type: 'raw' }],
    ['<unknown url="x"/>', { type: 'raw', lines: ['<unknown url="x"/>'] }],
    ['<columns>\n\t<column>\n\t</column>\n</columns>', { type: 'raw' }],
    ['<columns>', { of: { kind: 'paragraph' } }],
  ])('%j is read', (markdown, wanted) => {
    expect(readNotion(markdown)[0]).toMatchObject(wanted);
  });

  it('holds what is a tab deeper, but for what is folded', () => {
    expect(readNotion('- a\n\tb\n\t\tc\r\n- d')).toMatchObject([
      { children: [{ children: [{}] }] },
      {},
    ]);
    expect(readNotion('---\n\tb')).toMatchObject([
      { type: 'divider' },
      { of: { kind: 'paragraph' } },
    ]);
    const toggle = '<details>\n<summary>a</summary>\n</details>\n\tb';
    expect(readNotion(toggle)).toHaveLength(2);
  });

  it('is written with its number, its attributes and what is below it', () => {
    const items = readNotion('3. a {color="red"}\n\tx\n4. b\n- c\n1. d');
    expect(numbersOf(items)).toEqual([3, 4, 0, 1]);
    expect(writeNotion(items)).toBe('3. a {color="red"}\n\tx\n4. b\n- c\n1. d');
    expect(writeNotion([{ type: 'image', caption: [], url: 'u', attrs: '{color="red"}' }])).toBe(
      '![](u) {color="red"}',
    );
    const code: Block = { type: 'code', language: 'c', code: '```' };
    expect(writeNotion([code])).toBe('````c\n```\n````');
  });
});

describe('an edit carried over', () => {
  it.each<[string, string, string, string]>([
    ['a\nb\nc', 'a\nb\nc', 'a\nx\nc', 'a\nx\nc'],
    ['a\n\nb', 'a\nb', 'a\nx', 'a\nx'],
    ['a\n\nb', 'a\nb', 'x\nb', 'x\n\nb'],
    ['a\n\nb', 'a\nb', 'b', '\nb'],
    ['a\n\nb', 'a\nb', 'a\nb\nc', 'a\n\nb\nc'],
    ['a\n\nb', 'a\nb', 'x\na\nb', 'x\na\n\nb'],
    [
      '1. a\n1. b\n\t1. c\n\t1. d',
      '1. a\n2. b\n\t1. c\n\t2. d',
      '1. a\n2. b\n\t1. c\n\t2. x',
      '1. a\n1. b\n\t1. c\n\t2. x',
    ],
    [
      '<table fit-page-width="true">\n<tr>\n</table>',
      '<table>\n\t<tr>\n</table>',
      '<table>\n\t<tr>\n</table>\nx',
      '<table fit-page-width="true">\n<tr>\n</table>\nx',
    ],
    [
      '```\n1. a\n1. b\n```\nc',
      '```\n1. a\n1. b\n```\n\nc',
      '```\n1. a\n2. b\n```\n\nc',
      '```\n1. a\n2. b\n```\nc',
    ],
  ])('%j, shown as %j and edited to %j', (theirs, before, after, wanted) => {
    expect(carriedOver(theirs, before, after)).toBe(wanted);
  });
});
