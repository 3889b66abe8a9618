/** What takes its time with Discord: messages whose answers are lost, and connections that break. */
import { expect, test } from 'vitest';
import { ANA, DIRECT, meet } from './in-discord.ts';

test('an answer that is lost on the way, or not taken, is said once', async () => {
  const met = await meet();
  const { discord } = met;
  for (const fault of ['lost', 'cut', 'limited'] as const) {
    discord.fault(fault);
    discord.say(DIRECT, ANA, fault);
    await met.until(() => met.texts(DIRECT).at(-1) === `you said: ${fault}`);
  }
  discord.say(DIRECT, ANA, 'end');
  await met.until(() => met.texts(DIRECT).at(-1) === 'you said: end');
  expect(met.texts(DIRECT)).toEqual(
    ['lost', 'cut', 'limited', 'end'].map((one) => `you said: ${one}`),
  );
});

test('what was said while nobody listened is asked for, and a connection that breaks is made anew', async () => {
  const met = await meet();
  const { discord } = met;
  discord.say(DIRECT, ANA, 'one');
  await met.until(() => met.texts(DIRECT).length === 1);
  discord.drop();
  await met.until(() => discord.listeners === 0);
  discord.say(DIRECT, ANA, 'two');
  await met.until(() => met.texts(DIRECT).length === 2);
  const next = met.again();
  await met.until(() => discord.listeners === 0);
  discord.say(DIRECT, ANA, 'three');
  await next;
  await met.until(() => met.texts(DIRECT).length === 3);
  expect(met.texts(DIRECT)).toEqual(['you said: one', 'you said: two', 'you said: three']);
});
