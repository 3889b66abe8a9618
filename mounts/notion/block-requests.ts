/** New blocks as a request of the blocks' own endpoint has them. */
import type { Node } from './markdown/nodes.ts';
import { plainRuns, richTextOf } from './markdown/rich-text.ts';

/** "up to two levels of nesting in a single request", of a hundred blocks each. */
const LEVELS_MOST = 2;
const CHILDREN_MOST = 100;

type Request = Record<string, unknown>;

/** null where there is one that only the markdown can say. */
export function requestsOf(nodes: readonly Node[], level = 1): Request[] | null {
  if (nodes.length > CHILDREN_MOST || (nodes.length > 0 && level > LEVELS_MOST)) return null;
  const all = nodes.map((node) => requestOf(node, level));
  return all.every((one) => one !== null) ? all : null;
}

function requestOf(node: Node, level: number): Request | null {
  const { type, rest, children, content } = node;
  // What stands behind a line, or in a tag, is for the markdown to say.
  if (type === null || rest !== '' || node.lead !== undefined) return null;
  const own = fieldsOf(node);
  const within = children.length === 0 ? [] : requestsOf(children, level + 1);
  if (own === null || within === null || (content === null && type !== 'divider')) return null;
  return { type, [type]: { ...own, ...(within.length === 0 ? {} : { children: within }) } };
}

function fieldsOf({ content }: Node): Request | null {
  switch (content?.type) {
    case 'text': {
      const { checked } = content;
      const text = richTextOf(content.text, () => null);
      return text === null
        ? null
        : { rich_text: text, ...(checked === undefined ? {} : { checked }) };
    }
    case 'code': {
      const text = plainRuns(content.code);
      return text === null ? null : { rich_text: text, language: content.language };
    }
    case 'equation':
      return { expression: content.expression };
    case 'image': {
      const caption = richTextOf(content.caption, () => null);
      return caption === null
        ? null
        : { type: 'external', external: { url: content.url }, caption };
    }
    case 'row': {
      const cells = content.cells.map((cell) => richTextOf(cell, () => null));
      return cells.includes(null) ? null : { cells };
    }
    default:
      return {};
  }
}
