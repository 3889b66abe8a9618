/** Channels to which their services send what comes: signed as these sign it, and answered once it is kept. */
import { createHmac } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { type ChatRequest, lastSaid, says } from '../stand-ins/model/index.ts';
import { type SlackApp, startSlackApp } from '../stand-ins/slack/app.ts';
import { ANA, EVE, type Meeting, meet, meetIn, SLACK_ENV, WORKSPACE } from './support.ts';

const echo = ({ messages }: ChatRequest) => {
  return says(`you said: ${lastSaid(messages)}`);
};

/** What a service sends, to where the channel is. */
async function send(
  { channels }: Meeting,
  name: string,
  body: string,
  headers: Record<string, string>,
): Promise<Response> {
  const url = `https://desk.example.com/channels/${name}`;
  const answer = await channels.respond(name, new Request(url, { method: 'POST', headers, body }));
  return answer ?? expect.fail('the channel takes none');
}

test('what Telegram sends is taken with its secret alone, once, and is kept when it is answered', async () => {
  const met = await meet({
    script: echo,
    fields: 'mode: webhook\n',
    env: { TELEGRAM_WEBHOOK_SECRET: 'the-secret' },
  });
  const { api } = met.telegram;
  const { journal } = met.served.service;
  const deliver = (update: object, secret = 'the-secret') =>
    send(met, 'desk', JSON.stringify(update), {
      'content-type': 'application/json',
      'x-telegram-bot-api-secret-token': secret,
    });
  const hello = api.say(ANA.id, ANA, { text: 'hello' });
  for (const wrong of ['', 'the-secre', 'another'])
    expect((await deliver(hello, wrong)).status).toBe(401);
  expect(journal.list()).toEqual([]);
  expect((await deliver(hello)).status).toBe(200);
  expect(journal.list().map(({ sourceId }) => sourceId)).toEqual([
    `${ANA.id}:${hello['message'] && (hello['message'] as { message_id: number }).message_id}`,
  ]);
  expect((await deliver(hello)).status).toBe(200);
  await deliver(api.say(EVE.id, EVE, { text: '/stop' }));
  await met.until(() => api.sent.some(({ text }) => text === 'you said: hello'));
  expect(journal.list().length).toBe(1);
  expect(met.telegram.calls.some(({ method }) => method === 'getUpdates')).toBe(false);
  // Whoever runs the server is told of each that was refused.
  expect(met.faults.length).toBe(3);
});

const SECRET = 'what-slack-signs-with';
const signed = (at: number, body: string): Record<string, string> => ({
  'x-slack-request-timestamp': String(at),
  'x-slack-signature': `v0=${createHmac('sha256', SECRET).update(`v0:${at}:${body}`).digest('hex')}`,
});

async function meetByWebhook(): Promise<Meeting & { slack: SlackApp }> {
  const slack = await startSlackApp(WORKSPACE);
  onTestFinished(() => slack.close());
  const file = `---\nkind: slack\nmode: webhook\nbaseUrl: ${slack.url}\npeople:\n  ana: U0ANA\n---\n`;
  const env = { ...SLACK_ENV, SLACK_SIGNING_SECRET: SECRET };
  return { slack, ...(await meetIn({ work: file }, env, { script: echo })) };
}

test('what Slack sends is taken with its signature alone, while that is new, and once', async () => {
  const met = await meetByWebhook();
  const { slack } = met;
  const { journal } = met.served.service;
  const now = Math.floor(Date.now() / 1000);
  const ts = slack.say('C0DESK', 'U0ANA', '<@U0BOT> hello');
  const deliver = (payload: object, headers = signed(now, JSON.stringify(payload))) =>
    send(met, 'work', JSON.stringify(payload), { 'content-type': 'application/json', ...headers });
  const asked = { type: 'url_verification', challenge: 'are you there', token: 'x' };
  expect(await (await deliver(asked)).text()).toContain('are you there');
  const event = {
    type: 'event_callback',
    team_id: 'T0DESK',
    api_app_id: 'A0DESK',
    event_id: 'Ev1',
    event: {
      type: 'app_mention',
      user: 'U0ANA',
      text: '<@U0BOT> hello',
      ts,
      channel: 'C0DESK',
      event_ts: ts,
    },
  };
  const body = JSON.stringify(event);
  const forged = { ...signed(now, body), 'x-slack-signature': `v0=${'0'.repeat(64)}` };
  for (const headers of [{}, forged, signed(now - 3_600, body), signed(now, `${body} `)])
    expect((await deliver(event, headers)).status).toBe(401);
  expect(journal.list()).toEqual([]);
  expect((await deliver(event)).status).toBe(200);
  expect(journal.list().length).toBe(1);
  const again = { ...signed(now, body), 'x-slack-retry-num': '1' };
  expect((await deliver(event, again)).status).toBe(200);
  await met.until(() =>
    slack.messages('C0DESK').some(({ user, text }) => user === 'U0BOT' && text.includes('hello')),
  );
  expect(journal.list().length).toBe(1);
  // Whoever runs the server is told of each that was refused.
  expect(met.faults.length).toBe(4);
});
