/** An answer taken apart: its citations, its sentences, and the certificate at its end. */
import { type Certificate, certificateOf, certificateSpans } from './certificate.ts';
import type { Citation } from './citation.ts';
import { findBracketed, findHits, findLinks, findNamed, without } from './forms.ts';
import { type Sentence, sentencesOf } from './sentences.ts';
import { attachBlockquotes, attachQuotes } from './spoken.ts';

/** What is in an answer. */
export interface Answer {
  /** In their order. */
  citations: readonly Citation[];
  sentences: readonly Sentence[];
  /** null where it was never certified. */
  certificate: Certificate | null;
  /** The line of an offset, counted from 1. */
  lineAt(offset: number): number;
}

const FENCE =
  /^[ \t]*(?<fence>`{3,}|~{3,})[^\n]*\n[\s\S]*?(?:^[ \t]*\k<fence>[`~]*[ \t]*$|(?![\s\S]))/gm;

/** Takes an answer apart. It is Markdown, or plain text. */
export function parseAnswer(markdown: string): Answer {
  const answer = markdown.replaceAll('\0', '\ufffd').replaceAll('\r\n', '\n');
  const text = without(answer, certificateSpans(answer));
  const fences = [...text.matchAll(FENCE)].map(({ index, 0: { length } }) => ({
    at: index,
    end: index + length,
  }));
  const isCode = (at: number): boolean => fences.some((fence) => fence.at <= at && at < fence.end);
  const found: Citation[] = findHits(text, isCode);
  const prose = without(text, fences);
  for (const find of [findBracketed, findLinks, findNamed])
    found.push(...find(without(prose, found)));
  found.sort((a, b) => a.at - b.at);
  const quoted = attachBlockquotes(prose, found);
  const sentences = sentencesOf(prose, quoted);
  const citations = attachQuotes(prose, quoted, sentences);
  const lineAt = (offset: number): number => answer.slice(0, offset).split('\n').length;
  return { citations, sentences, certificate: certificateOf(answer), lineAt };
}

/** An answer without its certificate. */
export function withoutCertificate(answer: string): string {
  const spans = certificateSpans(answer);
  let rest = answer;
  for (const { at, end } of spans.toReversed()) rest = `${rest.slice(0, at)}${rest.slice(end)}`;
  return `${rest.trimEnd()}\n`;
}
