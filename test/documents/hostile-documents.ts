/** Documents that were made to do harm, or are none; each with what is to become of it. */
import { deflateSync } from 'node:zlib';
import { docx, escapeXml, pdf, pdfOf, zip } from './make.ts';

/** A document, and its text or the reason that there is none. */
export interface Hostile {
  name: string;
  /** Of the file: its extension tells the format. */
  file: string;
  bytes: () => Uint8Array;
  /** What is said of it; or, where it has a text, what is in that. */
  fault?: RegExp;
  text?: RegExp;
  /** What must not be in the text. */
  lacks?: RegExp;
}

const MIB = 1024 * 1024;
const ENTITIES = `<!DOCTYPE x [<!ENTITY a "ha">${'bcdefghijk'
  .split('')
  .map((name, index) => `<!ENTITY ${name} "${`&${'abcdefghij'[index]};`.repeat(10)}">`)
  .join('')}]>`;
const W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"';
const ODF = 'urn:oasis:names:tc:opendocument:xmlns';
const odt = (body: string, before = ''): Buffer =>
  zip({
    'content.xml': `${before}<office:document-content xmlns:office="${ODF}:office:1.0" xmlns:text="${ODF}:text:1.0" xmlns:table="${ODF}:table:1.0"><office:body>${body}</office:body></office:document-content>`,
  });
const word = (document: string): Buffer =>
  zip({ 'word/document.xml': document, '_rels/.rels': OFFICE_RELATIONS('word/document.xml') });
const OFFICE_RELATIONS = (target: string): string =>
  `<Relationships><Relationship Id="r1" Type="x/officeDocument" Target="${target}"/></Relationships>`;
const book = (sheet: string, relations = ''): Buffer =>
  zip({
    'xl/workbook.xml':
      '<workbook><sheets><sheet name="One" r:id="r1" xmlns:r="r"/></sheets></workbook>',
    'xl/_rels/workbook.xml.rels': `<Relationships><Relationship Id="r1" Type="x/worksheet" Target="sheet.xml"/>${relations}</Relationships>`,
    'xl/sheet.xml': sheet,
  });
const epub = (spine: string, files: Record<string, string> = {}): Buffer =>
  zip({
    'META-INF/container.xml':
      '<container><rootfiles><rootfile full-path="o/b.opf"/></rootfiles></container>',
    'o/b.opf': `<package><manifest><item id="a" href="a.xhtml"/><item id="up" href="../../../../etc/passwd"/></manifest><spine>${spine}</spine></package>`,
    'o/a.xhtml': '<html><body><p>chapter text</p></body></html>',
    ...files,
  });
/** Says of each file another size than it has. */
function lying(archive: Buffer, size: number): Buffer {
  const copy = Buffer.from(archive);
  for (
    let at = copy.indexOf('PK\x01\x02', 0, 'latin1');
    at !== -1;
    at = copy.indexOf('PK\x01\x02', at + 4, 'latin1')
  )
    copy.writeUInt32LE(size, at + 24);
  return copy;
}
const page = (content: string, more = ''): Buffer =>
  pdfOf(
    [
      '<< /Type /Catalog /Pages 2 0 R >>',
      '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> ${more} >> >>`,
      content,
      '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    ],
    '/Root 1 0 R',
  );
const stream = (data: string, dictionary = ''): string =>
  `<< ${dictionary} /Length ${data.length} >>\nstream\n${data}\nendstream`;
const SHOWN = 'BT /F1 12 Tf 72 700 Td (shown) Tj ET';

const mail = (...lines: string[]): Buffer => Buffer.from(lines.join('\r\n'));

export const HOSTILE: readonly Hostile[] = [
  { name: 'nothing', file: 'x.pdf', bytes: () => Buffer.alloc(0), fault: /./ },
  { name: 'zeros', file: 'x.pdf', bytes: () => Buffer.alloc(MIB), fault: /./ },
  {
    name: 'half of a PDF',
    file: 'x.pdf',
    bytes: () => pdf(['one', 'two']).subarray(0, 300),
    fault: /./,
  },
  {
    name: 'a PDF with a password',
    file: 'x.pdf',
    bytes: () => {
      const bytes = pdf(['secret']).toString('latin1');
      const key = `<${'41'.repeat(32)}>`;
      const encrypt = `/Encrypt << /Filter /Standard /V 1 /R 2 /O ${key} /U ${key} /P -4 >> /ID [${key} ${key}]`;
      return Buffer.from(bytes.replace('/Root', `${encrypt} /Root`), 'latin1');
    },
    fault: /^is encrypted/,
  },
  {
    name: 'pages that are their own children',
    file: 'x.pdf',
    bytes: () =>
      pdfOf(
        ['<< /Type /Catalog /Pages 2 0 R >>', '<< /Type /Pages /Kids [2 0 R 2 0 R] /Count 2 >>'],
        '/Root 1 0 R',
      ),
    fault: /./,
  },
  {
    name: 'a thousand million pages, by its own account',
    file: 'x.pdf',
    bytes: () =>
      Buffer.from(
        pdf(['one']).toString('latin1').replace('/Count 1', '/Count 1000000000'),
        'latin1',
      ),
    text: /pages: 1\n/,
  },
  { name: 'content that is itself', file: 'x.pdf', bytes: () => page('4 0 R'), text: /pages: 1/ },
  {
    name: 'a form that draws itself',
    file: 'x.pdf',
    bytes: () =>
      pdfOf(
        [
          '<< /Type /Catalog /Pages 2 0 R >>',
          '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
          '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents 4 0 R /Resources << /XObject << /X 5 0 R >> >> >>',
          stream('/X Do'),
          stream(
            '/X Do /X Do',
            '/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /X 5 0 R >> >>',
          ),
        ],
        '/Root 1 0 R',
      ),
    text: /./,
  },
  {
    name: 'a hundred thousand brackets',
    file: 'x.pdf',
    bytes: () => page(stream(`${'['.repeat(100_000)} ${SHOWN}`)),
    text: /pages: 1/,
  },
  {
    name: 'a table of signs for all numbers',
    file: 'x.pdf',
    bytes: () =>
      pdfOf(
        [
          '<< /Type /Catalog /Pages 2 0 R >>',
          '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
          '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
          stream(SHOWN),
          '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /ToUnicode 6 0 R >>',
          stream(
            'begincmap 1 begincodespacerange <00000000> <ffffffff> endcodespacerange 1 beginbfrange <00000000> <ffffffff> <0041> endbfrange endcmap',
          ),
        ],
        '/Root 1 0 R',
      ),
    text: /pages: 1/,
  },
  {
    name: 'a page as large as a country',
    file: 'x.pdf',
    bytes: () =>
      Buffer.from(
        page(stream(SHOWN)).toString('latin1').replace('0 0 612 792', '0 0 9e9 9e9'),
        'latin1',
      ),
    text: /shown/,
  },
  {
    name: 'an archive that is no document',
    file: 'x.docx',
    bytes: () => zip({ a: 'b' }),
    fault: /^is not what its name says/,
  },
  {
    name: 'half of a Word document',
    file: 'x.docx',
    bytes: () => docx(['text']).subarray(0, 400),
    fault: /^is no whole zip archive/,
  },
  {
    name: 'a PDF by the name of Word',
    file: 'x.docx',
    bytes: () => pdf(['x']),
    fault: /^is no whole zip archive/,
  },
  { name: 'Word by the name of a PDF', file: 'x.pdf', bytes: () => docx(['x']), fault: /./ },
  {
    name: 'what Office encrypts',
    file: 'x.xlsx',
    bytes: () => Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.alloc(4096)]),
    fault: /^is encrypted/,
  },
  {
    name: 'an archive of 300 MiB, which it says',
    file: 'x.docx',
    bytes: () => lying(word(`<w:document ${W}/>`), 300 * MIB),
    fault: /^would unpack to more than/,
  },
  {
    name: 'an archive of 300 MiB, which it does not say',
    file: 'x.odt',
    bytes: () => lying(zip({ 'content.xml': Buffer.alloc(300 * MIB, 32) }), 1000),
    fault: /^would unpack to more than/,
  },
  {
    name: 'an archive of 30,000 files',
    file: 'x.pptx',
    bytes: () =>
      zip(Object.fromEntries(Array.from({ length: 30_000 }, (_, index) => [`${index}`, '']))),
    fault: /^is made of more than/,
  },
  {
    name: 'names that lead out of an archive',
    file: 'x.docx',
    bytes: () =>
      zip({
        '../../../../etc/passwd': 'root',
        '/etc/shadow': 'root',
        'word/document.xml': `<w:document ${W}><w:body><w:p><w:r><w:t>inside</w:t></w:r></w:p></w:body></w:document>`,
        '_rels/.rels': OFFICE_RELATIONS('word/document.xml'),
        '[Content_Types].xml': '<Types/>',
      }),
    text: /inside/,
    lacks: /root/,
  },
  {
    name: 'a chapter outside of its book',
    file: 'x.epub',
    bytes: () => epub('<itemref idref="up"/><itemref idref="a"/>'),
    text: /is missing[\s\S]*chapter text/,
    lacks: /root/,
  },
  {
    name: 'a book whose chapters are locked',
    file: 'x.epub',
    bytes: () =>
      epub('<itemref idref="a"/>', {
        'META-INF/encryption.xml': '<e><CipherReference URI="o/a.xhtml"/></e>',
      }),
    fault: /^is encrypted/,
  },
  {
    name: 'a book with a bomb of entities',
    file: 'x.epub',
    bytes: () =>
      epub('<itemref idref="a"/>', { 'o/a.xhtml': `${ENTITIES}<html><body>k: &k;</body></html>` }),
    text: /k: &k;/,
  },
  {
    name: 'a bomb of entities in a sheet',
    file: 'x.xlsx',
    bytes: () =>
      book(
        `${ENTITIES}<worksheet><sheetData><row><c t="inlineStr"><is><t>&k;</t></is></c></row></sheetData></worksheet>`,
      ),
    fault: /entities/,
  },
  {
    name: 'a bomb of entities in Word',
    file: 'x.docx',
    bytes: () =>
      word(
        `${ENTITIES}<w:document ${W}><w:body><w:p><w:r><w:t>&k;</w:t></w:r></w:p></w:body></w:document>`,
      ),
    fault: /./,
  },
  {
    name: 'an entity that is a file of the host',
    file: 'x.odt',
    bytes: () =>
      odt(
        '<office:text><text:p>&x;</text:p></office:text>',
        '<!DOCTYPE x [<!ENTITY x SYSTEM "file:///etc/passwd">]>',
      ),
    fault: /entities/,
  },
  {
    name: 'a text with a password',
    file: 'x.odt',
    bytes: () =>
      zip({
        'META-INF/manifest.xml': '<m><file-entry><encryption-data/></file-entry></m>',
        'content.xml': 'x',
      }),
    fault: /^is encrypted/,
  },
  {
    name: 'elements a hundred thousand deep',
    file: 'x.odt',
    bytes: () =>
      odt(
        `<office:text>${'<text:section>'.repeat(100_000)}${'</text:section>'.repeat(100_000)}</office:text>`,
      ),
    fault: /^nests elements/,
  },
  {
    name: 'a million rows of a million cells',
    file: 'x.ods',
    bytes: () =>
      odt(
        '<office:spreadsheet><table:table table:name="T"><table:table-row table:number-rows-repeated="1048576"><table:table-cell table:number-columns-repeated="1048576"><text:p>x</text:p></table:table-cell></table:table-row></table:table></office:spreadsheet>',
      ),
    text: /\| x \|/,
  },
  {
    name: 'spaces without end',
    file: 'x.odt',
    bytes: () => odt('<office:text><text:p>a<text:s text:c="2000000000"/>b</text:p></office:text>'),
    text: /a {9,100}b/,
  },
  {
    name: 'a cell at the end of the sheet',
    file: 'x.xlsx',
    bytes: () =>
      book(
        '<worksheet><dimension ref="A1:XFD1048576"/><sheetData><row r="1048576"><c r="A1048576"><v>7</v></c><c r="XFD1048576"><v>8</v></c></row></sheetData></worksheet>',
      ),
    text: /\| 7 \|/,
  },
  {
    name: 'dates beyond time',
    file: 'x.xlsx',
    bytes: () =>
      book(
        '<worksheet><sheetData><row><c r="A1" s="0"><v>1e300</v></c></row></sheetData></worksheet>',
        '<Relationship Id="r2" Type="x/styles" Target="styles.xml"/>',
      ),
    text: /1e\+?300/,
  },
  {
    name: 'a slide that is its own notes',
    file: 'x.pptx',
    bytes: () =>
      zip({
        'ppt/presentation.xml':
          '<p><sldIdLst><sldId r:id="r1" xmlns:r="r"/><sldId r:id="none" xmlns:r="r"/></sldIdLst></p>',
        'ppt/_rels/presentation.xml.rels':
          '<R><Relationship Id="r1" Type="x/slide" Target="s.xml"/></R>',
        'ppt/s.xml':
          '<sld><cSld><spTree><sp><txBody><p><r><t>once</t></r></p></txBody></sp></spTree></cSld></sld>',
        'ppt/_rels/s.xml.rels': '<R><Relationship Id="r1" Type="x/notesSlide" Target="s.xml"/></R>',
      }),
    text: /slides: 2[\s\S]*once/,
  },
  {
    name: 'HTML a hundred thousand deep',
    file: 'x.html',
    bytes: () => Buffer.from(`${'<div>'.repeat(100_000)}deep${'</div>'.repeat(100_000)}`),
    fault: /^nests elements/,
  },
  {
    name: 'HTML of 20 MB',
    file: 'x.html',
    bytes: () => Buffer.from('<p>x</p>'.repeat(2.5 * MIB)),
    fault: /^has more than/,
  },
  {
    name: 'HTML that is no text',
    file: 'x.html',
    bytes: () => Buffer.from(Array.from({ length: 5000 }, (_, index) => (index * 7919) & 255)),
    text: /^/,
  },
  {
    name: 'a mail without headers',
    file: 'x.eml',
    bytes: () => Buffer.alloc(0),
    fault: /^is no e-mail/,
  },
  {
    name: 'a mail in mails in mails',
    file: 'x.eml',
    bytes: () =>
      mail(
        'Subject: x',
        ...Array.from({ length: 500 }, (_, index) => [
          `Content-Type: multipart/mixed; boundary=b${index}`,
          '',
          `--b${index}`,
        ]).flat(),
        '',
        'innermost',
      ),
    fault: /./,
  },
  {
    name: 'a mail with a bomb in it',
    file: 'x.eml',
    bytes: () =>
      mail(
        'Subject: hello',
        'Content-Type: multipart/mixed; boundary=b',
        '',
        '--b',
        '',
        'the message',
        '--b',
        'Content-Type: application/octet-stream; name=x.odt',
        'Content-Disposition: attachment; filename=x.odt',
        'Content-Transfer-Encoding: base64',
        '',
        lying(zip({ 'content.xml': Buffer.alloc(300 * MIB, 32) }), 1000).toString('base64'),
        '--b--',
      ),
    text: /the message[\s\S]*its text cannot be read: would unpack/,
  },
  {
    name: 'a notebook that is none',
    file: 'x.ipynb',
    bytes: () => Buffer.from('{"cells": 7}'),
    fault: /^is no notebook/,
  },
  {
    name: 'a notebook of brackets',
    file: 'x.ipynb',
    bytes: () => Buffer.from('['.repeat(MIB)),
    fault: /^is no notebook/,
  },
  { name: 'a picture of no bytes', file: 'x.jpg', bytes: () => Buffer.alloc(0), fault: /./ },
  {
    name: 'a picture as large as a country',
    file: 'x.png',
    bytes: () =>
      Buffer.from(
        '89504e470d0a1a0a0000000d49484452ffffffffffffffff0806000000000000000000000049454e44ae426082',
        'hex',
      ),
    text: /4294967295/,
  },
  {
    name: 'escapes of terminals, and lines that pass for pages',
    file: 'x.docx',
    bytes: () =>
      docx([`\u001b[31m red`.replace('\u001b', ''), '<!-- p7 -->', escapeXml('<!-- s9 -->')]),
    text: /sections: 1\n/,
    lacks: /^<!-- (?:p7|s9) -->$/m,
  },
];

/** These take seconds, and are ended by a limit. */
export const HEAVY: readonly Hostile[] = [
  {
    name: 'a stream of a gigabyte in a PDF',
    file: 'x.pdf',
    bytes: () => {
      const data = deflateSync(deflateSync(Buffer.alloc(1024 * MIB, 32))).toString('latin1');
      return page(stream(data, '/Filter [/FlateDecode /FlateDecode]'));
    },
    fault: /./,
  },
  {
    name: 'ten thousand pages',
    file: 'x.pdf',
    bytes: () => pdf(Array.from({ length: 10_000 }, (_, index) => `page number ${index + 1}`)),
    text: /pages: 10000[\s\S]*page number 10000/,
  },
  {
    name: 'twenty million signs in one cell',
    file: 'x.xlsx',
    bytes: () =>
      book(
        `<worksheet><sheetData><row><c t="inlineStr"><is><t>${'x'.repeat(20 * MIB)}</t></is></c></row></sheetData></worksheet>`,
      ),
    fault: /million characters/,
  },
];
