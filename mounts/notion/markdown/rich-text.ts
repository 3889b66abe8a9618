/** A block's text as a request of the blocks' own endpoint has it. */
import type { Inline } from './blocks.ts';

/** "Rich text object: text.content 2000 characters"; "equation 1000"; 100 elements of an array. */
const TEXT_MAX = 2000;
const EQUATION_MAX = 1000;
const RUNS_MAX = 100;

type Style = Partial<Record<'bold' | 'italic' | 'strikethrough' | 'code', true>>;
type Run = Record<string, unknown>;

/** null where there is something that only the markdown can say: a mention, a color. */
export function richTextOf(nodes: readonly Inline[]): Run[] | null {
  const runs = runsOf(nodes, {}, null);
  return runs === null || runs.length > RUNS_MAX ? null : runs;
}

function runsOf(nodes: readonly Inline[], annotations: Style, url: string | null): Run[] | null {
  const all: Run[] = [];
  for (const node of nodes) {
    const runs = runOf(node, annotations, url);
    if (runs === null) return null;
    all.push(...runs);
  }
  return all;
}

function runOf(node: Inline, annotations: Style, url: string | null): Run[] | null {
  const link = url === null ? {} : { link: { url } };
  const text = (content: string, style: Style): Run[] | null =>
    content.length > TEXT_MAX
      ? null
      : [{ type: 'text', text: { content, ...link }, annotations: style }];
  switch (node.type) {
    case 'text':
      return text(node.text, annotations);
    case 'code':
      return text(node.text, { ...annotations, code: true });
    case 'break':
      return text('\n', annotations);
    case 'math':
      if (node.text.length > EQUATION_MAX) return null;
      return [{ type: 'equation', equation: { expression: node.text }, annotations }];
    case 'link':
      return runsOf(node.children, annotations, node.url);
    case 'tag':
      return null;
    case 'strike':
      return runsOf(node.children, { ...annotations, strikethrough: true }, url);
    default:
      return runsOf(node.children, { ...annotations, [node.type]: true }, url);
  }
}

/** The characters alone, as `plain_text` has them; of a mention, what its tag holds. */
export function plainOf(nodes: readonly Inline[]): string {
  return nodes
    .map((node) => {
      switch (node.type) {
        case 'break':
          return '\n';
        case 'tag':
          return /^<mention-[^>]*>([^<]*)</.exec(node.text)?.[1] ?? '';
        case 'text':
        case 'code':
        case 'math':
          return node.text;
        default:
          return plainOf(node.children);
      }
    })
    .join('');
}
