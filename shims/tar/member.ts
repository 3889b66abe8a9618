/** What an archive holds. */
import type { packTar } from 'modern-tar';

/** What a member is, as the library has it. */
export type Header = Parameters<typeof packTar>[0][number]['header'];

/** A member and its content; directories and links have none. */
export interface Member {
  header: Header;
  data?: Uint8Array;
}
