/** Words of scripts that we write ourselves. */

/** A text as one word that the shell leaves as it is. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
