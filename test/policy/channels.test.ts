/**
 * Every way to carry a text from one call to a later one: where the text is a
 * service's, what comes out is labelled and `untrusted-read` holds, in the same
 * shell and in a later session; the same way with a text of the deployment's own
 * leaves no mark. Here a half of the ways for the service's text, and of the rest a
 * half for the other; `channels.long.test.ts` has all, and looks in the same session, too.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type GithubStandIn, startGithubStandIn } from '../stand-ins/github/index.ts';
import {
  type Channel,
  carryToFiles,
  deployed,
  expectSeenInFiles,
  expectSeenInShell,
  FILES,
  SHELL,
  SOURCES,
} from './channels.ts';

let github: GithubStandIn;
beforeAll(async () => {
  github = await startGithubStandIn();
});
afterAll(() => github.close());

const SAMPLES = [(place: number) => place % 2 === 0, (place: number) => place % 4 === 1];

describe.each(SOURCES.map((source, row) => ({ ...source, row })))(
  'text of $whose',
  ({ row, ...source }) => {
    const sample = (channels: readonly Channel[]) =>
      channels.filter((_, place) => SAMPLES[row]?.(place));

    test('within a shell', async () => {
      expect.hasAssertions();
      const world = deployed(source.source, github).open();
      await expectSeenInShell(world, source, sample(SHELL));
      await world.close();
    });

    test('from one session to the next', async () => {
      expect.hasAssertions();
      const { open } = deployed(source.source, github);
      const channels = sample(FILES);
      const first = open();
      await carryToFiles(first, source, channels);
      await first.close();
      const second = open();
      await expectSeenInFiles(second, source, { channels, goesOn: false });
      await second.close();
    });
  },
);
