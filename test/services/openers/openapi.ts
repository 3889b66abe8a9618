/** A described service as a module of a mount: what a process of its own opens. */
import { createOpenapiMount } from '../../../mounts/openapi/index.ts';
import type { MountModule } from '../../../src/mount/index.ts';

export default (({ options, ...given }) =>
  createOpenapiMount({ ...given, file: String(options['file']) })) satisfies MountModule;
