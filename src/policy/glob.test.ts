import fc from 'fast-check';
import { expect, test } from 'vitest';
import { matchesTrigger } from '../harness/triggers.ts';
import { createModeGate } from './gate.ts';
import { PathRules } from './path-rules.ts';
import { byPlan } from './plan.ts';
import { parsePolicy } from './policy.ts';
import { compilePolicy } from './rules.ts';
import { allowsTool } from './tool-switches.ts';

/** Names as an agent can give them: with all that ends a line somewhere, and what means something in an expression. */
const hostile = fc
  .array(
    fc.oneof(
      fc.constantFrom('\n', '\r', '\u2028', '\u2029', '\v', '\f', '\u0085', '\ud800', '\u202e'),
      fc.constantFrom('.', '$', '^', '(', ')', '[', '{', '\\', ' ', '-', '#', '\t'),
      fc.constantFrom('a', 'b', 'md', '.md'),
    ),
    { minLength: 1, maxLength: 8 },
  )
  .map((parts) => parts.join(''))
  .filter((name) => name !== '.' && name !== '..');

const GLOBS = ['/mnt/x/**', '/mnt/*/**', '/mnt/**/*', '/mnt/x/*/*'];

/** Each place in which a rule is about a path: does it find this one? */
const PLACES: Readonly<Record<string, (glob: string, path: string) => boolean>> = {
  'rules for paths': (glob, path) =>
    new PathRules([{ name: 'r', paths: [glob] }]).meet(path, false).length === 1,
  'the policy': (glob, path) =>
    compilePolicy(
      parsePolicy(
        JSON.stringify({ sandbox: 'full', rules: [{ decision: 'deny', path: glob }] }),
        'p',
      ),
    ).decide({
      op: 'write',
      path,
      mount: '/mnt/x',
      kind: 'disk',
      origin: 'shell',
      actor: 'assistant',
      service: false,
      untrustedRead: false,
      changes: 0,
    }).decision === 'deny',
  'modes of a mount': (glob, path) =>
    createModeGate(() => ({ mode: 'rw', rules: [{ pattern: glob, mode: 'ro' }] }))({
      op: 'write',
      path,
      mount: '/',
      origin: 'shell',
    }).decision === 'deny',
  'a plan': (glob, path) =>
    byPlan([{ writes: [{ path: glob, operations: ['write'] }], tools: [] }], {
      op: 'write',
      path,
      mount: '/mnt/x',
      origin: 'shell',
    }) === null,
  triggers: (glob, path) => matchesTrigger({ on: [{ event: null, path: glob }] }, 'e', [path]),
};

test.each(Object.entries(PLACES))('no name leads out of what a glob is about: %s', (_, finds) => {
  fc.assert(
    fc.property(fc.constantFrom(...GLOBS), hostile, hostile, (glob, directory, name) => {
      expect(finds(glob, `/mnt/x/${directory}/${name}`)).toBe(true);
      expect(finds(glob, `/other/${directory}/${name}`)).toBe(false);
    }),
    { numRuns: 150 },
  );
});

test('no name of a tool leads out of its switches, and what triggers wait for is found in any case', () => {
  fc.assert(
    fc.property(hostile, (name) => {
      expect(allowsTool({ tools: [{ '*': false }] }, name.replaceAll('/', ''))).toBe(false);
    }),
  );
  expect(
    matchesTrigger({ on: [{ event: 'github:issues.*', path: null }] }, 'GitHub:Issues.opened', []),
  ).toBe(true);
});
