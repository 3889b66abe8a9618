/** The examples run, and print what they promise. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cli, ROOT } from '../cli/run-cli.ts';

const main = (name: string): string => join(ROOT, 'examples', name, 'main.ts');

test('research: the citations of the answer resolve to lines of the knowledge base', async () => {
  const { stdout, stderr, status } = await cli([], { main: main('research') });
  expect([stderr, status]).toEqual(['', 0]);
  const citations = [...stdout.toString().matchAll(/"(.*)" \(\/mnt\/docs\/(.+):(\d+)\)/g)];
  expect(citations.length).toBeGreaterThan(0);
  for (const [, text = '', path = '', line = ''] of citations) {
    const lines = readFileSync(join(ROOT, 'docs', path), 'utf8').split('\n');
    expect(lines[Number(line) - 1]).toContain(text.replace(/…$/, ''));
  }
}, 60_000);

test('browse: GitHub, Linear and documents are read by shell alone', async () => {
  const { stdout, stderr, status } = await cli([], { main: main('browse') });
  expect([stderr, status]).toEqual(['', 0]);
  expect(stdout.toString()).toMatch(
    /^GitHub has [1-9]\d* open issues\.\n\nLinear has the teams INC and PLT\./,
  );
  expect(stdout.toString()).toContain('cli.md');
}, 60_000);

test('self-modify: each of the three settings allows what it says, and refuses the rest', async () => {
  const { stdout, status } = await cli([], { main: main('self-modify') });
  const [readOnly = '', single = '', all = ''] = stdout.toString().split(/\n\n(?=##)/);
  const refused = 'Permission denied';
  expect(readOnly.match(new RegExp(refused, 'g'))).toHaveLength(2);
  expect(readOnly).toContain('proposal:  wrote');
  expect(single).toMatch(/skill: {5}replaced one place/);
  expect(single).toMatch(/AGENTS\.md: .*Permission denied/);
  expect(all).not.toContain(refused);
  expect(status).toBe(0);
}, 60_000);
