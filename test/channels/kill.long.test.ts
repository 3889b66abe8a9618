/**
 * Telegram, Slack, an API client and a terminal on one session of a server that is killed by
 * SIGKILL at random: each message is carried out once, or is said to be interrupted; nothing is
 * said twice; what waits for a person goes on with the answer.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { changesFile } from '../../src/changes/file.ts';
import type { Approval } from '../../src/policy/approval.ts';
import { openSqlite } from '../../src/replica/sqlite.ts';
import { Principals } from '../../src/serve/principals.ts';
import { hasEnded, type QueuedTurn } from '../../src/serve/queue/turn.ts';
import { ROOT } from '../cli/run-cli.ts';
import { deployed, scripted } from '../serve/support.ts';
import { Victim } from '../serve/victim.ts';
import { type ChatRequest, calls, says, textOf } from '../stand-ins/model/index.ts';
import { startSlackApp } from '../stand-ins/slack/app.ts';
import { startTelegram } from '../stand-ins/telegram/index.ts';
import { ANA, BEN, SLACK_ENV, WORKSPACE, writeChannel } from './support.ts';

const KILLS = Number(process.env['KILLS'] ?? 6);
/** From the moment that the server listens to its end, at most. In ms. */
const LIFE = Number(process.env['LIFE'] ?? 4_000);

/** Messages that wait, before more are sent. */
const WAITING = 6;

/** `job KEY` notes the key once; `ask KEY` notes it, and then writes a file that a person is asked about. */
function worker({ messages }: ChatRequest) {
  const last = textOf(
    messages.findLast(({ role }) => role === 'user') ?? { role: 'user', content: '' },
  );
  const [, what, key = ''] = /\b(job|ask) ([\w-]+)$/.exec(last) ?? [];
  const [, asked = ''] = /asked-([\w-]+)/.exec(last) ?? [];
  if (messages.at(-1)?.role === 'tool') return says(`done ${key === '' ? asked : key}.`);
  const note = `echo ${key} >> /workspace/log`;
  if (what === 'job') return calls(['bash', { command: note }]);
  if (what === 'ask')
    return calls(['bash', { command: `${note}; echo x > /workspace/asked-${key}` }]);
  return calls(['bash', { command: `echo x > /workspace/asked-${asked}` }]);
}

const keyOf = ({ text }: QueuedTurn): string => text.split(' ').at(-1) ?? '';

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

const people = (ana: string | number, ben: string): string =>
  `people:\n  ana: { id: ${ana}, role: approver }\n${ben}session: desk\nowner: ana\n`;

test(`${KILLS} kills at random: in all channels each message once, and no answer twice`, {
  timeout: 7_200_000,
}, async () => {
  const [model, telegram, slack, port] = await Promise.all([
    scripted(worker),
    startTelegram(),
    startSlackApp(WORKSPACE),
    freePort(),
  ]);
  onTestFinished(async () => {
    await telegram.close();
    await slack.close();
  });
  const deployment = deployed();
  writeFileSync(join(deployment, 'dirigent.config.mjs'), 'export default {};\n');
  const ben = `  ben: ${BEN.id}\n`;
  writeChannel(
    deployment,
    'phone',
    `---\nkind: telegram\nbaseUrl: ${telegram.url}\n${people(ANA.id, ben)}---\n`,
  );
  writeChannel(
    deployment,
    'work',
    `---\nkind: slack\nbaseUrl: ${slack.url}\n${people('U0ANA', '')}---\n`,
  );
  for (const { id, first_name } of [ANA, BEN])
    telegram.api.addChat({ id, type: 'private', first_name });
  const env = { ...SLACK_ENV, TELEGRAM_BOT_TOKEN: telegram.token };
  const begin = () => new Victim(deployment, { model: model.url, turns: 3, port, env });
  let victim = begin();
  onTestFinished(() => victim.kill());
  const url = await victim.url;
  const state = join(deployment, '.dirigent');
  const principals = new Principals(changesFile(state));
  const token = principals.add('ana', 'approver');
  principals.close();
  /** What the server says; null where it was killed meanwhile. */
  const ask = async <T>(method: string, path: string, body?: unknown): Promise<T | null> => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    try {
      const response = await fetch(`${url}${path}`, { method, headers, ...sent });
      const text = await response.text();
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
      return JSON.parse(text) as T;
    } catch (error) {
      if (error instanceof TypeError) return null;
      throw error;
    }
  };
  const messages = async (): Promise<QueuedTurn[]> => {
    const all: QueuedTurn[] = [];
    for (;;) {
      const after = all.length === 0 ? '' : `&after=${all.at(-1)?.id}`;
      const page = await ask<QueuedTurn[]>('GET', `/v1/messages?limit=500${after}`);
      if (page === null) return [];
      all.push(...page);
      if (page.length < 500) return all;
    }
  };

  const database = openSqlite(changesFile(state), { readOnly: true, timeout: 10_000 });
  onTestFinished(() => database.close());
  const count = (sql: string): number => Number(database.prepare(sql).get()?.['n']);
  /** Where each message was sent. */
  const sent = new Map<string, 'telegram' | 'slack' | 'api' | 'terminal'>();
  const texts = new Map<string, string>();
  const newKey = (where: 'telegram' | 'slack' | 'api' | 'terminal'): string => {
    const key = randomUUID();
    sent.set(key, where);
    texts.set(key, `${Math.random() < 0.4 ? 'ask' : 'job'} ${key}`);
    return key;
  };
  const inTelegram = (): void => {
    const text = texts.get(newKey('telegram'));
    const who = Math.random() < 0.7 ? ANA : BEN;
    const update = telegram.api.say(who.id, who, { text });
    if (Math.random() < 0.1) setTimeout(() => telegram.api.again(update), 200);
  };
  const inSlack = (): void => {
    const ts = slack.say('D0ANA', 'U0ANA', texts.get(newKey('slack')) ?? '');
    if (Math.random() < 0.1) setTimeout(() => slack.again(ts), 200);
  };
  // The first message begins the session.
  inTelegram();
  let session = '';
  while (session === '') {
    session = (await messages())[0]?.session ?? '';
    await delay(50);
  }
  const overApi = async (key = newKey('api')): Promise<void> => {
    const text = texts.get(key);
    await ask('POST', `/v1/sessions/${session}/messages`, { text, key });
  };
  const terminals: ChildProcess[] = [];
  onTestFinished(() => {
    for (const child of terminals) child.kill('SIGKILL');
  });
  const atTerminal = (): void => {
    const text = texts.get(newKey('terminal')) ?? '';
    const args = ['run', '--server', url, '--session', session, text];
    const child = spawn(process.execPath, [join(ROOT, 'entry/main.ts'), ...args], {
      env: { ...process.env, DIRIGENT_TOKEN: token },
      stdio: 'ignore',
    });
    terminals.push(child);
  };

  /** Buttons are pressed as they come, some requests answered over the API. */
  const pressed = new Set<string>();
  const decide = async (): Promise<void> => {
    for (const message of telegram.api.sent) {
      const { data } = message.buttons[0] ?? {};
      if (data === undefined || message.chat !== ANA.id || pressed.has(data)) continue;
      pressed.add(data);
      telegram.api.press(message, ANA, data);
    }
    for (const message of slack.messages('D0ANA')) {
      const actions = message.blocks?.find(({ type }) => type === 'actions');
      const [button] = (actions?.['elements'] ?? []) as { action_id: string }[];
      if (button === undefined || pressed.has(button.action_id)) continue;
      pressed.add(button.action_id);
      slack.press('D0ANA', message, 'U0ANA', button.action_id);
    }
    const pending = (await ask<Approval[]>('GET', '/v1/approvals?state=pending')) ?? [];
    const others = pending.filter(({ createdAt }) => Date.now() - createdAt > 1_500);
    for (const { id, digest } of others)
      await ask('POST', `/v1/approvals/${id}/answer`, { digest, decision: 'allow' });
  };
  const live = async (until: number): Promise<void> => {
    while (Date.now() < until) {
      // Of one person only so many wait, and the session has one turn at a time.
      const isBusy = count(`SELECT count(*) AS n FROM turns WHERE state = 'queued'`) >= WAITING;
      const chance = isBusy ? 1 : Math.random();
      if (chance < 0.3) inTelegram();
      else if (chance < 0.6) inSlack();
      else if (chance < 0.8) await overApi();
      await decide();
      await delay(Math.random() * 700);
    }
  };
  const begun = Date.now();
  for (let kill = 0; kill < KILLS; kill++) {
    if (kill % 10 === 3) atTerminal();
    const until = Date.now() + Math.random() * LIFE;
    const living = live(until);
    await delay(until - Date.now());
    await victim.kill();
    await living;
    victim = begin();
    await victim.url;
    if (kill % 20 === 19)
      console.log(JSON.stringify({ kills: kill + 1, minutes: (Date.now() - begun) / 60_000 }));
  }
  for (const [key, where] of sent) if (where === 'api') await overApi(key);
  // One that found no server has sent nothing; what the others sent is there.
  for (const child of terminals) child.kill('SIGKILL');
  const missing = (known: QueuedTurn[]): string[] => {
    const keys = new Set(known.map(keyOf));
    return [...sent].flatMap(([key, where]) =>
      where === 'terminal' || keys.has(key) ? [] : [key],
    );
  };
  let turns: QueuedTurn[] = [];
  for (;;) {
    await decide();
    turns = await messages();
    const open = count(
      `SELECT count(*) AS n FROM channel_posts WHERE state IN ('waiting', 'sending')`,
    );
    if (missing(turns).length === 0 && turns.every(hasEnded) && open === 0) break;
    await delay(200);
  }

  expect(new Set(turns.map(keyOf)).size).toBe(turns.length);
  expect(turns.filter((turn) => !sent.has(keyOf(turn)))).toEqual([]);
  const noted = readFileSync(join(deployment, 'workspace/log'), 'utf8').trimEnd().split('\n');
  const said = {
    telegram: telegram.api.sent.map(({ text }) => text),
    slack: slack.messages('D0ANA').map(({ text }) => text),
  };
  const tally = { kills: KILLS, sent: sent.size, done: 0, interrupted: 0, resumed: 0, unknown: 0 };
  for (const turn of turns) {
    const key = keyOf(turn);
    const times = noted.filter((line) => line === key).length;
    expect(['done', 'interrupted']).toContain(turn.state);
    expect([turn.text, times]).toEqual([turn.text, turn.state === 'done' ? 1 : Math.min(times, 1)]);
    if (turn.text.includes('ask ') && turn.state === 'done')
      expect(existsSync(join(deployment, 'workspace', `asked-${key}`))).toBe(true);
    tally[turn.state as 'done' | 'interrupted'] += 1;
    if (turn.part > 0) tally.resumed += 1;
    const where = sent.get(key);
    if (where !== 'telegram' && where !== 'slack') continue;
    const post = database
      .prepare(`SELECT state FROM channel_posts WHERE purpose = 'answer:' || ? || ':0'`)
      .get(turn.id);
    if (post?.['state'] === 'unknown') tally.unknown += 1;
    else expect([turn.id, where, post?.['state']]).toEqual([turn.id, where, 'sent']);
    const answers = said[where].filter((text) => text.includes(`done ${key}.`)).length;
    const wanted = turn.state === 'done' ? 1 : 0;
    if (post?.['state'] === 'sent') expect([key, where, answers]).toEqual([key, where, wanted]);
    expect(answers).toBeLessThanOrEqual(1);
  }
  console.log(
    JSON.stringify({
      ...tally,
      ...Object.fromEntries(
        ['telegram', 'slack', 'api', 'terminal'].map((where) => [
          where,
          [...sent.values()].filter((each) => each === where).length,
        ]),
      ),
    }),
  );
});
