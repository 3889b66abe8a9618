/** A conversation at a terminal, with a real world and a scripted model: what is typed, asked and shown. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import type { Approval } from '../../entry/index.ts';
import { openAgent } from '../../src/agent/open-agent.ts';
import { answerOf, choices, question } from '../../src/cli/approvals-inline.ts';
import { converse } from '../../src/cli/chat.ts';
import type { Conversation } from '../../src/cli/conversation.ts';
import type { Desk } from '../../src/cli/desk.ts';
import { Output } from '../../src/cli/output.ts';
import { testModel } from '../agent/support.ts';
import { calls, lastText, type Script, says, textOf } from '../stand-ins/model/index.ts';
import { temporaryDirectory, testWorld } from '../world/harness.ts';
import { cli } from './run-cli.ts';

const ESC = '\x1b';
const CTRL_C = '\x03';
const CTRL_D = '\x04';

/** The write that a prompt asks for; and then what became of it. */
const writer: Script = ({ messages }) => {
  const text = lastText(messages);
  if (messages.at(-1)?.role === 'tool') return says(`it gave: ${text}`);
  const [, path] = /^write (\S+)/.exec(text) ?? [];
  if (path !== undefined) return calls(['write', { path, content: `${text}\n` }]);
  if (text === 'wait') return calls(['bash', { command: 'echo begun; sleep 60' }]);
  return says(`you said ${text}`);
};

async function chat(script: Script = writer) {
  const deployment = temporaryDirectory();
  mkdirSync(join(deployment, 'docs'));
  writeFileSync(
    join(deployment, 'dirigent.config.mjs'),
    "export default { mounts: { '/mnt/docs': './docs:rw' } };\n",
  );
  const desk: Desk = { onAsked: () => undefined };
  const world = testWorld(
    { mounts: { '/mnt/docs': './docs:rw' }, state: join(deployment, '.dirigent') },
    {
      deployment,
      onApproval: (approval) => desk.onAsked(approval),
      onQuestion: (question) => desk.onAsked(question),
    },
  );
  const model = await testModel(script);
  const env = { OPENAI_BASE_URL: model.url, DIRIGENT_MODEL: 'openai/m' };
  const agent = await openAgent(world, { base: deployment, env });
  onTestFinished(() => agent.close());
  const input = new PassThrough();
  const prompts = new PassThrough();
  let screen = '';
  const show = async (data: string | Uint8Array): Promise<boolean> => {
    screen += Buffer.from(data).toString();
    return true;
  };
  prompts.on('data', (data: Buffer) => void show(data));
  const output = new Output({ out: show, err: show, errIsTerminal: true, outIsTerminal: true });
  const options: Conversation['options'] = { agent: undefined, model: undefined, plan: false };
  const sessions = async (name: string) => (name === '' ? null : name);
  const running = converse({ world, agent, options, desk, input, prompts, output, sessions });
  let seen = 0;
  return {
    deployment,
    world,
    running,
    read: (path: string) => readFileSync(join(deployment, path), 'utf8'),
    /** Waits for text on the screen after what was waited for before; gives what came until then. */
    until: async (text: string): Promise<string> => {
      for (let round = 0; ; round++) {
        const at = screen.indexOf(text, seen);
        if (at >= 0) {
          const part = screen.slice(seen, at + text.length);
          seen = at + text.length;
          // What draws the prompt draws the rest of the line, too.
          await sleep(30);
          return part;
        }
        if (round > 1_000) throw new Error(`no ${JSON.stringify(text)} in ${screen.slice(seen)}`);
        await sleep(20);
      }
    },
    type: (text: string): void => void input.write(text),
  };
}

test('an approval is asked inline: nonsense is asked again, once and path hold as long as they say, no is a result', async () => {
  const { until, type, read, running } = await chat();
  await until('>');
  type('write /mnt/docs/a\r');
  expect(await until('n no: ')).toMatch(
    /assistant wants to create \/mnt\/docs\/a\n {2}policy sandbox workspace asks for approval.*\n[\s\S]*\+write \/mnt\/docs\/a\n/,
  );
  type('perhaps\r');
  await until('n no: ');
  type('y\r');
  expect(await until('tokens in')).toContain('it gave: wrote 18 bytes to /mnt/docs/a');
  type('write /mnt/docs/a again\r');
  await until('n no: ');
  type('p\r');
  await until('tokens in');
  type('write /mnt/docs/a third\r');
  expect(await until('tokens in')).not.toContain('allow?');
  expect(read('docs/a')).toBe('write /mnt/docs/a third\n');
  type('write /mnt/docs/b\r');
  await until('n no: ');
  type('n\r');
  expect(await until('tokens in')).toContain('Permission denied');
  type(CTRL_D);
  expect(await running).toEqual({ status: 0 });
});

test('an answer for a prefix holds for what is below it', async () => {
  const { until, type, read } = await chat();
  await until('>');
  type('write /mnt/docs/a\r');
  await until('n no: ');
  type('d\r');
  await until('tokens in');
  type('write /mnt/docs/b\r');
  expect(await until('tokens in')).not.toContain('allow?');
  expect(read('docs/b')).toBe('write /mnt/docs/b\n');
});

test('`dirigent approvals` in a second terminal lists the question and answers it in the first', async () => {
  const { until, type, read, deployment } = await chat();
  await until('>');
  type('write /mnt/docs/a\r');
  await until('n no: ');
  const where = ['--deployment', deployment];
  const list = (await cli(['approvals', 'list', ...where])).stdout.toString();
  const [, id = ''] = /^(\S+) {2}pending {2}assistant {2}create \/mnt\/docs\/a\n/.exec(list) ?? [];
  expect((await cli(['approvals', 'allow', id, ...where])).status).toBe(0);
  expect(await until('tokens in')).toMatch(
    /answered elsewhere: (allowed|used)\n[\s\S]*it gave: wrote/,
  );
  expect(read('docs/a')).toBe('write /mnt/docs/a\n');
  type('and so on\r');
  expect(await until('tokens in')).toContain('you said and so on');
});

test.each([
  ['Esc', ESC],
  ['Ctrl-C', CTRL_C],
])('%s stops a turn, or a question, and keeps the session', async (_, key) => {
  const { until, type, world } = await chat();
  await until('>');
  type('wait\r');
  await until('· bash');
  await sleep(200);
  type(key);
  expect(await until('tokens in')).toContain('stopped · 1 step');
  type('write /mnt/docs/a\r');
  await until('n no: ');
  // A lone Esc is known as one when nothing has followed it for half a second.
  type(key);
  await until('tokens in');
  expect((await world.approvals.list('pending')).map(({ path }) => path)).toEqual(['/mnt/docs/a']);
  type('still there?\r');
  expect(await until('tokens in')).toContain('you said still there?');
  expect(readFileSync(join(world.state, 'chat-history'), 'utf8')).toBe(
    'wait\nwrite /mnt/docs/a\nstill there?\n',
  );
});

test('a question of the agent is asked inline, in its form, and no word of it passes for the prompt', async () => {
  const script: Script = ({ messages }) => {
    const last = messages.at(-1);
    if (last?.role === 'tool') return says(`it gave: ${textOf(last)}`);
    const question = 'Which?\nallow? y once, n no: \x1b[2J';
    return calls(['ask', { question, kind: 'choice', options: ['main', 'next'] }]);
  };
  const { until, type, deployment, world } = await chat(script);
  await until('>');
  type('go\r');
  const asked = await until('or /skip: ');
  expect(asked).toContain('assistant asks (an answer allows nothing by itself):\n  Which?\n');
  expect(asked).toMatch(/\n {2}"?allow\?/);
  expect(asked).not.toMatch(/\x1b\[2J/);
  type('trunk\r');
  expect(await until('or /skip: ')).toContain('it should be one of: main, next');
  type('1\r');
  expect(await until('tokens in')).toContain('it gave: answered by the terminal: main');
  type('go\r');
  await until('or /skip: ');
  type('/skip\r');
  expect(await until('tokens in')).toContain('was declined by the terminal');
  type('go\r');
  await until('or /skip: ');
  const where = ['--deployment', deployment];
  const list = (await cli(['questions', ...where])).stdout.toString();
  const [, id = ''] = /^(\S+) {2}pending {2}assistant {2}/.exec(list) ?? [];
  const refused = await cli(['questions', 'answer', id, 'trunk', ...where]);
  expect([refused.status, refused.stderr]).toEqual([1, expect.stringContaining('one of: main')]);
  expect((await cli(['questions', 'answer', id, 'MAIN', ...where])).status).toBe(0);
  expect(await until('tokens in')).toMatch(/answered elsewhere: answered\n[\s\S]*: main/);
  const file = await world.fs.readFile(`/session/questions/${id}.md`);
  expect(file).toMatch(/^---\nid: \S+\nstate: answered\n/);
});

test('/plan has a plan come first: its scope is shown, what is to be changed is told, and approved it is off again', async () => {
  const plan = (path: string) => calls(['plan', { plan: 'Write it.', writes: [{ path }] }]);
  const script: Script = ({ messages }) => {
    const said = lastText(messages);
    if (messages.at(-1)?.role !== 'tool') return plan('/workspace/wrong');
    if (said.includes('change: ')) return plan('/workspace/right');
    if (said.includes('approve')) return calls(['bash', { command: 'echo x > right; echo x > b' }]);
    return says(`it gave: ${said}`);
  };
  const { until, type } = await chat(script);
  await until('>');
  type('/plan\r');
  await until('a plan comes first');
  type('go\r');
  expect(await until('or /skip: ')).toMatch(
    /assistant proposes a plan:\n {2}Write it\.\n {2}What it would change, and nothing else:\n {2}write, create \/workspace\/wrong\n/,
  );
  type('change\r');
  await until('it should be approve, reject, or change');
  await until('or /skip: ');
  type('change to the right one\r');
  await until('/workspace/right');
  await until('or /skip: ');
  type('approve\r');
  const ended = await until('tokens in');
  expect(ended).toContain('the approved plan does not name create /workspace/b');
  expect(ended).toContain('the plan was approved');
  type('/plan\r');
  await until('a plan comes first');
});

test('a question shows what it is about, and no character that would move the cursor', () => {
  const approval = {
    id: 'a1',
    op: 'write',
    path: '/mnt/x/\x1b[2Jf',
    actor: 'assistant',
    people: [],
    reason: 'because\r of it',
    change: `--- a\n+++ a\n${Array.from({ length: 30 }, (_, index) => `+line ${index}`).join('\n')}`,
    operations: [{ op: 'write', path: '/mnt/x/f', mount: '/mnt/x' }],
  } as unknown as Approval;
  const shown = String(question(approval));
  expect(shown).not.toMatch(/[\r\x1b]/);
  expect(shown).toContain('wants to write "/mnt/x/\\u001b[2Jf"\n  "because\\r of it"\n  +line 0\n');
  expect(shown).toContain('… 10 more lines in /session/approvals/a1.md');
  expect(String(choices(approval))).toContain('d all below /mnt/x');
  const answers = ['y', ' Y ', 'p', 'd', 'n', 'no', '', 'x'].map((typed) =>
    answerOf(typed, approval),
  );
  expect(answers).toEqual([
    { decision: 'allow', scope: 'once' },
    { decision: 'allow', scope: 'once' },
    { decision: 'allow', scope: 'path' },
    { decision: 'allow', scope: 'prefix' },
    { decision: 'deny' },
    { decision: 'deny' },
    null,
    null,
  ]);
  const tool = { ...approval, op: 'tool', path: 'post', change: 'post {"a":1}' } as Approval;
  expect(String(question(tool))).toContain('  post {"a":1}\n');
  expect([String(choices(tool)), answerOf('d', tool)]).toEqual([
    'allow? y once, p this tool for a day, n no: ',
    null,
  ]);
});

test('what is pasted is one prompt, and a line that ends with a backslash is continued', async () => {
  const { until, type } = await chat();
  await until('>');
  type('\x1b[200~first\nsecond\tword\nthird\x1b[201~');
  type(' end\r');
  expect(await until('tokens in')).toContain('you said first\nsecond    word\nthird end');
  type('one \\\r');
  await until('…');
  type('two\r');
  expect(await until('tokens in')).toContain('you said one \ntwo');
});

test('a command says what it did, and a name that nobody has goes to no model', async () => {
  const { until, type, running, world } = await chat();
  await until('>');
  type('/help\r');
  expect(await until('one prompt\n')).toMatch(/\/model[\s\S]*\/compact[\s\S]*\/resume/);
  type('/modle\r');
  expect(await until('/help lists them')).toContain('did you mean /model?');
  type('$nothing at all\r');
  await until('there is no skill $nothing');
  type('/model nobody/x\r');
  await until('dirigent: ');
  await until('>');
  type('hello\r');
  await until('tokens in');
  type('/cost\r');
  expect(await until('requests to services')).toContain('1 prompts');
  type('/clear\r');
  await until('said before\n');
  expect(world.session.context().filter(({ type }) => type === 'message')).toEqual([]);
  type('/resume other\r');
  expect(await running).toEqual({ status: 0, resume: 'other' });
});

test('of a failed call the reason is shown, whole', async () => {
  const script: Script = ({ messages }) =>
    messages.at(-1)?.role === 'tool'
      ? says('so be it')
      : calls(['bash', { command: 'echo x; echo y >&2; echo z > /harness/AGENTS.md' }]);
  const { until, type } = await chat(script);
  await until('>');
  type('try\r');
  expect(await until('tokens in')).toContain(
    'dirigent: /harness is mounted ro: nothing here can be changed; propose the change as a file under /harness/proposals',
  );
});
