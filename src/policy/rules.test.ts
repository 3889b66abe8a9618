import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { ConfigError } from '../errors.ts';
import { parsePolicy } from './policy.ts';
import { compilePolicy, type Facts } from './rules.ts';

const FACTS: Facts = {
  op: 'write',
  path: '/mnt/gh/o/r/issues/1.md',
  mount: '/mnt/gh',
  kind: 'github',
  origin: 'shell',
  actor: 'assistant',
  service: true,
  untrustedRead: false,
  changes: 0,
};

const TOOL = { name: 'post', host: true, readOnly: false };
const CALL: Partial<Facts> = {
  op: 'tool',
  path: '',
  mount: 'tools',
  kind: 'tools',
  service: false,
  tool: TOOL,
};

const decide = (policy: string, facts: Partial<Facts> = {}): string =>
  compilePolicy(parsePolicy(policy, 'policy.yaml')).decide({ ...FACTS, ...facts }).decision;

describe('C first match wins', () => {
  const policy = `
sandbox: full
rules:
  - {decision: allow, path: /mnt/gh/o/r/issues/new.md}
  - {decision: deny, path: "/mnt/gh/*/r/**", op: write}
  - {decision: ask, mount: github}
`;
  test.each<[string, Partial<Facts>]>([
    ['deny', {}],
    ['deny', { op: 'append' }],
    ['allow', { path: '/mnt/gh/o/r/issues/new.md' }],
    ['ask', { op: 'unlink' }],
    ['ask', { path: '/mnt/gh/o/other/issues/1.md' }],
    ['allow', { kind: 'disk', mount: '/mnt/x', path: '/mnt/x/f', service: false }],
  ])('%s %j', (decision, facts) => {
    expect(decide(policy, facts)).toBe(decision);
  });
});

describe('a condition', () => {
  test.each<[string, Partial<Facts>, Partial<Facts>]>([
    ['op: remove', { op: 'rmdir' }, { op: 'write' }],
    ['op: change', { op: 'chmod' }, { op: 'read' }],
    ['op: [mkdir, create]', { op: 'mkdir' }, { op: 'write' }],
    ['path: /mnt/gh', { path: '/mnt/gh/x' }, { path: '/mnt/ghx' }],
    ['path: /mnt/gh/**', { path: '/mnt/gh' }, { path: '/mnt/ghx' }],
    ['path: "/mnt/*"', { path: '/mnt/gh' }, { path: '/mnt/gh/x' }],
    ['path: "/mnt/**/.env"', { path: '/mnt/a/.b/.env' }, { path: '/mnt/env' }],
    ['path: /a/b/c', { op: 'symlink', path: '/a/b' }, { op: 'create', path: '/a/b' }],
    ['mount: /mnt/gh', {}, { mount: '/mnt' }],
    ['mount: github', {}, { kind: 'disk' }],
    ['origin: [mcp, tool]', { origin: 'mcp' }, { origin: 'shell' }],
    ['actor: researcher', { actor: 'researcher' }, {}],
    ['service: true', {}, { service: false }],
    ['untrusted-read: true', { untrustedRead: true }, {}],
    ['destructive: true', { op: 'unlink' }, {}],
    ['destructive: true', { changes: 20 }, { changes: 19 }],
    ['destructive: true', { op: 'rename' }, { op: 'rename', path: '/workspace/x' }],
    ['bulk: 3', { changes: 3 }, { changes: 2 }],
    ['tool: "po*"', CALL, { ...CALL, tool: { ...TOOL, name: 'look' } }],
    ['op: tool', CALL, {}],
    ['untrusted-read: true', { ...CALL, untrustedRead: true }, CALL],
    ['actor: researcher', { ...CALL, actor: 'researcher' }, CALL],
    ['service: true\n    op: write', {}, { op: 'read' }],
  ])('%s holds for %j and not for %j', (condition, yes, no) => {
    const policy = `sandbox: full\nrules:\n  - decision: deny\n    ${condition}\n`;
    expect([decide(policy, yes), decide(policy, no)]).toEqual(['deny', 'allow']);
  });

  test('the host is bound only by a rule that names it', () => {
    const host = { origin: 'host' } as const;
    expect(decide('rules: [{decision: deny}]', host)).toBe('allow');
    expect(decide('rules: [{decision: deny, origin: [host]}]', host)).toBe('deny');
  });
});

describe('C sandbox mode and approval policy are two independent settings', () => {
  const own: Partial<Facts> = { path: '/workspace/f', mount: '/workspace', service: false };
  const scratch: Partial<Facts> = { path: '/tmp/f', mount: '/tmp', service: false };
  test.each([
    ['read-only', 'never', 'deny', 'deny'],
    ['read-only', 'ask', 'ask', 'ask'],
    ['read-only', 'on-failure', 'ask', 'ask'],
    ['read-only', 'untrusted', 'ask', 'ask'],
    ['workspace', 'never', 'allow', 'deny'],
    ['workspace', 'ask', 'allow', 'ask'],
    ['workspace', 'on-failure', 'allow', 'ask'],
    ['workspace', 'untrusted', 'ask', 'ask'],
    ['full', 'never', 'allow', 'allow'],
    ['full', 'ask', 'allow', 'allow'],
    ['full', 'on-failure', 'allow', 'allow'],
    ['full', 'untrusted', 'ask', 'ask'],
  ])(
    '%s with %s: own disk %s, services %s; reading and scratch are free',
    (sandbox, approval, disk, service) => {
      const policy = `sandbox: ${sandbox}\napproval: ${approval}`;
      expect([decide(policy, own), decide(policy)]).toEqual([disk, service]);
      expect([decide(policy, { op: 'read' }), decide(policy, scratch)]).toEqual(['allow', 'allow']);
    },
  );

  test.each([
    ['full', 'ask', 'allow'],
    ['workspace', 'ask', 'allow'],
    ['workspace', 'untrusted', 'ask'],
    ['read-only', 'ask', 'ask'],
    ['read-only', 'never', 'deny'],
  ])(
    '%s with %s: a tool of the host %s; one that only looks, and those of the world, are free',
    (sandbox, approval, host) => {
      const policy = `sandbox: ${sandbox}\napproval: ${approval}`;
      expect(decide(policy, CALL)).toBe(host);
      for (const tool of [
        { ...TOOL, readOnly: true },
        { ...TOOL, host: false },
      ])
        expect(decide(policy, { ...CALL, tool })).toBe('allow');
    },
  );

  test('a rule about files or mounts is not about tools, nor the other way round', () => {
    for (const about of ['path: /**', 'mount: tools', 'service: false', 'bulk: 1'])
      expect(decide(`sandbox: full\nrules: [{decision: deny, ${about}}]`, CALL)).toBe('allow');
    expect(decide('sandbox: full\nrules: [{decision: deny, tool: "*"}]')).toBe('allow');
  });

  test('C no match asks', () => {
    expect(decide('')).toBe('ask');
    expect(decide('rules: [{decision: allow, path: /elsewhere}]')).toBe('ask');
  });

  test('with "never", what a rule asks for is denied', () => {
    expect(decide('approval: never\nrules: [{decision: ask}]')).toBe('deny');
  });
});

describe('the policy of the package', () => {
  const text = readFileSync(new URL('../../agents/policy.yaml', import.meta.url), 'utf8');
  test.each<[string, Partial<Facts>]>([
    ['ask', {}],
    ['ask', { op: 'unlink' }],
    ['allow', { actor: 'user' }],
    ['allow', { op: 'read' }],
    ['allow', { path: '/workspace/x', mount: '/workspace', service: false }],
    ['allow', { path: '/harness/x', mount: '/harness', service: false }],
    ['ask', { path: '/harness/x', mount: '/harness', service: false, untrustedRead: true }],
    ['ask', { path: '/mnt/docs/x', mount: '/mnt/docs', service: false }],
  ])('destructive operations and writes to services ask: %s %j', (decision, facts) => {
    expect(decide(text, facts)).toBe(decision);
  });
});

describe('a policy that cannot be used is refused with the path of the fault', () => {
  test.each([
    [
      'rules: [{decision: maybe}]',
      /policy\.yaml: the policy is not valid:\n {2}rules\[0\]\.decision/,
    ],
    ['sandbox: open', /\n {2}sandbox: /],
    ['rules: [{decision: deny}, {decision: deny, paths: /x}]', /rules\[1\].*paths/],
    ['rules: [{decision: deny, path: x}]', /rules\[0\]\.path/],
    ['rules: [{decision: deny, bulk: 0}]', /rules\[0\]\.bulk/],
    ['sandbox: [', /no YAML/],
    ['sandbox: full\nsandbox: full', /no YAML/],
    ['- x', /\(the policy\)/],
  ])('%j', (text, message) => {
    expect(() => parsePolicy(text, 'policy.yaml')).toThrow(ConfigError);
    expect(() => parsePolicy(text, 'policy.yaml')).toThrow(message);
  });
});
