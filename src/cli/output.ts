/** Writing to stdout and stderr: bytes, whole, quiet when nobody reads any more. */
import fs from 'node:fs';

/** What the command line prints to. */
export interface Output {
  /** Resolves when the bytes have left; false when nobody reads any more. */
  out(data: string | Uint8Array): Promise<boolean>;
  err(data: string | Uint8Array): Promise<boolean>;
  /** Is stderr a terminal, for colour and progress? */
  readonly errIsTerminal: boolean;
  readonly outIsTerminal: boolean;
}

/** How long to wait before a full pipe is tried again, in ms. */
const RETRY_MS = 5;

/**
 * Writes with writev(2) itself: `process.stdout` costs 10 ms of start-up, and
 * `process.exit` cuts off what a pipe has not taken yet.
 */
export async function writeAll(descriptor: number, data: string | Uint8Array): Promise<boolean> {
  const bytes = typeof data === 'string' ? Buffer.from(data) : data;
  for (let offset = 0; offset < bytes.length; ) {
    try {
      offset += fs.writeSync(descriptor, bytes, offset);
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : undefined;
      if (code === 'EPIPE') return false;
      // A pipe that another process made non-blocking, and that is full.
      if (code !== 'EAGAIN') throw error;
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
  return true;
}

/** The process's own stdout and stderr. */
export function processOutput(isTerminal: (descriptor: number) => boolean): Output {
  return {
    out: (data) => writeAll(1, data),
    err: (data) => writeAll(2, data),
    get errIsTerminal() {
      return isTerminal(2);
    },
    get outIsTerminal() {
      return isTerminal(1);
    },
  };
}
