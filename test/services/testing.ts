/** What the tests of every service share is what a mount from outside has, too. */
export {
  failure,
  type JournalledMount,
  names,
  readBefore,
  ServiceBench,
  text,
  write,
} from '../../src/mount-testing/index.ts';
