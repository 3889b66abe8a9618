/** A message as a page of HTML, for readers of mail: code and tables as such, and nothing that fetches anything. */
import type * as Micromark from 'micromark';
import type * as Gfm from 'micromark-extension-gfm';

/** What makes pages. */
export interface PageMaker {
  micromark: typeof Micromark.micromark;
  gfm: Pick<typeof Gfm, 'gfm' | 'gfmHtml'>;
}

/** A link that begins an answer. */
export interface AnswerLink {
  label: string;
  address: string;
}

const STYLE =
  'body{font:15px/1.5 sans-serif}pre,code{font:13px/1.4 monospace}pre{padding:8px;border:1px solid #8888;white-space:pre-wrap;overflow-wrap:anywhere}table{border-collapse:collapse}th,td{padding:3px 8px;border:1px solid #8888;text-align:left}blockquote{margin-left:0;padding-left:8px;border-left:3px solid #8888}';

/** HTML of others in a text is shown as it is written, and a picture is a link: whoever shows one tells that, and when, it was read. */
export function pageOf(
  { micromark, gfm }: PageMaker,
  text: string,
  links: readonly AnswerLink[] = [],
): string {
  const body = micromark(text, {
    extensions: [gfm.gfm(), { disable: { null: ['labelStartImage'] } }],
    htmlExtensions: [gfm.gfmHtml()],
  });
  const answers = links.map(
    ({ label, address }) => `<a href="${escaped(address)}">${escaped(label)}</a>`,
  );
  const asking = answers.length === 0 ? '' : `<p>${answers.join(' &nbsp; ')}</p>\n`;
  return `<!doctype html>\n<html><head><meta charset="utf-8"><style>${STYLE}</style></head>\n<body>\n${body}\n${asking}</body></html>\n`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
};

const escaped = (text: string): string =>
  text.replaceAll(/[&<>"]/g, (character) => ENTITIES[character] ?? '');
