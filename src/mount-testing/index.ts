/**
 * Trials for a mount of a service, in whatever runs tests (vitest, `node:test`): each is one call
 * that throws an `AssertionError` with what does not hold.
 *
 * @module dirigent/mount/testing
 */
export {
  type CallInput,
  type CallOutput,
  called,
  carryOut,
  failure,
  type JournalledMount,
  names,
  planned,
  readBefore,
  ServiceBench,
  text,
  write,
} from './bench.ts';
export { conformance } from './conformance.ts';
export { FaultLine, type PassedRequest } from './fault-line.ts';
export { faults } from './faults.ts';
export { HOSTILE_TITLES, hostileNames } from './hostile-names.ts';
export { killAt, kills } from './kills.ts';
export { lostAnswers } from './lost-answers.ts';
export { programs } from './programs.ts';
export { removals } from './removals.ts';
export { type RequestCounts, requestCounts } from './request-counts.ts';
export type {
  AskedRequest,
  LineFault,
  Opener,
  Subject,
  TestedCall,
  TestedWrite,
} from './subject.ts';
export { type StandIn, type SubjectParts, testSubject } from './test-subject.ts';
export { expectTruth, stateOf } from './truth.ts';
export { twoWriters } from './two-writers.ts';
