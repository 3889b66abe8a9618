/** Reads a hostile document, and holds what comes of it against what must. */
import { expect } from 'vitest';
import { DocumentFault } from '../../src/texts/fault.ts';
import type { DocumentTexts } from '../../src/texts/texts.ts';
import type { Hostile } from './hostile-documents.ts';

export async function judge(texts: DocumentTexts, hostile: Hostile): Promise<void> {
  const { file, bytes, fault, text, lacks } = hostile;
  const outcome = await texts.text(bytes(), file).catch((error: unknown) => error);
  if (fault !== undefined) {
    expect(outcome).toBeInstanceOf(DocumentFault);
    expect((outcome as DocumentFault).message).toMatch(fault);
    // A sentence for a person, of the document and not of this program.
    expect((outcome as DocumentFault).message).not.toMatch(/\n| at .*:\d+|undefined|\.[tj]s\b/);
  } else {
    expect(outcome).toMatch(text ?? /./);
    if (lacks !== undefined) expect(outcome).not.toMatch(lacks);
  }
}
