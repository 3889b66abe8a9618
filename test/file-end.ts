/**
 * What tests of a file share ends with the file. A module that they import cannot say so by a hook of
 * its own: files follow one another in a process, and it is loaded for the first one alone.
 */
type End = () => Promise<void> | void;

const ends: End[] = [];

/** Has it called after the last test of the file that runs. */
export function atEndOfFile(end: End): void {
  ends.push(end);
}

/** Ends what was shared, the latest first. */
export async function endFile(): Promise<void> {
  for (const end of ends.splice(0).reverse()) await end();
}
