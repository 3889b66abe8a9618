/**
 * Telegram, Slack, the console, terminals and a client of the API on one session of a server that is
 * killed by SIGKILL at random: each message is carried out once, or is said to be interrupted where it
 * came from; nothing is said twice; what waits for a person goes on with the answer.
 */
import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { changesFile } from '../../src/changes/file.ts';
import type { Approval } from '../../src/policy/approval.ts';
import { openSqlite } from '../../src/replica/sqlite.ts';
import { Principals } from '../../src/serve/principals.ts';
import { hasEnded, type QueuedTurn } from '../../src/serve/queue/turn.ts';
import type { Entry } from '../../src/session/entry.ts';
import { Browser, CHROMIUM } from '../console/browser.ts';
import { freePort } from '../free-port.ts';
import { deployed, scripted } from '../serve/support.ts';
import { Victim } from '../serve/victim.ts';
import { type ChatRequest, calls, lastSaid, says } from '../stand-ins/model/index.ts';
import { startSlackApp } from '../stand-ins/slack/app.ts';
import { startTelegram } from '../stand-ins/telegram/index.ts';
import { AtConsole, type Followed } from './at-console.ts';
import { AtTerminals, type Shown } from './at-terminal.ts';
import { ANA, BEN, SLACK_ENV, WORKSPACE, writeChannel } from './support.ts';

const KILLS = Number(process.env['KILLS'] ?? 6);
/** From the moment that the server listens to its end, at most. In ms. */
const LIFE = Number(process.env['LIFE'] ?? 4_000);

/** Messages that wait, before more are sent. */
const WAITING = 6;

/** `job KEY` notes the key once; `ask KEY` notes it, and then writes a file that a person is asked about. */
function worker({ messages }: ChatRequest) {
  const last = lastSaid(messages);
  const [, what, key = ''] = /\b(job|ask) ([\w-]+)$/.exec(last) ?? [];
  const [, asked = ''] = /asked-([\w-]+)/.exec(last) ?? [];
  if (messages.at(-1)?.role === 'tool') return says(`done ${key === '' ? asked : key}.`);
  const note = `echo ${key} >> /workspace/log`;
  if (what === 'job') return calls(['bash', { command: note }]);
  if (what === 'ask')
    return calls(['bash', { command: `${note}; echo x > /workspace/asked-${key}` }]);
  return calls(['bash', { command: `echo x > /workspace/asked-${asked}` }]);
}

const PLACES = ['telegram', 'slack', 'console', 'terminal', 'api'] as const;
type Place = (typeof PLACES)[number];

const keyOf = ({ text }: QueuedTurn): string => text.split(' ').at(-1) ?? '';

const people = (ana: string | number, ben: string): string =>
  `people:\n  ana: { id: ${ana}, role: approver }\n${ben}session: desk\nowner: ana\n`;

/** A server with a channel in each service, and one who asks it, whether it is there or not. */
async function victims() {
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
  const phone = people(ANA.id, `  ben: ${BEN.id}\n`);
  const work = people('U0ANA', '');
  writeChannel(deployment, 'phone', `---\nkind: telegram\nbaseUrl: ${telegram.url}\n${phone}---\n`);
  writeChannel(deployment, 'work', `---\nkind: slack\nbaseUrl: ${slack.url}\n${work}---\n`);
  for (const { id, first_name } of [ANA, BEN])
    telegram.api.addChat({ id, type: 'private', first_name });
  const env = { ...SLACK_ENV, TELEGRAM_BOT_TOKEN: telegram.token };
  let victim = new Victim(deployment, { model: model.url, turns: 3, port, env });
  onTestFinished(() => victim.kill());
  const url = await victim.url;
  const state = join(deployment, '.dirigent');
  const principals = new Principals(changesFile(state));
  const token = principals.add('ana', 'approver');
  principals.close();
  const database = openSqlite(changesFile(state), { readOnly: true, timeout: 10_000 });
  onTestFinished(() => database.close());
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
  return {
    telegram: telegram.api,
    slack,
    deployment,
    url,
    token,
    ask,
    /** All that a list has, by its pages; empty where the server was killed meanwhile. */
    all: async <T extends { id: string }>(path: string): Promise<T[]> => {
      const all: T[] = [];
      for (;;) {
        const after = all.length === 0 ? '' : `&after=${all.at(-1)?.id}`;
        const page = await ask<T[]>('GET', `${path}?limit=200${after}`);
        if (page === null) return [];
        all.push(...page);
        if (page.length < 200) return all;
      }
    },
    count: (sql: string): number => Number(database.prepare(sql).get()?.['n']),
    /** What became of an answer on its way into a channel. */
    postOf: ({ id }: QueuedTurn) =>
      database
        .prepare(`SELECT state FROM channel_posts WHERE purpose = 'answer:' || ? || ':0'`)
        .get(id)?.['state'],
    kill: () => victim.kill(),
    again: async () => {
      victim = new Victim(deployment, { model: model.url, turns: 3, port, env });
      await victim.url;
    },
  };
}

// The console is a page, and wants a browser: apt-get install chromium.
test.skipIf(CHROMIUM === null)(
  `${KILLS} kills at random: in all places each message once, and no answer twice`,
  { timeout: 7_200_000 },
  async () => {
    const { telegram, slack, url, token, ask, all, count, ...server } = await victims();
    const messages = () => all<QueuedTurn>('/v1/messages');
    /** Where each message was sent. */
    const sent = new Map<string, Place>();
    const texts = new Map<string, string>();
    const newKey = (where: Place, what = Math.random() < 0.4 ? 'ask' : 'job'): string => {
      const key = randomUUID();
      sent.set(key, where);
      texts.set(key, `${what} ${key}`);
      return key;
    };
    const inTelegram = (key = newKey('telegram'), who = Math.random() < 0.7 ? ANA : BEN): void => {
      const update = telegram.say(who.id, who, { text: texts.get(key) });
      if (Math.random() < 0.1) setTimeout(() => telegram.again(update), 200);
    };
    const inSlack = (): void => {
      const ts = slack.say('D0ANA', 'U0ANA', texts.get(newKey('slack')) ?? '');
      if (Math.random() < 0.1) setTimeout(() => slack.again(ts), 200);
    };
    // The first message begins the session, and asks somebody who does not answer before all is over.
    const held = newKey('telegram', 'ask');
    inTelegram(held, ANA);
    const isHeld = (text: string): boolean => text.includes(`asked-${held}`);
    const pending = async (): Promise<Approval[]> =>
      (await ask<Approval[]>('GET', '/v1/approvals?state=pending')) ?? [];
    while (!(await pending()).some(({ path }) => isHeld(path))) await delay(50);
    const session = (await messages())[0]?.session ?? '';
    const overApi = async (key = newKey('api')): Promise<void> => {
      const text = texts.get(key);
      await ask('POST', `/v1/sessions/${session}/messages`, { text, key });
    };
    const browser = await Browser.launch();
    onTestFinished(() => browser.close());
    const atConsole = await AtConsole.open(browser, url, session, token);
    const sayAtConsole = async (): Promise<void> => {
      if (await atConsole.isWriting()) await atConsole.sendAgain();
      else await atConsole.say(texts.get(newKey('console')) ?? '');
    };
    const terminals = new AtTerminals();
    onTestFinished(() => terminals.kill());
    const atTerminal = (): void => {
      const key = newKey('terminal');
      terminals.say(url, session, token, key, texts.get(key) ?? '');
    };

    /** Buttons are pressed as they come, some requests answered over the API. */
    const pressed = new Set<string>();
    const pressIn = (isWanted: (text: string) => boolean): void => {
      for (const message of telegram.sent) {
        const { data } = message.buttons[0] ?? {};
        if (data === undefined || message.chat !== ANA.id || pressed.has(data)) continue;
        if (!isWanted(message.text)) continue;
        pressed.add(data);
        telegram.press(message, ANA, data);
      }
      for (const message of slack.messages('D0ANA')) {
        const actions = message.blocks?.find(({ type }) => type === 'actions');
        const [button] = (actions?.['elements'] ?? []) as { action_id: string }[];
        if (button === undefined || pressed.has(button.action_id)) continue;
        pressed.add(button.action_id);
        slack.press('D0ANA', message, 'U0ANA', button.action_id);
      }
    };
    const decide = async (): Promise<void> => {
      pressIn((text) => !isHeld(text));
      for (const { id, digest, createdAt, path } of await pending())
        if (Date.now() - createdAt > 1_500 && !isHeld(path))
          await ask('POST', `/v1/approvals/${id}/answer`, { digest, decision: 'allow' });
    };
    const live = async (until: number): Promise<void> => {
      while (Date.now() < until) {
        // Of one person only so many wait, and the session has one turn at a time.
        const isBusy = count(`SELECT count(*) AS n FROM turns WHERE state = 'queued'`) >= WAITING;
        const chance = isBusy ? 1 : Math.random();
        if (chance < 0.25) inTelegram();
        else if (chance < 0.5) inSlack();
        else if (chance < 0.75) await sayAtConsole();
        else if (chance < 0.85) await overApi();
        await decide();
        await delay(Math.random() * 700);
      }
    };
    const begun = Date.now();
    for (let kill = 0; kill < KILLS; kill++) {
      if (kill % 4 === 1) atTerminal();
      const until = Date.now() + Math.random() * LIFE;
      const living = live(until);
      await delay(until - Date.now());
      await server.kill();
      await living;
      await server.again();
      if (kill % 20 === 19)
        console.log(JSON.stringify({ kills: kill + 1, minutes: (Date.now() - begun) / 60_000 }));
    }
    for (const [key, where] of sent) if (where === 'api') await overApi(key);
    const missing = (known: QueuedTurn[]): string[] => {
      const keys = new Set(known.map(keyOf));
      return [...sent].flatMap(([key, where]) =>
        where === 'terminal' || keys.has(key) ? [] : [key],
      );
    };
    const isOpen = (): boolean =>
      count(`SELECT count(*) AS n FROM channel_posts WHERE state IN ('waiting', 'sending')`) > 0;
    const over = async (isOver: (turn: QueuedTurn) => boolean): Promise<QueuedTurn[]> => {
      for (;;) {
        await decide();
        if (await atConsole.isWriting()) await atConsole.sendAgain();
        const turns = await messages();
        if (missing(turns).length === 0 && turns.every(isOver) && !isOpen()) return turns;
        await delay(200);
      }
    };
    // One that found no server has sent nothing; the others stay until their turn has ended.
    await over((turn) => hasEnded(turn) || keyOf(turn) === held);
    const shown = await terminals.ended();
    const waiting = (await messages()).find((turn) => keyOf(turn) === held);
    expect(waiting).toMatchObject({ state: 'parked', part: 0 });
    pressIn(isHeld);
    const turns = await over(hasEnded);
    expect(turns.find((turn) => keyOf(turn) === held)).toMatchObject({ state: 'done', part: 1 });

    expect(new Set(turns.map(keyOf)).size).toBe(turns.length);
    expect(turns.filter((turn) => !sent.has(keyOf(turn)))).toEqual([]);
    const log = readFileSync(join(server.deployment, 'workspace/log'), 'utf8');
    const noted = log.trimEnd().split('\n');
    const said = {
      telegram: telegram.sent.map(({ text }) => text),
      slack: slack.messages('D0ANA').map(({ text }) => text),
    };
    const tally = {
      kills: KILLS,
      sent: sent.size,
      done: 0,
      interrupted: 0,
      resumed: 0,
      unknown: 0,
    };
    const interrupted = { telegram: 0, slack: 0 };
    for (const turn of turns) {
      const key = keyOf(turn);
      const times = noted.filter((line) => line === key).length;
      expect(['done', 'interrupted']).toContain(turn.state);
      const once = turn.state === 'done' ? 1 : Math.min(times, 1);
      expect([turn.text, times]).toEqual([turn.text, once]);
      if (turn.text.includes('ask ') && turn.state === 'done')
        expect(existsSync(join(server.deployment, 'workspace', `asked-${key}`))).toBe(true);
      tally[turn.state as 'done' | 'interrupted'] += 1;
      if (turn.part > 0) tally.resumed += 1;
      const where = sent.get(key);
      if (where !== 'telegram' && where !== 'slack') continue;
      const post = server.postOf(turn);
      if (post === 'unknown') tally.unknown += 1;
      else expect([turn.id, where, post]).toEqual([turn.id, where, 'sent']);
      const answers = said[where].filter((text) => text.includes(`done ${key}.`)).length;
      const wanted = turn.state === 'done' ? 1 : 0;
      if (post === 'sent') expect([key, where, answers]).toEqual([key, where, wanted]);
      expect(answers).toBeLessThanOrEqual(1);
      if (post === 'sent' && turn.state === 'interrupted') interrupted[where] += 1;
    }
    for (const where of ['telegram', 'slack'] as const) {
      const told = said[where].filter((text) => text.includes('the server ended during this turn'));
      // One of which nobody knows whether it has arrived may have.
      expect(told.length).toBeGreaterThanOrEqual(interrupted[where]);
      expect(told.length).toBeLessThanOrEqual(interrupted[where] + tally.unknown);
    }
    seenAtConsole(await atConsole.settled(), turns, await all(`/v1/sessions/${session}/entries`));
    expect(atConsole.page.faults).toEqual([]);
    const gone = shown.filter((each) => !seenAtTerminal(each, turns));
    const places = PLACES.map((place) => [
      place,
      [...sent.values()].filter((each) => each === place).length,
    ]);
    const figures = {
      ...tally,
      ...Object.fromEntries(places),
      terminalsWithoutServer: gone.length,
    };
    console.log(JSON.stringify(figures));
  },
);

/** The page has each entry once, in the log's order, each answer once, and how the others ended. */
function seenAtConsole({ rows, unanswered }: Followed, turns: QueuedTurn[], log: Entry[]): void {
  const speaks = (role: unknown): boolean => role === 'user' || role === 'assistant';
  const spoken = log.filter(
    ({ type, message }) => type === 'message' && speaks((message as { role: string }).role),
  );
  const seen = rows.filter(({ role }) => speaks(role));
  expect(seen.map(({ id }) => id)).toEqual(spoken.map(({ id }) => id));
  const told = turns.map((turn) => [
    turn.id,
    seen.filter(({ role, text }) => role === 'assistant' && text.includes(`done ${keyOf(turn)}.`))
      .length,
    unanswered[turn.id] ?? 'done',
  ]);
  expect(told).toEqual(turns.map((turn) => [turn.id, turn.state === 'done' ? 1 : 0, turn.state]));
}

/** @returns false for a terminal that has found no server, and has said so */
function seenAtTerminal({ key, stdout, stderr, exitCode }: Shown, turns: QueuedTurn[]): boolean {
  const turn = turns.find((each) => keyOf(each) === key);
  const answers = stdout.match(/done [\w-]+\./g) ?? [];
  const isGone = stderr.includes('cannot be reached');
  if (turn === undefined) expect([isGone, exitCode], stderr).toEqual([true, 2]);
  else if (exitCode === 0) expect([turn.state, answers]).toEqual(['done', [`done ${key}.`]]);
  else {
    // It has said what became of its message, or what that waits for.
    const { approvals, outcome } = turn;
    const told = [
      ...approvals.map((id) => `waits for approval ${id}`),
      outcome?.error ?? 'cannot be reached',
    ];
    expect(isGone || told.some((each) => stderr.includes(each)), stderr).toBe(true);
    // A server that is gone may have said all but that the turn is done.
    const may = isGone && turn.state === 'done' ? [[], [`done ${key}.`]] : [[]];
    expect(may).toContainEqual(answers);
  }
  return !isGone;
}
