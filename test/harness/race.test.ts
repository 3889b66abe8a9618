/** The host reads and writes a harness and its proposals, and nothing that a link in them leads to. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { ConfigError, isFsError } from '../../src/errors.ts';
import { inspectHarness, readPart } from '../../src/harness/load.ts';
import { acceptProposal, listProposals } from '../../src/harness/proposals.ts';
import { scanHarness } from '../../src/harness/source.ts';
import { readPolicy } from '../../src/world/policy-file.ts';
import { temporaryDirectory, testWorld } from '../world/harness.ts';

const SECRET = 'a-secret-of-the-host';

/** A harness and proposals; what is outside has the same names, and one of its own. */
function places() {
  const directory = temporaryDirectory();
  const put = (path: string, text: string): void => {
    fs.mkdirSync(join(directory, path, '..'), { recursive: true });
    fs.writeFileSync(join(directory, path), text);
  };
  const agent = '---\ndescription: an agent\n---\n';
  put('own/agents/f.md', `${agent}inside`);
  put('proposals/agents/f.md', `${agent}proposed`);
  put('outside/f.md', `${agent}${SECRET}`);
  put(`outside/${SECRET}.md`, `${agent}${SECRET}`);
  const at = (name: string): string => join(directory, name);
  put('defaults/AGENTS.md', 'a default');
  return { at, own: at('own'), defaults: at('defaults'), proposals: at('proposals') };
}

/** Exchanges a directory for a link to the outside, until the test ends. */
async function exchange(
  directory: string,
  aside: string,
  outside: string,
  longestNs = 200_000,
): Promise<void> {
  const script = fileURLToPath(new URL('../session/endless-links.ts', import.meta.url));
  const child = spawn(process.execPath, [script, directory, aside, outside, String(longestNs)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(async () => {
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  });
  await once(child.stdout, 'data');
}

test('a directory of the harness that is exchanged for a link shows nothing of the outside', async () => {
  const { at, own, defaults } = places();
  await exchange(at('own/agents'), at('aside'), at('outside'));
  const seen = { inside: 0, refused: 0 };
  for (let round = 0; round < 400; round++) {
    for (const file of scanHarness({ own, defaults }).values()) {
      expect(file.path).not.toContain(SECRET);
      try {
        const part = readPart(file);
        expect(JSON.stringify(part)).not.toContain(SECRET);
        if (file.path === 'agents/f.md') seen.inside++;
      } catch (error) {
        expect(String(error)).not.toContain(SECRET);
        seen.refused++;
      }
    }
  }
  expect(Math.min(seen.inside, seen.refused)).toBeGreaterThan(0);
});

test('a directory of proposals that is exchanged for a link shows nothing of the outside', async () => {
  const { at, ...directories } = places();
  await exchange(at('proposals/agents'), at('aside'), at('outside'));
  let seen = 0;
  for (let round = 0; round < 400; round++) {
    const listed = listProposals(directories);
    expect(JSON.stringify(listed)).not.toContain(SECRET);
    seen += listed.proposals.length;
  }
  expect(seen).toBeGreaterThan(0);
});

test('a proposal is accepted into the harness, or not at all, while its directory is exchanged for a link', async () => {
  const { at, ...directories } = places();
  await exchange(at('own/agents'), at('aside'), at('outside'), 10_000_000);
  let accepted = 0;
  for (let round = 0; round < 100; round++) {
    fs.mkdirSync(at('proposals/agents'), { recursive: true });
    fs.writeFileSync(
      at('proposals/agents/f.md'),
      `---\ndescription: round ${round}\n---\nproposed`,
    );
    for (const { path, digest } of listProposals(directories).proposals) {
      try {
        acceptProposal(directories, path, digest);
        accepted++;
      } catch (error) {
        if (!(error instanceof ConfigError) && !isFsError(error)) throw error;
      }
    }
  }
  expect(accepted).toBeGreaterThan(0);
  expect(fs.readdirSync(at('outside')).sort()).toEqual([`${SECRET}.md`, 'f.md']);
  expect(fs.readFileSync(at('outside/f.md'), 'utf8')).toContain(SECRET);
});

test('a directory that leads out is one fault, and tells no name of what is there', async () => {
  const { at, own, defaults } = places();
  for (const name of ['tools', 'skills', 'prompts']) fs.symlinkSync(at('outside'), join(own, name));
  const errors = inspectHarness({ own, defaults });
  expect(errors).toEqual(
    ['prompts', 'tools', 'skills'].map((path) => ({
      path,
      message: expect.stringMatching(/leads out/),
    })),
  );
  const world = testWorld({ harness: { directory: own, mode: 'rw' } });
  expect((await world.exec('cat /harness/.errors')).stdout).not.toContain(SECRET);
});

test('links that stay in the harness are followed; a policy that leads out of it is none', () => {
  const { at, own, defaults } = places();
  fs.renameSync(join(own, 'agents'), join(own, 'agents-2'));
  fs.symlinkSync('agents-2', join(own, 'agents'));
  fs.symlinkSync('agents-2/f.md', join(own, 'AGENTS.md'));
  const files = scanHarness({ own, defaults });
  expect(files.get('agents/f.md')?.outside).toBe(false);
  expect(files.get('AGENTS.md')?.outside).toBe(false);
  fs.writeFileSync(at('outside/policy.yaml'), SECRET);
  fs.symlinkSync('../outside/policy.yaml', join(own, 'policy.yaml'));
  expect(() => readPolicy(own, defaults)).toThrow(/EACCES/);
});
