/** The agent in an editor: the protocol's own client side runs turns against a scripted model. */
import type {
  ActiveSession,
  RequestPermissionRequest,
  SessionUpdate,
} from '@agentclientprotocol/sdk';
import { expect, test } from 'vitest';
import { calls, says, textOf } from '../stand-ins/model/index.ts';
import { editor, ofKind, prompted } from './editor.ts';

const words = (updates: readonly SessionUpdate[]): string =>
  updates
    .map((update) => ('content' in update ? (update.content as { text?: string }).text : ''))
    .join('');

test('a turn is told as it comes: text, calls with where and what they change, and how it stopped', async () => {
  const replies = [
    calls(['write', { path: '/workspace/a.md', content: 'hello\n' }]),
    calls(['bash', { command: 'cat a.md; false' }]),
    says('It is written.'),
  ];
  const { agent, protocolVersion, agentCapabilities } = await editor(
    (_, index) => replies[index] ?? says('?'),
  );
  expect([protocolVersion, agentCapabilities?.loadSession]).toEqual([1, true]);
  const session = await agent.buildSession('/home/ana/project').start();
  const { updates, stopReason } = await prompted(session, 'write it');
  expect(stopReason).toBe('end_turn');
  expect(words(ofKind(updates, 'agent_message_chunk'))).toBe('It is written.');
  const begun = ofKind(updates, 'tool_call');
  expect(begun).toMatchObject([
    {
      kind: 'edit',
      locations: [{ path: '/workspace/a.md' }],
      content: [{ type: 'diff', path: '/workspace/a.md', oldText: null, newText: 'hello\n' }],
    },
    { kind: 'execute', title: 'bash cat a.md; false' },
  ]);
  const ended = ofKind(updates, 'tool_call_update');
  expect(ended).toMatchObject([{ status: 'completed' }, { status: 'failed' }]);
  expect(JSON.stringify(ended[1])).toContain('hello');
});

test('the boxes of a file that is a plan by its name are the plan of the editor, as they are written', async () => {
  const replies = [
    calls(['write', { path: '/workspace/plan.md', content: '# Plan\n- [ ] look\n1. [ ] mend\n' }]),
    calls([
      'bash',
      { command: "sed -i 's/\\[ \\] look/[x] look/; s/\\[ \\] mend/[~] mend/' plan.md" },
    ]),
    calls(['bash', { command: 'rm plan.md; echo "- [ ] no plan" > other.md' }]),
    says('done'),
  ];
  const { agent } = await editor((_, index) => replies[index] ?? says('?'));
  const session = await agent.buildSession('/').start();
  const { updates } = await prompted(session, 'mend it');
  const told = ofKind(updates, 'plan').map((update) =>
    (update as { entries: { content: string; status: string }[] }).entries.map(
      ({ content, status }) => `${content}: ${status}`,
    ),
  );
  expect(told).toEqual([
    ['look: pending', 'mend: pending'],
    ['look: completed', 'mend: in_progress'],
    [],
  ]);
});

test('what asks is shown to the person at the editor, with its change, and their answer is for that alone', async () => {
  const shown: RequestPermissionRequest[] = [];
  const answers = ['no', 'once'];
  const { agent } = await editor(
    // What was refused once is not asked for again, so that each is another text.
    ({ messages }, index) =>
      messages.at(-1)?.role === 'tool'
        ? says('done')
        : calls(['bash', { command: `printf '\`\`\`\\n${index}' > asked && cat asked` }]),
    (request) => {
      shown.push(request);
      return answers[shown.length - 1] ?? null;
    },
  );
  const session = await agent.buildSession('/').start();
  const refused = await prompted(session, 'go');
  expect(ofKind(refused.updates, 'tool_call_update')).toMatchObject([{ status: 'failed' }]);
  const allowed = await prompted(session, 'go on');
  expect(ofKind(allowed.updates, 'tool_call_update')).toMatchObject([{ status: 'completed' }]);
  expect(shown).toHaveLength(2);
  const [content] = shown[0]?.toolCall.content ?? [];
  expect(JSON.stringify(content)).toContain('create /workspace/asked');
  // The change ends no block but its own.
  expect(JSON.stringify(content)).toContain('````diff');
});

test('questions are put by a form where the editor has forms, by buttons where it has none, and else in words', async () => {
  const questions = [
    { question: 'How many?', kind: 'number', min: 1, max: 9, whole: true },
    { question: 'Which <b>branch</b>?\u202e', kind: 'choice', options: ['main', 'next'] },
  ];
  const script: Parameters<typeof editor>[0] = ({ messages }) => {
    const last = messages.at(-1);
    if (last?.role === 'tool') return says(textOf(last));
    return calls(['ask', questions[Number(last?.content)]]);
  };
  const said = async (from: Awaited<ReturnType<typeof editor>>, prompt: string): Promise<string> =>
    words(
      ofKind(
        (await prompted(await from.agent.buildSession('/').start(), prompt)).updates,
        'agent_message_chunk',
      ),
    );
  const forms: unknown[] = [];
  const formed = await editor(script, undefined, undefined, undefined, (request) => {
    forms.push(request);
    return { action: 'accept', content: { answer: 7 } };
  });
  expect(await said(formed, '0')).toBe('answered by user (acp): 7');
  expect(forms).toMatchObject([
    { mode: 'form', requestedSchema: { properties: { answer: { type: 'integer', maximum: 9 } } } },
  ]);
  const shown: RequestPermissionRequest[] = [];
  const plain = await editor(script, (request) => {
    shown.push(request);
    return '1';
  });
  expect(await said(plain, '1')).toBe('answered by user (acp): next');
  expect(shown[0]?.options.map(({ name }) => name)).toEqual(['main', 'next', 'Do not answer']);
  expect(JSON.stringify(shown)).not.toContain('\u202e');
  expect(await said(plain, '0')).toContain('nobody is here to answer now');
  expect(shown).toHaveLength(1);
});

test('in the mode plan nothing is changed before the person at the editor approves, by buttons or a form', async () => {
  const script: Parameters<typeof editor>[0] = ({ messages }) => {
    const results = messages.filter(({ role }) => role === 'tool').map(textOf);
    if (results.length === 0)
      return calls(['plan', { plan: 'p', writes: [{ path: '/workspace/a' }] }]);
    if (results.length === 1)
      return calls(['bash', { command: 'echo x > /workspace/a; echo x > /workspace/b; ls' }]);
    return says(results.join('\n'));
  };
  const shown: RequestPermissionRequest[] = [];
  const { agent } = await editor(script, (request) => {
    shown.push(request);
    return '0';
  });
  const session = await agent.buildSession('/').start();
  const { sessionId } = session;
  await expect(agent.request('session/set_mode', { sessionId, modeId: 'x' })).rejects.toThrow(
    /mode/,
  );
  await agent.request('session/set_mode', { sessionId, modeId: 'plan' });
  const said = words(ofKind((await prompted(session, 'go')).updates, 'agent_message_chunk'));
  expect(JSON.stringify(shown)).toContain('write, create /workspace/a');
  expect(said).toContain('answered by user (acp): approve');
  expect(said).toContain('the approved plan does not name create /workspace/b');
});

test('cancel ends the turn, and the session goes on; a second prompt meanwhile is refused', async () => {
  const begun = Promise.withResolvers<void>();
  const { agent } = await editor((_, index) => {
    begun.resolve();
    return index > 0
      ? says('again')
      : calls(['bash', { command: 'while true; do sleep 0.05; done' }]);
  });
  const session = await agent.buildSession('/').start();
  const { sessionId } = session;
  const running = prompted(session, 'loop');
  await begun.promise;
  await expect(
    agent.request('session/prompt', { sessionId, prompt: [{ type: 'text', text: 'x' }] }),
  ).rejects.toThrow(/is running/);
  await agent.notify('session/cancel', { sessionId });
  expect((await running).stopReason).toBe('cancelled');
  expect((await prompted(session, 'again')).stopReason).toBe('end_turn');
});

test('the prompts of the harness are offered, and a session is loaded with what was said', async () => {
  const first = await editor(() => says('Good morning.'));
  const session = await first.agent.buildSession('/').start();
  const offered = await session.nextUpdate();
  expect(offered).toMatchObject({
    update: { sessionUpdate: 'available_commands_update', availableCommands: expect.any(Array) },
  });
  expect(offered).toHaveProperty(
    'update.availableCommands',
    expect.arrayContaining([
      expect.objectContaining({ name: 'greet' }),
      expect.objectContaining({ name: 'triage', input: { hint: 'DIRECTORY [what to look at]' } }),
    ]),
  );
  await prompted(session, '/greet the sun');
  expect(JSON.stringify(first.model.requests[0]?.messages)).toContain('Greet the sun warmly.');
  const { sessionId } = session;
  await first.close();
  const later = await editor(() => says('Hello again.'), undefined, first.deployment);
  await later.agent.request('session/load', { sessionId, cwd: '/', mcpServers: [] });
  const replayed = words(later.replayed);
  expect(replayed).toContain('Greet the sun warmly.');
  expect(replayed).toContain('Good morning.');
  await expect(
    later.agent.request('session/load', { sessionId: 'nothing', cwd: '/', mcpServers: [] }),
  ).rejects.toThrow(/./);
});

test('a turn that fails says why, and what cannot be attached is refused', async () => {
  const { agent } = await editor(() => ({ status: 401, message: 'no such key' }));
  const { sessionId } = await agent.request('session/new', { cwd: '/', mcpServers: [] });
  const prompt = (block: Parameters<ActiveSession['prompt']>[0]) =>
    agent.request('session/prompt', {
      sessionId,
      prompt: Array.isArray(block) ? block : [block as { type: 'text'; text: string }],
    });
  await expect(prompt({ type: 'text', text: 'x' })).rejects.toThrow(/no such key/);
  await expect(prompt({ type: 'image', data: '', mimeType: 'image/png' })).rejects.toThrow(/image/);
});
