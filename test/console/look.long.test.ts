/** Journeys through the console in a real browser: looking at what there is, however it is looked at. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { HOST_IO } from '../../src/session/directory.ts';
import { resumeSession, sessionPlace } from '../../src/session/index.ts';
import { HOSTILE } from '../hostile-text.ts';
import { begun, deployed, said, settled } from '../serve/support.ts';
import { through } from '../session/support.ts';
import { calls, says } from '../stand-ins/model/index.ts';
import { temporaryDirectory } from '../world/harness.ts';
import { Browser, CHROMIUM, type Page } from './browser.ts';
import { desk } from './support.ts';

const VIEWS = ['sessions', 'waiting', 'files', 'search', 'usage', 'mounts', 'schedule'];
const AXE = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');
const LONG = 100_000;

/** Faults that hinder people, by the rules of axe. */
async function hindrances(page: Page): Promise<string[]> {
  // By the debugger: the page's own policy lets no such script in.
  await page.call('Runtime.evaluate', { expression: AXE });
  return page.evaluate(
    `axe.run().then(({ violations }) => violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, nodes }) => id + ': ' + nodes.map(({ html, failureSummary }) => html.slice(0, 200) + ' ' + failureSummary).join('; ')))`,
  );
}

// Without a browser there is nothing to see: apt-get install chromium.
describe.skipIf(CHROMIUM === null)('looking, in a browser', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await Browser.launch();
  });
  afterAll(() => browser.close());

  test('every view can be used by everybody: nothing serious for axe, in both schemes; nothing wider than 320 px', async () => {
    const docs = temporaryDirectory();
    writeFileSync(join(docs, 'a.md'), `# A\n${'wide'.repeat(300)}\n`);
    const { person, client } = await desk(
      ({ messages }) =>
        messages.at(-1)?.role === 'tool'
          ? says('done')
          : calls(['bash', { command: 'echo x; echo y >&2' }]),
      deployed(),
      {},
      { mounts: { '/mnt/docs': `${docs}:ro` } },
    );
    const ana = client('ana', 'user');
    const { id } = await begun(ana);
    await settled(ana, await said(ana, id, `hello ${'long'.repeat(200)}`));
    const page = await person(browser, 'olga', 'owner');
    const found: string[] = [];
    for (const scheme of ['light', 'dark'] as const) {
      await page.scheme(scheme);
      for (const view of [...VIEWS, `sessions/${id}`, 'files/mnt/docs/a.md', 'files/mnt/docs']) {
        await page.resize(1280, 800);
        await page.evaluate(`location.hash = '#/${view}'`);
        await page.until(
          '!document.querySelector("main [aria-busy=true]") && document.querySelector("h1")',
        );
        for (const fault of await hindrances(page)) found.push(`${scheme} ${view}: ${fault}`);
        await page.resize(320, 640);
        const width = await page.evaluate<number>('document.documentElement.scrollWidth');
        if (width > 320) found.push(`${view} is ${width} px wide`);
      }
    }
    expect(found).toEqual([]);
    await page.press('?');
    await page.until('document.querySelector("dialog[open]")');
    expect(await hindrances(page)).toEqual([]);
    await page.press('Escape');
    await page.until('!document.querySelector("dialog")');
    expect(page.faults).toEqual([]);
  });

  test('what is found by meaning is opened at its line, by the keyboard', async () => {
    const docs = temporaryDirectory();
    writeFileSync(
      join(docs, 'billing.md'),
      `# Billing\n\n${'Filler.\n'.repeat(300)}Refunds take five days.\n`,
    );
    const { person } = await desk(
      [says('')],
      deployed(),
      {},
      { mounts: { '/mnt/docs': `${docs}:ro` } },
    );
    const page = await person(browser, 'olga', 'owner');
    await page.press('/');
    await page.until('document.activeElement.name === "query"');
    await page.type('how long do refunds take');
    await page.press('Enter');
    await page.sees('/mnt/docs/billing.md:303');
    expect(
      await page.evaluate(
        '[...document.querySelectorAll(".list strong")].map((each) => each.textContent)',
      ),
    ).toContain('Refunds');
    await page.press('Enter');
    await page.until(
      'document.querySelector("mark")?.textContent.includes("Refunds take five days.")',
    );
    const isSeen =
      '(({ top, bottom }) => top >= 0 && bottom <= innerHeight)(document.querySelector("mark").getBoundingClientRect())';
    await page.until(isSeen);
    await page.click('nav[aria-label=Path] a:nth-of-type(3)');
    await page.sees('billing.md');
    expect(page.faults).toEqual([]);
  });

  test('texts that would deceive or take over the page are texts in it', async () => {
    const markup = [
      '<script>document.title = "taken"</script>',
      '<img src=x onerror="document.title = \'taken\'">',
      '<svg onload="document.title=\'taken\'"></svg>',
      '<a href="javascript:document.title=\'taken\'">x</a>',
      '</pre><style>* { display: none }</style>',
      '<iframe srcdoc="<script>parent.document.title=\'taken\'</script>"></iframe>',
      '<meta http-equiv="refresh" content="0;url=http://127.0.0.1:1/">',
      '<form action="http://127.0.0.1:1/"><input autofocus></form>',
      '${alert(1)} {{7*7}} <!-- ',
      '[x](javascript:alert(1)) ![](http://127.0.0.1:1/x.png)',
    ];
    const texts = [...markup, ...HOSTILE.map(([, text]) => text)];
    const docs = temporaryDirectory();
    mkdirSync(join(docs, 'below'));
    for (const [index, text] of texts.entries()) writeFileSync(join(docs, `${index}.md`), text);
    writeFileSync(join(docs, '<img src=x onerror=alert(1)>.md'), 'x');
    writeFileSync(join(docs, 'line.txt'), 'm'.repeat(1_000_000));
    const { person, client, url } = await desk(
      ({ messages }) => says(String(messages.at(-1)?.role), ...texts),
      deployed(),
      {},
      { mounts: { '/mnt/docs': `${docs}:ro` } },
    );
    const ana = client('ana', 'user');
    const { id } = await begun(ana);
    await settled(ana, await said(ana, id, texts.join('\n')));
    const page = await person(browser, 'olga', 'owner', `#/sessions/${id}`);
    await page.until('document.querySelectorAll("article").length >= 2');
    for (const path of ['', '/line.txt', ...texts.map((_, index) => `/${index}.md`)]) {
      const seen = await page.text();
      for (const [what, text, shown] of HOSTILE)
        if (!seen.includes(shown.split('\n')[0] ?? '') && seen.includes(text)) expect.fail(what);
      expect(seen).not.toMatch(/[\u0000-\u0008\u202a-\u202e\u2066-\u2069\u200b]/);
      await page.evaluate(`location.hash = '#/files/mnt/docs${path}'`);
      await page.until(
        `document.title.startsWith('/mnt/docs${path}') && !document.querySelector("main [aria-busy=true]")`,
      );
    }
    expect(
      await page.evaluate(
        'document.querySelectorAll("img, iframe, main svg, main script, main style, main meta").length',
      ),
    ).toBe(0);
    expect(await page.evaluate('document.title')).not.toContain('taken');
    expect(page.faults).toEqual([]);
    expect(page.requests.filter((address) => !address.startsWith(url))).toEqual([]);
  });

  test(`a session of ${LONG} entries is scrolled from end to end, and few of its rows are in the page`, async () => {
    const deployment = deployed();
    const { person, client } = await desk([says('')], deployment);
    const ana = client('ana', 'user');
    const { id } = await begun(ana);
    const place = sessionPlace(join(deployment, '.dirigent'));
    const log = resumeSession(through({ ...HOST_IO, sync: () => undefined }, place), id);
    for (let index = 0; index < LONG; index++)
      log.message({ role: index % 2 === 0 ? 'user' : 'assistant', content: `message ${index}` });
    log.close();
    const page = await person(browser, 'olga', 'owner', `#/sessions/${id}`);
    await page.sees(`message ${LONG - 1}`);
    expect(await page.evaluate('document.querySelectorAll("article").length')).toBeLessThan(1_000);
    await page.evaluate('document.querySelector(".windowed").scrollTop = 0');
    await page.sees('message 0\n');
    await page.evaluate(
      '(({ style }, box) => { box.scrollTop = box.scrollHeight / 2 })(document.body, document.querySelector(".windowed"))',
    );
    await page.until('/message [4-6]\\d{4}\\n/.test(document.body.innerText)');
    expect(await page.evaluate('document.querySelectorAll("article").length')).toBeLessThan(1_000);
    expect(page.faults).toEqual([]);
  });
});
