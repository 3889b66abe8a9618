/** Blocks of source code: some 75 lines, cut where a blank line precedes an unindented one. */
import type { Block } from './block.ts';

const LINES = 75;
const OVERLAP = 10;
/** How far before the limit a good place to cut is looked for. */
const SEARCHED = 35;

const CODE =
  /\.(?:[cm]?[jt]sx?|py|rb|go|rs|java|kt|swift|c|h|cc|cpp|hpp|cs|php|sh|bash|zsh|sql|lua|scala|vue|svelte|css|scss|html?|xml|ya?ml|toml|json|jsonl|proto|tf|gradle|dockerfile)$/i;

export function isCode(name: string): boolean {
  return CODE.test(name) || /^(?:Dockerfile|Makefile)$/.test(name);
}

export function codeBlocks(lines: readonly string[], name: string): Block[] {
  const blocks: Block[] = [];
  let from = 0;
  while (from < lines.length) {
    const end = from + LINES >= lines.length ? lines.length : goodCut(lines, from + LINES);
    blocks.push({
      firstLine: from + 1,
      lines: lines.slice(from, end),
      crumb: name,
      begins: true,
      overlap: OVERLAP,
    });
    from = end;
  }
  return blocks;
}

/** The last line before the limit that begins something at the left margin. */
function goodCut(lines: readonly string[], limit: number): number {
  for (let at = limit; at > limit - SEARCHED; at--) {
    if (lines[at - 1]?.trim() === '' && /^\S/.test(lines[at] ?? '')) return at;
  }
  return limit;
}
