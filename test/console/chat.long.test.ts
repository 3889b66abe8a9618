/** Journeys through the console in a real browser: sessions and what is said in them. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { begun } from '../serve/support.ts';
import { says, textOf } from '../stand-ins/model/index.ts';
import { Browser, CHROMIUM } from './browser.ts';
import { desk } from './support.ts';

// Without a browser there is nothing to see: apt-get install chromium.
describe.skipIf(CHROMIUM === null)('sessions in a browser', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await Browser.launch();
  });
  afterAll(() => browser.close());

  test('by the keyboard alone: log in, begin a session, say something, read the answer as it comes', async () => {
    const rest = Promise.withResolvers<void>();
    const { person, url } = await desk(({ messages }) => {
      const last = messages.at(-1);
      return last === undefined
        ? says('nothing')
        : { parts: [{ text: 'You said: ' }, { wait: rest.promise }, { text: textOf(last) }] };
    });
    const page = await person(browser, 'ana', 'user');
    await page.press('n');
    await page.until('document.querySelector("#say")');
    await page.press('i');
    await page.type('hello there');
    await page.press('Enter');
    await page.sees('You said:');
    expect(await page.text()).not.toContain('You said: hello');
    rest.resolve();
    await page.sees('You said: hello there');
    await page.until(
      'document.querySelector(".heard").textContent.includes("You said: hello there")',
    );
    expect(page.faults).toEqual([]);
    expect(page.requests.filter((address) => !address.startsWith(url))).toEqual([]);
  });

  test('a key is heard and a field has the focus from the moment in which they are drawn', async () => {
    const { person } = await desk([says('')]);
    const page = await person(browser, 'ana', 'user');
    /** Presses what draws an element. @returns what holds in the moment in which it is drawn, after a key of that moment */
    const onceDrawn = async (press: string, selector: string, holds: string, key = '') => {
      // The observer is there before the key is pressed: keys overtake scripts on their way to the page.
      await page.evaluate(`globalThis.drawn = new Promise((done) => {
        const onChange = (_, observer) => {
          if (document.querySelector('${selector}') === null) return;
          observer.disconnect();
          document.body.dispatchEvent(new KeyboardEvent('keydown', { key: '${key}', bubbles: true }));
          done(${holds});
        };
        new MutationObserver(onChange).observe(document.body, { childList: true, subtree: true });
      }), undefined`);
      await page.press(press);
      return page.evaluate<boolean>('drawn');
    };
    const isFocused = (selector: string) =>
      `document.activeElement === document.querySelector('${selector}')`;

    expect(await onceDrawn('?', 'dialog', 'document.querySelector("dialog").open')).toBe(true);
    await page.press('Escape');
    await page.until('!document.querySelector("dialog")');
    expect(await onceDrawn('/', '[name=query]', isFocused('[name=query]'))).toBe(true);
    await page.press('Escape');
    await page.press('s');
    await page.until('document.querySelector("[aria-keyshortcuts=n]")');
    expect(await onceDrawn('n', '#say', isFocused('#say'), 'i')).toBe(true);
    expect(page.faults).toEqual([]);
  });

  test('what is said while the server is away is told, and what happened meanwhile is there after', async () => {
    const { person, client, unplug, plug } = await desk(({ messages }) =>
      says(`heard ${messages.length}`),
    );
    const ben = client('ben', 'user');
    const { id } = await begun(ben);
    const page = await person(browser, 'olga', 'owner', `#/sessions/${id}`);
    await page.until('document.querySelector("[data-status=live]")');
    await page.until('document.querySelector("#say")');
    await unplug();
    await page.until('document.querySelector("[data-status=offline]")');
    await page.press('i');
    await page.type('are you there?');
    await page.press('Enter');
    await page.sees('the server cannot be reached');
    await ben.post(`/v1/sessions/${id}/messages`, { text: 'said meanwhile' });
    await plug();
    await page.until('document.querySelector("[data-status=live]")');
    await page.sees('said meanwhile');
    // What was written is still there, and is said once.
    await page.press('Enter');
    await page.until('document.querySelector("#say").value === ""');
    await page.until(
      'document.querySelectorAll(".message.user").length === 2 && !document.querySelector(".live article")',
    );
    expect(page.faults).toEqual([]);
  });
});
