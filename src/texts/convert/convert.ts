/** Which converter reads which format; each is loaded when its first document comes. */
import type { DocumentFormat } from '../names.ts';
import { type Converted, textOfPages } from '../pages.ts';

/** Reads a document. @throws DocumentFault, or whatever a library stumbles over */
export type Convert = (bytes: Uint8Array) => Promise<Converted>;

const CONVERTERS: Readonly<Record<DocumentFormat, () => Promise<Convert>>> = {
  pdf: async () => (await import('./pdf.ts')).convertPdf,
  docx: async () => (await import('./docx.ts')).convertDocx,
  xlsx: async () => (await import('./xlsx.ts')).convertXlsx,
  pptx: async () => (await import('./pptx.ts')).convertPptx,
  odt: async () => (await import('./odf.ts')).convertOdt,
  ods: async () => (await import('./odf.ts')).convertOds,
  odp: async () => (await import('./odf.ts')).convertOdp,
  epub: async () => (await import('./epub.ts')).convertEpub,
  html: async () => (await import('./html.ts')).convertHtml,
  eml: async () => (await import('./mail.ts')).mailConverter(pagesOfDocument),
  ipynb: async () => (await import('./notebook.ts')).convertNotebook,
  image: async () => (await import('./image.ts')).convertImage,
};

/** A document as pages. */
async function pagesOfDocument(format: DocumentFormat, bytes: Uint8Array): Promise<Converted> {
  return (await CONVERTERS[format]())(bytes);
}

/** A document as text. */
export async function convert(format: DocumentFormat, bytes: Uint8Array): Promise<string> {
  return textOfPages(await pagesOfDocument(format, bytes));
}
