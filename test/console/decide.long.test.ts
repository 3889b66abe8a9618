/** Journeys through the console in a real browser: what waits, and deciding it by what is shown. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { asked, begun, deployed, said, settled } from '../serve/support.ts';
import { type ChatRequest, calls, says } from '../stand-ins/model/index.ts';
import { Browser, CHROMIUM } from './browser.ts';
import { decide, desk } from './support.ts';

/** Writes what has to be approved, then says what came of it. */
const writer = ({ messages }: ChatRequest) =>
  messages.at(-1)?.role === 'tool'
    ? says('so it is')
    : calls(['bash', { command: "printf 'one\\ntwo\\n' > /workspace/asked.md" }]);

// Without a browser there is nothing to see: apt-get install chromium.
describe.skipIf(CHROMIUM === null)('what waits, in a browser', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await Browser.launch();
  });
  afterAll(() => browser.close());

  test('one key approves the diff that is shown, and whoever else looks sees it gone', async () => {
    const { person, client, url } = await desk(writer, deployed(), { parkAfterMs: 60_000 });
    const ana = client('ana', 'user');
    const { id } = await begun(ana);
    const [first, second] = [
      await person(browser, 'ben', 'approver', '#/waiting'),
      await person(browser, 'cleo', 'viewer', `#/sessions/${id}`),
    ];
    const message = await said(ana, id, 'write it');
    await first.until('document.querySelector(".diff ins")');
    expect(await first.text()).toContain('+one\n');
    await second.sees('It waits for an answer');
    await second.press('w');
    await second.until('document.querySelector(".diff ins")');
    // A viewer sees it, and has nothing to press.
    await second.press('a');
    expect(await second.evaluate('document.querySelectorAll(".asked button").length')).toBe(0);
    await decide(first, 'a');
    await first.sees('allowed: create /workspace/asked.md');
    expect(await settled(ana, message)).toMatchObject({ state: 'done' });
    await second.sees('Nothing waits.');
    await second.goto(`${url}/#/sessions/${id}`);
    await second.sees('exit status 0, changed /workspace/asked.md');
    expect([...first.faults, ...second.faults]).toEqual([]);
  });

  test('a request that became another since it was shown is not approved, and is told of', async () => {
    const deployment = deployed();
    const { person, client, url } = await desk(writer, deployment, { parkAfterMs: 60_000 });
    const ana = client('ana', 'user');
    const page = await person(browser, 'ben', 'approver', '#/waiting');
    const { id } = await begun(ana);
    await said(ana, id, 'write it');
    await page.until('document.querySelector(".diff ins")');
    const olga = client('olga', 'owner');
    const { id: approval } = await asked(olga);
    const database = new DatabaseSync(join(deployment, '.dirigent/changes.sqlite'));
    database
      .prepare('UPDATE approvals SET digest = ?, change = ? WHERE id = ?')
      .run('f'.repeat(64), '+something worse\n', approval);
    database.close();
    await page.sees('It has become another since it was shown here.');
    expect(await page.text()).toContain('+one');
    await decide(page, 'a');
    await page.sees(`what was shown is not what approval ${approval} asks for`);
    // Pressed twice, it is still not what nobody has seen.
    await decide(page, 'a');
    await page.press('r');
    await page.sees('+something worse');
    expect(await asked(olga)).toMatchObject({ id: approval, state: 'pending' });
    await decide(page, 'd');
    await page.sees('denied: create /workspace/asked.md');
    await page.goto(`${url}/#/sessions/${id}`);
    await page.sees('exit status 1');
    expect(await page.text()).not.toContain('changed /workspace');
    expect(page.faults).toEqual([]);
  });

  test('a proposal is put in its place by the mouse, as it was shown and not as it became', async () => {
    const deployment = deployed();
    const { person } = await desk(writer, deployment);
    const place = join(deployment, '.dirigent/proposals/prompts');
    mkdirSync(place, { recursive: true });
    writeFileSync(join(place, 'tidy.md'), 'Tidy up what is there.\n');
    const page = await person(browser, 'olga', 'owner', '#/waiting');
    await page.sees('+Tidy up what is there.');
    writeFileSync(join(place, 'tidy.md'), 'Remove what is there.\n');
    await page.sees('It has become another since it was shown here.');
    await page.click('[data-item] button[data-key=yes]');
    await page.until('document.querySelector("[role=alert].failure")');
    expect(existsSync(join(deployment, 'harness/prompts/tidy.md'))).toBe(false);
    await page.click('[data-item] button[data-key=look]');
    await page.sees('+Remove what is there.');
    await page.click('[data-item] button[data-key=yes]');
    await page.sees('accepted: prompts/tidy.md');
    expect(readFileSync(join(deployment, 'harness/prompts/tidy.md'), 'utf8')).toBe(
      'Remove what is there.\n',
    );
    expect(page.faults).toEqual([]);
  });
});
