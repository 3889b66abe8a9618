import { expect, test } from 'vitest';
import { zip } from '../../../test/documents/make.ts';
import { pagesOf } from '../pages.ts';
import { convert } from './convert.ts';

/** A book of an opening file and others. */
const book = (
  opf: string,
  files: Readonly<Record<string, string>> = {},
  name = 'o/b.opf',
): Buffer =>
  zip({
    'META-INF/container.xml': `<container><rootfiles><rootfile full-path="${name}"/><rootfile full-path="other"/></rootfiles></container>`,
    [name]: `<package>${opf}</package>`,
    ...files,
  });

const chapter = (text: string): string =>
  `<html><head><title>t</title></head><body><p>${text}</p></body></html>`;

const item = (id: string, href: string): string => `<item id="${id}" href="${href}"/>`;
const spine = (...ids: readonly string[]): string =>
  `<spine>${ids.map((id) => `<itemref idref="${id}"/>`).join('')}</spine>`;

const pages = async (bytes: Uint8Array): Promise<string[]> =>
  pagesOf(await convert('epub', bytes)).map((page) => page.text);

test('chapters are pages in the order of reading, and not of the files', async () => {
  expect(
    await pages(
      book(
        `<manifest>${item('a', 'text/a%20b.xhtml#top')}${item('b', '../b.xhtml')}${item('c', '100%.xhtml')}${item('d', 'gone.xhtml')}</manifest>${spine('b', 'c', 'none', 'a', 'd')}`,
        {
          'o/text/a b.xhtml': chapter('of a'),
          'b.xhtml': chapter('of b'),
          'o/100%.xhtml': chapter('of c'),
        },
      ),
    ),
  ).toEqual(['of b\n', 'of c\n', 'of a\n', '[the chapter o/gone.xhtml is missing]\n']);
});

test('a book at the top of its archive, and one without a spine', async () => {
  const manifest = `<manifest>${item('a', 'a.xhtml')}</manifest>`;
  const files = { 'a.xhtml': chapter('of a') };
  expect(await pages(book(manifest + spine('a'), files, 'b.opf'))).toEqual(['of a\n']);
  expect(await pages(book(manifest, files, 'b.opf'))).toEqual([]);
});

test('a book says of itself what its fields say', async () => {
  const metadata =
    '<metadata><dc:title> T </dc:title><dc:creator>Ada</dc:creator><dc:subject>S</dc:subject><dc:description>D</dc:description><dc:publisher>P</dc:publisher><dc:date>2024-06-03T10:00:00Z</dc:date></metadata>';
  expect(await convert('epub', book(metadata))).toBe(
    '---\ntitle: T\nauthor: Ada\nsubject: S\ndescription: D\npublisher: P\ncreated: "2024-06-03"\n---\n',
  );
  expect(await convert('epub', book('<metadata><dc:title> </dc:title></metadata>'))).toBe('');
});

test('a book is locked where a chapter is; fonts often are', async () => {
  const locked = (uri: string): Buffer =>
    book(
      `<manifest>${item('a', 'a b.xhtml')}${item('z', 'z.xhtml')}</manifest>${spine('z', 'a')}`,
      {
        'o/a b.xhtml': chapter('of a'),
        'o/z.xhtml': chapter('of z'),
        'META-INF/encryption.xml': `<e><EncryptedData><CipherReference URI="${uri}"/></EncryptedData></e>`,
      },
    );
  await expect(convert('epub', locked('o/a%20b.xhtml'))).rejects.toThrow('is encrypted');
  expect(await pages(locked('o/font.otf'))).toEqual(['of z\n', 'of a\n']);
});

test('without a book in it an archive is none', async () => {
  const container = (path: string): Buffer =>
    zip({ 'META-INF/container.xml': `<container>${path}</container>` });
  for (const bytes of [
    zip({ a: 'b' }),
    container(''),
    container('<rootfile/>'),
    container('<rootfile full-path="gone"/>'),
  ])
    await expect(convert('epub', bytes)).rejects.toThrow('no book is in it');
});
