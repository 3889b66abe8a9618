/** Journeys through the console in a real browser: questions of agents, each answered in its form. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { begun, deployed, said, settled } from '../serve/support.ts';
import { type ChatRequest, calls, lastText, says, textOf } from '../stand-ins/model/index.ts';
import { Browser, CHROMIUM } from './browser.ts';
import { decide, desk } from './support.ts';

/** Asks what it is told to, as JSON, and says what came of it. */
const curious = ({ messages }: ChatRequest) => {
  const text = lastText(messages);
  return messages.at(-1)?.role === 'tool'
    ? says(`result: ${text}`)
    : calls(['ask', JSON.parse(text)]);
};

// Without a browser there is nothing to see: apt-get install chromium.
describe.skipIf(CHROMIUM === null)('questions, in a browser', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await Browser.launch();
  });
  afterAll(() => browser.close());

  test('each form is answered by the keyboard, a wrong answer is told of, and hostile words do nothing', async () => {
    const { person, client } = await desk(curious, deployed(), { parkAfterMs: 60_000 });
    const page = await person(browser, 'olga', 'owner', '#/waiting');
    const ana = client('ana', 'user');
    const { id } = await begun(ana);
    const ask = (form: object) =>
      said(ana, id, JSON.stringify({ question: 'What is it?', ...form }));

    const hostile = '<img src=x onerror=alert(1)><b>bold</b> \u202e';
    const choice = await ask({ question: hostile, kind: 'choice', options: ['<i>a</i>', 'b'] });
    await page.sees('<img src=x onerror=alert(1)><b>bold</b>');
    expect(await page.evaluate('document.querySelectorAll(".asked img, .asked b").length')).toBe(0);
    expect(await page.text()).not.toContain('\u202e');
    // Nothing was chosen yet.
    await decide(page, 'a');
    await page.sees('one of: <i>a</i>, b');
    await page.click('.answer input[type=radio]');
    await page.evaluate('document.activeElement.blur()');
    await decide(page, 'a');
    expect(await settled(ana, choice)).toMatchObject({
      outcome: { text: 'result: answered by olga (http): <i>a</i>' },
    });

    const number = await ask({ kind: 'number', min: 1, max: 9 });
    await page.until('document.querySelector(".answer input[type=number]")');
    await page.evaluate('document.querySelector(".answer input").focus()');
    await page.type('7');
    await page.press('Enter');
    expect(await settled(ana, number)).toMatchObject({
      outcome: { text: 'result: answered by olga (http): 7' },
    });

    const confirm = await ask({ kind: 'confirm' });
    await page.until(
      'document.querySelector(".asked [data-key=yes]")?.innerText.startsWith("Yes")',
    );
    // A viewer sees it, and has nothing to press.
    const vera = await person(browser, 'vera', 'viewer', '#/waiting');
    await vera.sees('What is it?');
    expect(await vera.evaluate('document.querySelectorAll(".asked button").length')).toBe(0);
    await decide(page, 'd');
    expect(await settled(ana, confirm)).toMatchObject({
      outcome: { text: 'result: answered by olga (http): no' },
    });
    await vera.sees('Nothing waits.');
    expect([...page.faults, ...vera.faults]).toEqual([]);
  });

  test('a plan that is asked for in the console is approved there with what it would change in view', async () => {
    const planning = ({ messages }: ChatRequest) => {
      const results = messages.filter(({ role }) => role === 'tool').map(textOf);
      if (results.length === 0)
        return calls(['plan', { plan: 'Write <b>a</b>.', writes: [{ path: '/workspace/a' }] }]);
      if (results.length === 1)
        return calls(['bash', { command: 'echo x > /workspace/a; echo x > /workspace/b' }]);
      return says(results.join('\n'));
    };
    const { person, client, url } = await desk(planning, deployed(), { parkAfterMs: 60_000 });
    const { id } = await begun(client('ana', 'user'));
    const page = await person(browser, 'olga', 'owner', `#/sessions/${id}`);
    await page.until('document.querySelector("#say")');
    await page.click('.compose input[type=checkbox]');
    await page.evaluate('document.querySelector("#say").focus()');
    await page.type('go');
    await page.press('Enter');
    await page.sees('It waits for an answer');
    await page.goto(`${url}/#/waiting`);
    await page.sees('write, create /workspace/a');
    await page.sees('Write <b>a</b>.');
    await decide(page, 'a');
    await page.goto(`${url}/#/sessions/${id}`);
    await page.sees('the approved plan does not name create /workspace/b');
    expect(page.faults).toEqual([]);
  });
});
