/** HTML: the article of a page, as markdown; all of the page where it has none. */
import domino, { type HtmlDocument } from '@mixmark-io/domino';
import { Readability } from '@mozilla/readability';
import { broken, DocumentFault } from '../fault.ts';
import type { Converted } from '../pages.ts';
import { htmlToMarkdown } from './markdown.ts';
import { sectionsOf } from './sections.ts';

/** What is around an article is left out only where it is the smaller part of the page. */
const ARTICLE_SHARE = 0.6;
/** Levels of elements. */
const DEEPEST = 2_000;
/** The tree of a page takes fifty times its bytes. */
const LARGEST_PAGE = 12 * 1024 * 1024;
/** Signs of a page with more of them take long to weigh against each other. */
const MOST_WEIGHED = 20_000;

export async function convertHtml(bytes: Uint8Array): Promise<Converted> {
  const html = decodeHtml(bytes);
  const document = parseHtml(html);
  const field = (...names: string[]): string | undefined => metaOf(document, names);
  const fields = {
    title: document.title.trim() || field('og:title'),
    author: field('author', 'article:author'),
    description: field('description', 'og:description'),
    keywords: field('keywords'),
    created: field('article:published_time', 'date')?.slice(0, 10),
    updated: field('article:modified_time')?.slice(0, 10),
  };
  return { fields, unit: 's', pages: sectionsOf(htmlToMarkdown(articleOf(html, document))) };
}

/** @throws DocumentFault where it is too large to be a page that somebody reads */
export function parseHtml(html: string): HtmlDocument {
  if (html.length > LARGEST_PAGE)
    throw new DocumentFault(
      'EFBIG',
      `has more than ${LARGEST_PAGE / 1024 / 1024} million characters of HTML`,
    );
  if (isTooDeep(html)) throw broken(`nests elements deeper than ${DEEPEST}`);
  return domino.createDocument(html);
}

/** Elements that nobody has to close, or that have no end. */
const OPEN_ENDED =
  /^(?:p|li|d[td]|t[rdh]|thead|tbody|tfoot|option|optgroup|colgroup|area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr)$/i;

/** What a parser takes for a hundred thousand levels grows with their square. */
function isTooDeep(html: string): boolean {
  let depth = 0;
  for (const [, close, name = '', self] of html.matchAll(/<(\/?)([a-z][^\s/<>]*)[^<>]*?(\/?)>/gi)) {
    if (OPEN_ENDED.test(name) || self !== '') continue;
    depth += close === '' ? 1 : -1;
    if (depth > DEEPEST) return true;
    if (depth < 0) depth = 0;
  }
  return false;
}

function articleOf(html: string, document: HtmlDocument): string {
  const whole = document.body;
  if (whole === null) return '';
  for (const node of Array.from(document.querySelectorAll('script, style, noscript, template')))
    node.remove();
  const all = lengthOf(whole.textContent);
  const elements = document.querySelectorAll('*').length;
  if (elements > MOST_WEIGHED) return inner(whole);
  // It takes the tree apart that it is given.
  const article = weighed(readable(parseHtml(html)));
  const content = article?.content ?? '';
  return lengthOf(article?.textContent) >= all * ARTICLE_SHARE ? content : inner(whole);
}

/** The article of a page; null where it has none, or where its tree is one that readability trips over. */
function weighed(document: HtmlDocument): ReturnType<Readability['parse']> {
  try {
    return new Readability(document).parse();
  } catch (error) {
    // It asks for the parent of an element that it has taken out of the tree itself.
    if (error instanceof TypeError) return null;
    throw error;
  }
}

/**
 * The tree with what readability wants of a browser's: its lists can be gone
 * through, and the page has an address.
 */
function readable(document: HtmlDocument): HtmlDocument {
  const { documentElement: root } = document;
  const lists: object[] = [root.querySelectorAll('*'), root.childNodes, root.children];
  for (const list of [...lists, root.getElementsByTagName('*')]) {
    const kind: object = Object.getPrototypeOf(list);
    if (Symbol.iterator in kind) continue;
    Object.defineProperty(kind, Symbol.iterator, { value: Array.prototype.values });
  }
  for (const name of ['baseURI', 'documentURI'])
    Object.defineProperty(document, name, { value: 'about:blank' });
  return document;
}

const inner = (node: object): string => (node as { innerHTML: string }).innerHTML;

const lengthOf = (text: string | null | undefined): number =>
  (text ?? '').replace(/\s+/g, ' ').length;

function metaOf(document: HtmlDocument, names: readonly string[]): string | undefined {
  for (const meta of Array.from(document.querySelectorAll('meta'))) {
    const name = (meta.getAttribute('name') ?? meta.getAttribute('property') ?? '').toLowerCase();
    const content = meta.getAttribute('content')?.trim() ?? '';
    if (names.includes(name) && content !== '') return content;
  }
  return undefined;
}

/** Text of HTML by its byte order mark, by what it declares, or as UTF-8. */
export function decodeHtml(bytes: Uint8Array): string {
  const head = Buffer.from(bytes.subarray(0, 2048)).toString('latin1');
  const marked =
    bytes[0] === 0xff && bytes[1] === 0xfe
      ? 'utf-16le'
      : bytes[0] === 0xfe && bytes[1] === 0xff
        ? 'utf-16be'
        : undefined;
  const declared =
    /<meta[^>]+charset\s*=\s*["']?([\w-]+)/i.exec(head)?.[1] ??
    /^<\?xml[^>]*encoding=["']([\w-]+)/i.exec(head)?.[1];
  return decoderOf(marked ?? declared ?? 'utf-8').decode(bytes);
}

function decoderOf(label: string): InstanceType<typeof TextDecoder> {
  try {
    return new TextDecoder(label);
  } catch (error) {
    // A name that nobody knows; most of what is written is UTF-8.
    if (error instanceof RangeError) return new TextDecoder();
    throw error;
  }
}
