/** Lines of Notion's markdown that stand for pages and databases. */

const REFERENCE = /<(?:page|database)\b[^>]*?\burl="([^"]*)"/g;

/** The ids of the pages and databases that a text names on lines of their own, with dashes, each once. */
export function referencesIn(markdown: string): string[] {
  const ids = [...markdown.matchAll(REFERENCE)].flatMap(([, url = '']) => idIn(url) ?? []);
  return [...new Set(ids)];
}

/** The id in an address of Notion's, or in what is an id already, with dashes; null where there is none. */
export function idIn(text: string): string | null {
  const plain = text.replace(/[?#].*$/s, '');
  const hex = /([0-9a-f]{32})$/i.exec(plain.replace(UUID, (id) => id.replaceAll('-', '')))?.[1];
  return hex === undefined ? null : dashed(hex.toLowerCase());
}

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

function dashed(hex: string): string {
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
