/** Every way: what was carried within a shell is seen in it, and what was carried into files is seen in the session that carried it, and in a later one that goes on after that. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type GithubStandIn, startGithubStandIn } from '../stand-ins/github/index.ts';
import {
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

test.each(SOURCES)(
  'text of $whose, in the session that carried it and in a later one',
  async (source) => {
    expect.hasAssertions();
    const { open } = deployed(source.source, github);
    const first = open();
    await carryToFiles(first, source, FILES);
    await expectSeenInFiles(first, source, { channels: FILES, goesOn: true });
    await first.close();
    const second = open();
    await expectSeenInFiles(second, source, { channels: FILES, goesOn: false });
    await second.close();
  },
);

test.each(SOURCES)('text of $whose, within a shell', async (source) => {
  expect.hasAssertions();
  const world = deployed(source.source, github).open();
  await expectSeenInShell(world, source, SHELL);
  await world.close();
});
