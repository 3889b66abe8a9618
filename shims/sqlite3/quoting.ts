/** Texts and names in SQL. All texts are byte strings. */

/** A text in SQL. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** A name in SQL, in double quotes whatever it is. */
export function quotedName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** A name in SQL, in quotes where it must be. */
export function nameInSql(name: string, isKeyword: (name: string) => boolean): string {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && !isKeyword(name) ? name : quotedName(name);
}

/** Bytes in SQL. */
export function blobInSql(bytes: string): string {
  return `X'${Buffer.from(bytes, 'latin1').toString('hex')}'`;
}

/** A text in SQL on one line: its line ends are made by `replace`. */
export function quotedOnOneLine(text: string): string {
  let made = quoted(text);
  for (const [end, mark1, mark2, code] of [
    ['\r', '\\r', '\\015', 13],
    ['\n', '\\n', '\\012', 10],
  ] as const) {
    if (!text.includes(end)) continue;
    const mark = unused(text, mark1, mark2);
    made = `replace(${made.replaceAll(end, mark)},'${mark}',char(${code}))`;
  }
  return made;
}

/** Something that the text does not contain. */
function unused(text: string, first: string, second: string): string {
  for (const mark of [first, second]) if (!text.includes(mark)) return mark;
  for (let i = 0; ; i++) {
    const mark = `(${first}${i})`;
    if (!text.includes(mark)) return mark;
  }
}
