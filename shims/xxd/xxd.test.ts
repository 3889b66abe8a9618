import { expect, test } from 'vitest';
import { inProcessWorld } from '../../test/world/in-process.ts';
import { gnuSuite } from '../support/gnu-suite.ts';
import { xxdShims } from './index.ts';

const files = { t: 'Hello, world! 0123456789\n' };

gnuSuite(['xxd'], [xxdShims], files, [
  "printf '0000: 40404040404040404040404040404040404040404041\\r' | xxd -r -; printf '00000000: 6162 63  abc\\r\\n00000003: 64\\n' | xxd -r",
  'xxd t',
  'xxd -p t',
  'xxd -l 5 t',
  'xxd -s 7 t',
  'xxd -c 8 t',
  'xxd -g 1 t',
  'xxd -u t',
  'xxd -b -l 6 t',
  'xxd -i t',
  'xxd t | xxd -r',
  'echo 48656c6c6f0a | xxd -r -p',
  ...['012', '41 4 2', '01 2x 03', '0x41 42', '41g42', '30 !31 !!32\\n33', '414\\n42'].map(
    (text) => `printf '${text}\\n' | xxd -r -p`,
  ),
  'xxd -p -c 4 t',
  'xxd -s -5 t',
  'xxd none 2>/dev/null; echo $?',
  'xxd -e -l 8 t',
  'xxd < t',
]);

test.each([
  ['xxd -l 3 /dev/zero', true],
  ['xxd -s 5 -l 3 /dev/zero', true],
  ['xxd -s 1048570 -l 6 /dev/zero', true],
  ['xxd -s 1048570 /dev/zero', false],
])('%s has had enough of what never ends: %s', async (command, enough) => {
  const { run } = await inProcessWorld({ roots: ['/work'], cwd: '/work' });
  const { stderr } = await run(`${command} > out`);
  expect([/never ends/.test(stderr), stderr === '']).toEqual([!enough, enough]);
});
