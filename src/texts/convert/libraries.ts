/** The libraries that are files of some size: kept compressed where the package is installed. */
import module from 'node:module';
import { fileURLToPath } from 'node:url';
import vm from 'node:vm';
import { readVendored } from '../../vendored.ts';

/** What is used of pdf.js. */
export interface PdfJs {
  getDocument(options: Readonly<Record<string, unknown>>): {
    promise: Promise<PdfDocument>;
    destroy(): Promise<void>;
  };
}
export interface PdfDocument {
  numPages: number;
  getPage(number: number): Promise<PdfPage>;
  getMetadata(): Promise<{ info?: Readonly<Record<string, unknown>> }>;
}
export interface PdfPage {
  getTextContent(): Promise<{ items: PdfTextItem[] }>;
  cleanup(): unknown;
}
/** A run of text; `transform` has its place at 4 and 5, from the bottom left. */
export interface PdfTextItem {
  str?: string;
  hasEOL?: boolean;
  height?: number;
  transform?: readonly number[];
}

/** What is used of mammoth. */
export interface Mammoth {
  convertToHtml(
    input: { arrayBuffer: ArrayBuffer },
    options: Readonly<Record<string, unknown>>,
  ): Promise<{ value: string }>;
  images: { imgElement(image: (image: unknown) => Promise<{ src: string }>): unknown };
}

/** pdf.js, as one module without a browser around it. */
export async function loadPdfJs(): Promise<PdfJs> {
  const source = readVendored(fileURLToPath(import.meta.resolve('unpdf/pdfjs')));
  return await import(`data:text/javascript;base64,${source.toString('base64')}`);
}

/** mammoth with all that it needs, as one script. */
export function loadMammoth(): Mammoth {
  const require = module.createRequire(import.meta.url);
  const file = fileURLToPath(import.meta.resolve('mammoth/mammoth.browser.min.js'));
  const script = { exports: {} as Mammoth };
  const run = vm.compileFunction(readVendored(file).toString('utf8'), [
    'module',
    'exports',
    'require',
  ]);
  run(script, script.exports, require);
  return script.exports;
}
