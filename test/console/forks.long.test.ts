/** Journeys through the console in a real browser: forks, what commands changed, two people at once, whoever hears the page. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { begun, deployed, said, settled } from '../serve/support.ts';
import { type ChatRequest, calls, lastText, says } from '../stand-ins/model/index.ts';
import { Browser, CHROMIUM } from './browser.ts';
import { decide, desk, picture } from './support.ts';

/** `run COMMAND` runs it; anything else is said again. */
const obedient = ({ messages }: ChatRequest) => {
  const text = lastText(messages);
  if (messages.at(-1)?.role === 'tool') return says('done');
  const [, command] = /^run (.*)$/.exec(text) ?? [];
  return command === undefined ? says(`you said: ${text}`) : calls(['bash', { command }]);
};

const PLAN = "printf 'breakfast\\nlunch\\ndinner\\n' > /workspace/plan.md";

// Without a browser there is nothing to see: apt-get install chromium.
describe.skipIf(CHROMIUM === null)('forks, in a browser', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await Browser.launch();
  });
  afterAll(() => browser.close());

  test('fork: by the mouse from a command on; the fork has what was before and nothing after, each leads to the other', async () => {
    const { person, client, url } = await desk(obedient);
    const page = await person(browser, 'ana', 'user');
    await page.press('n');
    await page.until('document.querySelector("#say")');
    const say = async (text: string, seen: string): Promise<void> => {
      await page.press('i');
      await page.type(text);
      await page.press('Enter');
      await page.sees(seen);
      await page.press('Escape');
    };
    await say('the first thing', 'you said: the first thing');
    await page.until('!document.querySelector("[aria-keyshortcuts=x]")');
    await say('the second thing', 'you said: the second thing');
    const original = await page.evaluate<string>('location.hash');
    await page.click('article.assistant ~ button.fork');
    await page.until(`location.hash !== ${JSON.stringify(original)}`);
    await page.sees('Forked from another session');
    await page.sees('you said: the first thing');
    const happened = (): Promise<string> =>
      page.evaluate('document.querySelector(".windowed").innerText');
    expect(await happened()).not.toContain('the second thing');
    await say('another second thing', 'you said: another second thing');
    const forked = await page.evaluate<string>('location.hash');
    await page.click('.forks a');
    await page.until(`location.hash === ${JSON.stringify(original)}`);
    await page.sees('Forks of it:');
    expect(await happened()).not.toContain('another second thing');
    expect(await page.evaluate('document.querySelector(".forks li a").getAttribute("href")')).toBe(
      forked,
    );
    // Others have no part in it, nor in its fork.
    const eve = client('eve', 'user');
    const id = forked.split('/').at(-1);
    expect((await eve.send('GET', `/v1/sessions/${id}`)).status).toBe(404);
    expect((await eve.send('GET', `/v1/sessions/${id}/entries`)).status).toBe(404);
    await page.goto(`${url}/#/sessions/${id}`);
    // Its title has the words as well: there is nothing to fork before what was said has come.
    await page.sees('you said: another second thing');
    await page.press('b');
    await page.until(`location.hash !== ${JSON.stringify(forked)}`);
    expect(page.faults).toEqual([]);
  });

  test('what a command changed is there as a diff, and whoever may not read the file is not shown it', async () => {
    const hidden =
      'sandbox: full\napproval: never\nrules:\n  - { name: hidden, decision: deny, op: read, path: /workspace/plan.md, actor: vera }\n';
    const { person, client } = await desk(obedient, deployed(hidden));
    const ana = client('ana', 'user');
    const { id } = await begun(ana);
    await settled(ana, await said(ana, id, `run ${PLAN}`));
    await settled(ana, await said(ana, id, 'run sed -i s/lunch/soup/ /workspace/plan.md'));
    const page = await person(browser, 'olga', 'owner', `#/sessions/${id}`);
    await page.resize(960, 600);
    await page.sees('sed -i');
    await page.until('document.querySelectorAll("button.changed").length === 2');
    await page.evaluate('[...document.querySelectorAll("button.changed")].at(-1).focus()');
    await page.press('Enter');
    await page.until('document.querySelector(".diff ins")');
    expect(await page.evaluate('document.querySelector(".diff ins").textContent')).toBe('+soup\n');
    expect(await page.evaluate('document.querySelector(".diff del").textContent')).toBe('-lunch\n');
    await picture(page, 'session');
    const vera = await person(browser, 'vera', 'viewer', `#/sessions/${id}`);
    await vera.click('button.changed');
    await vera.sees('vera may not read it');
    expect(await vera.evaluate('document.querySelector(".diff")')).toBe(null);
    expect(page.faults).toEqual([]);
  });

  test('two browsers at once: what one says the other sees as it comes, in order and once', async () => {
    const rest = Promise.withResolvers<void>();
    const { person, client } = await desk(({ messages }) => {
      const text = lastText(messages);
      return { parts: [{ text: `to ${text}: ` }, { wait: rest.promise }, { text: 'the rest' }] };
    });
    const ana = client('ana', 'user');
    const { id } = await begun(ana);
    const [one, two] = [
      await person(browser, 'olga', 'owner', `#/sessions/${id}`),
      await person(browser, 'otto', 'owner', `#/sessions/${id}`),
    ];
    for (const page of [one, two]) {
      await page.until('document.querySelector("[data-status=live]")');
      await page.until('document.querySelector("#say")');
    }
    await one.press('i');
    await one.type('from one');
    await one.press('Enter');
    await two.sees('to from one:');
    await two.press('i');
    await two.type('from two');
    await two.press('Enter');
    await one.sees('from two');
    rest.resolve();
    for (const page of [one, two]) {
      await page.until(
        'document.querySelectorAll("article.message").length === 4 && !document.querySelector(".live article")',
      );
      const texts = await page.evaluate<string[]>(
        '[...document.querySelectorAll("article.message pre")].map(({ textContent }) => textContent)',
      );
      expect(texts).toEqual([
        'from one',
        'to from one: the rest',
        'from two',
        'to from two: the rest',
      ]);
      expect(page.faults).toEqual([]);
    }
  });

  test('whoever hears the page is told that something waits, the answer once it is whole, and where they are', async () => {
    const { person, client } = await desk(
      ({ messages }) =>
        messages.at(-1)?.role === 'tool'
          ? says('it is written')
          : calls(['bash', { command: 'echo x > /workspace/asked' }]),
      undefined,
      { parkAfterMs: 60_000 },
    );
    const ana = client('ana', 'user');
    const { id } = await begun(ana);
    const page = await person(browser, 'olga', 'owner', `#/sessions/${id}`);
    const heard = (words: string): Promise<void> =>
      page.until(
        `document.querySelector("[role=status].heard").textContent.includes(${JSON.stringify(words)})`,
      );
    await page.until('document.querySelector("[data-status=live]")');
    await said(ana, id, 'write it');
    await heard('1 request waits for an answer');
    await page.press('w');
    await page.until('document.title.startsWith("Waiting")');
    await page.until('document.activeElement.id === "main"');
    await page.until('document.querySelector(".asked button")');
    await decide(page, 'a');
    await heard('allowed: create /workspace/asked');
    // What a reader is given: names of regions, a list with its places, buttons with their keys.
    const tree = (await page.call('Accessibility.getFullAXTree')) as {
      nodes: { role?: { value: string }; name?: { value: string } }[];
    };
    const named = tree.nodes.map(({ role, name }) => `${role?.value}: ${name?.value}`);
    expect(named).toContain('navigation: Views');
    expect(named).toContain('main: Waiting');
    expect(named).toContain('heading: Waiting');
    expect(page.faults).toEqual([]);
  });
});
