/** What the README shows is what happens. */
import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import type { WorldConfig } from '../entry/index.ts';
import { writeLines } from '../src/cli/writes.ts';
import { startGithubStandIn } from './stand-ins/github/index.ts';
import { startLinearStandIn } from './stand-ins/linear/index.ts';
import { calls, says, startModel, textOf } from './stand-ins/model/index.ts';
import { startNotionStandIn } from './stand-ins/notion/index.ts';
import { temporaryDirectory, testWorld } from './world/harness.ts';

const root = join(import.meta.dirname, '..');
const readme = readFileSync(join(root, 'README.md'), 'utf8');

/** The blocks of code of one language. */
function blocks(language: string): string[] {
  const found = readme.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'));
  return [...found].map(([, code = '']) => code);
}

interface Step {
  command: string;
  output: string[];
}

/** Commands of the transcript, each with the lines under it. */
function steps(transcript: string): Step[] {
  const all: Step[] = [];
  for (const line of transcript.trimEnd().split('\n')) {
    const command = /^\/\S*\$ (.*)$/.exec(line)?.[1];
    if (command !== undefined) all.push({ command, output: [] });
    else all.at(-1)?.output.push(line);
  }
  return all;
}

test('the transcript of the README is what the demo world prints', async () => {
  const services = {
    github: await startGithubStandIn(),
    linear: await startLinearStandIn(),
    notion: await startNotionStandIn(),
  };
  const mounts: NonNullable<WorldConfig['mounts']> = {};
  const env = { ...process.env };
  for (const [source, { url, token }] of Object.entries(services)) {
    mounts[`/mnt/${source}`] = { source, mode: 'rw', baseUrl: url, tokenEnv: `TOKEN_${source}` };
    env[`TOKEN_${source}`] = token;
  }
  const world = testWorld({ mounts }, { env });
  try {
    const all = blocks('console').flatMap(steps);
    expect(all.length).toBeGreaterThan(4);
    for (const { command, output } of all) {
      let result = await world.exec(command);
      // What a search ranks depends on how far the index is: a busy machine takes its time for it.
      while (result.stderr.includes('not yet indexed')) result = await world.exec(command);
      const { stdout, stderr, writes } = result;
      // At a terminal a line more tells what became of each write.
      const written = writeLines(writes, world.cwd, (suggested) => suggested).map(String);
      const lines = [...`${stdout}${stderr}`.split('\n'), ...written];
      for (const shown of output) {
        // What a command cost depends on what the replica held; long lines are cut with "…".
        if (/^\d+ requests?, /.test(shown)) continue;
        const [start = ''] = shown.split('…');
        expect(
          lines.filter((line) => line.startsWith(start)),
          `${command}\n${shown}`,
        ).not.toEqual([]);
      }
    }
  } finally {
    await world.close();
    await Promise.all(Object.values(services).map((service) => service.close()));
  }
});

/** Runs a block of TypeScript beside a directory `docs`, as its own program. */
async function printed(code: string, env: NodeJS.ProcessEnv = {}): Promise<string> {
  const directory = temporaryDirectory();
  mkdirSync(join(directory, 'docs'));
  writeFileSync(join(directory, 'docs', 'page.md'), '# Page\n');
  symlinkSync(join(root, 'node_modules'), join(directory, 'node_modules'));
  const source = code.replace(
    "'dirigent'",
    `'${pathToFileURL(join(root, 'entry/index.ts')).href}'`,
  );
  writeFileSync(join(directory, 'example.ts'), source);
  const options = { cwd: directory, env: { ...process.env, ...env, XDG_STATE_HOME: directory } };
  // Not synchronously: the model that it asks may be in this process.
  return (await promisify(execFile)(process.execPath, ['example.ts'], options)).stdout;
}

test('the library example of the README runs', async () => {
  const [code = ''] = blocks('ts');
  expect(await printed(code)).toBe('grace\nada\n1\n 0 0\n');
});

test("the README's loop on the AI SDK runs with the tools of a world", async () => {
  const [, code = ''] = blocks('ts');
  const model = await startModel((request) => {
    const result = request.messages.findLast(({ role }) => role === 'tool');
    if (result === undefined) return calls(['bash', { command: 'cat /mnt/docs/page.md' }]);
    return says(`It says: ${textOf(result).trim()}`);
  });
  try {
    const env = { OPENAI_BASE_URL: model.url, OPENAI_API_KEY: 'key' };
    expect(await printed(code, env)).toContain('It says: # Page');
  } finally {
    await model.close();
  }
});
