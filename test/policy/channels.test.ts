/**
 * Every way to carry a text from one call to a later one: where the text is a
 * service's, what comes out is labelled and `untrusted-read` holds, in the same
 * shell and in a later session; the same way with a text of the deployment's own
 * leaves no mark. `channels.long.test.ts` looks in the same session, too.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type GithubStandIn, startGithubStandIn } from '../stand-ins/github/index.ts';
import {
  carryToFiles,
  deployed,
  expectSeenInFiles,
  expectSeenInShell,
  SOURCES,
} from './channels.ts';

let github: GithubStandIn;
beforeAll(async () => {
  github = await startGithubStandIn();
});
afterAll(() => github.close());

describe.each(SOURCES)('text of $whose', (source) => {
  test('within a shell', async () => {
    expect.hasAssertions();
    const world = deployed(source.source, github).open();
    await expectSeenInShell(world, source);
    await world.close();
  });

  test('from one session to the next', async () => {
    expect.hasAssertions();
    const { open } = deployed(source.source, github);
    const first = open();
    await carryToFiles(first, source);
    await first.close();
    const second = open();
    await expectSeenInFiles(second, source, false);
    await second.close();
  });
});
