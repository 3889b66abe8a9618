/** The sections of a text without pages: each begins at a heading of the first or second level. */

export function sectionsOf(markdown: string): string[] {
  const sections: string[][] = [[]];
  let fence = '';
  for (const line of markdown.split('\n')) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (mark !== undefined && (fence === '' || mark.startsWith(fence)))
      fence = fence === '' ? mark : '';
    const begins = fence === '' && /^#{1,2} +\S/.test(line);
    if (begins && sections.at(-1)?.some((each) => each.trim() !== '')) sections.push([]);
    sections.at(-1)?.push(line);
  }
  return sections.map((lines) => lines.join('\n'));
}
