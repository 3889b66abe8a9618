import { expect, test } from 'vitest';
import { ConfigError } from '../errors.ts';
import { slownessOf } from './bounded-glob.ts';
import { matcherOf } from './glob.ts';
import { parsePolicy } from './policy.ts';

const name = 'a'.repeat(254);
/** As long as a path can be, and nearly what a glob wants. */
const PATHS = [`/${name}`.repeat(16), `/${'a/'.repeat(2000)}!`, `/${'a'.repeat(4000)}`];

test.each([
  '/mnt/docs/**',
  '/mnt/*/r/**',
  '/workspace/**/.env',
  '/workspace/c++/**',
  '/**/a/**/b',
  '/**/*a*b',
  '/*a*/*a*/b',
  '/*.{md,txt}',
  '/*/*/*/*/*/b',
  '/**a**/b',
  '/{a,aa}*b',
])('a glob that a policy may have is matched soon, whatever the path: %s', (glob) => {
  expect(slownessOf(glob)).toBeNull();
  const matches = matcherOf(glob);
  // Without the bounds it is minutes, and the test's time is over.
  for (const path of PATHS) matches(path);
});

test.each([
  '/**/a/**/a/**/b',
  '/*a*a*b',
  '/**/*a*/**/*a*b',
  '/*a*/*a*/*a*/b',
  '/[a]+[a]+b',
  '/{a,aa}{a,aa}{a,aa}b',
  '/+(a|aa)b',
  '/a|a*',
  `/{${Array(17).fill('a').join(',')}}`,
])('a glob that could take for ever is refused with the rule that has it: %s', (glob) => {
  for (const field of ['path', 'tool']) {
    const policy = JSON.stringify({ rules: [{ decision: 'deny', [field]: glob }] });
    expect(() => parsePolicy(policy, 'policy.yaml')).toThrow(ConfigError);
    expect(() => parsePolicy(policy, 'policy.yaml')).toThrow(`rules[0].${field}`);
  }
});
