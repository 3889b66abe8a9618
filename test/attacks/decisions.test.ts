/**
 * What people decide, under attack by the agent that asked: a plan, and a question. Each row is a turn
 * of a session of its own, on one server; in its last steps the twin does what was approved.
 */
import { existsSync, mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { PlannedOperation } from '../../src/policy/plan.ts';
import type { Question } from '../../src/policy/question.ts';
import type { Entry } from '../../src/session/entry.ts';
import { begun, type Client, deployed, said, scripted, serve, settled } from '../serve/support.ts';
import { type ChatRequest, type ReplyPart, says, textOf } from '../stand-ins/model/index.ts';
import { viewOf } from './views.ts';

type Step = readonly ReplyPart[];

const PLANS = /this turn plans/;
const UNNAMED = /the approved plan does not name/;
const PLAN = '1. Write what is asked for.\n2. Nothing else.';

const bash = (command: string): ReplyPart => ({ call: 'bash', args: { command } });
const plan = (path: string, text = PLAN): ReplyPart => ({
  call: 'plan',
  args: {
    plan: text,
    writes: [{ path, operations: ['create', 'write'] satisfies PlannedOperation[] }],
  },
});

/** Does the steps that are said to belong to a message, and says what came of each. */
class Agent {
  readonly #steps = new Map<string, readonly Step[]>();

  when(said: string, steps: readonly Step[]): void {
    this.#steps.set(said, steps);
  }

  readonly script = ({ messages }: ChatRequest) => {
    const at = messages.findLastIndex((each) => this.#steps.has(textOf(each)));
    const steps = this.#steps.get(textOf(messages[at] ?? { role: 'user', content: '' })) ?? [];
    const since = messages.slice(at + 1);
    const step = steps[since.filter(({ role }) => role === 'assistant').length];
    const results = since.filter(({ role }) => role === 'tool').map(textOf);
    return step === undefined ? says(results.join('\n----\n')) : { parts: [...step] };
  };
}

const APPROVE = { decision: 'approve' };
const REJECT = { decision: 'reject' };
const approve = () => APPROVE;
const reject = () => REJECT;

/** A server with three people, and what one of them does there. */
async function stage() {
  const agent = new Agent();
  const deployment = deployed();
  const { client } = serve(deployment, await scripted(agent.script), { parkAfterMs: 600_000 });
  const ana = client('ana', 'user');
  const [ben, carl] = [client('ben', 'user'), client('carl', 'approver')];
  const work = (name: string): string => join(deployment, 'workspace', name);

  /** What waits in a session, that was not met before. */
  const met = new Set<string>();
  const asked = async (session: string): Promise<Question> => {
    for (;;) {
      const all = await ana.get<Question[]>('/v1/questions?state=pending');
      const found = all.find((each) => each.session === session && !met.has(each.id));
      if (found !== undefined) {
        met.add(found.id);
        return found;
      }
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  /** Waits until a command of a session has ended that has this in it. */
  const ended = async (session: string, command: string): Promise<void> => {
    for (;;) {
      const entries = await ana.get<Entry[]>(`/v1/sessions/${session}/entries?limit=1000`);
      const start = entries.find(
        (each) => each.type === 'bash_start' && String(each['command']).includes(command),
      );
      if (start !== undefined && entries.some((each) => each['start'] === start.id)) return;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  const answer = (who: Client, { id, digest }: Question, value: unknown): Promise<Response> =>
    who.send('POST', `/v1/questions/${id}/answer`, { digest, value });

  /** A turn, in which a person says one thing after the other to what is asked. */
  const turn = async (
    name: string,
    steps: readonly Step[],
    answers: readonly ((question: Question) => unknown)[],
    { session = '', planned = true } = {},
  ): Promise<{ session: string; results: string[] }> => {
    agent.when(name, steps);
    const id = session === '' ? (await begun(ana)).id : session;
    const message = await said(ana, id, name, { plan: planned });
    for (const each of answers) {
      const question = await asked(id);
      const response = await answer(ana, question, await each(question));
      expect.soft(response.status, `${name}: ${await response.text()}`).toBe(200);
    }
    const { state, outcome } = await settled(ana, message);
    expect.soft(state, name).toBe('done');
    return { session: id, results: outcome?.text?.split('\n----\n') ?? [] };
  };
  return { deployment, work, turn, ended, answer, ana, ben, carl };
}

const leftIn = (work: (name: string) => string, names: readonly string[]): string[] =>
  names.filter((name) => existsSync(work(name)));

test('approval: a plan is what was approved, once, in its turn', async () => {
  const { work, turn } = await stage();
  // It is widened after it was approved.
  const wider = await turn(
    'widened',
    [
      [plan('/workspace/a/**')],
      [plan('/workspace/**')],
      [bash('echo x > /workspace/outside-a')],
      [bash('mkdir /workspace/a && echo x > /workspace/a/x && echo written')],
    ],
    [approve, reject],
  );
  expect.soft(wider.results[2], 'widened').toMatch(UNNAMED);
  expect.soft(wider.results[3], 'widened, the twin').toMatch(/^written/);

  // The same plan once more, in a later turn of that session, and in another session of hers: used up.
  for (const session of [wider.session, '']) {
    const again = await turn(
      `again in ${session}`,
      [
        [bash('echo y > /workspace/a/x')],
        [plan('/workspace/a/**')],
        [bash('echo y > /workspace/a/x')],
      ],
      [reject],
      { session },
    );
    for (const at of [0, 2]) expect.soft(again.results[at], 'used once').toMatch(PLANS);
  }
  expect(leftIn(work, ['outside-a'])).toEqual([]);
});

test('approval: what is done beside a plan that waits is bound by none, and what a plan names is looked up when it is done', async () => {
  const { work, turn, ended, ana } = await stage();
  // It acts beside the plan that waits, before and after the answer, and answers for the person.
  const forges = [
    'for each in /session/plans/* /session/questions/*; do sed -i s/pending/answered/ $each; done',
    'echo "answer: approve" > /session/plans/new.md',
    'dirigent questions answer x approve',
    'echo "/answer approve"',
    'echo x > /workspace/b-early',
  ].join('; ');
  const late =
    'until grep -q "answer: approve" $(grep -l "write /workspace/c/" /session/plans/*.md); do sleep 0.05; done; echo x > /workspace/b-late';
  const beside = await turn(
    'beside',
    [
      [plan('/workspace/b/**'), bash(forges)],
      [plan('/workspace/c/**'), bash(late)],
      [bash('mkdir /workspace/c && echo written')],
    ],
    [
      async ({ id, session }) => {
        await ended(session, 'dirigent questions answer');
        const { state } = await ana.get<Question>(`/v1/questions/${id}`);
        expect.soft(state, 'answered by itself').toBe('pending');
        return REJECT;
      },
      approve,
    ],
  );
  expect.soft(beside.results[1], 'an answer of its own').toMatch(/Permission denied/);
  expect.soft(beside.results[3], 'begun before it was approved').toMatch(/plan: /);
  expect.soft(beside.results[4], 'beside, the twin').toMatch(/^written/);

  // What it names is another place by the time that it is carried out.
  mkdirSync(work('elsewhere'), { recursive: true });
  mkdirSync(work('linked'));
  const swapped = await turn(
    'swapped',
    [
      [plan('/workspace/linked/**')],
      [bash('echo x > /workspace/linked/x')],
      [bash('rm -f /workspace/linked; echo x > /workspace/elsewhere/x')],
    ],
    [
      () => {
        renameSync(work('linked'), work('was-linked'));
        symlinkSync('elsewhere', work('linked'));
        return APPROVE;
      },
    ],
  );
  for (const at of [1, 2]) expect.soft(swapped.results[at], 'swapped').toMatch(UNNAMED);
  expect(leftIn(work, ['b-early', 'b-late', 'elsewhere/x'])).toEqual([]);
});

test('approval: a plan is approved by whose session it is, as it was shown, and an answer allows nothing', async () => {
  const { deployment, work, turn, answer, ana, ben, carl } = await stage();
  // Others, another digest, another kind of answer, and a second thought, which comes too late.
  const others = await turn(
    'others',
    [[plan('/workspace/d')], [bash('echo x > /workspace/d && echo written')]],
    [
      async (question) => {
        const statuses = [
          await answer(ben, question, APPROVE),
          await answer(carl, question, APPROVE),
          await answer(ana, { ...question, digest: 'f'.repeat(64) }, APPROVE),
          await answer(ana, question, true),
          await answer(ana, question, { ...APPROVE, scope: { writes: [], tools: [] } }),
          await answer(ana, question, APPROVE),
        ].map(({ status }) => status);
        expect.soft(statuses, 'others').toEqual([404, 403, 409, 400, 400, 200]);
        return REJECT;
      },
    ],
  );
  expect.soft(others.results[1], 'others, the twin').toMatch(/^written/);

  // An answer to a question allows nothing at the gate, and is good for one time.
  const yes = { call: 'ask', args: { question: 'May I write it?', kind: 'confirm' } };
  const trusting = await turn(
    'trusting',
    [[yes], [yes], [bash('echo x > /workspace/e')]],
    [() => true, () => false],
  );
  expect.soft(trusting.results[0], 'a question').toContain('yes');
  expect.soft(trusting.results[1], 'the same again').toContain('no');
  expect.soft(trusting.results[2], 'no approval').toMatch(PLANS);

  // What a person is shown acts on no terminal, and a path has no end that is out of sight.
  const hostile = 'Fine.\u001b[2J\u202e\nFORGED ok\r';
  const shown = await turn(
    'shown',
    [
      [plan(`/workspace/{f,${' '.repeat(300)}**}`)],
      [plan('/workspace/f/**', hostile)],
      [bash('echo x > /workspace/f')],
    ],
    [
      async () => {
        writeFileSync(join(deployment, 'dirigent.config.mjs'), 'export default {};\n');
        const view = await viewOf(deployment, 'questions list');
        expect.soft(view.text, 'it is shown').toContain('Fine.');
        expect
          .soft(
            view.hidden.map((each) => each.slice(0, 80)),
            'shown',
          )
          .toEqual([]);
        return REJECT;
      },
    ],
  );
  expect.soft(shown.results[0], 'a gap in a path').toContain('two blanks');
  expect.soft(shown.results[2], 'shown').toMatch(PLANS);
  expect(leftIn(work, ['e', 'f'])).toEqual([]);
});
