/** Cuts a document into chunks by its structure: markdown by heading, code by blank lines, other text by paragraph. */

import { documentFormat } from '../../texts/names.ts';
import type { Block } from './block.ts';
import { type Chunk, LARGEST_CHUNK, SMALLEST_CHUNK } from './chunk.ts';
import { codeBlocks, isCode } from './code.ts';
import { isMarkdown, markdownBlocks } from './markdown.ts';

/** The chunks of a document, in its order; none for one without text. */
export function chunksOf(path: string, text: string): Chunk[] {
  const lines = text.split(/\r?\n/);
  const name = path.slice(path.lastIndexOf('/') + 1);
  // Of a document it is its text.
  const blocks =
    isMarkdown(name) || documentFormat(name) !== null
      ? markdownBlocks(lines, name)
      : isCode(name)
        ? codeBlocks(lines, name)
        : paragraphs(lines, name);
  return joined(blocks.flatMap(cut)).filter((chunk) => chunk.text.trim() !== '');
}

function paragraphs(lines: readonly string[], name: string): Block[] {
  const blocks: Block[] = [];
  let current: Block | undefined;
  for (const [index, line] of lines.entries()) {
    if (current === undefined || (line.trim() !== '' && lines[index - 1]?.trim() === '')) {
      current = { firstLine: index + 1, lines: [], crumb: name, begins: false, overlap: 1 };
      blocks.push(current);
    }
    current.lines.push(line);
  }
  return blocks;
}

/** A block in pieces that are not too large; a single line longer than that stays whole. */
function cut(block: Block): Block[] {
  const pieces: Block[] = [];
  let from = 0;
  while (from < block.lines.length) {
    let to = from;
    let size = 0;
    while (
      to < block.lines.length &&
      (to === from || size + (block.lines[to]?.length ?? 0) < LARGEST_CHUNK)
    ) {
      size += (block.lines[to]?.length ?? 0) + 1;
      to += 1;
    }
    pieces.push({
      ...block,
      firstLine: block.firstLine + from,
      lines: block.lines.slice(from, to),
      begins: block.begins || from > 0,
    });
    if (to >= block.lines.length) break;
    from = Math.max(from + 1, to - block.overlap);
  }
  return pieces;
}

/** Blocks with small neighbours joined, as chunks. */
function joined(blocks: readonly Block[]): Chunk[] {
  const chunks: Chunk[] = [];
  let last: Chunk | undefined;
  for (const { firstLine, lines, crumb, begins } of blocks) {
    const text = lines.join('\n');
    const size = (last?.text.length ?? 0) + text.length;
    const small = last !== undefined && last.text.length < SMALLEST_CHUNK;
    const follows = last !== undefined && firstLine === last.lastLine + 1;
    if (last !== undefined && follows && size < LARGEST_CHUNK && (!begins || small)) {
      last.text += `\n${text}`;
      last.lastLine = firstLine + lines.length - 1;
      // What is joined below two headings stands under what both are under.
      last.crumb = commonCrumb(last.crumb, crumb);
    } else {
      last = { firstLine, lastLine: firstLine + lines.length - 1, crumb, text };
      chunks.push(last);
    }
  }
  return chunks;
}

function commonCrumb(one: string, other: string): string {
  const parts = one.split(' › ');
  const others = other.split(' › ');
  const common = parts.filter((part, index) => others[index] === part);
  return common.length === 0 ? one : common.join(' › ');
}
