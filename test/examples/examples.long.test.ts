/** The examples run as their READMEs say, and print what they promise. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { verifyAnswer } from '../../src/citations/verify.ts';
import { ROOT } from '../cli/run-cli.ts';

/** A file of the documentation, as the example mounts it. */
const onHost = (path: string): string => join(ROOT, path.replace(/^\/mnt\//, ''));

/** Runs the commands of an example's README, as they stand there, and gives what each printed. */
async function asWritten(
  name: string,
): Promise<{ stdout: string; stderr: string; status: number }[]> {
  const readme = readFileSync(join(ROOT, 'examples', name, 'README.md'), 'utf8');
  const commands = [...readme.matchAll(/^ {4}(node .*)$/gm)].map(([, command = '']) => command);
  expect(commands.length).toBeGreaterThan(0);
  // A model of the machine's own would answer something else.
  const { OPENAI_API_KEY: _, DIRIGENT_MODEL: __, ...env } = process.env;
  const path = `${dirname(process.execPath)}:${env['PATH']}`;
  return Promise.all(
    commands.map(async (command) => {
      const child = spawn('bash', ['-c', command], { cwd: ROOT, env: { ...env, PATH: path } });
      const printed = { stdout: '', stderr: '' };
      for (const stream of ['stdout', 'stderr'] as const) {
        child[stream].on('data', (data: Buffer) => {
          printed[stream] += data.toString();
        });
      }
      const [status] = (await once(child, 'close')) as [number];
      return { ...printed, status };
    }),
  );
}

test('research: the citations of the answer resolve to lines of the knowledge base', async () => {
  const all = await asWritten('research');
  expect(all).toHaveLength(2);
  for (const { stdout, stderr, status } of all) {
    expect([stderr, status]).toEqual(['', 0]);
    const citations = [...stdout.matchAll(/\[\/mnt\/docs\/(.+):(\d+) "(.*)"\]/g)];
    expect(citations.length).toBeGreaterThan(0);
    for (const [, path = '', line = '', text = ''] of citations) {
      const lines = readFileSync(join(ROOT, 'docs', path), 'utf8').split('\n');
      expect(lines[Number(line) - 1]).toContain(text.replace(/^…|…$/g, ''));
    }
    const { citations: checked } = await verifyAnswer(stdout, {
      bases: [],
      files: {
        stat: async (path) => ({ isDirectory: false, mtime: statSync(onHost(path)).mtime }),
        readFileBuffer: async (path) => readFileSync(onHost(path)),
      },
    });
    expect(checked.map(({ state }) => state)).toEqual(citations.map(() => 'unchanged'));
  }
}, 120_000);

test('research: 60 questions to 200 documents of six formats; every citation holds', () => {
  const { OPENAI_API_KEY: _, DIRIGENT_MODEL: __, ...env } = process.env;
  const args = [join(ROOT, 'examples', 'research', 'score.ts')];
  const { stdout, status } = spawnSync(process.execPath, args, { env, encoding: 'utf8' });
  expect([status, stdout]).toEqual([0, expect.stringContaining('200 documents, 60 questions')]);
  const [, asked, documents, answers, made, hold] =
    /^all +(\d+) +(\d+) +(\d+) +(\d+) +(\d+)$/m.exec(stdout) ?? ['', '0', '0', '0', '0', '0'];
  expect([asked, made]).toEqual(['60', hold]);
  expect(Number(documents)).toBeGreaterThanOrEqual(40);
  expect(Number(answers)).toBeGreaterThanOrEqual(35);
}, 240_000);

test('browse: GitHub, Linear, Notion and documents are read by shell alone', async () => {
  const [ran] = await asWritten('browse');
  expect([ran?.stderr, ran?.status]).toEqual(['', 0]);
  expect(ran?.stdout).toMatch(
    /^GitHub has [1-9]\d* open issues\.\n\nLinear has the teams INC and PLT\.\n\nNotion has the pages \w.+, \w.+\.\n\n/,
  );
  expect(ran?.stdout).toContain('cli.md');
}, 120_000);

test('self-modify: each of the three settings allows what it says, and refuses the rest', async () => {
  const [ran] = await asWritten('self-modify');
  const [readOnly = '', single = '', all = ''] = (ran?.stdout ?? '').split(/\n\n(?=##)/);
  const refused = 'Permission denied';
  expect(readOnly.match(new RegExp(refused, 'g'))).toHaveLength(2);
  expect(readOnly).toContain('proposal:  wrote');
  expect(single).toMatch(/skill: {5}replaced one place/);
  expect(single).toMatch(/AGENTS\.md: .*Permission denied/);
  expect(all).not.toContain(refused);
  expect(ran?.status).toBe(0);
}, 120_000);
