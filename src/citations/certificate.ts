/**
 * The certificate at the end of an answer: what was cited, and what it held
 * when that was checked. A fenced block, a line for each citation, which people
 * and programs can read.
 */
import type { Place } from './citation.ts';
import { PLACE, placeOf, placeText } from './citation.ts';

/** The info string of the block. */
const BLOCK_NAME = 'citations';

/** What was certified of one citation. */
export interface CertifiedCitation {
  /** Absolute. */
  path: string;
  place: Place | null;
  /** SHA-256 of the document, in hexadecimal digits. */
  sha256: string;
  /** The first 16 hexadecimal digits of the SHA-256 of the cited lines, page or quotations. */
  text: string;
  /** When the document had been changed last, as ISO 8601. */
  updated: string;
}

/** A certificate. */
export interface Certificate {
  citations: readonly CertifiedCitation[];
  /** Lines of it that are none: of what did not hold, or spoilt. */
  others: readonly string[];
}

const BLOCK = new RegExp(
  `^(?<fence>\`{3,})${BLOCK_NAME}[ \\t]*\\r?\\n(?<body>[\\s\\S]*?)^\\k<fence>[ \\t]*\\r?$\\n?`,
  'gm',
);
const LINE = new RegExp(
  `^holds (?<path>\\/.*?)(?:${PLACE})? sha256:(?<sha256>[0-9a-f]{64}) text:(?<text>[0-9a-f]{16}) updated:(?<updated>\\S+)$`,
);

/** Where certificates stand in an answer. */
export const certificateSpans = (answer: string): { at: number; end: number }[] =>
  [...answer.matchAll(BLOCK)].map(({ index, 0: block }) => ({
    at: index,
    end: index + block.length,
  }));

/** The certificate of an answer; null where it has none. Of several, all that they say. */
export function certificateOf(answer: string): Certificate | null {
  const bodies = [...answer.matchAll(BLOCK)].map(({ groups }) => groups?.['body'] ?? '');
  if (bodies.length === 0) return null;
  const citations: CertifiedCitation[] = [];
  const others: string[] = [];
  for (const row of bodies.join('\n').split('\n')) {
    const line = row.trim();
    const groups = LINE.exec(line)?.groups;
    if (groups === undefined) {
      if (line !== '') others.push(line);
      continue;
    }
    const { path = '', first, second, sha256 = '', text = '', updated = '' } = groups;
    const place = first === undefined ? null : placeOf(first, second);
    citations.push({ path, place, sha256, text, updated });
  }
  return { citations, others };
}

/** A line of the block. */
export const certifiedLine = ({ path, place, sha256, text, updated }: CertifiedCitation): string =>
  `holds ${path}${place === null ? '' : `:${placeText(place)}`} sha256:${sha256} text:${text} updated:${updated}`;

/** The block. @param lines none of which begins a fence */
export const certificateBlock = (lines: readonly string[]): string =>
  `\`\`\`${BLOCK_NAME}\n${lines.join('\n')}\n\`\`\`\n`;
