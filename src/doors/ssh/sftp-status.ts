/** What became of a request, as SFTP says it: a code, and the sentence. */
import { FsError, type STRERROR } from '../../errors.ts';
import { escapeLine } from '../../visible.ts';
import { MalformedPacket, STATUS, type Status } from './sftp-packets.ts';

const CODES: Partial<Record<keyof typeof STRERROR, Status>> = {
  ENOENT: STATUS.NO_SUCH_FILE,
  EACCES: STATUS.PERMISSION_DENIED,
  EPERM: STATUS.PERMISSION_DENIED,
  EROFS: STATUS.PERMISSION_DENIED,
  ENOSYS: STATUS.OP_UNSUPPORTED,
  ENOTSUP: STATUS.OP_UNSUPPORTED,
};

/** A request that this server has no way for. */
export class Unsupported extends Error {
  override readonly name = 'Unsupported';
}

/** @returns null where it is no failure of the request, but a fault of ours */
export function statusOf(error: unknown): { code: Status; message: string } | null {
  if (error instanceof FsError) {
    const { code, strerror, reason, rule, path } = error;
    const why = [path, reason ?? rule].filter((part) => part !== undefined && part !== '');
    // The rule is named once: most sentences begin with it.
    const by = rule === undefined || why.join().includes(rule) ? '' : ` (${rule})`;
    const message = escapeLine(`${[strerror, ...why].join(': ')}${by}`);
    return { code: CODES[code] ?? STATUS.FAILURE, message };
  }
  if (error instanceof MalformedPacket)
    return { code: STATUS.BAD_MESSAGE, message: escapeLine(error.message) };
  if (error instanceof Unsupported)
    return { code: STATUS.OP_UNSUPPORTED, message: escapeLine(error.message) };
  return null;
}
