/** A program of the deployer's reads pictures of text, and nobody inside can put another in its place. */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { WorldConfig } from '../../entry/index.ts';
import { temporaryDirectory, testWorld } from '../world/harness.ts';
import { pdf } from './make.ts';

const PNG = Buffer.from(
  '89504e470d0a1a0a0000000d4948445200000280000001e00806000000000000000000000049454e44ae426082',
  'hex',
);

function deployed(script: string, more: WorldConfig = {}) {
  const deployment = temporaryDirectory();
  for (const name of ['docs', 'tools', 'open']) mkdirSync(join(deployment, name));
  writeFileSync(join(deployment, 'tools', 'read'), `#!/bin/sh\n${script}\n`);
  chmodSync(join(deployment, 'tools', 'read'), 0o755);
  writeFileSync(join(deployment, 'docs', 'scan.png'), PNG);
  writeFileSync(join(deployment, 'docs', 'scan.pdf'), pdf(['', '']));
  writeFileSync(join(deployment, 'docs', 'words.pdf'), pdf(['words']));
  const config = {
    mounts: { '/mnt/docs': './docs:ro', ...more.mounts },
    cwd: '/mnt/docs',
    documents: { ocr: ['./tools/read', '{extension}'] },
  };
  return testWorld(
    { ...config, ...more, mounts: config.mounts },
    { deployment, env: { PATH: process.env['PATH'], KEY: 'x' } },
  );
}

test('it reads pictures, and documents without a word; not those that have some', async () => {
  const world = deployed(
    'n=$(wc -c | tr -d " "); printf "read a lighthouse of %s $1, $KEY.\\fpage two of $1" $n',
  );
  const { stdout, stderr } = await world.exec(
    'cat scan.png.md scan.pdf:p2 words.pdf:p1; cat scan.pdf.md',
  );
  expect(stderr).toBe('');
  expect(stdout).toContain(
    `read a lighthouse of ${PNG.length} png, .\n\n<!-- p2 -->\n\npage two of png\npage two of pdf\nwords\n`,
  );
  expect(stdout).toContain('---\npages: 2\n---\n');
  const found = await world.exec('grep "a lighthouse is read" 2> /dev/null');
  expect(found.stdout).toMatch(/scan\.png:p1:read a lighthouse/);
});

test('without one a scanned document says that its pages have no text', async () => {
  const world = deployed('exit 1', { documents: {} });
  const { stdout } = await world.exec('head -4 scan.pdf.md; cat scan.png.md');
  expect(stdout).toContain('without text: "2 of 2 pages, which may be pictures of text"');
  expect(stdout).toContain('640 x 480');
});

test('what goes wrong with it is said of the document', async () => {
  const world = deployed('echo "no such language" >&2; exit 3');
  const { stdout, stderr, exitCode } = await world.exec('cat scan.png.md');
  expect(stdout).toBe('');
  expect(exitCode).toBe(1);
  expect(stderr).toContain(
    'scan.png is a picture, and the program that reads them failed: no such language',
  );
});

test('one that is not there, or that could be written from inside, is a fault of the config', async () => {
  expect(() => deployed('', { documents: { ocr: ['./tools/none'] } })).toThrow(/documents\.ocr/);
  expect(() => deployed('', { documents: { ocr: ['no-such-program-at-all'] } })).toThrow(/PATH/);
  expect(() => deployed('', { mounts: { '/mnt/tools': './tools:rw' } })).toThrow(/reads pictures/);
  expect(() =>
    deployed('', {
      documents: { ocr: ['sh', './tools/read'] },
      mounts: { '/mnt/tools': './tools:rw' },
    }),
  ).toThrow(/reads pictures/);
});
