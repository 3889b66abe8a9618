import { crc32 } from 'node:zlib';
import { expect, test } from 'vitest';
import { pagesOf } from '../pages.ts';
import { convert } from './convert.ts';

function chunk(type: string, data: Uint8Array): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
}

const said = (name: string, text: string): Buffer =>
  chunk('iTXt', Buffer.concat([Buffer.from(`${name}\0\0\0\0\0`), Buffer.from(text)]));

/** A picture of 640 dots by 480, with what is said of it. */
const picture = (...chunks: readonly Buffer[]): Buffer =>
  Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', Buffer.from('00000280000001e00806000000', 'hex')),
    ...chunks,
    chunk('IEND', Buffer.alloc(0)),
  ]);

/** As Adobe's programs write it (XMP). */
const xmp = (fields: string): Buffer =>
  said(
    'XML:com.adobe.xmp',
    `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:exif="http://ns.adobe.com/exif/1.0/" xmlns:tiff="http://ns.adobe.com/tiff/1.0/" xmlns:xmp="http://ns.adobe.com/xap/1.0/">${fields}</rdf:Description></rdf:RDF></x:xmpmeta>`,
  );

test('a picture has its size, and what is said of it', async () => {
  expect(await convert('image', picture())).toBe('---\nformat: PNG\nsize: "640 x 480"\n---\n');
  const text = await convert(
    'image',
    picture(
      said('Title', 'The quay'),
      said('Author', 'Ada'),
      said('Copyright', 'all of it'),
      said('Software', 'Brush'),
      said('Description', 'A boat. '),
      said('Comment', 'At dawn.'),
    ),
  );
  expect(text).toBe(
    '---\ntitle: The quay\nauthor: Ada\nsoftware: Brush\ncopyright: all of it\nformat: PNG\nsize: "640 x 480"\npages: 1\n---\n\n<!-- p1 -->\n\nA boat.\n\nAt dawn.\n',
  );
});

test('what is said twice is read once, and what was written first wins', async () => {
  const text = await convert(
    'image',
    picture(
      xmp(
        '<dc:title>Own</dc:title><dc:creator>Bo</dc:creator><dc:description>A boat.</dc:description><tiff:Model>K1</tiff:Model><xmp:CreateDate>2024-06-03</xmp:CreateDate><dc:subject>sea</dc:subject>',
      ),
      said('Title', 'The quay'),
      said('Description', 'A boat.'),
    ),
  );
  expect(text).toContain('title: Own\nauthor: Bo\n');
  expect(text).toContain('camera: K1\n');
  expect(text).toContain('keywords: sea\n');
  expect(pagesOf(text).map((page) => page.text)).toEqual(['A boat.\n']);
});

test('a place needs both of its numbers', async () => {
  const latitude = '<exif:GPSLatitude>53,33.1N</exif:GPSLatitude>';
  const both = `${latitude}<exif:GPSLongitude>9,59.2E</exif:GPSLongitude>`;
  expect(await convert('image', picture(xmp(both)))).toMatch(/\nplace: "53\S+ 9\S+"\n/);
  expect(await convert('image', picture(xmp(latitude)))).not.toContain('place');
});

test('what is no picture is refused', async () => {
  await expect(convert('image', Buffer.from('no picture at all'))).rejects.toThrow();
});
