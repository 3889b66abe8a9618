/** `policy.yaml` as it is read; what its rules decide is in rules.test.ts. */
import { expect, test } from 'vitest';
import { ConfigError } from '../errors.ts';
import { parsePolicy } from './policy.ts';

const parse = (text: string) => parsePolicy(text, 'policy.yaml');

function faultOf(text: string): string {
  try {
    parse(text);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  return 'no fault';
}

test('a rule is called by its name, or by its place, which a refusal can then tell', () => {
  const { rules } = parse(
    'rules:\n- {decision: deny, path: /a}\n- {decision: deny, path: /b, name: mine}\n- {decision: ask}',
  );
  expect(rules.map(({ name }) => name)).toEqual(['rules[0]', 'mine', 'rules[2]']);
});

test('an empty policy, and one of comments, is the policy of a world without any', () => {
  const whole = { sandbox: 'workspace', approval: 'ask', rules: [] };
  for (const text of ['', '# nothing yet\n', '{}']) expect(parse(text)).toEqual(whole);
});

test('a name of several operations stands for each of them once, and appending is writing', () => {
  const opsOf = (op: string): readonly string[] =>
    [...(parse(`rules: [{decision: deny, op: ${op}}]`).rules[0]?.op ?? [])].sort();
  expect(opsOf('write')).toEqual(['append', 'write']);
  expect(opsOf('[write, append]')).toEqual(['append', 'write']);
  expect(opsOf('remove')).toEqual(['rmdir', 'unlink']);
  expect(opsOf('read')).toEqual(['read']);
  const change = opsOf('change');
  expect(change).toEqual(expect.arrayContaining(['append', 'call', 'mkdir', 'rename', 'rmdir']));
  expect(change).not.toContain('read');
  expect(change).not.toContain('tool');
});

test('what a rule does not say, it does not ask for', () => {
  const [rule] = parse('rules: [{decision: ask}]').rules;
  expect(rule).toEqual({ decision: 'ask', name: 'rules[0]' });
  const [untrusted] = parse('rules: [{decision: ask, untrusted-read: true}]').rules;
  expect(untrusted).toEqual({ decision: 'ask', name: 'rules[0]', untrustedRead: true });
});

test.each([
  ['- 1', '(the policy): '],
  ['sandbox: all', 'sandbox: '],
  ['rules: [{decision: maybe}]', 'rules[0].decision: '],
  ['rules: [{decision: ask}, {decision: ask, op: [read, eat]}]', 'rules[1].op'],
  ['rules: [{decision: ask, path: a/b}]', 'must be an absolute path'],
  ['rules: [{decision: ask, path: []}]', 'rules[0].path'],
  ['rules: [{decision: ask, bulk: 0}]', 'rules[0].bulk'],
  ['rules: [{decision: ask, name: ""}]', 'rules[0].name'],
  ['rules: [{decision: ask, pth: /a}]', 'pth'],
  ['sandbox: full\nrules: [', 'it is no YAML: line 2: '],
])('what is wrong in %j is told by its place', (text, said) => {
  expect(faultOf(text)).toContain('policy.yaml');
  expect(faultOf(text)).toContain(said);
});
