import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { docx, pdf } from '../../test/documents/make.ts';
import { temporaryDirectory } from '../../test/world/harness.ts';
import { type OcrProgram, readPictures } from './ocr.ts';
import { ConvertedTexts, type TextsOptions } from './texts.ts';

const PNG = Buffer.from(
  '89504e470d0a1a0a0000000d4948445200000280000001e00806000000000000000000000049454e44ae426082',
  'hex',
);

const shared = new ConvertedTexts({ directory: null });
afterAll(() => shared.close());

/** A program of a shell's lines. */
function program(script: string, ...args: string[]): OcrProgram {
  const directory = temporaryDirectory();
  const file = join(directory, 'read');
  writeFileSync(file, `#!/bin/sh\n${script}\n`);
  chmodSync(file, 0o755);
  return { file, args, directory, path: process.env['PATH'] ?? '' };
}

function texts(options: Partial<TextsOptions>): ConvertedTexts {
  const made = new ConvertedTexts({ directory: null, ...options });
  onTestFinished(() => made.close());
  return made;
}

test('what is no document, or too large a one, is not read', async () => {
  await expect(shared.text(Buffer.from('x'), 'a.txt')).rejects.toMatchObject({
    code: 'EINVAL',
    message: 'is no document that has a text',
  });
  const large = Buffer.allocUnsafeSlow(128 * 1024 * 1024 + 1);
  await expect(shared.text(large, 'a.pdf')).rejects.toMatchObject({
    code: 'EFBIG',
    message: 'is larger than 128 MiB',
  });
});

test('a fault is told again, and what a library stumbles over is one of the document', async () => {
  for (const _ of [1, 2])
    await expect(shared.text(Buffer.from('x'), 'a.docx')).rejects.toMatchObject({
      name: 'DocumentFault',
      code: 'EINVAL',
    });
  await expect(shared.text(Buffer.from('no picture'), 'a.png')).rejects.toMatchObject({
    code: 'EINVAL',
    message: expect.stringMatching(/^is broken, or is not what its name says: .{1,200}$/),
  });
});

test('who asks at once, or again, or under another name, gets the text that was made once', async () => {
  const ocr = program('echo run >> runs; wc -l < runs');
  const made = texts({ ocr });
  const [one, two] = await Promise.all([made.text(PNG, 'a.png'), made.text(PNG, 'b.png')]);
  expect(one).toMatch(/\n1\n$/);
  expect([two, await made.text(PNG, 'c.jpg')]).toEqual([one, one]);
  // Another picture is another one.
  expect(await made.text(Buffer.concat([PNG, PNG]), 'a.png')).toMatch(/\n2\n$/);
});

test('what is kept by one is read by another, unless it reads pictures in another way', async () => {
  const directory = join(temporaryDirectory(), 'texts');
  const ocr = program('echo run >> runs; wc -l < runs');
  expect(await texts({ directory, ocr }).text(PNG, 'a.png')).toMatch(/\n1\n$/);
  expect(await texts({ directory, ocr }).text(PNG, 'a.png')).toMatch(/\n1\n$/);
  expect(await texts({ directory, ocr: { ...ocr, args: ['-'] } }).text(PNG, 'a.png')).toMatch(
    /\n2\n$/,
  );
  expect(await texts({ directory }).text(PNG, 'a.png')).not.toMatch(/\n\d\n$/);
});

test('pictures are read by the program, and documents without a word; no others', async () => {
  const made = texts({ ocr: program('cat > /dev/null; printf "as $1"', '{extension}') });
  expect(await made.text(PNG, 'd.d/a.PNG')).toContain('as png');
  expect(await made.text(pdf(['', '']), 'a.pdf')).toContain('as pdf');
  expect(await made.text(pdf(['word', '']), 'a.pdf')).not.toContain('as pdf');
  expect(await made.text(docx(['']), 'a.docx')).not.toContain('as ');
});

test('the lengths that were told last are known', () => {
  const { lengths } = new ConvertedTexts({ directory: null });
  lengths.set('first', 7);
  for (let at = 0; at < 4_095; at++) lengths.set(`${at}`, at);
  expect(lengths.get('first')).toBe(7);
  lengths.set('first', 8);
  lengths.set('last', 9);
  expect(['first', 'last', '0', '1', 'none'].map((look) => lengths.get(look))).toEqual([
    8,
    9,
    undefined,
    1,
    undefined,
  ]);
});

test('a program that reads pictures gets the picture, its own directory, and a PATH alone', async () => {
  process.env['OCR_SECRET'] = 'told';
  onTestFinished(() => {
    delete process.env['OCR_SECRET'];
  });
  const ocr = program(
    'pwd; wc -c; echo "$OCR_SECRET"; echo "$@"',
    'x{extension}',
    '{extension}{extension}',
  );
  const [page = ''] = await readPictures(ocr, Buffer.from('12345'), 'png');
  expect(page.split('\n')).toEqual([ocr.directory, '5', '', 'xpng pngpng']);
});

test.each([
  ['printf " one \\f two \\n\\f\\f"', ['one', 'two']],
  ['printf "\\f\\ftwo"', ['', '', 'two']],
  ['printf "\\f"', ['']],
  ['true', ['']],
])('pages are between form feeds: %s', async (script, pages) => {
  expect(await readPictures(program(script), Buffer.from('x'), 'png')).toEqual(pages);
});

test('a program that reads no further than it wants is no failure', async () => {
  expect(await readPictures(program('echo enough'), Buffer.alloc(1 << 20), 'png')).toEqual([
    'enough',
  ]);
});

test.each([
  ['echo first >&2; echo second >&2; exit 3', 'failed: first'],
  ['exit 3', 'failed: status 3'],
  ['kill -9 $$', 'was ended by SIGKILL'],
  ['head -c 17000000 /dev/zero | tr "\\\\0" x', 'gives more text than is read of one'],
])('a program that fails says so of the picture: %s', async (script, what) => {
  await expect(readPictures(program(script), Buffer.from('x'), 'png')).rejects.toMatchObject({
    code: 'EIO',
    message: `is a picture, and the program that reads them ${what}`,
  });
});

test('a program that is not there says so of the picture', async () => {
  const gone = { ...program(''), file: '/nowhere/read' };
  await expect(readPictures(gone, Buffer.from('x'), 'png')).rejects.toMatchObject({
    code: 'EIO',
    message: expect.stringContaining('cannot be run: '),
  });
});
