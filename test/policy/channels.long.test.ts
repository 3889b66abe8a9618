/** What was carried into files is seen in the session that carried it, and in a later one that goes on after that. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type GithubStandIn, startGithubStandIn } from '../stand-ins/github/index.ts';
import { carryToFiles, deployed, expectSeenInFiles, SOURCES } from './channels.ts';

let github: GithubStandIn;
beforeAll(async () => {
  github = await startGithubStandIn();
});
afterAll(() => github.close());

test.each(SOURCES)(
  'text of $whose, in the session that carried it and in a later one',
  async (source) => {
    expect.hasAssertions();
    const { open } = deployed(source.source, github);
    const first = open();
    await carryToFiles(first, source);
    await expectSeenInFiles(first, source, true);
    await first.close();
    const second = open();
    await expectSeenInFiles(second, source, false);
    await second.close();
  },
);
