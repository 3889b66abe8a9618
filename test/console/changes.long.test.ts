/** Journeys through the console in a real browser: writes to a service, seen as diffs with their requests before they are sent. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { Bench, REPO, TOKEN } from '../../mounts/github/testing.ts';
import type { Approval } from '../../src/policy/approval.ts';
import { begun, deployed, said, settled } from '../serve/support.ts';
import { type ChatRequest, calls, lastText, says } from '../stand-ins/model/index.ts';
import { Browser, CHROMIUM } from './browser.ts';
import { decide, desk, picture } from './support.ts';

const ISSUE = `/mnt/github${REPO}/issues/3.md`;

/** Gives the issue the title that it is told; `run COMMAND` runs that. */
const editor = ({ messages }: ChatRequest) => {
  const text = lastText(messages);
  if (messages.at(-1)?.role === 'tool') return says(`result: ${text}`);
  const [, command = `sed -i 's/^title: .*/title: ${text}/' ${ISSUE}`] =
    /^run (.*)$/s.exec(text) ?? [];
  return calls(['bash', { command }]);
};

// Without a browser there is nothing to see: apt-get install chromium.
describe.skipIf(CHROMIUM === null)('changes, in a browser', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await Browser.launch();
  });
  afterAll(() => browser.close());

  /** A desk at which an issue can be changed, and its change waits. */
  async function staging() {
    const bench = await Bench.start({ issues: 5, commentsEach: 0, pullEvery: 100 });
    onTestFinished(() => bench[Symbol.asyncDispose]());
    const github = {
      source: 'github',
      mode: 'stage' as const,
      baseUrl: bench.github.url,
      tokenEnv: 'T',
    };
    const policy = 'sandbox: full\napproval: never\n';
    const all = await desk(
      editor,
      deployed(policy),
      {},
      { mounts: { '/mnt/github': github } },
      { T: TOKEN },
    );
    const ana = all.client('ana', 'user');
    const { id } = await begun(ana);
    const retitle = async (title: string): Promise<void> => {
      await settled(ana, await said(ana, id, title));
    };
    const titles = async (): Promise<string[]> =>
      (await bench.github.dump()).repositories.flatMap(({ issues }) =>
        issues.map(({ title }) => title),
      );
    return { ...all, retitle, titles, bench };
  }

  test('a staged change is applied by one key, as its diff and its exact request were seen', async () => {
    const { person, retitle, titles } = await staging();
    const page = await person(browser, 'ben', 'approver', '#/waiting');
    await page.resize(960, 600);
    await retitle('Better words');
    await page.until('document.querySelector(".diff ins")');
    expect(await page.text()).toContain('+title: Better words');
    await page.click('.asked summary');
    await page.sees('"method": "PATCH"');
    expect(await page.text()).toContain(`/repos${REPO}/issues/3`);
    await picture(page, 'waiting');
    expect(await titles()).not.toContain('Better words');
    await decide(page, 'a');
    await page.sees('applied: ');
    expect(await titles()).toContain('Better words');
    await page.sees('Nothing waits.');
    expect(page.faults).toEqual([]);
  });

  test('a staged change that became another since it was shown is not sent by the key that was meant for the first', async () => {
    const { person, retitle, titles } = await staging();
    const page = await person(browser, 'ben', 'approver', '#/waiting');
    await retitle('Seen');
    await page.sees('+title: Seen');
    // It comes just as somebody decides: the key is pressed in the moment that it is there.
    await page.evaluate(`new MutationObserver((_, observer) => {
      if (!document.body.innerText.includes('Swapped')) return;
      observer.disconnect();
      document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'a', bubbles: true }));
    }).observe(document.body, { subtree: true, childList: true, characterData: true })`);
    await retitle('Swapped');
    await page.sees('+title: Swapped');
    expect(
      await page.evaluate('document.querySelector(".asked button[data-key=yes]") !== null'),
    ).toBe(true);
    await decide(page, 'd');
    await page.sees('dropped: ');
    await page.sees('Nothing waits.');
    expect((await titles()).filter((title) => /Seen|Swapped/.test(title))).toEqual([]);
    expect(page.faults).toEqual([]);
  });

  test('a mount shows how fresh it is and its limits; one whose service is away says so', async () => {
    const { person, retitle, bench } = await staging();
    await retitle('Read once');
    const page = await person(browser, 'olga', 'owner', '#/mounts');
    await page.sees('/mnt/github');
    await page.sees('it can be reached');
    await bench.github.close();
    await page.press('s');
    await page.until('document.title.startsWith("Sessions")');
    await page.press('m');
    await page.until('document.querySelector(".asked .failure")');
    expect(page.faults).toEqual([]);
  });

  test('denied by a key, the agent is told so; allowed from now on, as the keyboard chose it', async () => {
    const { person, client } = await desk(editor, undefined, { parkAfterMs: 60_000 });
    const ana = client('ana', 'user');
    const { id } = await begun(ana);
    const page = await person(browser, 'ben', 'approver', '#/waiting');
    const write = 'run echo more >> /workspace/asked';
    const denied = await said(ana, id, write);
    await page.until('document.querySelector(".asked button")');
    await decide(page, 'd');
    await page.sees('denied: create /workspace/asked');
    expect((await settled(ana, denied)).outcome?.text).toMatch(/denied|not allowed|refused/i);
    const other = 'run echo more >> /workspace/asked-2';
    const allowed = await said(ana, id, other);
    await page.until('document.querySelector(".asked select")');
    await page.evaluate('document.querySelector(".asked select").focus()');
    // As the keyboard chooses: the second of the list.
    await page.press('ArrowDown');
    await page.until('document.querySelector(".asked select").value === "path"');
    await page.click('.asked button[data-key=yes]');
    await page.sees('allowed: create /workspace/asked-2');
    expect((await settled(ana, allowed)).state).toBe('done');
    const answered = await ana.get<Approval[]>('/v1/approvals');
    expect(answered.map(({ path, scope }) => [path, scope])).toContainEqual([
      '/workspace/asked-2',
      'path',
    ]);
    expect(page.faults).toEqual([]);
  });

  test('a turn that was parked goes on with what is answered in the page, and a proposal is rejected by a key', async () => {
    const deployment = deployed();
    const { person, client } = await desk(
      ({ messages }) => {
        const last = messages.at(-1);
        if (last?.role === 'tool') return says('written');
        return calls(['bash', { command: 'echo x > /workspace/asked' }]);
      },
      deployment,
      { parkAfterMs: 10 },
    );
    const ana = client('ana', 'user');
    const { id } = await begun(ana);
    const message = await said(ana, id, 'write it');
    await settled(ana, message, ['parked']);
    const place = join(deployment, '.dirigent/proposals/prompts');
    mkdirSync(place, { recursive: true });
    writeFileSync(join(place, 'tidy.md'), 'Tidy up.\n');
    const page = await person(browser, 'olga', 'owner', `#/sessions/${id}`);
    await page.sees('It waits for an answer');
    await page.press('w');
    await page.until('document.querySelectorAll(".asked").length === 2');
    await decide(page, 'a');
    await page.sees('allowed: create /workspace/asked');
    expect(await settled(ana, message)).toMatchObject({
      state: 'done',
      outcome: { text: 'written' },
    });
    await page.until('document.querySelectorAll(".asked").length === 1');
    await decide(page, 'd');
    await page.sees('Nothing waits.');
    expect(page.faults).toEqual([]);
  });
});
