/** Whether the shell runs as most do. */
import type { Run } from '../frame.ts';
import type { InterpreterState } from '../interpreter-types.ts';

/** Does the shell run as most do: nothing is traced, trapped, stopped or passed over? */
export function isOrdinary({ ctx, traps, discarded, line }: Run): boolean {
  const { options, signal, tempEnvBindings = [], extraArgs = [] } = ctx.state;
  return (
    discarded === null &&
    options['xtrace'] !== true &&
    options['verbose'] !== true &&
    options['noexec'] !== true &&
    !line.signal.aborted &&
    signal?.aborted !== true &&
    tempEnvBindings.length === 0 &&
    extraArgs.length === 0 &&
    !hasOwnStreams(ctx.state) &&
    (traps.size === 0 || (!traps.has('DEBUG') && !traps.has('ERR')))
  );
}

/** Has `exec > f` given the shell other streams than it began with? What prints must ask which. */
function hasOwnStreams({ fileDescriptors, closedStandardFds }: InterpreterState): boolean {
  if ((closedStandardFds?.size ?? 0) > 0) return true;
  return fileDescriptors !== undefined && [0, 1, 2].some((fd) => fileDescriptors.has(fd));
}
