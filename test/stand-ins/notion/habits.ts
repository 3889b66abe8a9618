/** How the service has been seen to write its own markdown, where that is not as it is documented. */
import type { Habits } from './model.ts';

type Written = Pick<Habits, 'callouts' | 'tables'>;

/** A text as the service gives it. */
export function written(markdown: string, { callouts, tables }: Written): string {
  let inTable = false;
  return outsideCode(markdown, (line) => {
    const plain = line.trimStart();
    const within = inTable;
    if (plain.startsWith('<table')) inTable = true;
    if (plain === '</table>') inTable = false;
    if (within && tables === 'flush') return plain;
    if (callouts === 'tag') return line;
    return line
      .replace(/<callout((?: [a-z]+="[^"]*")*)>$/, (_all, attrs: string) =>
        attrs === '' ? '::: callout' : `::: callout {${attrs.trim()}}`,
      )
      .replace(/<\/callout>$/, ':::');
  });
}

/** A text as the service reads it: whatever its form, as the documentation has it; a table on one line. */
export function documented(markdown: string): string {
  const lines: string[] = [];
  let table: string | null = null;
  outsideCode(
    markdown.replaceAll('\r\n', '\n'),
    (line) => {
      const plain = line.trim();
      if (table !== null) table += plain;
      else if (plain.startsWith('<table')) table = line.trimEnd();
      else lines.push(calloutTag(line));
      if (table?.endsWith('</table>') === true) {
        lines.push(table);
        table = null;
      }
      return line;
    },
    (code) => lines.push(code),
  );
  return [...lines, ...(table === null ? [] : [table])].join('\n');
}

function calloutTag(line: string): string {
  return line
    .replace(
      /^(\s*)::: ?callout(?: \{(.*)\})?$/,
      (_all, indent: string, attrs: string | undefined) =>
        `${indent}<callout${attrs === undefined ? '' : ` ${attrs}`}>`,
    )
    .replace(/^(\s*):::$/, '$1</callout>');
}

/** Every line but those of code through a function. */
function outsideCode(
  markdown: string,
  each: (line: string) => string,
  code: (line: string) => void = () => undefined,
): string {
  let fence: string | null = null;
  return markdown
    .split('\n')
    .map((line) => {
      const plain = line.trim();
      const mark = /^(`{3,})[^`]*$/.exec(plain)?.[1];
      const within = fence !== null;
      if (fence === null) fence = mark ?? null;
      else if (plain === fence) fence = null;
      if (!within && fence === null) return each(line);
      code(line);
      return line;
    })
    .join('\n');
}
