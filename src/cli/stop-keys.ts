/** The keys that stop a turn. */
import type { TerminalInput } from './line-reader.ts';

const ESCAPE = 0x1b;
const CTRL_C = 0x03;

/**
 * While a turn runs the keys are watched: Esc alone, or Ctrl-C. An arrow key
 * begins with the same byte, but more follow in the same chunk.
 */
export function stopOnKeys(
  input: TerminalInput,
  onStop: () => void,
  onOther: (typed: string) => void,
): () => void {
  const onKeys = (chunk: Buffer | string): void => {
    const bytes = Buffer.from(chunk);
    if (bytes.includes(CTRL_C) || (bytes.length === 1 && bytes[0] === ESCAPE)) onStop();
    else onOther(bytes.toString());
  };
  input.setRawMode?.(true);
  input.on('data', onKeys);
  input.resume();
  process.on('SIGINT', onStop);
  return () => {
    process.off('SIGINT', onStop);
    input.off('data', onKeys);
    input.pause();
  };
}
