/** What people are asked: the requests, the answers, how long they hold, and how they are shown. */
import { afterEach, describe, expect, test } from 'vitest';
import type { FsError } from '../errors.ts';
import { untilAnswered } from './answered.ts';
import { type Approval, actorText, approvalText, describeOperation } from './approval.ts';
import { ApprovalJournal, type ApprovalRequest } from './approvals.ts';
import { createAskedMount } from './asked-mount.ts';
import { asTime, fieldLines } from './field-lines.ts';
import { askQuestion, QuestionJournal } from './questions.ts';
import { type ApprovalSurface, type SurfaceOptions, Surfacing } from './surface.ts';

const DAY = 24 * 60 * 60 * 1000;
const START = Date.UTC(2026, 0, 2, 3, 4, 5);
const opened: { close(): void }[] = [];
afterEach(() => {
  for (const each of opened.splice(0)) each.close();
});

function journal() {
  const clock = { now: START };
  const approvals = new ApprovalJournal(':memory:', () => clock.now);
  opened.push(approvals);
  const steps: string[] = [];
  const stop = approvals.onStep(({ state }) => steps.push(state));
  return { approvals, clock, steps, stop };
}

const REQUEST: ApprovalRequest = {
  session: 's',
  actor: 'ann',
  people: [],
  origin: 'shell',
  operations: [{ op: 'write', path: '/mnt/t/a.md', mount: '/mnt/t' }],
  rule: 'house',
  reason: 'house: asks',
  change: '-old\n+new\n',
  digest: 'd1',
};
const whose = { actor: 'ann', people: [] };
const operation = (op: Approval['op'], path: string, mount = '/mnt/t') => ({ op, path, mount });

describe('a request for approval', () => {
  test('is kept as it was made, waits for a day, and is told of', () => {
    const { approvals, clock, steps } = journal();
    const made = approvals.request({ ...REQUEST, people: ['ben', 'ann'] });
    expect(approvals.get(made.id)).toEqual({ ...made, people: ['ann', 'ben'] });
    expect(made).toMatchObject({
      ...REQUEST,
      people: ['ben', 'ann'],
      op: 'write',
      path: '/mnt/t/a.md',
      state: 'pending',
      createdAt: START,
      expiresAt: START + DAY,
      answeredAt: null,
      answeredBy: null,
      scope: null,
      prefix: null,
    });
    expect(made.id).toBe(made.id.toLowerCase());
    clock.now += DAY - 1;
    expect(approvals.list('pending')).toHaveLength(1);
    clock.now += 1;
    expect(approvals.list('pending')).toEqual([]);
    expect(approvals.get(made.id)?.state).toBe('expired');
    expect(approvals.answer(made.id, { decision: 'allow' })?.state).toBe('expired');
    expect(steps).toEqual(['pending']);
    expect(approvals.get('none')).toBeNull();
    expect(approvals.answer('none', { decision: 'allow' })).toBeNull();
    expect(() => approvals.request({ ...REQUEST, operations: [] })).toThrow(TypeError);
  });

  test('is answered once; the answer says who, when, and for what, and holds for a day', () => {
    const { approvals, clock, steps, stop } = journal();
    const { id } = approvals.request(REQUEST);
    clock.now += 1000;
    expect(approvals.answer(id, { decision: 'allow', by: 'user' })).toMatchObject({
      state: 'allowed',
      scope: 'once',
      prefix: null,
      answeredBy: 'user',
      answeredAt: START + 1000,
      expiresAt: START + 1000 + DAY,
    });
    expect(approvals.answer(id, { decision: 'deny', by: 'other' })).toMatchObject({
      state: 'allowed',
      answeredBy: 'user',
    });
    expect(approvals.use(id)).toBe(true);
    expect(approvals.use(id)).toBe(false);
    expect(approvals.get(id)?.state).toBe('used');
    expect(steps).toEqual(['pending', 'allowed', 'used']);
    stop();
    approvals.request({ ...REQUEST, digest: 'd2' });
    expect(steps).toHaveLength(3);
    expect(approvals.list().map(({ digest }) => digest)).toEqual(['d1', 'd2']);
  });

  test('waits longer where it is kept, and never shorter; what is answered does not', () => {
    const { approvals, clock } = journal();
    const [one, two] = [approvals.request(REQUEST), approvals.request(REQUEST)];
    approvals.answer(two.id, { decision: 'deny' });
    approvals.keep([one.id, two.id], START + 3 * DAY);
    approvals.keep([one.id], START + DAY);
    clock.now = START + 2 * DAY;
    expect([approvals.get(one.id)?.state, approvals.get(two.id)?.state]).toEqual([
      'pending',
      'expired',
    ]);
  });

  test('that was allowed once grants nothing but itself', () => {
    const { approvals } = journal();
    const { id } = approvals.request(REQUEST);
    expect(approvals.same(whose, 'd1')?.id).toBe(id);
    approvals.answer(id, { decision: 'allow' });
    expect(approvals.granted(whose, operation('write', '/mnt/t/a.md'))).toBeNull();
    expect(approvals.same(whose, 'd1')?.id).toBe(id);
    expect(approvals.same({ ...whose, actor: 'bob' }, 'd1')).toBeNull();
    expect(approvals.same({ ...whose, people: ['ben'] }, 'd1')).toBeNull();
    expect(approvals.same(whose, 'd2')).toBeNull();
    const other = { op: 'append', path: '/mnt/t/a.md', digest: 'd2' } as const;
    expect(approvals.allowedOtherwise(whose, other)?.id).toBe(id);
    for (const not of [
      { ...other, digest: 'd1' },
      { ...other, path: '/mnt/t/b.md' },
      { ...other, op: 'unlink' as const },
    ])
      expect(approvals.allowedOtherwise(whose, not)).toBeNull();
    approvals.use(id);
    expect(approvals.same(whose, 'd1')).toBeNull();
    expect(approvals.allowedOtherwise(whose, other)).toBeNull();
  });

  test('that was allowed for its path grants what is of its kind there, to those people alone', () => {
    const { approvals } = journal();
    const people = ['ben', 'ann'];
    const { id } = approvals.request({ ...REQUEST, people });
    approvals.answer(id, { decision: 'allow', scope: 'path' });
    const mine = { actor: 'ann', people: ['ann', 'ben', 'ben'] };
    for (const op of ['write', 'append', 'utimes'] as const)
      expect(approvals.granted(mine, operation(op, '/mnt/t/a.md'))?.id).toBe(id);
    for (const not of [
      operation('unlink', '/mnt/t/a.md'),
      operation('create', '/mnt/t/a.md'),
      operation('write', '/mnt/t/b.md'),
      operation('write', '/mnt/t/a.md/b'),
      operation('write', '/mnt/t/a.md', '/mnt/u'),
    ])
      expect(approvals.granted(mine, not), JSON.stringify(not)).toBeNull();
    expect(approvals.granted(whose, operation('write', '/mnt/t/a.md'))).toBeNull();
    expect(approvals.use(id)).toBe(false);
    expect(approvals.same(mine, 'd1')).toBeNull();
  });

  test.each([
    ['create', ['create', 'mkdir'], ['write', 'unlink']],
    ['mkdir', ['create', 'mkdir'], ['symlink']],
    ['unlink', ['unlink', 'rmdir'], ['write']],
    ['rmdir', ['unlink', 'rmdir'], ['rename']],
    ['rename', ['rename'], ['unlink', 'create']],
    ['append', ['write', 'append', 'utimes'], ['create', 'chmod']],
  ] as const)('an answer about %s is about %j', (op, ofKind, not) => {
    const { approvals } = journal();
    const { id } = approvals.request({ ...REQUEST, operations: [operation(op, '/mnt/t/x')] });
    approvals.answer(id, { decision: 'allow', scope: 'path' });
    const granted = (each: Approval['op']) =>
      approvals.granted(whose, operation(each, '/mnt/t/x')) !== null;
    expect(ofKind.map(granted)).toEqual(ofKind.map(() => true));
    expect(not.map(granted)).toEqual(not.map(() => false));
  });

  test('that was allowed below a directory grants its kinds there, and no calls of tools', () => {
    const { approvals } = journal();
    const operations = [
      operation('write', '/mnt/t/d/a.md'),
      operation('unlink', '/mnt/t/e/b.md'),
      operation('tool', 'send', 'tools'),
    ];
    const { id } = approvals.request({ ...REQUEST, operations });
    expect(() =>
      approvals.answer(id, { decision: 'allow', scope: 'prefix', prefix: '/x' }),
    ).toThrow('not below /x');
    approvals.answer(id, { decision: 'allow', scope: 'prefix', prefix: '/mnt/t/d' });
    const granted = (op: Approval['op'], path: string, mount?: string) =>
      approvals.granted(whose, operation(op, path, mount)) !== null;
    expect(granted('append', '/mnt/t/d/deep/c.md')).toBe(true);
    expect(granted('write', '/mnt/t/dd')).toBe(false);
    expect(granted('unlink', '/mnt/t/d/c.md')).toBe(false);
    expect(granted('unlink', '/mnt/t/e/b.md')).toBe(true);
    expect(granted('tool', 'send', 'tools')).toBe(true);
    expect(granted('tool', 'other', 'tools')).toBe(false);
    const { id: second } = approvals.request({ ...REQUEST, digest: 'd2' });
    expect(approvals.answer(second, { decision: 'allow', scope: 'prefix' })?.prefix).toBe('/mnt/t');
    expect(granted('write', '/mnt/t/any')).toBe(true);
  });

  test('that was denied grants nothing, whatever the scope, and is found again', () => {
    const { approvals } = journal();
    const { id } = approvals.request(REQUEST);
    expect(approvals.answer(id, { decision: 'deny', scope: 'path' })).toMatchObject({
      state: 'denied',
      scope: 'once',
      prefix: null,
      answeredBy: null,
    });
    expect(approvals.granted(whose, operation('write', '/mnt/t/a.md'))).toBeNull();
    expect(approvals.same(whose, 'd1')?.state).toBe('denied');
    expect(approvals.use(id)).toBe(false);
  });
});

describe('the waiting for an answer', () => {
  test('ends with the answer, here or in another process, with the signal, or with the request', async () => {
    const { approvals, clock, steps } = journal();
    const { id } = approvals.request(REQUEST);
    const waits = untilAnswered(approvals, id, {});
    approvals.request({ ...REQUEST, digest: 'other' });
    approvals.answer(id, { decision: 'allow' });
    expect((await waits)?.state).toBe('allowed');
    expect((await untilAnswered(approvals, id, {}))?.state).toBe('allowed');
    // The last one was of another process, as far as this object knows: it is told.
    expect(steps).toEqual(['pending', 'pending', 'allowed', 'allowed']);
    const { id: second } = approvals.request(REQUEST);
    const stop = new AbortController();
    const stopped = untilAnswered(approvals, second, { signal: stop.signal });
    stop.abort();
    expect((await stopped)?.state).toBe('pending');
    const late = untilAnswered(approvals, second, { pollMs: 5 });
    clock.now += DAY;
    expect((await late)?.state).toBe('expired');
    expect(await untilAnswered(approvals, 'none', {})).toBeNull();
  });
});

describe('a question', () => {
  const ASKER = { session: 's', actor: 'ann', origin: 'tool' } as const;
  const DRAFT = {
    question: 'Which?',
    form: { kind: 'choice', options: ['a', 'b'] },
    untrusted: ['/mnt/t'],
  } as const;

  function questions() {
    const clock = { now: START };
    const made = new QuestionJournal(':memory:', () => clock.now);
    opened.push(made);
    return { questions: made, clock };
  }

  test('that waits is the same one; once its answer was taken it is another', () => {
    const { questions: journal, clock } = questions();
    const asked = journal.ask(ASKER, DRAFT);
    expect(journal.get(asked.id)).toEqual(asked);
    expect(asked).toMatchObject({ ...ASKER, ...DRAFT, state: 'pending', answer: null });
    expect(asked.expiresAt).toBe(START + DAY);
    expect(journal.ask(ASKER, DRAFT).id).toBe(asked.id);
    for (const [asker, draft] of [
      [{ ...ASKER, actor: 'bob' }, DRAFT],
      [{ ...ASKER, session: 't' }, DRAFT],
      [ASKER, { ...DRAFT, untrusted: [] }],
      [ASKER, { ...DRAFT, question: 'What?' }],
    ] as const)
      expect(journal.ask(asker, draft).id).not.toBe(asked.id);
    journal.take(asked.id);
    expect(journal.ask(ASKER, DRAFT).id).toBe(asked.id);
    journal.answer(asked.id, { value: 'b', by: 'user' });
    expect(journal.ask(ASKER, DRAFT).id).toBe(asked.id);
    journal.take(asked.id);
    const next = journal.ask(ASKER, DRAFT);
    expect(next.id).not.toBe(asked.id);
    clock.now += DAY;
    expect(journal.ask(ASKER, DRAFT).id).not.toBe(next.id);
  });

  test('is answered once, in its form, or declined', () => {
    const { questions: journal, clock } = questions();
    const { id } = journal.ask(ASKER, DRAFT);
    expect(() => journal.answer(id, { value: 'c' })).toThrow(
      expect.objectContaining({ code: 'EINVAL' }),
    );
    clock.now += 5;
    expect(journal.answer(id, { value: 'a', by: 'user' })).toMatchObject({
      state: 'answered',
      answer: 'a',
      answeredBy: 'user',
      answeredAt: START + 5,
      expiresAt: START + 5 + DAY,
    });
    expect(journal.answer(id, { value: 'b' })?.answer).toBe('a');
    const other = journal.ask(ASKER, { ...DRAFT, question: 'And?' });
    expect(journal.answer(other.id, { value: null })).toMatchObject({
      state: 'declined',
      answer: null,
      answeredBy: null,
    });
    expect(journal.answer('none', { value: 'a' })).toBeNull();
  });

  test('is waited for where somebody is there', async () => {
    const { questions: journal } = questions();
    const alone = await askQuestion(journal, ASKER, DRAFT, { attended: false });
    expect(alone.state).toBe('pending');
    let parked = 0;
    const onParked = () => {
      parked += 1;
      journal.answer(alone.id, { value: 'a' });
    };
    const answered = await askQuestion(journal, ASKER, DRAFT, { attended: true, onParked });
    expect([answered.id, answered.answer, parked]).toEqual([alone.id, 'a', 1]);
    // It was told: asked again, it is another one.
    const again = await askQuestion(journal, ASKER, DRAFT, { attended: false });
    expect(again.id).not.toBe(alone.id);
    journal.answer(again.id, { value: 'b' });
    const known = await askQuestion(journal, ASKER, DRAFT, { attended: true, onParked });
    expect([known.id, known.answer, parked]).toEqual([again.id, 'b', 1]);
  });
});

describe('a request as it is shown', () => {
  test('names what is done, by whom and for whom', () => {
    const { approvals } = journal();
    const one = approvals.request({ ...REQUEST, people: ['ann'] });
    expect([actorText(one), describeOperation(one)]).toEqual(['ann', 'write /mnt/t/a.md']);
    const operations = [...REQUEST.operations, operation('unlink', '/mnt/t/b\n')];
    const more = approvals.request({ ...REQUEST, operations, people: ['ben', 'cid'] });
    expect(actorText(more)).toBe('ann, for ben and cid');
    expect(describeOperation(more)).toBe('write /mnt/t/a.md (and 1 more)');
    expect(approvalText(more)).toBe(
      `---\nid: "${more.id}"\nstate: pending\nop: write\npath: /mnt/t/a.md\nmount: /mnt/t\nactor: ann\n` +
        'people: ben cid\norigin: shell\nsession: "s"\nrule: house\nreason: "house: asks"\n' +
        'created_at: "2026-01-02T03:04:05.000Z"\nexpires_at: "2026-01-03T03:04:05.000Z"\n---\n\n' +
        '- write /mnt/t/a.md\n- unlink "/mnt/t/b\\n"\n\n-old\n+new\n',
    );
    const bare = approvals.request({ ...REQUEST, change: null });
    expect(approvalText(bare).endsWith('---\n')).toBe(true);
    expect(approvalText(bare)).not.toContain('people');
  });

  test('has fields that are YAML, whatever is in them', () => {
    expect(
      fieldLines([
        ['a', 'plain text'],
        ['b', null],
        ['c', 'yes'],
        ['d', 'x: y'],
        ['e', ''],
        ['f', 'line\nbreak'],
      ]),
    ).toBe('a: plain text\nc: "yes"\nd: "x: y"\ne: ""\nf: "line\\nbreak"\n');
    expect([asTime(null), asTime(0)]).toEqual([null, '1970-01-01T00:00:00.000Z']);
  });

  test('is a file of a directory that cannot be written', async () => {
    const { approvals, clock } = journal();
    const mount = createAskedMount({
      kind: 'approvals',
      open: async () => approvals,
      textOf: approvalText,
      isShown: ({ actor }) => actor !== 'hidden',
    });
    expect(await mount.lstat('/')).toMatchObject({ type: 'directory', mtime: new Date(0) });
    const { id } = approvals.request(REQUEST);
    const hidden = approvals.request({ ...REQUEST, actor: 'hidden', digest: 'd2' });
    expect(await mount.readdir('/')).toEqual([{ name: `${id}.md`, type: 'file' }]);
    const text = approvalText(approvals.get(id) as Approval);
    expect(await mount.lstat(`/${id}.md`)).toMatchObject({
      type: 'file',
      mode: 0o444,
      size: text.length,
      mtime: new Date(START),
    });
    expect(Buffer.from((await mount.read(`/${id}.md`)) as Uint8Array).toString()).toBe(text);
    clock.now += 9000;
    approvals.answer(id, { decision: 'deny' });
    expect((await mount.lstat(`/${id}.md`)).mtime).toEqual(new Date(START + 9000));
    expect((await mount.lstat('/')).mtime).toEqual(new Date(START));
    const codeOf = (work: Promise<unknown>) => work.then(String, ({ code }: FsError) => code);
    expect(await codeOf(mount.read('/'))).toBe('EISDIR');
    for (const path of [`/${id}`, '/none.md', `/${hidden.id}.md`])
      expect(await codeOf(mount.lstat(path)), path).toBe('ENOENT');
    expect(await codeOf(mount.readdir(`/${id}.md`))).toBe('ENOTDIR');
    expect(await codeOf(mount.read(`/${id}.md/x`))).toBe('ENOTDIR');
    expect(mount.hasLinks?.('/')).toBe(false);
    expect([mount.searchable, mount.local]).toEqual([false, true]);
  });
});

describe('a surface', () => {
  function surfacing(ask: ApprovalSurface['ask']) {
    const { approvals } = journal();
    const faults: string[] = [];
    const made = new Surfacing({
      surface: async () => ({ ask }),
      answer: async (id, answer) => approvals.answer(id, answer),
      mayDecide: (actor) => actor === 'user',
      via: 'form',
      onFault: (text) => faults.push(text),
    });
    return { approvals, faults, made };
  }
  /** A request is shown in a step of its own. */
  const shown = () => new Promise((resolve) => setImmediate(resolve));

  test('is shown each request once, in visible letters, and its answer is that of a person', async () => {
    const asked: { title: string; text: string; expiresAt: string; reason: string }[] = [];
    let options: SurfaceOptions | undefined;
    const { approvals, made, faults } = surfacing((request, given) => {
      asked.push(request);
      options = given;
    });
    const approval = approvals.request({
      ...REQUEST,
      reason: 'see \u202e',
      change: '+\u001b[2J\n',
    });
    made.step(approval);
    made.step(approval);
    await shown();
    expect(asked).toHaveLength(1);
    expect(asked[0]).toMatchObject({
      id: approval.id,
      digest: 'd1',
      title: 'ann wants to write /mnt/t/a.md',
      expiresAt: '2026-01-03T03:04:05.000Z',
    });
    expect(`${asked[0]?.text}${asked[0]?.reason}`).not.toMatch(/[\u001b\u202e]/);
    const answer = { digest: 'd1', decision: 'allow', actor: 'user' } as const;
    const codeOf = (given: object) =>
      options?.answer({ ...answer, ...given }).then(String, ({ code }: FsError) => code);
    expect(await codeOf({ decision: 'maybe' })).toBe('EINVAL');
    expect(await codeOf({ actor: '' })).toBe('EINVAL');
    expect(await codeOf({ more: 1 })).toBe('EINVAL');
    expect(await codeOf({ actor: 'agent' })).toBe('EACCES');
    expect(await codeOf({ digest: 'd2' })).toBe('ESTALE');
    expect(approvals.get(approval.id)?.state).toBe('pending');
    expect(await codeOf({ scope: 'path' })).toBe('allowed');
    expect(approvals.get(approval.id)).toMatchObject({ scope: 'path', answeredBy: 'user (form)' });
    expect(options?.signal.aborted).toBe(true);
    expect(await codeOf({ decision: 'deny' })).toBe('allowed');
    expect(faults).toEqual([]);
  });

  test('that fails is told of, and a request that is gone has no answer', async () => {
    const { approvals, made, faults } = surfacing(() => {
      throw new Error('no pager');
    });
    const approval = approvals.request(REQUEST);
    made.step(approval);
    await shown();
    expect(faults).toEqual([
      `approval ${approval.id}, at the surface of parts.approvals: no pager`,
    ]);
    let options: SurfaceOptions | undefined;
    const other = surfacing((_request, given) => {
      options = given;
    });
    other.made.step({ ...approval, expiresAt: Date.now() + 60 * DAY });
    await shown();
    expect(options?.signal.aborted).toBe(false);
    const gone = options?.answer({ digest: 'd1', decision: 'deny', actor: 'user' });
    await expect(gone).rejects.toMatchObject({ code: 'ENOENT' });
    other.made.step({ ...approval, state: 'expired' });
    expect(options?.signal.aborted).toBe(true);
  });
});
