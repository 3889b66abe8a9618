/** Between Notion's markdown and that of the files: there and back is the same text. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Block, Inline, Kind } from './blocks.ts';
import { bodyTroubles, canonicalBody, editedBody, notionBody, shownBody } from './index.ts';
import { readNotion, writeNotion } from './notion.ts';
import { readText } from './read-text.ts';
import { writeText } from './write-text.ts';

/** Every form that the files have, as the usual way to write it. */
const SAMPLE = `# Release 3.2

A paragraph of **bold**, *italic*, ~~struck~~, \`code\`, [a link](https://example.org/a_(b)), $e = mc^2$
and a second line, with <mention-user url="user://abc">Ada</mention-user>.

## Lists

- one
- two
  - deeper
    - deepest
  - [x] done
  - [ ] to do
- three

  A paragraph of its own below.

1. first
   \`\`\`bash
   make -j2
   \`\`\`
2. second

> A quote
> of two lines

> [!WARNING]
> Mind the gap.
>
> - really

<callout icon="🎯" color="gray_bg">
Ship it by **Friday**.
</callout>

<details>
<summary>More</summary>

Folded *text*.

| Name | Share |
| --- | --- |
| a \\| b | **1**<br>2 |

</details>

\`\`\`typescript
const a = \`\${b}\`; // <br> | * _ $
\`\`\`

$$
\\int_0^1 x
$$

![A chart](https://example.org/chart.png)

<empty-block/>

---

Colored {color="red"}

<page url="https://www.notion.so/0123456789abcdef0123456789abcdef">Child</page>

<columns>
	<column>
		Left
	</column>
</columns>

The end: 2 * 3 [draft] costs $5 and $6, a_b_c, <b>, {x}, #12, C:\\dir, ~ok~ & more.`;

describe('a text of a file', () => {
  it('in the usual form is what the next read shows, to the letter', () => {
    expect(bodyTroubles(SAMPLE)).toEqual([]);
    expect(canonicalBody(SAMPLE)).toBe(SAMPLE);
    expect(shownBody(notionBody(SAMPLE))).toBe(SAMPLE);
  });

  it('has tables, code, toggles and callouts as Notion’s own', () => {
    const markdown = notionBody(SAMPLE);
    expect(markdown).toContain('<table header-row="true">\n\t\t<tr>\n\t\t\t<td>Name</td>');
    expect(markdown).toContain('<td>a \\| b</td>\n\t\t\t<td>**1**<br>2</td>');
    expect(markdown).toContain('<details>\n<summary>More</summary>\n\tFolded *text*.');
    expect(markdown).toContain('<callout icon="⚠️" color="yellow_bg">\n\tMind the gap.\n\t- really');
    expect(markdown).toContain('- two\n\t- deeper\n\t\t- deepest\n\t- [x] done');
    expect(markdown).toContain('and a second line');
    expect(markdown).toContain(
      'costs \\$5 and \\$6, a_b_c, \\<b\\>, \\{x\\}, #12, C:\\\\dir, \\~ok\\~',
    );
    expect(markdown.split('\n')).not.toContain('');
  });

  it.each([
    ['* a\n* b\n    * c', '- a\n- b\n  - c'],
    ['1) a\n2) b', '1. a\n2. b'],
    ['- a\n\n- b', '- a\n- b'],
    ['# A\ntext\n- b\n> c\n> d\ne', '# A\n\ntext\n\n- b\n\n> c\n> d\n\ne'],
    ['__a__ _b_ ***c***', '**a** *b* ***c***'],
    ['~~~js\nx\n~~~', '```javascript\nx\n```'],
    ['a|b\n-|-\n1|2', '| a | b |\n| --- | --- |\n| 1 | 2 |'],
    ['$$x$$', '$$\nx\n$$'],
    ['<https://example.org>', '[https://example.org](https://example.org)'],
    ['***', '---'],
    ['- a\n  b', '- a<br>b'],
    ['a  \nb\\\nc', 'a\nb\nc'],
    [
      '<details><summary>a</summary>b</details>',
      '<details>\n<summary>a</summary>\n\nb\n\n</details>',
    ],
    ['<table header-row="true"><tr><td>a</td></tr></table>', '| a |\n| --- |'],
    ['3. c\n4. d', '3. c\n4. d'],
    ['3. c\n1. d\n- e\n\n7. f', '3. c\n4. d\n\n- e\n\n7. f'],
    ['- a\n\n  10. b\n  1. c', '- a\n\n  10. b\n  11. c'],
    ['::: callout {icon="🎯"}\na\n:::', '<callout icon="🎯">\na\n</callout>'],
    ['::: callout\n\ta\n:::', '<callout>\na\n</callout>'],
  ])('in another form means the same: %j', (text, wanted) => {
    expect(bodyTroubles(text)).toEqual([]);
    expect(canonicalBody(text)).toBe(wanted);
    expect(canonicalBody(wanted)).toBe(wanted);
  });

  it.each([
    ['##### deep', 'four levels'],
    ['a\n\n| a | b |\n|:--|---|\n| 1 | 2 |', 'no alignment', 4],
    ['| a | b |\n|---|---|\n| 1 |', 'has 1 cells', 3],
    ['| a | b |\n|---|---|\n| 1 | 2 | 3 |', 'has 3 cells', 3],
    ['```cobol\nx\n```', 'no language "cobol"'],
    ['```\nx', 'not closed'],
    ['text ![a](https://b.c/d.png) text', 'on a line of their own'],
    ['[a](https://b.c "title")', 'title'],
    ['Title\n=====', 'underline of a heading', 2],
    ['text\n---', 'underline of a heading', 2],
    ['text\n\n    code', 'four spaces', 3],
    ['see [here][a]\n\n[a]: https://b.c', 'reference link [a]', 3],
    ['see [here][a b]\n[a b]: <https://b.c> "title"', 'reference link [a b]', 2],
    ['so it is[^1]\n\n[^1]: says who', 'footnote [^1]', 3],
    ['- so it is[^n]\n\n  [^n]: says who', 'footnote [^n]', 3],
    ['> a\n>\n> [a]: https://b.c', 'reference link [a]', 3],
    ['::: callout\nx', 'not closed by a line :::'],
    ['<details>\nx', 'not closed'],
  ])('that Notion cannot hold is told, with its line: %j', (text, message, line = 1) => {
    const [first] = bodyTroubles(text);
    expect(first?.message).toContain(message);
    expect(first?.line).toBe(line);
  });
});

describe('a table', () => {
  const ROWS = ['<tr>', '<td>a</td>', '<td>b</td>', '</tr>'];
  const CALLOUT = '<callout>\n\tx\n\t| a | b |\n\t| --- | --- |\n\ty\n</callout>';
  const forms = {
    'as deep as documented': ['\t<tr>', '\t\t<td>a</td>', '\t\t<td>b</td>', '\t</tr>'],
    'flush with its opening line': ROWS,
    'by spaces': ROWS.map((line) => `  ${line}`),
    'on one line': [ROWS.join('')],
  };

  describe.each(Object.entries(forms))('with its rows %s', (_name, rows) => {
    const table = (indent: string, inner: string) =>
      [
        `${indent}<table header-row="true">`,
        ...rows.map((row) => inner + row),
        `${inner}</table>`,
      ].join('\n');

    it.each([
      ['', ''],
      ['\t', '\t'],
      ['\t', ''],
    ])('is one table and no text, opened by %j and below it by %j', (indent, inner) => {
      const markdown =
        indent === ''
          ? `x\n${table('', '')}\ny`
          : `<callout>\n\tx\n${table(indent, inner)}\n\ty\n</callout>`;
      const wanted = indent === '' ? 'x\n| a | b |\n| --- | --- |\ny' : CALLOUT;
      expect(readNotion(markdown)).toEqual(readNotion(wanted));
      const item = `- x\n${table(indent || '\t', inner)}\n- y`;
      expect(shownBody(item)).toBe('- x\n\n  | a | b |\n  | --- | --- |\n- y');
      // What is written beside it leaves its lines alone; what is written in it comes back.
      const beside = editedBody(markdown, shownBody(markdown).replace('y', 'z'));
      expect(beside).toBe(markdown.replace(/y(?=\n<|$)/, 'z'));
      const within = shownBody(markdown).replace('| a | b |', '| a | c |');
      expect(shownBody(editedBody(markdown, within))).toBe(within);
    });
  });

  it.each(['', '  ', '\t', '    '])('of a file stands below its item by %j', (indent) => {
    const text = `- x\n\n${indent || '  '}<table header-row="true">\n<tr>\n${indent}<td>a</td>\n</tr>\n</table>\n- y`;
    expect(bodyTroubles(text)).toEqual([]);
    expect(canonicalBody(text)).toBe('- x\n\n  | a |\n  | --- |\n- y');
  });
});

describe('an edit carried over', () => {
  it.each([
    ['1. a\n1. b\n1. c', '1. a\n2. b\n3. c', '1. a\n2. b\n3. z', '1. a\n1. b\n3. z'],
    ['1. a\n1. b', '1. a\n2. b', '5. a\n6. b', '5. a\n1. b'],
    ['3. a\n4. b', '3. a\n4. b', '1. a\n2. b', '1. a\n2. b'],
    ['```shell\n1. a\n```', '```shell\n1. a\n```', '```shell\n2. a\n```', '```shell\n2. a\n```'],
    [
      '::: callout\na\nb\n:::\nc',
      '<callout>\na\n\nb\n</callout>\n\nc',
      '<callout>\na\n\nb\n</callout>\n\nd',
      '::: callout\na\nb\n:::\nd',
    ],
    ['## A\nb', '## A\n\nb', '## A\n\nc', '## A\nc'],
  ])('onto %j changes what was changed: %j to %j', (theirs, shown, after, wanted) => {
    expect(shownBody(theirs)).toBe(shown);
    const edited = editedBody(theirs, after);
    expect(edited).toBe(wanted);
    expect(shownBody(edited)).toBe(after);
  });
});

// --- properties

const WORDS = [
  'a',
  'b c',
  '*',
  '_',
  '`',
  '$5',
  '$',
  '<',
  '>',
  '[x]',
  '(y)',
  '{z}',
  '|',
  '\\',
  '~',
  '~~',
  '^',
  '#',
  '- ',
  '1. ',
  '!',
  '<br',
  '---',
  ':',
  'é',
  '🚀',
];
const word = fc.constantFrom(...WORDS);
const plain = fc
  .array(word, { minLength: 1, maxLength: 5 })
  .map((parts) => parts.join('').replace(/\s+/g, ' ').trim())
  .filter((text) => text !== '');
const text = plain.map((one): Inline => ({ type: 'text', text: one }));
const mark = fc
  .tuple(fc.constantFrom('bold', 'italic', 'strike'), text)
  .map(([type, one]): Inline => ({ type, children: [one] }) as Inline);
const simple = fc.oneof(
  fc.constantFrom('x', 'a b', 'a*b', '<b>').map((one): Inline => ({ type: 'code', text: one })),
  fc.constantFrom('x', 'a^2', '\\frac{1}{2}').map((one): Inline => ({ type: 'math', text: one })),
  text.map((one): Inline => ({ type: 'link', url: 'https://example.org/?a=b_c', children: [one] })),
  fc.constant<Inline>({ type: 'tag', text: '<mention-date start="2025-01-31"/>' }),
);
/** Words, and other pieces between spaces. */
const inline = fc
  .array(fc.oneof(text, mark, simple), { minLength: 1, maxLength: 4 })
  .map((parts) => {
    const out: Inline[] = [];
    for (const part of parts) {
      const last = out.at(-1);
      if (last?.type === 'text' && part.type === 'text') last.text += ` ${part.text}`;
      else if (last?.type === 'text') {
        last.text += ' ';
        out.push(structuredClone(part));
      } else if (last !== undefined && part.type === 'text')
        out.push({ type: 'text', text: ` ${part.text}` });
      else if (last !== undefined) out.push({ type: 'text', text: ' ' }, structuredClone(part));
      else out.push(structuredClone(part));
    }
    return out;
  });
const kinds = fc.constantFrom<Kind>(
  { kind: 'paragraph' },
  { kind: 'bullet' },
  { kind: 'number' },
  { kind: 'number', start: 7 },
  { kind: 'quote' },
  { kind: 'toggle' },
  { kind: 'todo', checked: true },
  { kind: 'todo', checked: false },
  { kind: 'heading', level: 2 },
);
/** Only the first item of a list says where it begins. */
const withStartsFirst = (all: Block[]): Block[] =>
  all.map((block, at) => {
    const before = all[at - 1];
    const goesOn = before?.type === 'text' && before.of.kind === 'number';
    return goesOn && block.type === 'text' && block.of.kind === 'number'
      ? { ...block, of: { kind: 'number' } }
      : block;
  });
const { blocks } = fc.letrec<{ block: Block; blocks: Block[] }>((tie) => ({
  blocks: fc.array(tie('block'), { maxLength: 4 }).map(withStartsFirst),
  block: fc.oneof(
    { maxDepth: 3 },
    inline.map(
      (one): Block => ({
        type: 'text',
        of: { kind: 'paragraph' },
        text: one,
        attrs: '',
        children: [],
      }),
    ),
    fc
      .tuple(kinds, inline, tie('blocks'), fc.boolean())
      .map(([of, one, children, colored]): Block => {
        const attrs = !colored ? '' : of.kind === 'toggle' ? ' color="red"' : '{color="red"}';
        return { type: 'text', of, text: one, attrs, children };
      }),
    tie('blocks').map((children): Block => ({ type: 'callout', attrs: ' icon="💡"', children })),
    fc.constantFrom<Block>(
      { type: 'divider' },
      { type: 'empty' },
      { type: 'code', language: 'bash', code: '# x\n\n\ty `` ```\n- z' },
      { type: 'math', text: 'a_b\nc' },
      { type: 'raw', lines: ['<unknown url="https://www.notion.so/1" alt="bookmark"/>'] },
    ),
    fc
      .array(fc.tuple(inline, inline), { minLength: 1, maxLength: 3 })
      .map((rows): Block => ({ type: 'table', rows })),
  ),
}));

describe('blocks', () => {
  it('are the same ones after either language', () => {
    fc.assert(
      fc.property(blocks, (tree) => {
        expect(readNotion(writeNotion(tree))).toEqual(tree);
        const written = writeText(tree);
        expect(readText(written)).toEqual({ blocks: tree, troubles: [] });
        expect(shownBody(notionBody(written))).toBe(written);
      }),
      { numRuns: 400 },
    );
  });

  it('of any text are a fixed point, or it is told that they are not', () => {
    const line = fc.oneof(
      fc.array(word, { maxLength: 6 }).map((parts) => parts.join('')),
      fc.constantFrom(
        '',
        '',
        '- a',
        '  - b',
        '\t- c',
        '> q',
        '1. x',
        '2. y',
        '```',
        '| a | b |',
        '|---|---|',
        '# h',
        '<details>',
        '<summary>s</summary>',
        '</details>',
        '<callout>',
        '</callout>',
        '---',
        '$$',
      ),
    );
    let kept = 0;
    fc.assert(
      fc.property(fc.array(line, { maxLength: 8 }), (lines) => {
        const typed = lines.join('\n');
        if (bodyTroubles(typed).length > 0) return;
        kept++;
        const shown = canonicalBody(typed);
        expect(canonicalBody(shown)).toBe(shown);
        expect(shownBody(notionBody(typed))).toBe(shown);
        expect(bodyTroubles(shown)).toEqual([]);
      }),
      { numRuns: 1_500 },
    );
    expect(kept).toBeGreaterThan(300);
  });
});

describe('an edit of a text', () => {
  it('leaves what it does not touch as Notion has it, however Notion writes that', () => {
    const theirs = '# A\n\n1. one\n1. two\n\n| a |\n|---|\n| 1 |\n\nend {color="red"}';
    const shown = shownBody(theirs);
    expect(shown).toBe('# A\n\n1. one\n2. two\n\n| a |\n| --- |\n| 1 |\n\nend {color="red"}');
    expect(editedBody(theirs, shown.replace('two', 'zwei'))).toBe(
      theirs.replace('1. two', '2. zwei'),
    );
    expect(editedBody(theirs, shown.replace('end', 'fin'))).toBe(theirs.replace('end', 'fin'));
    expect(editedBody(theirs, `${shown}\n\nmore`)).toBe(`${theirs}\nmore`);
    expect(editedBody(theirs, shown)).toBe(theirs);
    expect(editedBody('', 'a\n\nb')).toBe('a\nb');
  });

  it('changes only the lines of the edited blocks', () => {
    const before = notionBody(SAMPLE);
    const after = editedBody(before, SAMPLE.replace('- [ ] to do', '- [x] to do'));
    expect(after).toBe(before.replace('- [ ] to do', '- [x] to do'));
  });
});
