import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LARGEST_CHUNK } from './chunk.ts';
import { chunksOf } from './chunker.ts';
import { markdownBlocks } from './markdown.ts';

const line = fc.oneof(
  fc.constantFrom('', '# A', '## B › C', '### D', '---', '```', '~~~', '  indented', 'title: x'),
  fc.lorem({ maxCount: 12 }),
  fc.string({ maxLength: 60 }).map((text) => text.replace(/[\r\n]/g, ' ')),
);
const name = fc.constantFrom('a.md', 'b.ts', 'c.txt', 'Makefile', 'd.unknown');

describe('chunks', () => {
  it('are the lines of the document, in its order, none left out that says anything', () => {
    fc.assert(
      fc.property(name, fc.array(line, { maxLength: 200 }), (path, lines) => {
        const covered = new Set<number>();
        let before = 0;
        for (const { firstLine, lastLine, text } of chunksOf(`/x/${path}`, lines.join('\n'))) {
          expect(text).toBe(lines.slice(firstLine - 1, lastLine).join('\n'));
          expect(firstLine).toBeGreaterThan(before);
          before = firstLine;
          for (let at = firstLine; at <= lastLine; at++) covered.add(at);
        }
        for (const [index, each] of lines.entries()) {
          if (each.trim() !== '') expect(covered).toContain(index + 1);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('stand under their headings, and are no larger than a passage', () => {
    const section = 'A sentence that fills the page, again and again.\n\n'.repeat(60);
    const chunks = chunksOf(
      '/x.md',
      `---\ntitle: "Top"\n---\n\n# One\n\n${section}## Two\n\n${section}`,
    );
    expect(chunks.length).toBeGreaterThanOrEqual(4);
    expect(chunks[0]?.crumb).toContain('Top');
    expect(chunks.at(-1)?.crumb).toBe('Top › One › Two');
    for (const { text } of chunks) expect(text.length).toBeLessThanOrEqual(LARGEST_CHUNK);
  });

  it('do not take a comment within a fence for a heading', () => {
    const chunks = chunksOf(
      '/x.md',
      `# A\n\n\`\`\`sh\n# not a heading\n\`\`\`\n${'word '.repeat(200)}\n`,
    );
    expect(chunks.map(({ crumb }) => crumb)).toEqual(['x.md › A']);
  });

  it('part at the paragraphs of the text, and not at blank lines of front matter or of a fence', () => {
    const begins = (text: string): number[] =>
      markdownBlocks(text.split('\n'), 'x').map(({ firstLine }) => firstLine);
    expect(begins('one\n\ntwo\n\n\nthree')).toEqual([1, 3, 6]);
    expect(begins('---\ntitle: x\n\nmore: y\n---\n\ntext')).toEqual([1, 7]);
    expect(begins('```\na\n\nb\n```\n\nc')).toEqual([1, 7]);
    // A longer fence holds a shorter one, and one of another sign is text.
    expect(begins('````\n```\n\n# a\n````\n\n# b')).toEqual([1, 7]);
    expect(begins('~~~\n```\n\n# a\n~~~\n# b')).toEqual([1, 6]);
  });

  it('of a heading stand below those above it, and beside its siblings', () => {
    const crumbs = markdownBlocks('# T\n\n## A\n\n#### a\n\n## B ##\n\n# U'.split('\n'), 'x')
      .filter(({ begins }) => begins)
      .map(({ crumb }) => crumb);
    expect(crumbs.slice(-4)).toEqual(['x › T › A', 'x › T › A › a', 'x › T › B', 'x › U']);
  });
});
