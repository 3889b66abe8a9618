/**
 * A process of its own that writes through a session store: what the trials of killed writers, and of
 * several at once, start. Arguments: the subject as JSON, then what to do:
 * - `lines SESSION`: becomes the writer, and appends lines until it is killed; prints each once it is durable;
 * - `turns SESSION ROUNDS NAME`: becomes the writer, appends one line and lets go, so many times.
 */
import { isFsError } from '../errors.ts';
import type { LogWriter } from '../session/store.ts';
import { placeOf, type SessionStoreSubject } from './subject.ts';

const [told = '', act = '', session = '', ...rest] = process.argv.slice(2);
const { store } = placeOf(JSON.parse(told) as SessionStoreSubject);

function append(writer: LogWriter, line: string): void {
  writer.append(Buffer.from(`${line}\n`), store.stat(session)?.bytes ?? 0);
  writer.sync();
}

function lines(): void {
  const writer = store.write(session);
  for (let line = 0; ; line++) {
    append(writer, `line ${line}`);
    process.stdout.write(`line ${line}\n`);
  }
}

/** null where another one writes. */
function writerOf(id: string): LogWriter | null {
  try {
    return store.write(id);
  } catch (error) {
    if (isFsError(error, 'EBUSY')) return null;
    throw error;
  }
}

async function turns(rounds: number, name: string): Promise<void> {
  for (let round = 0; round < rounds; ) {
    const writer = writerOf(session);
    if (writer !== null) {
      append(writer, `${name} ${round}`);
      writer.release();
      round += 1;
    }
    // The others are to have their turn, too.
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

if (act === 'lines') lines();
else await turns(Number(rest[0]), rest[1] ?? '');
store.close?.();
