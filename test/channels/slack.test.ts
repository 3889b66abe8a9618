/** People meet an agent in Slack: through the real adapter and client, against the Web API and Socket Mode on loopback. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type ChatRequest, calls, lastSaid, says } from '../stand-ins/model/index.ts';
import type { SlackApp } from '../stand-ins/slack/app.ts';
import { meetSlack } from './support.ts';

function echo({ messages }: ChatRequest) {
  if (messages.at(-1)?.role === 'tool') return says('it is done');
  const last = lastSaid(messages);
  const [, name] = /(?:ask |asked-)([\w-]+)/.exec(last) ?? [];
  if (name !== undefined)
    return calls([
      'bash',
      { command: `echo '*hi* \`\`\` <!channel> &amp;' > /workspace/asked-${name}` },
    ]);
  return says(`you said: ${last}`);
}

const own = (slack: SlackApp, channel: string) =>
  slack.messages(channel).filter(({ user }) => user === 'U0BOT');
const texts = (slack: SlackApp, channel: string) => own(slack, channel).map(({ text }) => text);

/** What of a question is shown, and its buttons. */
function shownOf(message: ReturnType<SlackApp['messages']>[number] | undefined) {
  type Parts = {
    type: string;
    elements: { type: string; text?: unknown; action_id?: string; elements?: { text: string }[] }[];
  }[];
  const blocks = (message?.blocks ?? []) as unknown as Parts;
  const text = blocks
    .flatMap(({ type, elements }) => (type === 'rich_text' ? elements : []))
    .flatMap(({ elements = [] }) => elements.map((each) => each.text))
    .join('\n');
  const buttons = blocks.flatMap(({ type, elements }) => (type === 'actions' ? elements : []));
  return { text, buttons: buttons.map(({ action_id = '' }) => action_id) };
}

test('a message is answered once in its thread, however often it is delivered; strangers move nothing', async () => {
  const { slack, served, until, faults } = await meetSlack({ script: echo });
  const ts = slack.say('C0DESK', 'U0ANA', '<@U0BOT> say &lt;b&gt; &amp; go', {
    type: 'app_mention',
  });
  slack.say('C0DESK', 'U0EVE', '<@U0BOT> /stop');
  slack.say('C0DESK', 'U0ANA', 'not for the bot');
  slack.say('D0EVE', 'U0EVE', 'hello');
  await until(() => own(slack, 'C0DESK').at(-1)?.text.includes('go'));
  slack.again(ts);
  const direct = slack.say('D0ANA', 'U0ANA', 'alone');
  await until(() => texts(slack, 'D0ANA').at(-1) === 'you said: alone');
  const [answer, ...others] = own(slack, 'C0DESK');
  expect(others).toEqual([]);
  expect(answer?.thread_ts).toBe(ts);
  expect(answer?.text).toContain('say &lt;b&gt; &amp; go');
  expect(texts(slack, 'D0EVE')).toEqual([]);
  const turns = served.service.journal.list();
  expect(turns.map(({ sourceId, text }) => [sourceId, text])).toEqual([
    [`C0DESK:${ts}`, 'say <b> & go'],
    [`D0ANA:${direct}`, 'alone'],
  ]);
  expect(faults).toEqual([]);
});

test('what is to be approved is shown to the letter, in what no text breaks out of', async () => {
  const { slack, deployment, until } = await meetSlack({ script: echo });
  slack.say('D0ANA', 'U0ANA', 'ask now');
  const asked = await until(() => own(slack, 'D0ANA').find(({ blocks }) => blocks !== undefined));
  const { text, buttons } = shownOf(asked);
  expect(text).toContain('+*hi* ``` <!channel> &amp;');
  slack.press('D0ANA', asked, 'U0EVE', buttons[0] ?? '');
  slack.press('D0ANA', asked, 'U0ANA', buttons[0] ?? '');
  await until(() => texts(slack, 'D0ANA').at(-1) === 'it is done');
  expect(existsSync(join(deployment, 'workspace/asked-now'))).toBe(true);
  const closed = shownOf(own(slack, 'D0ANA').find(({ ts }) => ts === asked.ts));
  expect(closed.buttons).toEqual([]);
  expect(closed.text).toMatch(/Allowed/);
});

test('an answer of which nobody heard is asked after, and sent again only where it is not there', async () => {
  const { slack, until } = await meetSlack({ script: echo });
  slack.fault({ method: 'chat.postMessage', kind: 'lost' });
  slack.say('D0ANA', 'U0ANA', 'one');
  await until(() => texts(slack, 'D0ANA').length > 0);
  slack.fault({ method: 'chat.postMessage', kind: 'cut' });
  slack.say('D0ANA', 'U0ANA', 'two');
  await until(() => texts(slack, 'D0ANA').at(-1) === 'you said: two');
  expect(texts(slack, 'D0ANA')).toEqual(['you said: one', 'you said: two']);
  const posts = slack.calls.filter(({ method }) => method === 'chat.postMessage');
  expect(posts).toHaveLength(3);
  expect(posts[1]?.args.get('client_msg_id')).toBe(posts[2]?.args.get('client_msg_id'));
});

test('a server that begins anew is told what it has not acknowledged, and goes on', async () => {
  const met = await meetSlack({ script: echo });
  const { slack, until } = met;
  slack.say('D0ANA', 'U0ANA', 'ask later');
  const asked = await until(() => own(slack, 'D0ANA').find(({ blocks }) => blocks !== undefined));
  const again = met.again();
  slack.say('D0ANA', 'U0ANA', 'meanwhile');
  await again;
  slack.press('D0ANA', asked, 'U0ANA', shownOf(asked).buttons[1] ?? '');
  await until(() => texts(slack, 'D0ANA').includes('you said: meanwhile'));
  await until(() =>
    shownOf(own(slack, 'D0ANA').find(({ ts }) => ts === asked.ts)).text.includes('Denied'),
  );
});

test('a file that an answer names is uploaded to its thread', async () => {
  const { slack, until } = await meetSlack({
    script: ({ messages }) =>
      messages.at(-1)?.role === 'tool'
        ? says('Here: [the list](/workspace/list.txt)')
        : calls(['bash', { command: 'echo one > /workspace/list.txt' }]),
  });
  const ts = slack.say('C0DESK', 'U0ANA', '<@U0BOT> list', { type: 'app_mention' });
  const done = await until(() =>
    slack.calls.find(({ method }) => method === 'files.completeUploadExternal'),
  );
  expect(done.args.get('channel_id')).toBe('C0DESK');
  expect(done.args.get('thread_ts')).toBe(ts);
  expect([...slack.uploads.values()].join()).toContain('one');
});
