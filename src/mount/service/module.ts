/** What a deployment's own mount is made with: its config names the module, `module:./FILE`. */
import type { ChangeJournal } from '../../changes/journal.ts';
import type { Replica } from '../../replica/replica.ts';
import type { Mount } from '../contract/contract.ts';

/** What such a module is handed. */
export interface MountModuleOptions {
  /** Where it is attached. */
  point: string;
  /** The copy of what services said, of this state directory. */
  replica: Replica;
  /** The journal of writes on their way. */
  changes: ChangeJournal;
  /** True: writes become pending changes. */
  stage: boolean;
  /** A sentence for stderr, such as that data is stale. */
  onNotice: (text: string) => void;
  /** `baseUrl` of the config. */
  baseUrl?: string;
  /** What the host's variable `tokenEnv` of the config holds. */
  token?: string;
  /** `freshMs` of the config. */
  freshMs?: number;
  /** Is what was read lately to be asked for again before somebody has to wait for it? */
  background: boolean;
  /** `options` of the config. */
  options: Readonly<Record<string, unknown>>;
}

/** The default export of such a module. */
export type MountModule = (options: MountModuleOptions) => Mount | Promise<Mount>;
