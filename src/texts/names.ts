/**
 * The names of documents and of their texts: beside `report.pdf` its text is
 * `report.pdf.md`, and the text of its page 12 is `report.pdf:p12`.
 */

/** What a converter knows how to read. */
export type DocumentFormat =
  | 'pdf'
  | 'docx'
  | 'xlsx'
  | 'pptx'
  | 'odt'
  | 'ods'
  | 'odp'
  | 'epub'
  | 'html'
  | 'eml'
  | 'ipynb'
  | 'image';

const EXTENSIONS: Readonly<Record<string, DocumentFormat>> = {
  pdf: 'pdf',
  docx: 'docx',
  docm: 'docx',
  xlsx: 'xlsx',
  xlsm: 'xlsx',
  pptx: 'pptx',
  pptm: 'pptx',
  odt: 'odt',
  ods: 'ods',
  odp: 'odp',
  epub: 'epub',
  html: 'html',
  htm: 'html',
  xhtml: 'html',
  eml: 'eml',
  ipynb: 'ipynb',
  jpg: 'image',
  jpeg: 'image',
  png: 'image',
  gif: 'image',
  webp: 'image',
  tif: 'image',
  tiff: 'image',
  heic: 'image',
  avif: 'image',
};

/** What the parts of a document are called: pages, sheets, slides, chapters, cells, sections, parts of a mail. */
export const PAGE_UNITS = ['p', 'sheet', 'slide', 'ch', 'cell', 's', 'part'] as const;
export type PageUnit = (typeof PAGE_UNITS)[number];

const UNIT = PAGE_UNITS.join('|');
const NAMED = new RegExp(
  `^(.*[^/]\\.(?:${Object.keys(EXTENSIONS).join('|')}))(?:\\.md|:((?:${UNIT})[1-9]\\d*))$`,
  'is',
);

/** The line that a page begins with in the text of its document. */
export const PAGE_LINE = new RegExp(`^<!-- ((?:${UNIT})[1-9]\\d*) -->$`);

/** The format that a path's name tells; null where it is no document that has a text. */
export function documentFormat(path: string): DocumentFormat | null {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const dot = name.lastIndexOf('.');
  if (dot <= 0) return null;
  const extension = name.slice(dot + 1).toLowerCase();
  return Object.hasOwn(EXTENSIONS, extension) ? (EXTENSIONS[extension] ?? null) : null;
}

/** What a name of a text stands for: a whole document, or one page of it. */
export interface TextName {
  document: string;
  page: string | null;
}

/** Reads the name of a text: `a.pdf.md`, `a.pdf:p12`; null for any other path. */
export function parseTextName(path: string): TextName | null {
  if (!path.endsWith('.md') && !path.includes(':')) return null;
  const [, document, page = null] = NAMED.exec(path) ?? [];
  return document === undefined ? null : { document, page: page?.toLowerCase() ?? null };
}

/** The path of a document's text. */
export const textPath = (document: string): string => `${document}.md`;

/** The path of one page of a document's text. */
export const pagePath = (document: string, page: string): string => `${document}:${page}`;
