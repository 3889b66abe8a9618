import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LARGEST_CHUNK } from './chunk.ts';
import { chunksOf } from './chunker.ts';

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
});
