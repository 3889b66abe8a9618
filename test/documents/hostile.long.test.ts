/** What takes seconds before a limit ends it: memory, time, length. */
import { afterAll, expect, test } from 'vitest';
import { ConvertedTexts } from '../../src/texts/texts.ts';
import { HEAVY } from './hostile-documents.ts';
import { judge } from './judge.ts';
import { docx } from './make.ts';

const texts = new ConvertedTexts({ directory: null });
afterAll(() => texts.close());

test.each(HEAVY)(
  '$name',
  async (hostile) => {
    await judge(texts, hostile);
    expect(await texts.text(docx([`after ${hostile.name}`]), 'x.docx')).toContain('after');
  },
  180_000,
);
