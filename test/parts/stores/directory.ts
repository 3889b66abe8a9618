/** The house's own store as a module, for the trials that every store passes. */
import { join } from 'node:path';
import type { PartModule, SessionStore } from '../../../entry/parts.ts';
import { SessionDirectory } from '../../../src/session/directory.ts';

const store: PartModule<SessionStore> = ({ directory }) =>
  new SessionDirectory(join(directory, 'state', 'sessions'));

export default store;
