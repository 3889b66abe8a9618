/** Whatever command line a message suggests is made from how this one was called; that it runs is a long test. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { commandNames } from '../../src/cli/commands.ts';
import { ROOT } from './run-cli.ts';

/** Texts about commands, and not of messages: pages of help, scripts, what another deployment prints. */
const DESCRIPTIONS = [
  'src/cli/commands.ts',
  'src/cli/door-commands.ts',
  'src/cli/command-spec.ts',
  'src/cli/completion-script.ts',
  'src/cli/session-proof.ts',
  'src/session/proof.ts',
  'src/session/head.ts',
  // It is read inside the world, where nobody knows how the command line is called.
  'src/mount/reading/readme.ts',
];

test('no message has a command line written out: how it is called is not known there', () => {
  const written = new RegExp(`["'\`(]dirigent (?:${commandNames().join('|')})\\b`);
  const found = ['entry', 'src', 'mounts', 'shims']
    .flatMap((room) =>
      readdirSync(join(ROOT, room), { recursive: true, encoding: 'utf8' }).map(
        (path) => `${room}/${path}`,
      ),
    )
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
    .filter((path) => !DESCRIPTIONS.includes(path))
    .filter((path) => {
      const code = readFileSync(join(ROOT, path), 'utf8').replaceAll(
        /\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm,
        '',
      );
      return written.test(code);
    });
  expect(found).toEqual([]);
});
