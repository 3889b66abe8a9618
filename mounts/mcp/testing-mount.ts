/** The mount as the kit opens one: by a module. */
import type { MountModule } from '../../src/mount/index.ts';
import { createMcpMount } from './index.ts';

export default ((given) => createMcpMount({ name: 'test', ...given })) satisfies MountModule;
