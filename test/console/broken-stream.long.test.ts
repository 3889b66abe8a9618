/** A session's page whose stream breaks off while a turn runs: it shows what became of it, once. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { begun, said, settled } from '../serve/support.ts';
import { says, textOf } from '../stand-ins/model/index.ts';
import { Browser, CHROMIUM, type Page } from './browser.ts';
import { desk } from './support.ts';

/** What those who hear the page were told of the agent. */
const heard = (page: Page): Promise<string[]> => page.evaluate('window.heard');

const LISTEN = `window.heard = [];
  new MutationObserver(() => {
    const told = document.querySelector(".heard").textContent;
    if (told !== "" && told !== window.heard.at(-1)) window.heard.push(told);
  }).observe(document.querySelector(".heard"), { childList: true, characterData: true, subtree: true })`;

describe.skipIf(CHROMIUM === null)('a stream that breaks off', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await Browser.launch();
  });
  afterAll(() => browser.close());

  /** A page on a session of which a turn runs, until it is let go on. */
  async function atWork() {
    const rest = Promise.withResolvers<void>();
    const served = await desk(({ messages }) => {
      const last = messages.at(-1);
      if (last === undefined) return says('nothing');
      const parts = [{ text: 'You ' }, { wait: rest.promise }, { text: `said ${textOf(last)}` }];
      return { parts };
    });
    const ben = served.client('ben', 'user');
    const { id } = await begun(ben);
    const page = await served.person(browser, 'olga', 'owner', `#/sessions/${id}`);
    await page.until('document.querySelector("[data-status=live]")');
    await page.evaluate(LISTEN);
    const message = await said(ben, id, 'hello');
    await page.until('document.querySelector(".live[aria-busy=true]")');
    await page.sees('You');
    return { ...served, ben, id, page, message, release: () => rest.resolve() };
  }

  test('while a turn ends: its answer is there once, it runs no more, and is told when it is whole', async () => {
    const { page, ben, message, release, unplug, plug } = await atWork();
    await unplug();
    await page.until('document.querySelector("[data-status=offline]")');
    release();
    await settled(ben, message);
    expect(await heard(page)).toEqual([]);
    await plug();
    await page.sees('You said hello');
    await page.until('document.querySelector(".live[aria-busy=false]")');
    await page.until('window.heard.length > 0');
    expect(await heard(page)).toEqual(['The agent: You said hello']);
    expect(await page.evaluate('document.querySelectorAll(".message.assistant").length')).toBe(1);
    expect(page.faults).toEqual([]);
  });

  test('while a turn goes on: it is seen to run, and its answer comes', async () => {
    const { page, ben, message, release, unplug, plug } = await atWork();
    await unplug();
    await page.until('document.querySelector("[data-status=offline]")');
    await plug();
    await page.until('document.querySelector("[data-status=live]")');
    expect(await page.evaluate('document.querySelector(".live").ariaBusy')).toBe('true');
    expect(await heard(page)).toEqual([]);
    release();
    await settled(ben, message);
    await page.until('document.querySelector(".live[aria-busy=false]")');
    await page.sees('You said hello');
    expect(page.faults).toEqual([]);
  });

  test('while a turn is stopped, or when one cannot begin: the page says so', async () => {
    const { page, ben, id, message, unplug, plug } = await atWork();
    await unplug();
    await page.until('document.querySelector("[data-status=offline]")');
    await ben.post(`/v1/sessions/${id}/stop`);
    await settled(ben, message, ['stopped']);
    await plug();
    await page.until('document.querySelector(".live[aria-busy=false]")');
    await page.sees('Stopped');
    await settled(ben, await said(ben, id, 'to nobody', { model: 'no/such' }), ['failed']);
    await page.sees('This did not work: ');
    await page.sees('to nobody');
    expect(page.faults).toEqual([]);
  });
});
