/** `--text-of`: documents are searched by their texts, each page as the file that it is. */
import { documentFormat, pagePath, textPath } from '../../src/texts/names.ts';
import { pagesOf } from '../../src/texts/pages.ts';
import { noBytes, type Target } from './walk.ts';

/** The text of a document. */
export interface TextTarget extends Target {
  /** Absolute. */
  document: string;
}

/** The text of a target that is a document; any other as it is. */
export function textTarget(target: Target): Target | TextTarget {
  const { path, error } = target;
  if (error !== undefined || documentFormat(path) === null) return target;
  return { path: textPath(path), bytes: noBytes, document: path };
}

export async function* textTargets(
  targets: Iterable<Target> | AsyncIterable<Target>,
): AsyncIterable<Target | TextTarget> {
  for await (const target of targets) yield textTarget(target);
}

/** What of a text is a file of its own: what is known of the document, and each page. */
export function filesOfText(
  document: string,
  bytes: Uint8Array,
): { name: string; content: Uint8Array }[] {
  const text = Buffer.from(bytes).toString('utf8');
  const pages = pagesOf(text);
  const [first] = pages;
  const lines = first === undefined ? undefined : first.firstLine - 3;
  const head = text.split('\n').slice(0, lines).join('\n');
  return [
    { name: textPath(document), content: Buffer.from(head) },
    ...pages.map((page) => ({
      name: pagePath(document, page.name),
      content: Buffer.from(page.text),
    })),
  ];
}
