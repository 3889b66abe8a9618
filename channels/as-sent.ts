/**
 * Is what somebody has read in a thread what was sent there? Where others may edit what an account has
 * said, an answer is worth nothing without that: they decide on what they see.
 */
import { createHash } from 'node:crypto';
import type { ChannelHost } from '../src/serve/channels/index.ts';

type Memory = Pick<ChannelHost<unknown>['memory'], 'get' | 'set'>;

/** What an account has said, as the service shows it by now. */
export interface Shown {
  id: string;
  text: string;
  /** Something has changed it since it was written. */
  isTouched: boolean;
}

const DAY_MS = 86_400_000;
/** What was written or touched within so long is looked at; what is asked waits for a day. In ms. */
export const LOOKED_MS = 2 * DAY_MS;
/** A note outlives that, whatever the clocks say. In ms. */
const NOTED_MS = LOOKED_MS + DAY_MS;

const noteName = (id: string): string => `sent ${id}`;
const digestOf = (text: string): string =>
  createHash('sha256').update(text.replaceAll('\r\n', '\n').trim()).digest('hex');

/** Notes what was sent. */
export function noteSent(memory: Memory, id: string, text: string): void {
  memory.set(noteName(id), digestOf(text), NOTED_MS);
}

/**
 * Holds what an account has said in a thread against what was sent. All of it: an answer that is typed may
 * say neither what it answers nor where that was read.
 * @param shown what was written or touched within {@link LOOKED_MS}
 * @param button the one that is pressed, with the id of its message
 */
export function isAsSent(
  memory: Memory,
  shown: readonly Shown[],
  button: { token: string; message: string } | null,
): boolean {
  const isOurs = ({ id, text, isTouched }: Shown): boolean => {
    const noted = memory.get(noteName(id));
    // The account may say other things by other ways, and asks for nothing there.
    return noted === undefined ? !isTouched && !text.includes('/answer') : noted === digestOf(text);
  };
  if (!shown.every(isOurs)) return false;
  if (button === null) return true;
  const bearers = shown.filter(({ text }) => text.includes(button.token));
  return bearers.length === 1 && bearers[0]?.id === button.message;
}
