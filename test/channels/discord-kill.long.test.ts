/** A Discord bot is killed by SIGKILL, each second time while its answer is on the way: each message is answered once. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { deployed, scripted } from '../serve/support.ts';
import { Victim } from '../serve/victim.ts';
import { startDiscord } from '../stand-ins/discord/index.ts';
import { lastSaid, says } from '../stand-ins/model/index.ts';
import { writeChannel } from './support.ts';

const ANA = { id: '1001', username: 'ana' };
const DIRECT = 'D1001';
const KILLS = Number(process.env['KILLS'] ?? 4);
/** After something was said, at most. In ms. */
const LIFE = 2_500;

test(`${KILLS} kills: each message is answered once`, async () => {
  const discord = await startDiscord();
  onTestFinished(() => discord.close());
  const model = await scripted(({ messages }) => {
    return says(`done ${/key-\d+/.exec(lastSaid(messages))?.[0]}.`);
  });
  const deployment = deployed();
  writeFileSync(join(deployment, 'dirigent.config.mjs'), 'export default {};\n');
  writeChannel(
    deployment,
    'room',
    `---\nkind: discord\nbaseUrl: ${discord.url}\npeople: { ana: ${ANA.id} }\n---\n`,
  );
  const env = { DISCORD_BOT_TOKEN: discord.token };
  const begin = () => new Victim(deployment, { model: model.url, turns: 2, env });
  let victim = begin();
  onTestFinished(() => victim.kill());
  const said = (): string[] =>
    discord.messages.flatMap(({ author, content }) => (author.bot === true ? [content] : []));
  const settled = async (what: () => boolean): Promise<void> => {
    while (!what()) await delay(20);
  };
  await victim.url;
  await settled(() => discord.listeners > 0);
  for (let kill = 0; kill < KILLS; kill++) {
    const key = `key-${kill}`;
    const before = said().length;
    if (kill % 2 === 0) discord.fault('silent');
    discord.say(DIRECT, ANA, key);
    if (kill % 2 === 0) await settled(() => said().length > before);
    else await delay(Math.random() * LIFE);
    await victim.kill();
    victim = begin();
    await victim.url;
    await settled(() => discord.listeners > 0);
  }
  const keys = Array.from({ length: KILLS }, (_, kill) => `key-${kill}`);
  const isAnswered = (key: string): boolean => said().includes(`done ${key}.`);
  const interrupted = (): number =>
    said().filter((text) => text.startsWith('**Interrupted')).length;
  await settled(() => keys.filter((key) => !isAnswered(key)).length <= interrupted());
  discord.say(DIRECT, ANA, 'key-99');
  await settled(() => isAnswered('key-99'));
  const answers = said().filter((text) => text.startsWith('done'));
  expect(new Set(answers).size).toBe(answers.length);
  expect(answers.length + interrupted()).toBe(KILLS + 1);
  console.log(
    JSON.stringify({ kills: KILLS, answers: answers.length, interrupted: interrupted() }),
  );
});
