/**
 * A text as the blocks that Notion lists for it: what the tree keeps to the letter (columns, synced
 * blocks, tables with more than heads) is looked into here, so that an edit finds its block.
 */
import { type Block, type Inline, type Kind, opensContainer } from './blocks.ts';
import { readInline } from './inline.ts';
import { readNotion } from './notion.ts';
import { plainOf } from './rich-text.ts';

/** What an update of a block may change of it. */
export type Content =
  | { type: 'text'; text: Inline[]; checked?: boolean }
  | { type: 'code'; code: string; language: string }
  | { type: 'equation'; expression: string }
  | { type: 'image'; caption: Inline[]; url: string }
  | { type: 'row'; cells: Inline[][] };

/** A block as Notion's list of blocks has it. */
export interface Node {
  /** The API's name of what it is; null where the markdown does not tell. */
  type: string | null;
  content: Content | null;
  /** All else about it that the text shows. */
  rest: string;
  /** Of a callout: its first paragraph, which is the callout's own text or a block of its own. */
  lead?: Node;
  children: Node[];
}

export function nodesOf(blocks: readonly Block[]): Node[] {
  return blocks.map(nodeOf);
}

function typeOf(of: Kind): string {
  switch (of.kind) {
    case 'heading':
      return `heading_${of.level}`;
    case 'todo':
      return 'to_do';
    case 'bullet':
      return 'bulleted_list_item';
    case 'number':
      return 'numbered_list_item';
    default:
      return of.kind;
  }
}

function nodeOf(block: Block): Node {
  const leaf = (type: string | null, content: Content | null, rest = ''): Node => ({
    type,
    content,
    rest,
    children: [],
  });
  switch (block.type) {
    case 'text': {
      const { of, text, attrs, children } = block;
      const checked = of.kind === 'todo' ? { checked: of.checked } : {};
      const start = of.kind === 'number' && of.start !== undefined ? ` ${of.start}` : '';
      return {
        ...leaf(typeOf(of), { type: 'text', text, ...checked }, `${attrs}${start}`),
        children: nodesOf(children),
      };
    }
    case 'callout': {
      const [first, ...others] = nodesOf(block.children);
      const isLead =
        first?.type === 'paragraph' && first.rest === '' && first.children.length === 0;
      return {
        ...leaf('callout', null, block.attrs),
        ...(isLead ? { lead: first } : {}),
        children: isLead || first === undefined ? others : [first, ...others],
      };
    }
    case 'code':
      return leaf('code', { type: 'code', code: block.code, language: block.language });
    case 'math':
      return leaf('equation', { type: 'equation', expression: block.text });
    case 'divider':
      return leaf('divider', null);
    case 'empty':
      return leaf('paragraph', { type: 'text', text: [] });
    case 'image':
      return leaf('image', { type: 'image', caption: block.caption, url: block.url }, block.attrs);
    case 'table':
      return { ...leaf('table', null, HEADED), children: block.rows.map(rowOf) };
    case 'raw':
      return rawNode(block.lines) ?? leaf(null, null, block.lines.join('\n'));
  }
}

const HEADED = '<table header-row="true">';

function rowOf(cells: Inline[][]): Node {
  return { type: 'table_row', content: { type: 'row', cells }, rest: '', children: [] };
}

const CONTAINERS: Readonly<Record<string, string>> = {
  columns: 'column_list',
  column: 'column',
  synced_block: 'synced_block',
  synced_block_reference: 'synced_block',
};

/** What has others within; null for what is looked into nowhere. */
function rawNode(lines: readonly string[]): Node | null {
  const [open = ''] = lines;
  if (open.startsWith('<table')) return tableNode(lines);
  const type = CONTAINERS[opensContainer(open) ?? ''];
  if (type === undefined) return null;
  const inner = lines.slice(1, -1).map((line) => line.replace(/^\t/, ''));
  return { type, content: null, rest: open, children: nodesOf(readNotion(inner.join('\n'))) };
}

/** A table with attributes: of each row and cell they must stay, what is in the cells may change. */
function tableNode(lines: readonly string[]): Node | null {
  const text = lines.map((line) => line.trim()).join('');
  const rows: Node[] = [];
  const rest = text.replace(/<tr[^<>]*>.*?<\/tr>/gs, (row) => {
    const cells: Inline[][] = [];
    const frame = row.replace(/(<t[dh][^<>]*>)(.*?)(<\/t[dh]>)/gs, (_all, open, cell, close) => {
      cells.push(readInline(String(cell).trim(), { underscores: false }));
      return `${open}${close}`;
    });
    rows.push({ ...rowOf(cells), rest: frame });
    return '';
  });
  if (rows.length === 0) return null;
  return { type: 'table', content: null, rest, children: rows };
}

/** A node's characters, as the `plain_text` of Notion's list has them. */
export function plainText({ content }: Node): string {
  switch (content?.type) {
    case 'text':
      return plainOf(content.text);
    case 'code':
      return content.code;
    case 'equation':
      return content.expression;
    case 'image':
      return plainOf(content.caption);
    case 'row':
      return content.cells.map(plainOf).join('\t');
    default:
      return '';
  }
}
