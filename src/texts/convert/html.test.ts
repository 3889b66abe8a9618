import { describe, expect, test } from 'vitest';
import { convert } from './convert.ts';
import { decodeHtml, parseHtml } from './html.ts';
import { htmlToMarkdown, markdownTable } from './markdown.ts';

const read = (html: string): Promise<string> => convert('html', Buffer.from(html));

const LONG = Array.from(
  { length: 12 },
  (_, index) =>
    `<p>Sentence ${index} of the article, which has commas, and goes on for a while.</p>`,
).join('');

describe('a page', () => {
  test('says of itself what is in its head', async () => {
    expect(
      await read(
        '<title> The title </title><meta name="AUTHOR" content="Ada"><meta property="og:title" content="Other"><meta name="description" content=" "><meta property="og:description" content="What it is"><meta name="keywords" content="a, b"><meta property="article:published_time" content="2024-06-03T10:00:00Z"><meta property="article:modified_time" content="2025-01-02T10:00:00Z"><p>Text.',
      ),
    ).toBe(
      '---\ntitle: The title\nauthor: Ada\ndescription: What it is\nkeywords: a, b\ncreated: "2024-06-03"\nupdated: "2025-01-02"\nsections: 1\n---\n\n<!-- s1 -->\n\nText.\n',
    );
  });

  test('or what stands in for it', async () => {
    const text = await read(
      '<meta property="og:title" content="Other"><meta name="article:author" content="Bo"><meta name="date" content="2024-06-03"><meta content="nothing"><p>Text.',
    );
    expect(text).toContain(
      '---\ntitle: Other\nauthor: Bo\ncreated: "2024-06-03"\nsections: 1\n---',
    );
  });

  test('is its article, without what is around it', async () => {
    const text = await read(
      `<title>T</title><body><nav><a href="/">home</a></nav><div class="sidebar">Buy this</div><article><h1>Head</h1>${LONG}</article></body>`,
    );
    expect(text).toContain('Sentence 11 of the article');
    expect(text).not.toContain('Buy this');
  });

  test('is all of it where the article is the smaller part', async () => {
    const rows = Array.from({ length: 60 }, (_, index) => `<td>value ${index}</td>`).join('');
    const text = await read(
      `<body><div class="sidebar"><table><tr>${rows.repeat(3)}</tr></table></div><article>${LONG}</article></body>`,
    );
    expect(text).toContain('Sentence 11 of the article');
    expect(text).toContain('value 59');
  });

  test('without a word has no text', async () => {
    expect(await read('')).toBe('---\nsections: 1\n---\n\n<!-- s1 -->\n\n');
    expect(await read('<script>let x = 1;</script><style>p{}</style><p>Text.')).not.toMatch(
      /let x|p\{/,
    );
  });
});

test('a page may be twelve million characters long, and 2,000 elements deep', () => {
  expect(() => parseHtml('x'.repeat(12 * 1024 * 1024 + 1))).toThrow(
    'has more than 12 million characters',
  );
  const deep = (levels: number): string => '<div>'.repeat(levels);
  expect(() => parseHtml(deep(2_000))).not.toThrow();
  expect(() => parseHtml(deep(2_001))).toThrow('nests elements deeper than 2000');
  // Ends are none of more, and neither are elements without one.
  expect(() => parseHtml(`${'<div></div>'.repeat(3_000)}`)).not.toThrow();
  expect(() => parseHtml(`${'<br><p><a/>'.repeat(3_000)}`)).not.toThrow();
  expect(() => parseHtml(`${'</div>'.repeat(3_000)}${deep(2_001)}`)).toThrow('nests elements');
});

test.each([
  ['UTF-8 where nothing else is said', Buffer.from('Größe'), 'Größe'],
  ['UTF-16 by its mark', Buffer.from('\ufeffGröße', 'utf16le'), 'Größe'],
  ['UTF-16 by its mark, turned', Buffer.from('\ufeffGröße', 'utf16le').swap16(), 'Größe'],
  [
    'what it declares',
    Buffer.from('<meta charset=latin1>Größe', 'latin1'),
    '<meta charset=latin1>Größe',
  ],
  [
    'what it declares as XML',
    Buffer.from('<?xml version="1.0" encoding="iso-8859-1"?>ö', 'latin1'),
    '<?xml version="1.0" encoding="iso-8859-1"?>ö',
  ],
  [
    'UTF-8 where nobody knows what it declares',
    Buffer.from('<meta charset=klingon>ö'),
    '<meta charset=klingon>ö',
  ],
  ['half of a mark is none', Buffer.from([0xff, 0x41]), '\ufffdA'],
  ['nor is half of the other one', Buffer.from([0xfe, 0x41]), '\ufffdA'],
])('a page is read as %s', (_, bytes, text) => {
  expect(decodeHtml(bytes)).toBe(text);
});

test.each<[string, string, string | RegExp]>([
  ['headings', '<h2>Head</h2><p>Text</p>', '## Head\n\nText'],
  ['lists', '<ul><li>one</li><li>two</li></ul>', '-   one\n-   two'],
  ['code in fences', '<pre><code>x = 1\n</code></pre>', '```\nx = 1\n```'],
  ['emphasis by stars', '<em>very</em>', '*very*'],
  ['links', '<a href="/x">there</a>', '[there](/x)'],
  ['no leaps within', '<a href="#x">there</a> <a>here</a>', 'there here'],
  ['pictures by what they show', '<img alt=" a \n dog " src="data:x">b', '![a dog]()b'],
  ['no pictures that say nothing', '<img src="x.png">b<img alt=" ">', 'b'],
  ['signs as they are', '<p>a_b * [c] 1. # d</p>', 'a_b * [c] 1. # d'],
  ...['script', 'style', 'noscript', 'template', 'iframe', 'object', 'svg', 'canvas'].map(
    (name) =>
      [`no ${name}`, `a<${name}>gone</${name}>b`, /^ab$|^a\s+b$/] satisfies [
        string,
        string,
        RegExp,
      ],
  ),
  [
    'tables',
    '<table><thead><tr><th>a</th><th>b|c</th></tr></thead><tr><td>d\n e</td></tr></table>',
    '| a | b\\|c |\n| --- | --- |\n| d e |  |',
  ],
  [
    'a table in one as what its cell says',
    '<table><tr><td>x<table><tr><td>in</td></tr></table></td></tr></table>',
    '| xin |\n| --- |',
  ],
])('HTML as markdown has %s', (_, html, markdown) => {
  if (typeof markdown === 'string') expect(htmlToMarkdown(html)).toBe(markdown);
  else expect(htmlToMarkdown(html)).toMatch(markdown);
});

test('a table is as wide as its widest row; without a cell it is none', () => {
  expect(markdownTable([['a'], ['b', 'c']])).toBe('| a |  |\n| --- | --- |\n| b | c |');
  for (const rows of [[], [[]], [[], []]]) expect(markdownTable(rows)).toBe('');
});
