/** What an adapter of the Chat SDK keeps between its calls, in the channel's own memory. */
import { randomUUID } from 'node:crypto';
import type { Lock, StateAdapter } from 'chat';
import type { ChannelMemory } from '../../src/serve/channels/index.ts';

/** Of the SDK's own queues and threads there are none here: the house has its own. */
type KeptState = Pick<
  StateAdapter,
  | 'get'
  | 'set'
  | 'delete'
  | 'setIfNotExists'
  | 'acquireLock'
  | 'releaseLock'
  | 'extendLock'
  | 'getList'
  | 'appendToList'
  | 'isSubscribed'
>;

/** One process at a time serves a deployment, so that locks are its own. */
export function keptState(memory: ChannelMemory, now: () => number = Date.now): KeptState {
  const locks = new Map<string, Lock>();
  const isHeld = (lock: Lock): boolean => locks.get(lock.threadId)?.token === lock.token;
  return {
    get: async <T>(key: string) => (memory.get(key) ?? null) as T | null,
    set: async (key, value, ttlMs) => memory.set(key, value, ttlMs),
    delete: async (key) => memory.delete(key),
    setIfNotExists: async (key, value, ttlMs) => {
      if (memory.get(key) !== undefined) return false;
      memory.set(key, value, ttlMs);
      return true;
    },
    // Who wrote in a thread, for mentions by name: nobody is mentioned by name here.
    getList: async () => [],
    appendToList: async () => undefined,
    isSubscribed: async () => false,
    acquireLock: async (threadId, ttlMs) => {
      const held = locks.get(threadId);
      if (held !== undefined && held.expiresAt > now()) return null;
      const lock = { threadId, token: randomUUID(), expiresAt: now() + ttlMs };
      locks.set(threadId, lock);
      return lock;
    },
    releaseLock: async (lock) => {
      if (isHeld(lock)) locks.delete(lock.threadId);
    },
    extendLock: async (lock, ttlMs) => {
      if (!isHeld(lock)) return false;
      locks.set(lock.threadId, { ...lock, expiresAt: now() + ttlMs });
      return true;
    },
  };
}
