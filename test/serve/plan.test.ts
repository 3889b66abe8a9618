/** Plan mode: nothing is changed before a person has approved a plan, and then what it names. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Question } from '../../src/policy/question.ts';
import {
  type ChatRequest,
  calls,
  lastSaid,
  lastText,
  says,
  textOf,
} from '../stand-ins/model/index.ts';
import {
  begun,
  type Client,
  clientOf,
  deployed,
  said,
  scripted,
  serve,
  settled,
} from './support.ts';

const PLAN = {
  plan: '1. Write the notes.\n2. Nothing else.',
  writes: [{ path: '/workspace/notes/**', operations: ['create', 'write', 'rename', 'link'] }],
};

/** Does one thing after the other, and says what came of each. */
const doing =
  (...steps: [name: string, input: unknown][]) =>
  ({ messages }: ChatRequest) => {
    const results = messages.filter(({ role }) => role === 'tool').map(textOf);
    const step = steps[results.length];
    return step === undefined ? says(results.join('\n----\n')) : calls(step);
  };

const bash = (command: string): [string, unknown] => ['bash', { command }];

async function proposed(client: Client): Promise<Question> {
  for (;;) {
    const [found] = await client.get<Question[]>('/v1/questions?state=pending');
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

const judge = (client: Client, { id, digest }: Question, value: object) =>
  client.send('POST', `/v1/questions/${id}/answer`, { digest, value });

test('before a plan is approved nothing is written, whatever writes; after that what it names, and no way around', async () => {
  const model = await scripted(
    doing(
      bash('echo x > /workspace/early; echo x > /tmp/early; ls /workspace 2>/dev/null'),
      ['write', { path: '/workspace/early', content: 'x' }],
      bash('printf -- "---\\nat: 2030-01-01T00:00:00Z\\n---\\nwrite\\n" > /session/schedule/x.md'),
      ['plan', PLAN],
      bash('mkdir /workspace/notes && echo good > /workspace/notes/a && cat /workspace/notes/a'),
      bash('echo bad > /workspace/other'),
      bash('ln -s /workspace/other /workspace/notes/link; echo bad > /workspace/notes/link'),
      bash(
        '(sleep 0.1; echo bad > /workspace/behind) & wait; cat /session/jobs/*/* 2>/dev/null; false',
      ),
      bash('mv /workspace/notes/a /workspace/moved'),
      bash('cp /workspace/notes/a /workspace/copied; rm /workspace/notes/a'),
      bash('printf -- "---\\nat: 2030-01-01T00:00:00Z\\n---\\nwrite\\n" > /session/schedule/x.md'),
      bash('ls /workspace; ls /session/schedule; cat /workspace/notes/a'),
    ),
  );
  const { client } = serve(deployed('sandbox: full\napproval: ask\n'), model, {
    parkAfterMs: 60_000,
  });
  const ana = client('ana', 'user');
  const { id } = await begun(ana);
  const message = await said(ana, id, 'go', { plan: true });
  const asked = await proposed(ana);
  expect(asked).toMatchObject({ question: PLAN.plan, form: { kind: 'plan' } });
  expect(
    (await judge(ana, { ...asked, digest: 'f'.repeat(64) }, { decision: 'approve' })).status,
  ).toBe(409);
  expect((await judge(ana, asked, { decision: 'change' })).status).toBe(400);
  expect((await judge(ana, asked, { decision: 'approve', comment: 'well' })).status).toBe(200);
  const { outcome, plan } = await settled(ana, message);
  expect(plan).toBe(true);
  const results = outcome?.text?.split('\n----\n') ?? [];
  for (const early of results.slice(0, 3)) expect(early).toContain('this turn plans');
  expect(results[3]).toContain('answered by ana (http): approve: well');
  expect(results[4]).toMatch(/^good\b/);
  for (const refused of results.slice(5, 11))
    expect(refused).toContain('the approved plan does not name');
  expect(results[11]).toMatch(/^notes\ngood\b/);
});

test('a delegate is bound by the plan, and a rule that asks still asks', async () => {
  const policy =
    'sandbox: full\napproval: ask\nrules:\n  - { name: asked, decision: deny, op: change, path: /workspace/notes/secret }\n';
  const model = await scripted((request) => {
    const task = lastSaid(request.messages);
    if (task === 'sub')
      return doing(bash('echo x > /workspace/notes/sub; echo x > /workspace/sub; ls /workspace'))(
        request,
      );
    return doing(
      ['delegate', { agent: 'explore', task: 'sub' }],
      ['plan', { plan: 'p', writes: [{ path: '/workspace/**' }] }],
      bash('mkdir -p /workspace/notes; echo x > /workspace/notes/secret; echo y > /workspace/fine'),
    )(request);
  });
  const { client } = serve(deployed(policy), model, { parkAfterMs: 60_000 });
  const ana = client('ana', 'user');
  const { id } = await begun(ana);
  const message = await said(ana, id, 'go', { plan: true });
  await judge(ana, await proposed(ana), { decision: 'approve' });
  const results = (await settled(ana, message)).outcome?.text?.split('\n----\n') ?? [];
  expect(results[0]).toMatch(/this turn plans|is read-only for it|there is no agent/);
  expect(results.at(-1)).toContain('asked');
  expect(results.at(-1)).toContain('/workspace/notes/secret');
});

test('a plan that waits is parked, and the turn that goes on with it is bound by it; one that is to be changed is not', async () => {
  const deployment = deployed('sandbox: full\napproval: ask\n');
  const model = await scripted(({ messages }) => {
    const last = lastText(messages);
    const tool = messages.at(-1)?.role === 'tool';
    if (!tool && last.includes(': approve'))
      return calls(
        bash('mkdir -p /workspace/notes; echo ok > /workspace/notes/a; echo x > /workspace/b'),
      );
    if (last === 'go' || (!tool && last.includes(': change: '))) return calls(['plan', PLAN]);
    return says(last);
  });
  const first = serve(deployment, model, { parkAfterMs: 30 });
  const ana = first.client('ana', 'user');
  const { id } = await begun(ana);
  const message = await said(ana, id, 'go', { plan: true });
  await settled(ana, message, ['parked']);
  await judge(ana, await proposed(ana), { decision: 'change', comment: 'shorter' });
  const again = await proposed(ana);
  await settled(ana, message, ['parked']);
  await first.close();

  const second = serve(deployment, model, { parkAfterMs: 30 });
  const later = clientOf(second.app, ana.token);
  await judge(later, again, { decision: 'approve' });
  const { outcome } = await settled(later, message);
  expect(outcome?.text).toContain('the approved plan does not name create /workspace/b');
  expect(readFileSync(join(deployment, 'workspace/notes/a'), 'utf8')).toBe('ok\n');
});

test('a message that is to begin with a plan is not said to a turn that runs without one: it waits for its own', async () => {
  const goes = Promise.withResolvers<void>();
  const model = await scripted(({ messages }) => {
    const last = messages.at(-1) ?? { role: 'user', content: '' };
    if (last.role === 'tool') return says(textOf(last));
    if (textOf(last) === 'free') return { parts: [{ wait: goes.promise }, { text: 'freely' }] };
    return calls(bash('echo x > /workspace/written && echo written'));
  });
  const { client } = serve(deployed('sandbox: full\napproval: ask\n'), model);
  const ana = client('ana', 'user');
  const { id } = await begun(ana);
  const free = await said(ana, id, 'free');
  await settled(ana, free, ['running']);
  const careful = [
    await said(ana, id, 'careful', { plan: true, mode: 'steer' }),
    await said(ana, id, '/steer careful', { plan: true }),
  ];
  goes.resolve();
  expect((await settled(ana, free)).outcome?.text).toBe('freely');
  for (const message of careful)
    expect((await settled(ana, message)).outcome?.text).toContain('this turn plans');
});
