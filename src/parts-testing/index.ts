/**
 * Trials for parts of a deployment's own, in whatever runs tests (vitest, `node:test`): each is one
 * call that throws an `AssertionError` with what does not hold.
 *
 * @module dirigent/parts/testing
 */
export { type SessionStoreSubject, sessionStoreTrials, type Trial } from './session-store.ts';
