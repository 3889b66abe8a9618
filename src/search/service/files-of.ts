/** The files of one mount, for whoever looks for what is new among them. */
import type { Attachment, MountTable } from '../../namespace/table.ts';
import type { NamespaceFs } from '../../namespace/types.ts';
import type { FollowedSource } from './source.ts';

/** Where the files of a mount are. */
export interface FilesOf {
  table: MountTable;
  fs: NamespaceFs;
  attachment: Attachment;
  /** Of a service: those of its files that its feed does not tell of. */
  source?: FollowedSource;
}
