/** What `.import` reads: fields, quoted or not, in lines. */

/** The rows of a text. Quotes count for CSV alone. */
export function readRows(text: string, separator: string, isCsv: boolean): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let field = '';
  const endField = (): void => {
    row.push(field);
    field = '';
  };
  for (let at = 0; at < text.length; ) {
    if (isCsv && field === '' && text[at] === '"') {
      const [whole = '"', inside = ''] = /^"((?:[^"]|"")*)"?/.exec(text.slice(at)) ?? [];
      field = inside.replaceAll('""', '"');
      at += whole.length;
    } else if (separator !== '' && text.startsWith(separator, at)) {
      endField();
      at += separator.length;
    } else if (text[at] === '\n') {
      if (field.endsWith('\r')) field = field.slice(0, -1);
      endField();
      rows.push(row);
      row = [];
      at++;
    } else field += text[at++];
  }
  if (field !== '' || row.length > 0) {
    endField();
    rows.push(row);
  }
  return rows;
}
