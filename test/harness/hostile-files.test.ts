/** Files of a harness that were written to break whoever reads them: each is a fault of its own, and quickly. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { HarnessFault, parseAgent, untrustedInputSchema } from '../../src/harness/files.ts';
import { openHarness } from '../../src/harness/index.ts';
import { listProposals } from '../../src/harness/proposals.ts';
import { FrontmatterError, parseFrontmatter } from '../../src/mount/record/frontmatter.ts';
import { parsePolicy } from '../../src/policy/policy.ts';
import { parseScheduled } from '../../src/schedule/prompt.ts';
import { defaultHarness } from '../../src/world/plan.ts';
import { readYaml, YamlFault } from '../../src/yaml.ts';
import { temporaryDirectory } from '../world/harness.ts';

const many = (count: number, text: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => text(index)).join('');

/** A billion laughs: each name stands for ten of the one before. */
const BOMB = `a0: &a0 x\n${many(9, (at) => `a${at + 1}: &a${at + 1} [${Array(10).fill(`*a${at}`).join(', ')}]\n`)}`;

const HOSTILE: readonly [what: string, yaml: string, fault: RegExp][] = [
  ['a bomb of aliases', BOMB, /alias/],
  ['one alias', 'a: &a 1\nb: *a', /alias/],
  ['merge keys', 'a: &a {x: 1}\nb: {<<: *a}', /alias/],
  ['an alias that is its own anchor', '&a [*a]', /alias/],
  ['16,000 keys', many(16_000, (at) => `k${at}: ${at}\n`), /fields|characters long/],
  ['many short keys', many(9_000, (at) => `${at}:\n`), /fields/],
  ['lists in lists', `a: ${'['.repeat(9_000)}`, /nests/],
  ['maps in maps', '{a: '.repeat(9_000), /nests/],
  ['items in items', '- '.repeat(9_000), /nests/],
  ['keys of keys', '? '.repeat(9_000), /key/],
  ['commas', `a: [${','.repeat(9_000)}]`, /comma/],
  ['anchors', '&a '.repeat(9_000), /fields|anchor/],
  ['ten megabytes', `a: "${'x'.repeat(10_000_000)}"`, /characters long/],
  ['a key twice', 'a: 1\na: 2', /unique/],
  ['one key as two', '1: a\n"1": b', /unique/],
  ['the prototype', '__proto__: {admin: true}', /__proto__/],
  ['the prototype, deeper', 'a: {b: {"__proto__": 1}}', /__proto__/],
  ['a list as a key', '[a]: b', /key/],
  ['two documents', 'a: 1\n--- \nb: 2', /document/],
  ['a quote that stays open', `a: "${'\\'.repeat(60_000)}`, /Missing closing/],
];

test.each(HOSTILE)('%s is refused with a sentence, by every reader of YAML', (_, yaml, fault) => {
  expect(() => readYaml(yaml)).toThrow(YamlFault);
  expect(() => readYaml(yaml)).toThrow(fault);
  expect(() => parsePolicy(yaml, 'policy.yaml')).toThrow(/policy\.yaml: it is no YAML/);
  // It was seconds, minutes, or the end of the process.
  // Of a file with a body the second document is the body.
  if (!yaml.includes('---')) {
    expect(() => parseFrontmatter(`---\n${yaml}\n---\n`)).toThrow(FrontmatterError);
    expect(parseScheduled(`---\n${yaml}\n---\nprompt`)).toMatch(/is no YAML/);
  }
});

test('each of them is a fault of its own file: the others load, the last good version stays, diff lists the rest', async () => {
  const own = temporaryDirectory();
  const put = (root: string, path: string, text: string | Buffer): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  const agent = (yaml: string): string => `---\n${yaml}\n---\n\nprompt\n`;
  put(own, 'agents/steady.md', agent('description: first'));
  const harness = await openHarness({ own, defaults: defaultHarness() });
  onTestFinished(() => harness.close());
  expect((await harness.current()).agents.get('steady')?.description).toBe('first');
  HOSTILE.forEach(([, yaml], index) => {
    put(own, `agents/h${index}.md`, agent(yaml));
    put(own, `skills/h${index}/SKILL.md`, agent(yaml));
    put(own, `prompts/h${index}.md`, agent(yaml));
    put(own, `tools/h${index}.sh`, `#!/bin/sh\n# ---\n# ${yaml.replaceAll('\n', '\n# ')}\n# ---\n`);
  });
  put(own, 'agents/steady.md', agent(BOMB));
  put(own, 'agents/bytes.md', Buffer.from([0xff, 0xfe, 0]));
  put(own, 'policy.yaml', BOMB);
  const { agents, errors, policy } = await harness.current();
  expect(agents.get('steady')?.description).toBe('first');
  expect(agents.get('assistant')).toBeDefined();
  expect(policy.isDefault).toBe(true);
  const broken = errors.map(({ path }) => path);
  expect(broken).toEqual(
    expect.arrayContaining(['agents/steady.md', 'policy.yaml', 'tools/h0.sh']),
  );
  expect(broken.length).toBeGreaterThan(3 * HOSTILE.length);

  const proposals = temporaryDirectory();
  put(proposals, 'agents/fine.md', agent('description: fine'));
  put(proposals, 'agents/bomb.md', agent(BOMB));
  put(proposals, 'agents/large.md', 'x'.repeat(2_000_000));
  symlinkSync('/etc/passwd', join(proposals, 'agents/link.md'));
  put(proposals, 'policy.yaml', BOMB);
  const found = listProposals({ own, defaults: defaultHarness(), proposals });
  expect(found.errors.map(({ path }) => path).sort()).toEqual([
    'agents/large.md',
    'agents/link.md',
  ]);
  expect(found.proposals.map(({ path, error }) => [path, error === null])).toEqual([
    ['agents/bomb.md', false],
    ['agents/fine.md', true],
    ['policy.yaml', false],
  ]);
});

test('a glob of tools is refused that could take long on a long name', () => {
  for (const glob of ['*a*a*a*a*', '+(+(a))', '[a]+[a]+[a]+', '{a,aa}{a,aa}{a,aa}'])
    expect(() => parseAgent('a', `---\ndescription: d\ntools: {"${glob}": true}\n---\nx`)).toThrow(
      /a glob of tools (?:may have|has)/,
    );
  const { tools } = parseAgent('a', '---\ndescription: d\ntools: {"{read,*_x}": true}\n---\nx');
  expect(tools).toEqual({ '{read,*_x}': true });
});

test('a pattern of an agent’s tool takes time in proportion, wherever it stands', () => {
  const bad = { type: 'string', pattern: '^(a+)+$' };
  const schemas = [
    bad,
    { type: 'array', items: bad },
    { anyOf: [{ type: 'number' }, bad] },
    { allOf: [bad, { type: 'string', minLength: 1 }] },
    { type: 'object', additionalProperties: bad },
    { type: ['string', 'null'], pattern: bad.pattern },
  ];
  const hostile = `${'a'.repeat(5_000)}b`;
  for (const schema of schemas) {
    const { a } = { a: schema };
    const check = untrustedInputSchema({ type: 'object', properties: { a } });
    const values = [hostile, [hostile], { x: hostile }, 'aaa', ['aaa'], { x: 'aaa' }];
    const taken = values.map((value) => check.safeParse({ a: value }).success);
    // Each takes one of the two shapes at least, with a text that fits and none that does not.
    expect(taken.slice(0, 3)).toEqual([false, false, false]);
    expect(taken.slice(3).filter(Boolean)).toHaveLength(1);
  }
  expect(() => untrustedInputSchema({ type: 'object', not: bad })).toThrow(HarnessFault);
});

test('what a schema of an agent’s could multiply itself by is refused, and words that only look like it are not', () => {
  const refused: Record<string, unknown>[] = [
    { $defs: { a: {} }, properties: { x: { $ref: '#/$defs/a' } } },
    { properties: { x: { patternProperties: { '^(a+)+$': {} } } } },
    { properties: { x: { type: 'string', pattern: '(' } } },
    { properties: { x: { type: 'string', pattern: '(a)\\1' } } },
    { properties: { x: { type: 'string', pattern: '(?:a{500}){500}' } } },
  ];
  for (const schema of refused)
    expect(() => untrustedInputSchema({ type: 'object', ...schema })).toThrow(HarnessFault);
  const properties = { $ref: { type: 'string' }, pattern: { type: 'string' } };
  const fine = untrustedInputSchema({ type: 'object', properties, required: ['pattern'] });
  expect(fine.safeParse({ $ref: 'x', pattern: '(' }).success).toBe(true);
  const message = untrustedInputSchema({
    type: 'object',
    properties: { id: { type: 'string', pattern: '^[A-Z]+-\\d+$' } },
  }).safeParse({ id: 'x' }).error?.issues[0]?.message;
  expect(message).toContain('/^[A-Z]+-\\d+$/');
});
