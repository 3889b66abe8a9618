/** A block's text as a request of the blocks' own endpoint has it. */
import type { Inline } from './blocks.ts';

/** "Rich text object: text.content 2000 characters"; "equation 1000"; 100 elements of an array. */
const TEXT_MAX = 2000;
const EQUATION_MAX = 1000;
const RUNS_MAX = 100;

type Style = Partial<Record<'bold' | 'italic' | 'strikethrough' | 'code' | 'underline', true>> & {
  color?: string;
};
export type RequestRun = Record<string, unknown>;

/** The run that stands for a mention's tag; null where it is not known. */
export type Mentions = (tag: string) => RequestRun | null;

/** null where there is something that only the markdown can say: a mention that was not there, a citation. */
export function richTextOf(nodes: readonly Inline[], mentions: Mentions): RequestRun[] | null {
  const runs = new Runs(mentions).of(nodes, {}, null);
  return runs === null || runs.length > RUNS_MAX ? null : runs;
}

/** A long text as a request has it, without any style. */
export function plainRuns(text: string): RequestRun[] | null {
  return richTextOf(text === '' ? [] : [{ type: 'text', text }], () => null);
}

class Runs {
  readonly #mentions: Mentions;

  constructor(mentions: Mentions) {
    this.#mentions = mentions;
  }

  of(nodes: readonly Inline[], outer: Style, url: string | null): RequestRun[] | null {
    const all: RequestRun[] = [];
    /** The styles of the spans that are open, the innermost last. */
    const spans: Style[] = [outer];
    for (const node of nodes) {
      const style = spans.at(-1) ?? outer;
      const span = node.type === 'tag' ? spanStyle(node.text) : null;
      if (span !== null) spans.push({ ...style, ...span });
      else if (node.type === 'tag' && node.text === '</span>') {
        if (spans.length === 1) return null;
        spans.pop();
      } else {
        const runs = this.#one(node, style, url);
        if (runs === null) return null;
        all.push(...runs);
      }
    }
    return spans.length === 1 ? all : null;
  }

  #one(node: Inline, annotations: Style, url: string | null): RequestRun[] | null {
    const link = url === null ? {} : { link: { url } };
    const text = (content: string, style: Style): RequestRun[] =>
      pieces(content).map((piece) => ({
        type: 'text',
        text: { content: piece, ...link },
        annotations: style,
      }));
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
        return this.of(node.children, annotations, node.url);
      case 'tag': {
        const run = this.#mentions(node.text);
        return run === null ? null : [{ ...run, annotations }];
      }
      case 'strike':
        return this.of(node.children, { ...annotations, strikethrough: true }, url);
      default:
        return this.of(node.children, { ...annotations, [node.type]: true }, url);
    }
  }
}

/** As long as a run may be; no pair of code units is parted. */
function pieces(text: string): string[] {
  const out: string[] = [];
  for (let at = 0; at < text.length; ) {
    const end = Math.min(text.length, at + TEXT_MAX);
    const parted = /[\uD800-\uDBFF]$/.test(text.slice(at, end)) && end < text.length;
    out.push(text.slice(at, parted ? end - 1 : end));
    at = parted ? end - 1 : end;
  }
  return out;
}

/** What `<span color="red">` or `<span underline="true">` says; null for what is no such tag, or says more. */
function spanStyle(tag: string): Style | null {
  const attrs = /^<span((?: (?:color|underline)="[a-z_]+")+)>$/.exec(tag)?.[1];
  if (attrs === undefined) return null;
  const color = / color="([a-z_]+)"/.exec(attrs)?.[1];
  return {
    ...(color === undefined ? {} : { color: color.replace(/_bg$/, '_background') }),
    ...(attrs.includes(' underline="true"') ? { underline: true as const } : {}),
  };
}

/** The tags in a text that stand for mentions, in order. */
export function mentionTags(nodes: readonly Inline[]): string[] {
  return nodes.flatMap((node) => {
    if (node.type === 'tag') return node.text.startsWith('<mention-') ? [node.text] : [];
    return 'children' in node ? mentionTags(node.children) : [];
  });
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
