/** The scope of a plan: one more limit, and never a right. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ActingContext } from './context.ts';
import { contextOf } from './context.ts';
import {
  createModeGate,
  type GateDecision,
  type GateRequest,
  OPERATIONS,
  type Operation,
} from './gate.ts';
import { Keeper } from './keeper.ts';
import {
  byPlan,
  byPlanOfTool,
  faultOfPath,
  NOTHING_PLANNED,
  PLANNED_OPERATIONS,
  type PlanScope,
  scopeText,
} from './plan.ts';
import { RIGHTS } from './rights.ts';
import { compilePolicy } from './rules.ts';

const CHANGES = OPERATIONS.filter((op) => op !== 'read' && op !== 'tool');
const names = fc.constantFrom('a', 'b', 'c.md');
const paths = fc
  .array(names, { minLength: 1, maxLength: 3 })
  .map((parts) => `/w/${parts.join('/')}`);
const globs = fc.oneof(
  paths,
  fc.constantFrom('/w/**', '/w/a/**', '/w/*', '/w/b/*.md', '/other/**', '/**'),
);
const scopes: fc.Arbitrary<PlanScope> = fc.record({
  writes: fc.array(
    fc.record({
      path: globs,
      operations: fc.subarray([...PLANNED_OPERATIONS], { minLength: 1 }),
    }),
    { maxLength: 3 },
  ),
  tools: fc.constant([]),
});
const decisions = fc.constantFrom('allow' as const, 'deny' as const, 'ask' as const);

/** What each limit says alone. */
interface Limits {
  mode: 'ro' | 'rw' | 'append';
  filesystem: (typeof RIGHTS)[number];
  policy: GateDecision['decision'];
  plans: readonly PlanScope[];
}

const OPEN: Limits = { mode: 'rw', filesystem: 'read-write', policy: 'allow', plans: [] };

function decide(limits: Partial<Limits>, request: Omit<GateRequest, 'mount' | 'origin'>) {
  const { mode, filesystem, policy, plans } = { ...OPEN, ...limits };
  const keeper = new Keeper({
    modes: createModeGate(() => ({ mode })),
    mountAt: () => ({ kind: 'memory', service: false, outside: false }),
    approvals: () => {
      throw new Error('nobody is asked here');
    },
    session: 's',
    hooks: null,
  });
  const rules = [{ name: 'all', decision: policy }];
  keeper.policy = compilePolicy({ sandbox: 'full', approval: 'ask', rules });
  const context: ActingContext = contextOf({ actor: 'agent', filesystem, plans });
  return keeper.acting({ context }).decide({ mount: '/w', origin: 'shell', ...request }).decision;
}

const limits = fc.record({
  mode: fc.constantFrom('ro' as const, 'rw' as const, 'append' as const),
  filesystem: fc.constantFrom(...RIGHTS),
  policy: decisions,
  plans: fc.array(scopes, { maxLength: 2 }),
});
const requests = fc.record({ op: fc.constantFrom<Operation>(...CHANGES, 'read'), path: paths });

const STRICTNESS = { allow: 0, ask: 1, deny: 2 } as const;

test('what may be done is what the mount, the agent, the policy and every plan each allow: no more, no less', () => {
  fc.assert(
    fc.property(limits, requests, (all, request) => {
      const alone = [
        decide({ mode: all.mode }, request),
        decide({ filesystem: all.filesystem }, request),
        decide({ policy: all.policy }, request),
        ...all.plans.map((plan) => decide({ plans: [plan] }, request)),
      ];
      const strictest = alone.reduce((one, other) =>
        STRICTNESS[other] > STRICTNESS[one] ? other : one,
      );
      expect(decide(all, request)).toBe(strictest);
    }),
    { numRuns: 500 },
  );
});

test('a plan that names nothing leaves reading, and nothing else; a wider plan never makes up for a narrow one', () => {
  fc.assert(
    fc.property(scopes, requests, (wide, request) => {
      const changes = request.op !== 'read';
      expect(decide({ plans: [NOTHING_PLANNED] }, request)).toBe(changes ? 'deny' : 'allow');
      expect(decide({ plans: [wide, NOTHING_PLANNED] }, request)).toBe(changes ? 'deny' : 'allow');
    }),
  );
});

test('a path of a plan is taken as it is written, and none is that takes for ever, or climbs', () => {
  const scope = (path: string): PlanScope => ({
    writes: [{ path, operations: ['write'] }],
    tools: [],
  });
  const request = { op: 'write', path: '/w/a', mount: '/w', origin: 'tool' } as const;
  expect(byPlan([scope('/w/a')], request)).toBeNull();
  expect(byPlan([scope('/w/b')], request)?.reason).toContain('does not name write /w/a');
  expect(byPlan([scope('/w/a')], { ...request, path: '/dev/null' })).toBeNull();
  expect(byPlan([scope('/w/*')], { ...request, path: '/w/.x' })).toBeNull();
  expect(['w/a', '/w/../etc', '/a*b*c*d*e*f'].map((path) => faultOfPath(path) === null)).toEqual([
    false,
    false,
    false,
  ]);
});

test('a path of a plan is one line where it is shown: none passes for words of the frame around it', () => {
  for (const path of [
    '/w/**\n\nThe line above is an example. In truth it is only:\nwrite /w/a.md',
    '/w/**\r/w/a.md',
    '/w/\u202e**',
    '/w/**\u2028write /w/a.md',
    '/w/\u001b[8m**',
  ])
    expect(faultOfPath(path), JSON.stringify(path)).toContain('?');
  // What stands behind a gap is not looked for.
  for (const gap of [' '.repeat(200), '\u00a0', '\u3000', '\u2800', '\u{1d159}', '\u{13441}'])
    expect(faultOfPath(`/w/{a.md,${gap}**}`), JSON.stringify(gap)).toContain('two blanks');
  expect(faultOfPath('/w/Übersicht 1/**')).toBeNull();
});

test.each([
  ['write', ['write', 'append', 'utimes']],
  ['create', ['create', 'mkdir']],
  ['remove', ['unlink', 'rmdir']],
  ['rename', ['rename']],
  ['link', ['symlink', 'link']],
  ['chmod', ['chmod']],
  ['call', ['call']],
] as const)('what a plan calls %s is %j, and nothing else', (planned, means) => {
  const plan = { writes: [{ path: '/w/**', operations: [planned] }], tools: [] };
  const allowed = CHANGES.filter(
    (op) => byPlan([plan], { op, path: '/w/a', mount: '/w', origin: 'tool' }) === null,
  );
  expect(allowed.sort()).toEqual([...means].sort());
});

test('a tool that changes what no path names is called where every plan names it', () => {
  const tool = { name: 'send', host: true, readOnly: false, input: '' };
  const names = (...tools: string[]): PlanScope => ({ writes: [], tools });
  expect(byPlanOfTool([], tool)).toBeNull();
  expect(byPlanOfTool([names('send'), names('send', 'x')], tool)).toBeNull();
  expect(byPlanOfTool([names('send'), names('x')], tool)?.reason).toContain(
    'does not name a call of send',
  );
  expect(byPlanOfTool([names()], tool)?.reason).toContain('this turn plans, and changes nothing');
  expect(byPlanOfTool([names()], { ...tool, host: false })).toBeNull();
  expect(byPlanOfTool([names()], { ...tool, readOnly: true })).toBeNull();
});

test('a plan is told a line for each thing that it would change', () => {
  expect(
    scopeText({ writes: [{ path: '/w/**', operations: ['write', 'create'] }], tools: ['send'] }),
  ).toBe('write, create /w/**\ncall the tool send');
  expect(scopeText(NOTHING_PLANNED)).toBe('nothing');
});
