/** The keeper of the gate: what it allows, whom it has asked, and what it remembers of a turn. */
import { afterEach, describe, expect, test } from 'vitest';
import type { Acting } from './acting.ts';
import { ApprovalJournal } from './approvals.ts';
import { type ActingContext, contextOf } from './context.ts';
import { EngineGate, type PolicyQuestion, type PolicyVerdict } from './engine.ts';
import { type Access, createModeGate, type GateDecision, type GateRequest } from './gate.ts';
import { type Hooks, runHook } from './hooks.ts';
import { Keeper } from './keeper.ts';
import type { KeeperOptions } from './keeper-options.ts';
import { NOTHING_PLANNED, type PlanScope } from './plan.ts';
import { compilePolicy, type Policy, type PolicyRule } from './rules.ts';

const opened: ApprovalJournal[] = [];
afterEach(() => {
  for (const each of opened.splice(0)) each.close();
});

const MOUNTS = {
  '/workspace': { kind: 'memory', service: false, outside: false },
  '/mnt/t': { kind: 'tracker', service: true, outside: true },
  '/harness': { kind: 'harness', service: false, outside: false },
} as const;

interface Given extends Partial<KeeperOptions> {
  rules?: readonly PolicyRule[];
  approval?: Policy['approval'];
  verdict?: PolicyVerdict | Error;
}

/** A keeper of an open policy, where nothing else is given. */
function keeperOf({ rules = [], approval = 'ask', verdict, ...given }: Given = {}) {
  const journal = new ApprovalJournal(':memory:');
  opened.push(journal);
  const questions: PolicyQuestion[] = [];
  const engine =
    verdict === undefined
      ? null
      : new EngineGate({
          decide(question) {
            questions.push(question);
            if (verdict instanceof Error) throw verdict;
            return verdict;
          },
        });
  const keeper = new Keeper({
    modes: createModeGate(() => ({ mode: 'rw' })),
    mountAt: (point) => MOUNTS[point as keyof typeof MOUNTS],
    approvals: () => journal,
    session: 's',
    hooks: null,
    engine,
    ...given,
  });
  keeper.policy = compilePolicy({ sandbox: 'full', approval, rules });
  return { keeper, journal, questions };
}

const agent = (given: Partial<ActingContext> = {}): ActingContext =>
  contextOf({ actor: 'ann', turn: 'one', ...given });
const request = (given: Partial<GateRequest> = {}): GateRequest => ({
  op: 'write',
  path: '/mnt/t/a.md',
  mount: '/mnt/t',
  origin: 'shell',
  ...given,
});
const ALLOW: GateDecision = { decision: 'allow', rule: '', reason: '' };
const ASKS: PolicyRule = { name: 'house', decision: 'ask', mount: ['/mnt/t'] };
const asked = [
  { op: 'write', path: '/mnt/t/a.md', mount: '/mnt/t', rule: 'r', reason: 'r: why' },
] as const;
const proposal = (digest = 'x', preview = '+new') => ({
  digest: async () => digest,
  preview: async () => preview,
});

describe('the modes of mounts', () => {
  const decide = (access: Access | undefined, given: Partial<GateRequest>) =>
    createModeGate(() => access)(request(given));

  test('allow reading always, changes where the mode has them', () => {
    expect(decide(undefined, { op: 'read' })).toEqual(ALLOW);
    expect(decide(undefined, {}).reason).toBe(
      'nothing is mounted at /mnt/t: mount a directory there first',
    );
    const call = { program: 'p', effect: 'reads' } as const;
    expect(decide({ mode: 'ro' }, { op: 'call', call })).toEqual(ALLOW);
    const allowed = (mode: Access['mode']) =>
      (['create', 'append', 'mkdir', 'write', 'unlink', 'call'] as const).filter(
        (op) => decide({ mode }, { op }).decision === 'allow',
      );
    const all = ['create', 'append', 'mkdir', 'write', 'unlink', 'call'];
    expect([allowed('ro'), allowed('append'), allowed('rw'), allowed('stage')]).toEqual([
      [],
      ['create', 'append', 'mkdir'],
      all,
      all,
    ]);
  });

  test('say what is refused, and what may be done instead', () => {
    expect(decide({ mode: 'ro', advice: 'write elsewhere' }, {})).toEqual({
      decision: 'deny',
      rule: '/mnt/t is mounted ro',
      reason: '/mnt/t is mounted ro: nothing here can be changed; write elsewhere',
    });
    expect(decide({ mode: 'append' }, {}).reason).toBe(
      '/mnt/t is mounted append: only new files and appending (>>) are allowed, not write',
    );
  });

  test('have exceptions, of which the first that is about the path holds', () => {
    const access: Access = {
      mode: 'rw',
      rules: [
        { pattern: '/log/**', mode: 'append' },
        { pattern: 'log/secret', mode: 'rw' },
        { pattern: '*.lock', mode: 'ro' },
      ],
    };
    const of = (path: string, op: GateRequest['op'] = 'write', mount = '/mnt/t') =>
      decide(access, { path, op, mount }).rule;
    expect(of('/mnt/t/log/secret')).toBe('/log/** of /mnt/t is append');
    expect(of('/mnt/t/log/a', 'append')).toBe('');
    expect(of('/mnt/t/a.lock')).toBe('*.lock of /mnt/t is ro');
    expect(of('/mnt/t/d/a.lock')).toBe('');
    expect(of('/a.lock', 'write', '/')).toBe('*.lock of / is ro');
    // A link in the place of the directory would lead the rule astray.
    expect(of('/mnt/t/log', 'symlink')).toBe('/log/** of /mnt/t is append');
    expect(of('/mnt/t/lo', 'symlink')).toBe('');
    expect(of('/mnt/t/log', 'mkdir')).toBe('');
  });
});

describe('a keeper', () => {
  test('binds an agent to its files, with scratch for all', () => {
    const { keeper } = keeperOf();
    const filesystem = { '/workspace': 'append', '/mnt': 'read-write' } as const;
    const { decide } = keeper.acting({ context: agent({ filesystem }) });
    const bound = (op: GateRequest['op'], path: string) =>
      decide.call(keeper.acting({ context: agent({ filesystem }) }), request({ op, path })).rule;
    const rule = 'filesystem of agent ann';
    expect([
      bound('write', '/mnt/t/a'),
      bound('create', '/workspace/a'),
      bound('mkdir', '/workspace/a'),
      bound('write', '/workspace/a'),
      bound('append', '/else'),
      bound('read', '/else'),
      bound('write', '/tmp/a'),
      bound('write', '/dev'),
      bound('write', '/harness/proposals/x'),
      bound('write', '/tmpfile'),
    ]).toEqual(['', '', '', rule, rule, '', '', '', '', rule]);
    expect(
      keeper.acting({ context: agent({ filesystem }) }).decide(request({ path: '/x' })).reason,
    ).toBe(`${rule}: /x is read-only for it, so write is not allowed`);
    const call = { program: 'p', effect: 'reads' } as const;
    const narrow = keeper.acting({ context: agent({ filesystem: 'read-only' }) });
    expect(narrow.decide(request({ op: 'call', call }))).toEqual(ALLOW);
  });

  test('refuses where no policy is there, where the policy fails, and where a mode does', () => {
    const { keeper } = keeperOf();
    const acting = keeper.acting({ context: agent() });
    keeper.policy = null;
    expect(acting.decide(request()).rule).toBe('no policy');
    keeper.isDefault = true;
    expect(acting.decide(request()).rule).toBe('no policy');
    expect(keeper.acting({ context: contextOf() }).decide(request())).toEqual(ALLOW);
    keeper.isDefault = false;
    keeper.policy = {
      approval: 'ask',
      restrictsReads: false,
      decide() {
        throw new Error('broken');
      },
    };
    expect(acting.decide(request())).toEqual({
      decision: 'deny',
      rule: 'the gate failed',
      reason: 'the gate failed, which refuses: broken',
    });
  });

  test('asks the policy for all on whose behalf it is done; the strictest holds', () => {
    const rules: PolicyRule[] = [
      { name: 'ben', decision: 'ask', actor: ['ben'] },
      { name: 'cid', decision: 'deny', actor: ['cid'] },
    ];
    const { keeper } = keeperOf({ rules });
    const by = (...onBehalfOf: string[]) =>
      keeper.acting({ context: agent({ onBehalfOf }) }).decide(request()).decision;
    expect([by(), by('ben'), by('ben', 'cid'), by('cid', 'ben')]).toEqual([
      'allow',
      'ask',
      'deny',
      'deny',
    ]);
  });

  test('knows when modes alone decide, and when reads are watched', () => {
    const plain = keeperOf().keeper;
    plain.isDefault = true;
    const looks = (keeper: Keeper, context: ActingContext) => {
      const { byModesAlone, watchesReads, hooked, judged } = keeper.acting({ context });
      return { byModesAlone, watchesReads, hooked, judged };
    };
    const person = contextOf();
    const free = { byModesAlone: true, watchesReads: false, hooked: false, judged: false };
    expect(looks(plain, person)).toEqual(free);
    const bound = { ...free, byModesAlone: false };
    expect(looks(plain, agent())).toEqual(bound);
    expect(looks(plain, contextOf({ filesystem: 'append' }))).toEqual(bound);
    expect(looks(plain, contextOf({ plans: [NOTHING_PLANNED] }))).toEqual(bound);
    expect(looks(keeperOf().keeper, person)).toEqual(bound);
    const hooked = keeperOf({ hooks: {} }).keeper;
    hooked.isDefault = true;
    expect(looks(hooked, person)).toEqual({ ...bound, watchesReads: true, hooked: true });
    const judged = keeperOf({ verdict: { decision: 'allow' } }).keeper;
    judged.isDefault = true;
    expect(looks(judged, person)).toEqual({ ...bound, watchesReads: true, judged: true });
    const reads = keeperOf({
      rules: [{ name: 'r', decision: 'deny', op: ['read'], actor: ['ann'] }],
    });
    expect(looks(reads.keeper, agent()).watchesReads).toBe(true);
    reads.keeper.isDefault = true;
    expect(looks(reads.keeper, person)).toEqual(free);
  });

  test('tells who acts from anybody else', () => {
    const { keeper } = keeperOf();
    const as = (context: ActingContext) => keeper.acting({ context }).actingAs;
    expect(as(agent())).toBe(as(agent()));
    expect(as(agent())).not.toBe(as(agent({ turn: 'two' })));
  });

  test('knows on whose behalf a mount is changed', () => {
    const { keeper } = keeperOf();
    expect(keeper.author().actors).toEqual(['user']);
    const acting = keeper.acting({ context: agent({ people: ['ben'] }) });
    expect(acting.during(() => keeper.author())).toMatchObject({
      actors: ['ann'],
      people: ['ben'],
    });
  });

  test('counts what is under way until it is done, or was no change', () => {
    const { keeper } = keeperOf({ rules: [{ name: 'bulk', decision: 'deny', bulk: 2 }] });
    const context = agent();
    const acting = keeper.acting({ context });
    const decides = () => acting.decide(request()).decision;
    acting.reserve('/mnt/t');
    acting.reserve('/workspace');
    expect(keeper.turns.changes(context, '/mnt/t')).toBe(1);
    expect(decides()).toBe('allow');
    acting.noteChange('/mnt/t', 'write', '/mnt/t/a.md');
    expect(keeper.turns.changes(context, '/mnt/t')).toBe(1);
    acting.noteChange('/mnt/t', 'write', '/mnt/t/b.md');
    expect([keeper.turns.changes(context, '/mnt/t'), decides()]).toEqual([2, 'deny']);
    acting.reserve('/mnt/t');
    acting.reserve('/mnt/t');
    expect(keeper.turns.changes(context, '/mnt/t')).toBe(4);
    acting.settle();
    acting.settle();
    expect(keeper.turns.changes(context, '/mnt/t')).toBe(2);
    expect(keeper.turns.changes(context, '/workspace')).toBe(0);
  });

  test('marks a turn that reads what comes from outside, and tells what was met', () => {
    const { keeper } = keeperOf();
    const rules = [
      { name: 'tickets', paths: ['/mnt/t/**'] },
      { name: 'notes', paths: ['/workspace/notes/*.md'] },
    ];
    const read = new Set<string>();
    const acting: Acting = { context: agent({ rules, tellsFiles: true }), read };
    const gate = keeper.acting(acting);
    gate.noteRead('/workspace', '/workspace/a');
    expect([...read]).toEqual(['/workspace']);
    expect(keeper.turn(acting).untrustedRead).toBe(false);
    gate.noteRead('/workspace', '/workspace', 'tree');
    gate.noteRead('/workspace', '/workspace/notes', 'names');
    expect([...read]).toEqual(['/workspace', 'rule:notes']);
    gate.noteSaid('/workspace', '/workspace/a');
    expect(keeper.turn(acting).untrustedRead).toBe(false);
    gate.noteRead('/nowhere', '/nowhere/a');
    gate.noteRead('/mnt/t', '/mnt/t/d', 'names');
    expect([...read].slice(2)).toEqual(['/nowhere', '/mnt/t', 'rule:tickets']);
    expect(keeper.turn(acting).untrustedRead).toBe(true);
    gate.noteSaid('/mnt/t', '/mnt/t/a.md');
    expect([...read].at(-1)).toBe('file:/mnt/t/a.md');
    for (let index = 0; index < 100; index++) gate.noteRead('/mnt/t', `/mnt/t/${index}`);
    expect([...read].filter((each) => each.startsWith('file:'))).toHaveLength(64);
    const quiet = new Set<string>();
    const other = keeper.acting({ context: agent({ rules: [] }), read: quiet });
    other.noteRead('/mnt/t', '/mnt/t/a.md');
    expect([...quiet]).toEqual(['/mnt/t']);
    const moved = new Set<string>();
    keeper
      .acting({ context: agent({ rules }), read: moved })
      .noteChange('/workspace', 'rename', '/workspace/a', '/workspace/notes/b.md');
    expect([...moved]).toEqual(['rule:notes']);
  });

  test('takes what the model has in view for read', () => {
    const { keeper } = keeperOf();
    const context = agent({ untrustedRead: true, untrustedFrom: ['/mnt/t', '/mnt/u'] });
    const turn = keeper.turn({ context });
    expect([turn.untrustedRead, [...turn.origins]]).toEqual([true, ['/mnt/t', '/mnt/u']]);
    const fresh = keeper.turns.of(agent({ turn: 'other' }));
    keeper.note(fresh, []);
    expect([fresh.untrustedRead, fresh.origins.size]).toEqual([true, 0]);
  });
});

describe('a call of a tool', () => {
  const tool = { name: 'send', host: true, readOnly: false, input: '{"a":1}' };

  test('is bound by plans, the policy, hooks and a person', async () => {
    const none = keeperOf();
    expect(await none.keeper.acting({ context: agent() }).permitTool(tool)).toEqual(ALLOW);
    const planned = (plans: readonly PlanScope[], call = tool) =>
      none.keeper.acting({ context: agent({ plans }) }).permitTool(call);
    expect((await planned([NOTHING_PLANNED])).rule).toBe('plan');
    expect(await planned([{ writes: [], tools: ['send'] }])).toEqual(ALLOW);
    expect(await planned([NOTHING_PLANNED], { ...tool, readOnly: true })).toEqual(ALLOW);
    const denies = keeperOf({ rules: [{ name: 'no', decision: 'deny', tool: ['send'] }] });
    const acting = denies.keeper.acting({ context: agent() });
    expect((await acting.permitTool(tool)).rule).toContain('no');
    expect(await acting.permitTool({ ...tool, name: 'look' })).toEqual(ALLOW);
    denies.keeper.policy = null;
    expect((await acting.permitTool(tool)).rule).toBe('no policy');
  });

  test('has a person asked with its input, which an answer is bound to', async () => {
    const { keeper, journal } = keeperOf({
      rules: [{ name: 'ask', decision: 'ask', tool: ['*'] }],
    });
    const acting = keeper.acting({ context: agent() });
    expect((await acting.permitTool(tool)).decision).toBe('deny');
    const [waiting] = journal.list('pending');
    expect(waiting).toMatchObject({
      op: 'tool',
      path: 'send',
      mount: 'tools',
      change: 'send {"a":1}',
    });
    journal.answer(waiting?.id ?? '', { decision: 'allow' });
    expect((await acting.permitTool({ ...tool, input: '{"a":2}' })).decision).toBe('deny');
    expect((await acting.permitTool(tool)).decision).toBe('allow');
    expect((await acting.permitTool(tool)).decision).toBe('deny');
  });

  test('may be blocked by a hook, and not changed by it', async () => {
    const permit = (before: Hooks['before']) =>
      keeperOf({ hooks: { before } as Hooks })
        .keeper.acting({ context: agent() })
        .permitTool(tool);
    expect(await permit(() => ({ block: 'not now' }))).toEqual({
      decision: 'deny',
      rule: 'hook before',
      reason: 'not now',
    });
    expect(await permit(() => ({ data: tool.input }))).toEqual(ALLOW);
    expect((await permit(() => ({ data: '{}' }))).reason).toContain('block the call instead');
  });
});

describe('a person who is asked', () => {
  test('decides once for the very same thing; another one is asked anew', async () => {
    const { keeper, journal } = keeperOf({ rules: [ASKS] });
    const acting = keeper.acting({ context: agent() });
    const first = await acting.ask(asked, proposal());
    const [waiting] = journal.list();
    expect(first).toEqual({
      decision: 'deny',
      rule: 'r',
      reason: `r: why; approval ${waiting?.id} waits: after "dirigent approvals allow ${waiting?.id}" run it again`,
    });
    expect(waiting).toMatchObject({ change: '+new', rule: 'r', reason: 'r: why', session: 's' });
    await acting.ask(asked, proposal());
    expect(journal.list()).toHaveLength(1);
    journal.answer(waiting?.id ?? '', { decision: 'allow' });
    const changed = await acting.ask(asked, proposal('y', ''));
    expect(changed.reason).toContain(`approval ${waiting?.id} allowed this as it was shown then`);
    expect(journal.list().at(-1)?.change).toBeNull();
    expect(await acting.ask(asked, proposal())).toEqual(ALLOW);
    const over = await acting.ask(asked, proposal());
    expect([over.decision, journal.list('pending')]).toEqual(['deny', expect.anything()]);
  });

  test('is not asked again for what was denied, nor for what was granted for its path', async () => {
    const { keeper, journal } = keeperOf();
    const acting = keeper.acting({ context: agent() });
    await acting.ask(asked, proposal());
    const [waiting] = journal.list();
    journal.answer(waiting?.id ?? '', { decision: 'deny', by: 'user' });
    expect((await acting.ask(asked, proposal())).reason).toBe(
      `approval ${waiting?.id} was denied by user; do not ask again`,
    );
    await acting.ask(asked, proposal('z'));
    const other = journal.list('pending').at(-1);
    journal.answer(other?.id ?? '', { decision: 'allow', scope: 'path' });
    expect(await acting.ask(asked, proposal('q'))).toEqual(ALLOW);
  });

  test('is waited for where somebody is there; the wait is told of, and ends with the answer', async () => {
    const told: [string, boolean][] = [];
    const { keeper, journal } = keeperOf({
      onParked: ({ state }, waiting) => told.push([state, waiting]),
    });
    let parked = 0;
    const answer = (decision: 'allow' | 'deny', scope: 'once' | 'path' = 'once') => ({
      context: agent({ attended: true }),
      onParked() {
        parked += 1;
        journal.answer(journal.list('pending').at(-1)?.id ?? '', { decision, scope });
      },
    });
    const ask = (acting: Acting, digest: string) =>
      keeper.acting(acting).ask(asked, proposal(digest));
    expect(await ask(answer('allow'), 'a')).toEqual(ALLOW);
    expect((await ask(answer('deny'), 'b')).reason).toContain('was denied; do not ask again');
    const stop = new AbortController();
    const stopped = ask(
      { context: agent({ attended: true }), signal: stop.signal, onParked: () => stop.abort() },
      'c',
    );
    expect((await stopped).reason).toContain('interrupted while it waited; approval');
    expect(parked).toBe(2);
    expect(told).toEqual([
      ['pending', true],
      ['used', false],
      ['pending', true],
      ['denied', false],
      ['pending', true],
      ['pending', false],
    ]);
    expect(await ask({ ...answer('allow', 'path'), aside: true }, 'd')).toEqual(ALLOW);
    expect(told).toHaveLength(6);
  });

  test('is asked without waiting where a policy asks on failure alone', async () => {
    const { keeper } = keeperOf({ approval: 'on-failure' });
    const acting = keeper.acting({ context: agent({ attended: true }) });
    expect((await acting.ask(asked, proposal())).reason).toContain('run it again');
  });
});

describe('an engine of the deployment', () => {
  const decided = { decision: 'allow', rule: '', reason: '' } as const;
  const judge = async (
    verdict: PolicyVerdict | Error,
    given: Partial<GateDecision> = {},
    more: Given = {},
  ) => {
    const { keeper, questions } = keeperOf({ verdict, ...more });
    const context = agent({
      onBehalfOf: ['ben'],
      untrustedRead: true,
      untrustedFrom: ['/z', '/a'],
    });
    const answer = await keeper.acting({ context }).judge(request(), { ...decided, ...given });
    return { answer, questions };
  };

  test('is told all but contents, and can only be stricter', async () => {
    const { answer, questions } = await judge({ decision: 'allow' });
    expect(answer).toEqual(decided);
    expect(questions).toEqual([
      {
        op: 'write',
        path: '/mnt/t/a.md',
        mount: '/mnt/t',
        kind: 'tracker',
        origin: 'shell',
        actor: 'ann',
        service: true,
        untrustedRead: true,
        changes: 0,
        onBehalfOf: ['ben'],
        untrustedFrom: ['/a', '/z'],
        session: 's',
        attended: false,
      },
    ]);
    const asks = { decision: 'ask', rule: 'house', reason: 'h' } as const;
    expect((await judge({ decision: 'allow' }, asks)).answer).toEqual(asks);
    expect((await judge({ decision: 'ask' }, asks)).answer).toEqual(asks);
    expect((await judge({ decision: 'ask', rule: 'x' })).answer).toEqual({
      decision: 'ask',
      rule: 'policy engine x',
      reason: 'policy engine x asks for approval',
    });
    expect((await judge({ decision: 'deny', reason: 'no' }, asks)).answer).toEqual({
      decision: 'deny',
      rule: 'policy engine',
      reason: 'policy engine denies this: no',
    });
    const denied = { decision: 'deny', rule: 'q', reason: 'q' } as const;
    const kept = await judge({ decision: 'ask' }, denied);
    expect([kept.answer, kept.questions]).toEqual([denied, []]);
  });

  test('that would have a person asked refuses where nobody is to be asked', async () => {
    const { answer } = await judge({ decision: 'ask' }, {}, { approval: 'never' });
    expect(answer.decision).toBe('deny');
    expect(answer.reason).toContain('with "approval: never" that is a refusal');
  });

  test('that fails, or says what nobody understands, refuses', async () => {
    expect((await judge(new Error('down'))).answer.reason).toBe(
      'the policy engine could not be asked, which refuses: down',
    );
    for (const wrong of [{ decision: 'perhaps' }, {}, { decision: 'allow', holdsMs: -1 }])
      expect((await judge(wrong as PolicyVerdict)).answer.decision).toBe('deny');
  });

  test('is not asked about what the person in charge does', async () => {
    const { keeper, questions } = keeperOf({ verdict: { decision: 'deny' } });
    const acting = keeper.acting({ context: contextOf() });
    expect(await acting.judge(request({ origin: 'host' }), decided)).toEqual(decided);
    expect(questions).toEqual([]);
    const tool = { name: 't', host: false, readOnly: true, input: '' };
    expect((await keeper.acting({ context: agent() }).permitTool(tool)).decision).toBe('deny');
  });

  test('is asked again once its answer holds no longer, a minute at most', async () => {
    let now = 0;
    let asked = 0;
    const hold = (holdsMs: number) => {
      const decide = (): PolicyVerdict => {
        asked += 1;
        return { decision: 'allow', holdsMs };
      };
      return new EngineGate({ decide }, () => now);
    };
    const { questions } = await judge({ decision: 'allow' });
    const question = questions[0] as PolicyQuestion;
    const engine = hold(500_000);
    for (const at of [0, 59_999, 60_000, 60_001]) {
      now = at;
      await engine.decide(question);
    }
    expect(asked).toBe(2);
    await engine.decide({ ...question, path: '/other' });
    expect(asked).toBe(3);
    const each = hold(0);
    await each.decide(question);
    await each.decide(question);
    expect(asked).toBe(5);
  });
});

describe('a hook', () => {
  const operation = { ...asked[0], actor: 'ann', origin: 'shell' } as const;
  test.each([
    ['nothing', undefined, { pass: true }],
    ['null', null, { pass: true }],
    ['a block', { block: 'no' }, { pass: false, reason: 'no' }],
    ['text', { data: 'é' }, { pass: true, data: Buffer.from('é') }],
    ['bytes', { data: Uint8Array.of(1) }, { pass: true, data: Uint8Array.of(1) }],
  ])('may answer %s', async (_what, answer, outcome) => {
    expect(await runHook((() => answer) as Hooks['before'], operation)).toEqual(outcome);
  });
  test.each([{ data: 3 }, 'text', 7, {}])('that answers %j blocks', async (answer) => {
    const outcome = await runHook((() => answer) as unknown as Hooks['before'], operation);
    expect(outcome).toMatchObject({ pass: false });
  });
  test('that throws, or is late, blocks; one that is not there lets pass', async () => {
    expect(await runHook(undefined, operation)).toEqual({ pass: true });
    const thrown = (what: unknown) => () => {
      throw what;
    };
    expect(await runHook(thrown(new Error('x')), operation)).toEqual({
      pass: false,
      reason: 'the hook failed: x',
    });
    expect(await runHook(thrown('y'), operation)).toMatchObject({ reason: 'the hook failed: y' });
    expect(await runHook(() => new Promise(() => undefined), operation, 20)).toEqual({
      pass: false,
      reason: 'the hook did not answer within 0.02 s',
    });
  });
  test('is told the operation, and sees the data before and after', async () => {
    const seen: unknown[] = [];
    const hooks: Hooks = {
      before: (each) => void seen.push(['before', each]),
      after: (each) => void seen.push(['after', each]),
    };
    const acting = keeperOf({ hooks }).keeper.acting({ context: agent({ origin: 'tool' }) });
    const one = { op: 'write', path: '/a', mount: '/' } as const;
    await acting.before(one, Buffer.from('x'));
    await acting.after(one);
    expect(seen).toEqual([
      ['before', { ...one, actor: 'ann', origin: 'tool', data: Buffer.from('x') }],
      ['after', { ...one, actor: 'ann', origin: 'tool' }],
    ]);
    expect(await keeperOf().keeper.acting({ context: agent() }).before(one)).toEqual({
      pass: true,
    });
  });
});
