/**
 * Documents of known content, by programs that others wrote: scripts/writers has
 * them as a package of its own, which is installed when it is first needed.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { crc32, deflateSync } from 'node:zlib';
import { ROOT } from '../documents.ts';
import { escapeXml, zip } from './make.ts';

const directory = join(ROOT, 'scripts', 'writers');

/** What a document is to say. */
export interface Content {
  title: string;
  author: string;
  pages: readonly Part[];
}

/** A page, sheet, slide, chapter or section. */
export interface Part {
  heading: string;
  paragraphs: readonly string[];
  /** Rows of cells; the first is its head. */
  table: readonly (readonly string[])[];
}

export function installWriters(): void {
  const { dependencies } = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>;
  };
  const isThere = (name: string): boolean =>
    existsSync(join(directory, 'node_modules', name, 'package.json'));
  if (Object.keys(dependencies).every(isThere)) return;
  const flags = ['--no-save', '--no-package-lock', '--no-fund', '--no-audit', '--loglevel=error'];
  const { status, stderr } = spawnSync('npm', ['install', ...flags], {
    cwd: directory,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`the writers cannot be installed: ${stderr}`);
}

/** A writer's module: what of it is used is as its own documentation has it. */
// biome-ignore lint/suspicious/noExplicitAny: these packages are not among the project's types.
const load = (name: string): any => createRequire(join(directory, 'package.json'))(name);

const all = async (stream: AsyncIterable<Uint8Array>): Promise<Buffer> => {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
};

async function writePdf({ title, author, pages }: Content): Promise<Buffer> {
  const PDFDocument = load('pdfkit');
  const document = new PDFDocument({ info: { Title: title, Author: author } });
  for (const [index, { heading, paragraphs, table }] of pages.entries()) {
    if (index > 0) document.addPage();
    document.fontSize(18).text(heading).fontSize(11);
    for (const paragraph of paragraphs) document.moveDown().text(paragraph);
    for (const row of table) document.moveDown().text(row.join('   '));
  }
  document.end();
  return all(document);
}

async function writeDocx({ title, author, pages }: Content): Promise<Buffer> {
  const { Document, HeadingLevel, Packer, Paragraph, Table, TableCell, TableRow } = load('docx');
  const children = pages.flatMap(({ heading, paragraphs, table }) => [
    new Paragraph({ text: heading, heading: HeadingLevel.HEADING_1 }),
    ...paragraphs.map((text) => new Paragraph(text)),
    new Table({
      rows: table.map(
        (row) =>
          new TableRow({
            children: row.map((cell) => new TableCell({ children: [new Paragraph(cell)] })),
          }),
      ),
    }),
  ]);
  return Packer.toBuffer(new Document({ title, creator: author, sections: [{ children }] }));
}

async function writeXlsx({ title, author, pages }: Content): Promise<Buffer> {
  const { Workbook } = load('exceljs');
  const workbook = new Workbook();
  Object.assign(workbook, { title, creator: author });
  for (const { heading, paragraphs, table } of pages) {
    const sheet = workbook.addWorksheet(heading.slice(0, 31));
    for (const paragraph of paragraphs) sheet.addRow([paragraph]);
    for (const row of table) sheet.addRow(row);
    sheet.addRow([new Date('2024-06-03T00:00:00Z'), 1.5, true, { formula: 'B1+1', result: 2.5 }]);
  }
  return Buffer.from(await workbook.xlsx.writeBuffer());
}

async function writePptx({ title, author, pages }: Content): Promise<Buffer> {
  const Presentation = load('pptxgenjs');
  const presentation = new Presentation();
  Object.assign(presentation, { title, author });
  for (const { heading, paragraphs, table } of pages) {
    const slide = presentation.addSlide();
    slide.addText(heading, { x: 1, y: 0.2, w: 8, h: 0.5 });
    for (const [index, text] of paragraphs.slice(1).entries())
      slide.addText(text, { x: 1, y: 1 + index, w: 8, h: 1 });
    slide.addTable(
      table.map((row) => row.map((text) => ({ text }))),
      { x: 1, y: 4, w: 8 },
    );
    slide.addNotes(paragraphs[0]);
  }
  return presentation.write({ outputType: 'nodebuffer' });
}

const tableOf = (table: Part['table']): string =>
  `<table>${table
    .map((row) => `<tr>${row.map((cell) => `<td>${escapeXml(cell)}</td>`).join('')}</tr>`)
    .join('')}</table>`;

const partOf = ({ heading, paragraphs, table }: Part): string =>
  `<h1>${escapeXml(heading)}</h1>${paragraphs
    .map((each) => `<p>${escapeXml(each)}</p>`)
    .join('')}${tableOf(table)}`;

async function writeEpub({ title, author, pages }: Content): Promise<Buffer> {
  const { default: write } = load('epub-gen-memory');
  return write(
    { title, author, tocInTOC: false },
    pages.map((page) => ({ title: page.heading, content: partOf(page) })),
  );
}

async function writeMail({ title, author, pages }: Content): Promise<Buffer> {
  const MailComposer = load('nodemailer/lib/mail-composer');
  const [first, ...rest] = pages;
  const mail = new MailComposer({
    from: { name: author, address: 'a@example.com' },
    to: 'b@example.com',
    subject: title,
    html: first === undefined ? '' : partOf(first),
    attachments: rest.map((page, index) => ({
      filename: `part ${index}.html`,
      content: `<body>${partOf(page)}</body>`,
    })),
  });
  return mail.compile().build();
}

/** A page of a site: what is around the article is none of its content. */
async function writeHtml({ title, author, pages }: Content): Promise<Buffer> {
  return Buffer.from(
    `<!doctype html><html><head><meta charset="utf-8"><title>${escapeXml(title)}</title><meta name="author" content="${escapeXml(author)}"><style>p{}</style></head><body><nav><a href="/">home</a></nav><main>${pages.map(partOf).join('')}</main><script>let x = 1;</script></body></html>`,
  );
}

async function writeNotebook({ pages }: Content): Promise<Buffer> {
  const cells = pages.flatMap(({ heading, paragraphs, table }) => [
    { cell_type: 'markdown', metadata: {}, source: [`# ${heading}\n`, ...paragraphs.join('\n\n')] },
    {
      cell_type: 'code',
      source: 'show(table)',
      outputs: [{ output_type: 'stream', text: table.map((row) => `${row.join('\t')}\n`) }],
    },
  ]);
  const metadata = { language_info: { name: 'python' } };
  return Buffer.from(JSON.stringify({ nbformat: 4, metadata, cells }));
}

const ODF = 'urn:oasis:names:tc:opendocument:xmlns';

async function writeOdt({ title, author, pages }: Content): Promise<Buffer> {
  const body = pages.map(
    ({ heading, paragraphs, table }) =>
      `<text:h text:outline-level="1">${escapeXml(heading)}</text:h>${paragraphs
        .map((each) => `<text:p>${escapeXml(each).replace(/ (?=\S+$)/, '<text:s/>')}</text:p>`)
        .join('')}<table:table>${table
        .map(
          (row) =>
            `<table:table-row>${row
              .map(
                (cell) =>
                  `<table:table-cell><text:p>${escapeXml(cell)}</text:p></table:table-cell>`,
              )
              .join('')}</table:table-row>`,
        )
        .join('')}</table:table>`,
  );
  return zip({
    mimetype: 'application/vnd.oasis.opendocument.text',
    'content.xml': `<office:document-content xmlns:office="${ODF}:office:1.0" xmlns:text="${ODF}:text:1.0" xmlns:table="${ODF}:table:1.0"><office:body><office:text>${body.join('')}</office:text></office:body></office:document-content>`,
    'meta.xml': `<office:document-meta xmlns:office="${ODF}:office:1.0" xmlns:dc="http://purl.org/dc/elements/1.1/"><office:meta><dc:title>${escapeXml(title)}</dc:title><dc:creator>${escapeXml(author)}</dc:creator></office:meta></office:document-meta>`,
  });
}

/** A picture of one dot, with what is said of it in chunks of text. */
async function writePng({ title, author, pages }: Content): Promise<Buffer> {
  const chunk = (type: string, data: Uint8Array): Buffer => {
    const named = Buffer.concat([Buffer.from(type, 'latin1'), data]);
    const frame = Buffer.alloc(8);
    frame.writeUInt32BE(data.length, 0);
    frame.writeUInt32BE(crc32(named), 4);
    return Buffer.concat([frame.subarray(0, 4), named, frame.subarray(4)]);
  };
  const said = (name: string, text: string): Buffer =>
    chunk('iTXt', Buffer.concat([Buffer.from(`${name}\0\0\0\0\0`), Buffer.from(text)]));
  const header = Buffer.from([0, 0, 0, 1, 0, 0, 0, 1, 8, 0, 0, 0, 0]);
  const description = pages.flatMap(({ heading, paragraphs }) => [heading, ...paragraphs]);
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10]),
    chunk('IHDR', header),
    said('Title', title),
    said('Author', author),
    said('Description', description.join('\n')),
    chunk('IDAT', deflateSync(Buffer.from([0, 0]))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** Writers by the extension of what they write. */
export const WRITERS = {
  pdf: writePdf,
  docx: writeDocx,
  xlsx: writeXlsx,
  pptx: writePptx,
  odt: writeOdt,
  epub: writeEpub,
  html: writeHtml,
  eml: writeMail,
  ipynb: writeNotebook,
  png: writePng,
} as const satisfies Record<string, (content: Content) => Promise<Buffer>>;
