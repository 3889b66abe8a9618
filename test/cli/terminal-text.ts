/** What a terminal shows, as text. */

/** What moves the cursor, colours, clears: all that is no text. */
const SEQUENCE = /\x1b\[[0-?]*[ -/]*[@-~]|\x1b[()][A-Z0-9]|\x1b[=>78]/g;

/** The lines of what came to a terminal. What is drawn over is gone: a line that tells of progress, for one. */
export function terminalText(raw: string): string {
  const lines = raw.replace(SEQUENCE, '').replaceAll(/\r+\n/g, '\n').split('\n');
  return lines.map((line) => line.slice(line.lastIndexOf('\r') + 1)).join('\n');
}
