/** What is shown of a write to the person who is asked about it. */
import { createHash } from 'node:crypto';
import { isFsError } from '../errors.ts';
import type { Proposal } from '../policy/gate.ts';
import { escapeName } from '../visible.ts';
import type { Guard, Wish } from './guard.ts';

/** More than this is not shown whole. Characters. */
const SHOWN = 64 * 1024;

/** A proposal to write `data` to a place: a patch against what is there. */
export function proposalOf({ op, place }: Wish, data: Uint8Array, guard: Guard): Proposal {
  return {
    digest: createHash('sha256').update(data).digest('hex'),
    preview: async () => {
      const after = asText(data);
      if (after === null) return `${data.length} bytes that are no text`;
      const before = op === 'create' ? '' : await contentOf(guard, { op, place });
      if (before === null) return cut(after);
      const { createPatch } = await import('diff');
      const whole = op === 'append' ? before + after : after;
      return cut(
        createPatch(escapeName(place.path.slice(1)), before, whole, '', '', { context: 3 }),
      );
    },
  };
}

/** null where there is no text to compare with; the write itself tells why. */
async function contentOf(guard: Guard, { place }: Wish): Promise<string | null> {
  try {
    return asText(await guard.ask(place, 'read', (mount, inside) => mount.read(inside)));
  } catch (error) {
    if (isFsError(error)) return null;
    throw error;
  }
}

function asText(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}

function cut(text: string): string {
  return text.length <= SHOWN ? text : `${text.slice(0, SHOWN)}\n… (${text.length} characters)\n`;
}
