/** Journeys through the console in a real browser: coming in, steering and stopping, the schedule, what it costs. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { begun, said, settled } from '../serve/support.ts';
import { calls, says, textOf } from '../stand-ins/model/index.ts';
import { Browser, CHROMIUM } from './browser.ts';
import { desk } from './support.ts';

// Without a browser there is nothing to see: apt-get install chromium.
describe.skipIf(CHROMIUM === null)('every day, in a browser', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await Browser.launch();
  });
  afterAll(() => browser.close());

  test('a token that nobody has lets nobody in, and who logs out is out in every page at once', async () => {
    const { person, url, service } = await desk([says('')]);
    const stranger = await browser.page();
    await stranger.goto(url);
    await stranger.until('document.querySelector("#token")');
    await stranger.evaluate('document.querySelector("#token").focus()');
    await stranger.type('no-such-token');
    await stranger.press('Enter');
    await stranger.sees('this server wants a token');
    expect(await stranger.evaluate('document.cookie')).toBe('');
    const page = await person(browser, 'ana', 'user');
    await page.sees('There is no session yet.');
    service.principals.remove('ana');
    await page.until('document.querySelector("#token")');
    const other = await person(browser, 'ben', 'user');
    await other.click('.who button:last-of-type');
    await other.until('document.querySelector("#token")');
    await other.goto(`${url}/#/sessions`);
    await other.until('document.querySelector("#token")');
    expect([...page.faults, ...other.faults]).toEqual([]);
  });

  test('a turn is steered and stopped, a command shows what it prints, and a link to the session is the way back', async () => {
    const held = Promise.withResolvers<void>();
    const { person, client, url } = await desk(({ messages }) => {
      const last = messages.at(-1);
      if (last?.role === 'tool') return says('ran');
      const text = last === undefined ? '' : textOf(last);
      if (text === 'run')
        return calls(['bash', { command: 'echo printed; echo wrong >&2; false' }]);
      if (text === 'hold')
        return { parts: [{ text: 'thinking' }, { wait: held.promise }, { text: '.' }] };
      return says(`you said: ${text}`);
    });
    const page = await person(browser, 'ana', 'user');
    await page.click('main .bar button');
    await page.until('document.querySelector("#say")');
    const say = async (text: string): Promise<void> => {
      await page.click('#say');
      await page.type(text);
    };
    await say('run');
    await page.click('.compose button');
    await page.sees('exit status 1');
    const seen = await page.text();
    expect(seen).toContain('printed');
    expect(await page.evaluate('document.querySelector(".text.stderr").textContent')).toContain(
      'wrong',
    );
    await page.sees('ran');
    await say('hold');
    await page.press('Enter');
    await page.sees('thinking');
    await say('be brief');
    await page.until(
      '[...document.querySelectorAll(".compose button")].some(({ textContent }) => textContent === "Steer")',
    );
    await page.click('.compose button[type=button]');
    held.resolve();
    await page.sees('you said: be brief');
    const stuck = await page.evaluate<string>('location.hash');
    const ana = client('eve', 'user');
    expect(
      (await ana.send('GET', `/v1/sessions/${stuck.split('/').at(-1)}`)).status,
    ).toBeGreaterThan(400);
    await page.press('Escape');
    await page.press('s');
    await page.until('document.querySelector(".list a")');
    await page.press('Enter');
    await page.sees('you said: be brief');
    expect(await page.evaluate('location.href')).toBe(`${url}/${stuck}`);
    expect(page.faults).toEqual([]);
  });

  test('what runs is stopped by a key, and what was stopped is gone from what runs', async () => {
    const stuck = Promise.withResolvers<void>();
    const { person } = await desk(() => ({
      parts: [{ text: 'on and on' }, { wait: stuck.promise }],
    }));
    const page = await person(browser, 'ana', 'user');
    await page.press('n');
    await page.until('document.querySelector("#say")');
    await page.press('i');
    await page.type('begin');
    await page.press('Enter');
    await page.sees('on and on');
    await page.press('Escape');
    await page.press('x');
    await page.until('!document.querySelector("[aria-keyshortcuts=x]")');
    stuck.resolve();
    expect(page.faults).toEqual([]);
  });

  test('a prompt is scheduled and taken back, and what turns cost is there as numbers', async () => {
    const { person, client } = await desk([says('fine')]);
    const ana = client('ana', 'user');
    const { id } = await begun(ana);
    await settled(ana, await said(ana, id, 'hello'));
    const page = await person(browser, 'olga', 'owner', '#/schedule');
    await page.until('document.querySelector("#prompt-name")');
    await page.click('#prompt-name');
    await page.type('tidy');
    await page.evaluate('document.querySelector("#prompt-at").value = "2099-01-01T09:00"');
    await page.click('#prompt-text');
    await page.type('tidy up');
    await page.click('form.login button');
    await page.sees('tidy.md');
    await page.click('.list button.no');
    await page.sees('Nothing is scheduled.');
    await page.press('Escape');
    await page.press('u');
    await page.until('document.querySelector(".plot canvas")');
    expect(await page.text()).toMatch(/Turns: 1\n/);
    expect(
      await page.evaluate('document.querySelector(".scrolls tbody tr").textContent'),
    ).toContain('ana');
    await page.press('?');
    await page.until('document.querySelector("dialog[open]")');
    await page.click('dialog input[type=checkbox]');
    await page.press('Escape');
    await page.until('!document.querySelector("dialog")');
    await page.press('s');
    expect(await page.evaluate('location.hash')).toBe('#/usage');
    expect(page.faults).toEqual([]);
  });
});
