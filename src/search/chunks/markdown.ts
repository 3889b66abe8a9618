/** Blocks of a markdown document: its front matter, and what stands below each heading. */
import type { Block } from './block.ts';

export function isMarkdown(name: string): boolean {
  return /\.(?:md|mdx|markdown)$/i.test(name);
}

/** The title of the front matter, unquoted; '' without one. */
function titleOf(lines: readonly string[], end: number): string {
  for (const line of lines.slice(1, end)) {
    const title = /^(?:title|name): *(.+)$/.exec(line)?.[1];
    if (title !== undefined) return title.replace(/^(["'])(.*)\1$/, '$2');
  }
  return '';
}

/** The line after the front matter, from 0; 0 without one. */
function endOfFrontMatter(lines: readonly string[]): number {
  if (lines[0] !== '---') return 0;
  const end = lines.indexOf('---', 1);
  return end === -1 ? 0 : end + 1;
}

export function markdownBlocks(lines: readonly string[], name: string): Block[] {
  const body = endOfFrontMatter(lines);
  const title = titleOf(lines, body) || name;
  const crumbs: string[] = [];
  let block: Block = { firstLine: 1, lines: [], crumb: title, begins: true, overlap: 2 };
  const blocks = [block];
  let fence = '';
  for (const [index, line] of lines.entries()) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (mark !== undefined && (fence === '' || mark.startsWith(fence))) {
      fence = fence === '' ? mark : '';
    }
    const heading = fence === '' && index >= body ? /^(#{1,6}) +(.*?)[ #]*$/.exec(line) : null;
    const paragraph =
      fence === '' && index >= body && line.trim() !== '' && lines[index - 1]?.trim() === '';
    if (heading !== null) {
      crumbs.length = Math.max(0, (heading[1]?.length ?? 1) - 1);
      crumbs[crumbs.length] = heading[2] ?? '';
    }
    if (heading !== null || paragraph) {
      const path = crumbs.filter((crumb) => crumb !== undefined && crumb !== title);
      const crumb = [title, ...path].join(' › ');
      block = { firstLine: index + 1, lines: [], crumb, begins: heading !== null, overlap: 2 };
      blocks.push(block);
    }
    block.lines.push(line);
  }
  return blocks.filter((each) => each.lines.length > 0);
}
