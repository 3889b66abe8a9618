/** The texts of documents: made once for each content, kept, and made again by another version. */

import { type Outcome, TextCache, textKey } from './cache.ts';
import { Converter } from './converter.ts';
import { DocumentFault } from './fault.ts';
import { LARGEST_DOCUMENT } from './limits.ts';
import { type DocumentFormat, documentFormat } from './names.ts';
import { type OcrProgram, readPictures } from './ocr.ts';
import { isWithoutText, withPictures } from './pages.ts';

/** What is known of some texts. */
export interface Lengths {
  get(look: string): number | undefined;
  set(look: string, length: number): void;
}

/** Makes texts of documents. */
export interface DocumentTexts {
  /**
   * The text of a document, as markdown with its pages.
   * @param path whose name tells the format
   * @throws DocumentFault where it has none
   */
  text(bytes: Uint8Array, path: string): Promise<string>;
  /** How long texts are that were read, in bytes, by what their documents looked like then. */
  readonly lengths: Lengths;
  close(): Promise<void>;
}

export interface TextsOptions {
  /** Where texts are kept; null keeps them in memory. */
  directory: string | null;
  /** Reads what is a picture of text; without one, nobody does. */
  ocr?: OcrProgram | undefined;
}

/** Texts by a converter in a thread of its own. */
export class ConvertedTexts implements DocumentTexts {
  readonly lengths: Lengths = new LastLengths();
  readonly #cache: TextCache;
  readonly #ocr: OcrProgram | undefined;
  readonly #converter = new Converter();
  readonly #underWay = new Map<string, Promise<Outcome>>();

  constructor({ directory, ocr }: TextsOptions) {
    this.#cache = new TextCache(directory);
    this.#ocr = ocr;
  }

  async text(bytes: Uint8Array, path: string): Promise<string> {
    const format = documentFormat(path);
    if (format === null) throw new DocumentFault('EINVAL', 'is no document that has a text');
    if (bytes.length > LARGEST_DOCUMENT)
      throw new DocumentFault('EFBIG', `is larger than ${LARGEST_DOCUMENT / 1024 / 1024} MiB`);
    const reads = format === 'image' || format === 'pdf' ? this.#ocr : undefined;
    const key = textKey(bytes, format, reads === undefined ? '' : JSON.stringify(reads));
    const outcome = this.#cache.get(key) ?? (await this.#made({ key, format, bytes, path }));
    if ('fault' in outcome) throw outcome.fault;
    return outcome.text;
  }

  close(): Promise<void> {
    return this.#converter.close();
  }

  /** Two who ask for the same text at once wait for one conversion. */
  #made(wanted: Wanted): Promise<Outcome> {
    const { key } = wanted;
    const made =
      this.#underWay.get(key) ?? this.#make(wanted).finally(() => this.#underWay.delete(key));
    this.#underWay.set(key, made);
    return made;
  }

  async #make(wanted: Wanted): Promise<Outcome> {
    const { key, format, bytes } = wanted;
    let outcome: Outcome;
    try {
      const text = await this.#converter.convert(format, bytes);
      outcome = { text: await this.#seen(wanted, text) };
    } catch (error) {
      if (!(error instanceof DocumentFault)) throw error;
      outcome = { fault: error };
    }
    this.#cache.put(key, outcome);
    return outcome;
  }

  /** A text with what a program reads off the pictures that the document is. */
  async #seen({ format, bytes, path }: Wanted, text: string): Promise<string> {
    const isPicture = format === 'image' || (format === 'pdf' && isWithoutText(text));
    if (this.#ocr === undefined || !isPicture) return text;
    const extension = path.slice(path.lastIndexOf('.') + 1).toLowerCase();
    return withPictures(text, await readPictures(this.#ocr, bytes, extension));
  }
}

/** What is to be made a text of. */
interface Wanted {
  key: string;
  format: DocumentFormat;
  bytes: Uint8Array;
  path: string;
}

/** The lengths that were told last: of others an estimate does. */
class LastLengths implements Lengths {
  readonly #lengths = new Map<string, number>();

  get(look: string): number | undefined {
    return this.#lengths.get(look);
  }

  set(look: string, length: number): void {
    this.#lengths.delete(look);
    this.#lengths.set(look, length);
    for (const oldest of this.#lengths.keys()) {
      if (this.#lengths.size <= MOST_LENGTHS) break;
      this.#lengths.delete(oldest);
    }
  }
}

const MOST_LENGTHS = 4_096;
