import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  FrontmatterError,
  libraryLines,
  parseFrontmatter,
  renderFrontmatter,
} from './frontmatter.ts';

/** Text that looks like YAML, like frontmatter, or like nothing at all. */
const hostile = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: 'binary' }).map((text) => text.toWellFormed()),
  fc.constantFrom(
    '---',
    '---\n',
    '\n---\n',
    'a: b',
    '# no comment',
    '- item',
    '[1, 2',
    '{a: 1}',
    '&anchor',
    '*alias',
    '!!str x',
    'null',
    'true',
    '~',
    '1e3',
    '0x10',
    '2024-01-01',
    "it's",
    '"quoted"',
    ' leading',
    'trailing ',
    'tab\there',
    'line\r\nfeed',
    '\r',
    '\u2028',
    '\ufeffbom',
    '\0',
    '...',
    '%YAML 1.2',
    'a\n---\nb',
    'ends\n\n\n',
    '\n\nbegins',
    '| block',
    '> folded',
    '? key',
    '\u{1f600}',
    'é',
  ),
);
const bodies = fc
  .array(fc.oneof(hostile, fc.constantFrom('\n', '\r\n', '---')), { maxLength: 6 })
  .map((parts) => parts.join('\n'));
const fields = fc.record({
  title: hostile,
  number: fc.integer(),
  labels: fc.array(hostile, { maxLength: 4 }),
  milestone: fc.option(hostile, { nil: null }),
  draft: fc.boolean(),
});

describe('a record as a file', () => {
  it('is read back as it was written, whatever its text', () => {
    fc.assert(
      fc.property(fields, bodies, (given, body) => {
        const text = renderFrontmatter({ fields: given, body });
        expect(parseFrontmatter(text)).toEqual({ fields: given, body });
        expect(renderFrontmatter(parseFrontmatter(text))).toBe(text);
      }),
      { numRuns: 500 },
    );
  });

  it('is written to the byte as the YAML library writes it', () => {
    const words = fc.stringMatching(/^[A-Za-z0-9 _.@/():+#,'-]{0,12}$/);
    const value = fc.oneof(
      words,
      hostile,
      fc.integer(),
      fc.double(),
      fc.boolean(),
      fc.constantFrom(null, 'yes', 'Null', 'TRUE', 'https://a.b/c:1', '2025-01-01T00:00:00Z'),
      fc.array(words, { maxLength: 3 }),
    );
    fc.assert(
      fc.property(fc.dictionary(fc.stringMatching(/^[a-z_]{1,6}$/), value), (given) => {
        const lines = Object.keys(given).length === 0 ? '' : libraryLines({ ...given });
        expect(renderFrontmatter({ fields: given, body: '' })).toBe(`---\n${lines}---\n`);
      }),
      { numRuns: 1_000 },
    );
  });

  it('has one line a field, so that sed can edit it', () => {
    const text = renderFrontmatter({
      fields: { title: `a\nb ${'long '.repeat(60)}`, labels: Array(40).fill('label') },
      body: 'x',
    });
    expect(text.split('\n')).toHaveLength(7);
  });

  it('may be written with CRLF around its fields', () => {
    expect(parseFrontmatter('---\r\ntitle: x\r\n---\r\n\r\nbody\n')).toEqual({
      fields: { title: 'x' },
      body: 'body',
    });
  });

  it.each([
    ['', 'must begin with'],
    ['title: x\n', 'must begin with'],
    ['---\ntitle: x\n', 'must end with'],
    ['---\n- a\n---\n', 'name: value'],
    ['---\na: [\n---\n', 'no valid YAML'],
    ['---\na: 1\na: 2\n---\n', 'no valid YAML'],
  ])('that is none is refused: %j', (text, why) => {
    expect(() => parseFrontmatter(text)).toThrow(FrontmatterError);
    expect(() => parseFrontmatter(text)).toThrow(why);
  });
});
