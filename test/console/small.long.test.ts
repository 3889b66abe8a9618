/** Journeys through the console in a real browser: on a telephone, by the keyboard through files, as somebody who may only look. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { begun, deployed, said, settled } from '../serve/support.ts';
import { type ChatRequest, calls, lastText, says, textOf } from '../stand-ins/model/index.ts';
import { temporaryDirectory } from '../world/harness.ts';
import { Browser, CHROMIUM } from './browser.ts';
import { desk, picture } from './support.ts';

const asking = ({ messages }: ChatRequest) => {
  const last = messages.at(-1);
  if (last?.role === 'tool') return says('it is written');
  const text = last === undefined ? '' : textOf(last);
  return text === 'write it'
    ? calls(['bash', { command: 'echo x > /workspace/asked' }])
    : says(`you said: ${text}`);
};

// Without a browser there is nothing to see: apt-get install chromium.
describe.skipIf(CHROMIUM === null)('small and looking, in a browser', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await Browser.launch();
  });
  afterAll(() => browser.close());

  test('320 px wide, by touch: something is said, its diff is seen, and it is approved', async () => {
    const { person } = await desk(asking, undefined, { parkAfterMs: 60_000 });
    const page = await person(browser, 'ada', 'approver');
    await page.resize(320, 640);
    await page.call('Emulation.setTouchEmulationEnabled', { enabled: true });
    await page.tap('main .bar button');
    await page.tap('#say');
    await page.type('write it');
    await page.tap('.compose button');
    await page.sees('It waits for an answer');
    await picture(page, 'telephone');
    await page.tap('.notice a');
    await page.until('document.querySelector(".diff ins")');
    const isNarrow = 'document.documentElement.scrollWidth <= 320';
    expect(await page.evaluate(isNarrow)).toBe(true);
    await page.tap('.asked button[data-key=yes]');
    await page.sees('allowed: create /workspace/asked');
    await page.tap('nav[aria-label=Views] a');
    await page.tap('.list a');
    await page.sees('it is written');
    expect(await page.evaluate(isNarrow)).toBe(true);
    expect(page.faults).toEqual([]);
  });

  test('sessions are found by how they begin, live among them, and opened by the keyboard', async () => {
    const held = Promise.withResolvers<void>();
    const { person, client } = await desk(({ messages }) => {
      const text = lastText(messages);
      return text.startsWith('hold')
        ? { parts: [{ text: 'holding' }, { wait: held.promise }] }
        : says(`you said: ${text}`);
    });
    const ana = client('ana', 'user');
    for (const text of ['apples are red', 'bananas are not', 'hold cherries']) {
      const { id } = await begun(ana);
      const message = await said(ana, id, text);
      await settled(ana, message, text.startsWith('hold') ? ['running'] : ['done']);
    }
    const page = await person(browser, 'olga', 'owner');
    await page.until('document.querySelectorAll(".list li").length === 3');
    await page.until(
      '[...document.querySelectorAll(".list .state")].some(({ textContent }) => textContent === "running")',
    );
    await page.evaluate('document.querySelector("input[type=search]").focus()');
    await page.type('BANANAS');
    await page.until('document.querySelectorAll(".list li").length === 1');
    await page.press('Escape');
    await page.press('Enter');
    await page.sees('you said: bananas are not');
    held.resolve();
    expect(page.faults).toEqual([]);
  });

  test('directories are walked and files read by the keyboard, line by line links lead back, and what is not there says so', async () => {
    const docs = temporaryDirectory();
    for (const name of ['a.md', 'b.md', 'c.md']) writeFileSync(join(docs, name), `# ${name}\n`);
    const { person } = await desk(
      asking,
      deployed(),
      {},
      { mounts: { '/mnt/docs': `${docs}:ro` } },
    );
    const page = await person(browser, 'olga', 'owner', '#/files/mnt/docs');
    await page.until('document.querySelectorAll(".list li").length === 3');
    await page.press('j');
    await page.press('j');
    await page.press('k');
    await page.until('document.querySelector(".list li.at").textContent.includes("b.md")');
    await page.press('Enter');
    await page.sees('# b.md');
    await page.evaluate('history.back()');
    await page.until('document.querySelectorAll(".list li").length === 3');
    await page.evaluate('location.hash = "#/files/mnt/docs/none.md"');
    await page.until('document.querySelector("[role=alert].failure")');
    expect(await page.text()).toContain('none.md');
    expect(page.faults).toEqual([]);
  });

  test('a viewer sees all of it, and has nothing to press in any view; what they try by hand is refused', async () => {
    const { person, client } = await desk(asking, undefined, { parkAfterMs: 10 });
    const ana = client('ana', 'user');
    const { id } = await begun(ana);
    const message = await said(ana, id, 'write it');
    await settled(ana, message, ['parked']);
    const page = await person(browser, 'vera', 'viewer', `#/sessions/${id}`);
    await page.sees('write it');
    expect(await page.evaluate('document.querySelector("#say, button.fork")')).toBe(null);
    await page.press('b');
    await page.press('s');
    await page.until('document.querySelector(".list li")');
    await page.press('n');
    await page.press('c');
    await page.sees('Nothing is scheduled.');
    expect(await page.evaluate('document.querySelector("form")')).toBe(null);
    await page.press('w');
    await page.until('document.querySelector(".diff ins")');
    expect(await page.evaluate('document.querySelectorAll(".asked button").length')).toBe(0);
    // With its own cookie and what only the page knows.
    const status =
      await page.evaluate<number>(`fetch('/v1/me').then((me) => me.json()).then(({ csrf }) =>
      fetch('/v1/sessions/${id}/stop', { method: 'POST', headers: { 'x-csrf-token': csrf } })).then(({ status }) => status)`);
    expect(status).toBe(403);
    expect((await client('olga', 'owner').get<unknown[]>('/v1/sessions')).length).toBe(1);
    expect(page.faults).toEqual([]);
  });

  test('whoever is put out while they look sees nothing more, and comes in again where they were', async () => {
    const { person, client, service } = await desk(asking);
    const ana = client('ana', 'user');
    const { id } = await begun(ana);
    await settled(ana, await said(ana, id, 'hello'));
    const page = await person(browser, 'vera', 'viewer', `#/sessions/${id}`);
    await page.sees('you said: hello');
    service.principals.remove('vera');
    await page.until('document.querySelector("#token")');
    expect(await page.text()).not.toContain('you said');
    await expect.poll(() => service.feeds.size, { timeout: 50_000 }).toBe(0);
    const token = service.principals.add('vera', 'viewer');
    await page.evaluate('document.querySelector("#token").focus()');
    await page.type(token);
    await page.press('Enter');
    await page.sees('you said: hello');
    expect(page.faults).toEqual([]);
  });

  test('what was spent is there as plots over days, by person and model, as wide as the page', async () => {
    const { person, client } = await desk(asking);
    const ana = client('ana', 'user');
    for (const text of ['one', 'two', 'three']) {
      const { id } = await begun(ana);
      await settled(ana, await said(ana, id, text));
    }
    const page = await person(browser, 'olga', 'owner', '#/usage');
    await page.resize(960, 600);
    await page.until('document.querySelectorAll(".plot canvas").length === 2');
    await page.sees('Turns: 3');
    await page.evaluate('document.querySelector("main select").focus()');
    await page.press('ArrowDown');
    await page.until('document.querySelector("main select").value === "90"');
    await page.until('document.querySelectorAll(".plot canvas").length === 2');
    // Drawn anew, its words are to be read on either ground.
    await page.evaluate('(window.plotted = document.querySelector(".plot canvas"), 0)');
    await page.scheme('dark');
    await page.until(
      '!window.plotted.isConnected && document.querySelectorAll(".plot canvas").length === 2',
    );
    await picture(page, 'usage');
    expect(page.faults).toEqual([]);
  });
});
