/** Documents for tests, written to the byte: no program that writes them is needed. */
import { pack } from '../../src/zip.ts';

/** A zip archive of texts and bytes by their names. */
export function zip(files: Readonly<Record<string, string | Uint8Array>>): Buffer {
  const members = Object.entries(files).map(([name, data]) => ({
    name,
    data: Buffer.from(data),
    date: new Date(0),
    mode: 0o644,
  }));
  return pack(members, 9);
}

/** A PDF of pages of lines, in Helvetica; each page holds what Latin-1 can write. */
export function pdf(pages: readonly string[], info: Readonly<Record<string, string>> = {}): Buffer {
  const literal = (text: string): string => `(${text.replace(/[\\()]/g, '\\$&')})`;
  const objects = ['', '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>'];
  const add = (object: string): number => objects.push(object);
  const kids = pages.map((text) => {
    const shown = text.split('\n').map((line) => `${literal(line)} Tj T*`);
    const stream = `BT /F1 12 Tf 72 720 Td 14 TL ${shown.join(' ')} ET`;
    const content = add(`<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`);
    return add(
      `<< /Type /Page /Parent 1 0 R /MediaBox [0 0 612 792] /Contents ${content} 0 R /Resources << /Font << /F1 2 0 R >> >> >>`,
    );
  });
  objects[0] = `<< /Type /Pages /Kids [${kids.map((kid) => `${kid} 0 R`).join(' ')}] /Count ${kids.length} >>`;
  const root = add('<< /Type /Catalog /Pages 1 0 R >>');
  const fields = Object.entries(info).map(([name, value]) => `/${name} ${literal(value)}`);
  const about = add(`<< ${fields.join(' ')} >>`);
  return pdfOf(objects, `/Root ${root} 0 R /Info ${about} 0 R`);
}

/** A PDF of objects, numbered from 1. */
export function pdfOf(objects: readonly string[], trailer: string): Buffer {
  let file = '%PDF-1.4\n';
  const rows = objects.map((object, index) => {
    const row = `${String(file.length).padStart(10, '0')} 00000 n \n`;
    file += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return row;
  });
  const size = objects.length + 1;
  file += `xref\n0 ${size}\n0000000000 65535 f \n${rows.join('')}trailer\n<< /Size ${size} ${trailer} >>\nstartxref\n${file.length}\n%%EOF\n`;
  return Buffer.from(file, 'latin1');
}

export const escapeXml = (text: string): string =>
  text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;');

const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const relations = (rows: readonly [id: string, type: string, target: string][]): string =>
  `<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${rows
    .map(
      ([id, type, target]) =>
        `<Relationship Id="${id}" Type="${OFFICE}/${type}" Target="${target}"/>`,
    )
    .join('')}</Relationships>`;

/** A Word document: lines, those that begin with `# ` as headings. */
export function docx(lines: readonly string[]): Buffer {
  const paragraphs = lines.map((line) => {
    const [, marks = '', text = ''] = /^(#*) ?(.*)$/s.exec(line) ?? [];
    const style = marks === '' ? '' : `<w:pPr><w:pStyle w:val="Heading${marks.length}"/></w:pPr>`;
    return `<w:p>${style}<w:r><w:t xml:space="preserve">${escapeXml(text)}</w:t></w:r></w:p>`;
  });
  return zip({
    '[Content_Types].xml':
      '<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>',
    '_rels/.rels': relations([['rId1', 'officeDocument', 'word/document.xml']]),
    'word/document.xml': `<?xml version="1.0"?><w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>${paragraphs.join('')}</w:body></w:document>`,
  });
}
