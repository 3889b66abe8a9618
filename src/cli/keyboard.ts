/** Lines from the keyboard for a command that reads its stdin: as a terminal gives them, without history. */
import { cellsOf, type VisibleText, visible } from '../visible.ts';
import type { RawKeys } from './keys.ts';

/** What was typed: a line, Ctrl-C, or Ctrl-D where a line would begin. */
export type Typed = { line: string } | 'interrupted' | 'ended';

const SEGMENTS = new Intl.Segmenter();

/**
 * Reads a line. It is shown as it is typed, unless it is hidden.
 * @param show writes to the terminal
 */
export async function typedLine(
  keys: RawKeys,
  show: (text: VisibleText) => void,
  hidden: boolean,
  signal: AbortSignal,
): Promise<Typed> {
  let line = '';
  const erase = (count: number): void => {
    const clusters = [...SEGMENTS.segment(line)].map(({ segment }) => segment);
    const gone = clusters.splice(Math.max(0, clusters.length - count)).join('');
    line = clusters.join('');
    const cells = [...gone].reduce((sum, each) => sum + cellsOf(each), 0);
    for (let each = 0; each < cells && !hidden; each++) show(visible`\b \b`);
  };
  for (;;) {
    const key = await keys.next(signal);
    switch (key) {
      case null:
        return signal.aborted ? 'interrupted' : line === '' ? 'ended' : { line };
      case '\r':
      case '\n':
      case '\r\n':
        if (!hidden) show(visible`\n`);
        return { line };
      case '\x03':
        show(visible`^C\n`);
        return 'interrupted';
      case '\x04':
        // Behind text it hands that on, as a line without its end would be.
        if (line === '') return 'ended';
        break;
      case '\x7f':
      case '\b':
        erase(1);
        break;
      case '\x15':
        erase(line.length);
        break;
      case '\x17':
        erase(/\S*\s*$/.exec(line)?.[0].length ?? 0);
        break;
      default:
        // Arrows and the like move nothing in such a line.
        if (key.startsWith('\x1b') || (key < ' ' && key !== '\t')) break;
        line += key;
        if (!hidden) show(visible`${key}`);
    }
  }
}
