/** In whose name a prompt is carried out that an agent has scheduled. */
import { expect, test } from 'vitest';
import type { QueuedTurn } from '../../src/serve/queue/turn.ts';
import { type ChatRequest, calls, says, textOf } from '../stand-ins/model/index.ts';
import { begun, type Client, deployed, said, scripted, serve, settled } from './support.ts';

const POLICY = `sandbox: full
approval: never
rules:
  - { name: not ana, decision: deny, op: change, path: /workspace/denied, actor: ana }
`;

async function scheduledTurn(client: Client): Promise<QueuedTurn> {
  for (;;) {
    const all = await client.get<QueuedTurn[]>('/v1/messages');
    const found = all.find(({ text }) => text.trim() === 'look');
    if (found !== undefined) return settled(client, found);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

test('what the agent of somebody schedules is carried out as theirs: in a world of their own, and bound by what binds them', async () => {
  const model = await scripted(({ messages }: ChatRequest) => {
    const last = messages.at(-1) ?? { role: 'user', content: '' };
    if (last.role === 'tool') return says(textOf(last));
    const command =
      textOf(last).trim() === 'look'
        ? 'ls /session/past; echo x > /workspace/denied'
        : 'printf -- "---\\nat: 2020-01-01T00:00:00Z\\n---\\nlook\\n" > /session/schedule/x.md';
    return calls(['bash', { command }]);
  });
  const { client } = serve(deployed(POLICY), model);
  const [ana, ben, olga] = [client('ana', 'user'), client('ben', 'user'), client('olga', 'owner')];
  const bens = await begun(ben);
  const { id } = await begun(ana);
  await settled(ana, await said(ana, id, 'schedule it'));
  const { actor, outcome } = await scheduledTurn(olga);
  expect(actor).toBe('ana');
  expect(outcome?.text).toContain(id);
  expect(outcome?.text).not.toContain(bens.id);
  expect(outcome?.text).toContain('not ana');
});
