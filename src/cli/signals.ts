/** The signals by which a terminal, a supervisor or a person asks a process to end. */
export const ENDING_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** One of them. */
export type EndingSignal = (typeof ENDING_SIGNALS)[number];

/** Resolves when this process is asked to end; a second signal of the same kind ends it at once. */
export function askedToEnd(): Promise<EndingSignal> {
  const asked = Promise.withResolvers<EndingSignal>();
  for (const signal of ENDING_SIGNALS) process.once(signal, asked.resolve);
  return asked.promise;
}
