/** PDF, by pdf.js: page by page, lines as they are set, a blank line where there is a gap. */
import { DocumentFault } from '../fault.ts';
import { LONGEST_TEXT } from '../limits.ts';
import type { Converted } from '../pages.ts';
import { loadPdfJs, type PdfDocument, type PdfTextItem } from './libraries.ts';

/** A gap between two lines that is a paragraph's, in heights of a line. */
const PARAGRAPH_GAP = 1.8;

export async function convertPdf(bytes: Uint8Array): Promise<Converted> {
  const { getDocument } = await loadPdfJs();
  // It takes the buffer away from whoever gave it.
  const task = getDocument({
    data: new Uint8Array(bytes),
    isEvalSupported: false,
    disableFontFace: true,
    useSystemFonts: false,
    useWorkerFetch: false,
    stopAtErrors: false,
    enableXfa: false,
    verbosity: 0,
  });
  try {
    const pdf = await opened(task.promise);
    const pages = await pagesOf(pdf);
    const empty = pages.filter((page) => page.trim() === '').length;
    const scanned =
      empty === 0 ? undefined : `${empty} of ${pages.length} pages, which may be pictures of text`;
    return { fields: { ...(await fieldsOf(pdf)), 'without text': scanned }, unit: 'p', pages };
  } finally {
    await task.destroy();
  }
}

async function opened(promise: Promise<PdfDocument>): Promise<PdfDocument> {
  try {
    return await promise;
  } catch (error) {
    if (error instanceof Error && error.name === 'PasswordException')
      throw new DocumentFault('EINVAL', 'is encrypted, and opens with a password alone');
    throw error;
  }
}

async function pagesOf(pdf: PdfDocument): Promise<string[]> {
  const pages: string[] = [];
  let size = 0;
  let failed = 0;
  for (let number = 1; number <= pdf.numPages; number++) {
    let text: string;
    try {
      const page = await pdf.getPage(number);
      text = textOf((await page.getTextContent()).items);
      page.cleanup();
    } catch (error) {
      // One page that is broken takes no others along, but it is said.
      failed += 1;
      if (failed === pdf.numPages || failed > MOST_FAILED) throw error;
      text = `[this page cannot be read: ${error instanceof Error ? error.message : String(error)}]`;
    }
    pages.push(text);
    size += text.length;
    if (size > LONGEST_TEXT)
      throw new DocumentFault('EFBIG', `has more than ${LONGEST_TEXT} characters of text`);
  }
  return pages;
}

const MOST_FAILED = 100;

/** The runs of a page as lines. */
function textOf(items: readonly PdfTextItem[]): string {
  let text = '';
  let isStart = true;
  let y = 0;
  /** Of the line above; 0 before the first one. */
  let height = 0;
  for (const item of items) {
    const { str = '', hasEOL = false } = item;
    const at = item.transform?.[5];
    if (isStart && str.trim() !== '' && at !== undefined) {
      if (height > 0 && Math.abs(y - at) > height * PARAGRAPH_GAP) text += '\n';
      y = at;
      height = item.height || height;
      isStart = false;
    }
    text += str;
    if (!hasEOL) continue;
    text += '\n';
    isStart = true;
  }
  return text;
}

async function fieldsOf(pdf: PdfDocument): Promise<Converted['fields']> {
  const { info = {} } = await pdf.getMetadata();
  const field = (name: string): string | undefined => {
    const value = info[name];
    return typeof value === 'string' ? value : undefined;
  };
  return {
    title: field('Title'),
    author: field('Author'),
    subject: field('Subject'),
    keywords: field('Keywords'),
    created: dateOf(field('CreationDate')),
    updated: dateOf(field('ModDate')),
  };
}

/** `D:20240603120000+02'00'` as a date. */
function dateOf(date: string | undefined): string | undefined {
  const [, year, month = '01', day = '01'] = /^D:(\d{4})(\d\d)?(\d\d)?/.exec(date ?? '') ?? [];
  return year === undefined ? undefined : `${year}-${month}-${day}`;
}
