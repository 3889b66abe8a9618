/** Word documents, by mammoth: headings, lists and tables as markdown. */
import type { Converted } from '../pages.ts';
import { loadMammoth } from './libraries.ts';
import { htmlToMarkdown } from './markdown.ts';
import { coreFields, openOffice } from './office.ts';
import { sectionsOf } from './sections.ts';

export async function convertDocx(bytes: Uint8Array): Promise<Converted> {
  const archive = openOffice(bytes, 'word/document.xml');
  const mammoth = loadMammoth();
  const { value } = await mammoth.convertToHtml(
    { arrayBuffer: new Uint8Array(bytes).buffer },
    // Pictures would be megabytes of base64.
    {
      convertImage: mammoth.images.imgElement(async () => ({ src: '' })),
      externalFileAccess: false,
    },
  );
  return { fields: coreFields(archive), unit: 's', pages: sectionsOf(htmlToMarkdown(value)) };
}
