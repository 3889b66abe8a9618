/** What a channel remembers, for tests that open none. */
import type { ChannelMemory } from '../../src/serve/channels/index.ts';

export interface TestedMemory extends ChannelMemory {
  /** How long each thing that is known is kept: in ms; undefined for as long as there is a channel. */
  terms(): Record<string, number | undefined>;
}

export function memoryOf(known: Readonly<Record<string, unknown>> = {}): TestedMemory {
  const values = new Map<string, { value: unknown; forMs: number | undefined }>(
    Object.entries(known).map(([name, value]) => [name, { value, forMs: undefined }]),
  );
  return {
    get: (name) => structuredClone(values.get(name)?.value),
    set: (name, value, forMs) => void values.set(name, { value: structuredClone(value), forMs }),
    delete: (name) => void values.delete(name),
    terms: () => Object.fromEntries([...values].map(([name, { forMs }]) => [name, forMs])),
  };
}
