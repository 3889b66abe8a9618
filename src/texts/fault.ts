/** Why a document has no text. */
import { brand, type Errno } from '../errors.ts';

/** What a document's text failed with; whoever knows its path makes an `FsError` of it. */
export class DocumentFault extends Error {
  override readonly name = 'DocumentFault';
  readonly code: Errno;

  /** @param reason what is wrong with the document, as the end of a sentence: `is encrypted` */
  constructor(code: Errno, reason: string) {
    super(reason);
    this.code = code;
  }

  static {
    brand(DocumentFault, 'DocumentFault');
  }
}

export const broken = (reason: string): DocumentFault => new DocumentFault('EINVAL', reason);
