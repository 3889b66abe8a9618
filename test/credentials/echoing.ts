/** Services whose stand-ins repeat their token, and what is done with them in a world. */
import { expect, onTestFinished } from 'vitest';
import { startGithubStandIn } from '../stand-ins/github/index.ts';
import { startLinearStandIn } from '../stand-ins/linear/index.ts';
import { startNotionStandIn } from '../stand-ins/notion/index.ts';
import { CONTROL } from '../stand-ins/process.ts';
import { temporaryDirectory, testWorld } from '../world/harness.ts';
import { findIn, searchTree } from './search.ts';

/** Nothing of it stands in a text. */
export const hides = (text: string, where: string): void =>
  expect.soft(findIn(Buffer.from(text)), where).toBeNull();

export const SERVICES = {
  github: { start: startGithubStandIn, list: '/mnt/s/harbor/quay/issues', url: '' },
  linear: { start: startLinearStandIn, list: '/mnt/s/teams/*/issues', url: '/graphql' },
  notion: { start: startNotionStandIn, list: '/mnt/s', url: '' },
} as const;

/** Reads, lists and writes, and looks at every place in which a refusal is told. */
const COMMANDS = (list: string): string[] => [
  `cat $(find ${list} -name '*.md' | head -1)`,
  `ls -R ${list}`,
  `cd ${list}; echo "text of mine" > new.md; cat .error .last`,
  `f=$(find ${list} -name '*.md' | head -1); echo more >> "$f"; rm "$f"`,
  'grep -r . /session/changes',
  'cat /mnt/s/README.md',
  'cat /session/log.jsonl /session/tree.txt',
];

/** The service refuses everything with each status in turn; nobody behind its client sees the token. */
export async function expectHidden(
  source: keyof typeof SERVICES,
  statuses: readonly number[],
): Promise<void> {
  const { start, list, url } = SERVICES[source];
  const service = await start();
  onTestFinished(() => service.close());
  const baseUrl = `${service.url}${url}`;
  const state = temporaryDirectory();
  const config = {
    state,
    mounts: { '/mnt/s': { source, mode: 'rw', baseUrl, tokenEnv: 'T', freshMs: 0 } },
  };
  const world = testWorld(config as never, { env: { T: service.token } });
  const held = await world.exec(`ls ${list}; cat $(find ${list} -name '*.md' | head -1)`);
  expect(held.exitCode, held.stderr).toBe(0);
  for (const status of statuses) {
    await fetch(`${service.url}${CONTROL}/echo`, {
      method: 'PUT',
      body: JSON.stringify({ status }),
    });
    const said: string[] = [];
    for (const command of COMMANDS(list)) {
      const { stdout, stderr } = await world.exec(command);
      hides(`${stdout}${stderr}`, `${status}: ${command}`);
      said.push(stderr);
    }
    hides(JSON.stringify(await world.changes.list()), `changes after ${status}`);
    // It was asked, and it did refuse.
    expect(said.join(''), String(status)).not.toBe('');
  }
  expect(searchTree(state).found).toEqual([]);
}
