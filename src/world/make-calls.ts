/** In the worker: makes the calls of a message, in the name of whoever has sent it. */
import type { Acting } from '../policy/acting.ts';
import type { Assembly } from './assembly.ts';
import type { FsAnswer, FsCall } from './fs-call.ts';
import { wire } from './wire-errors.ts';

/**
 * One after the other, up to the first that fails.
 * @throws ConfigError when the policy or the hooks cannot be used: then none is made
 */
export async function makeCalls(
  { fsFor, policing }: Pick<Assembly, 'fsFor' | 'policing'>,
  acting: Acting,
  calls: readonly FsCall[],
): Promise<FsAnswer> {
  const fs = fsFor(acting);
  await policing.prepare(acting.context);
  const values: unknown[] = [];
  try {
    for (const [method, ...args] of calls) {
      // What comes is plain data; the method's own types were checked by the caller's proxy.
      const call = fs[method] as (...all: unknown[]) => Promise<unknown>;
      const value = await call.apply(fs, args);
      await fs.flush();
      values.push(value);
    }
    return { values };
  } catch (error) {
    return { values, error: wire(error) };
  }
}
