/** What a document does to its reader ends with that document: it says what is wrong, and the next one is read. */
import { afterAll, expect, test } from 'vitest';
import { ConvertedTexts } from '../../src/texts/texts.ts';
import { HOSTILE } from './hostile-documents.ts';
import { judge } from './judge.ts';
import { docx } from './make.ts';

const texts = new ConvertedTexts({ directory: null });
afterAll(() => texts.close());

test('there are more than thirty of them', () => {
  expect(HOSTILE.length).toBeGreaterThan(30);
});

test.each(HOSTILE)('$name ($file)', async (hostile) => {
  await judge(texts, hostile);
  expect(await texts.text(docx([`after ${hostile.name}`]), 'x.docx')).toContain('after');
});
