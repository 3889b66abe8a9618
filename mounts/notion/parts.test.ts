/** Texts that Notion gives in parts. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { failure, named, page, text, Workbench, workspace, write } from './testing.ts';

let workbench: Workbench;
beforeAll(async () => {
  workbench = await Workbench.start();
});
afterAll(() => workbench[Symbol.asyncDispose]());

const MARKDOWN = 'one\ntwo\nthree\n- four\n\t- below\nfive';
const HOME = `/${named('Home')}.md`;

const seeded = () =>
  workbench.bench({
    ...workspace([page('Home', { markdown: MARKDOWN })]),
    habits: { blocksMost: 3 },
  });

it('what could not be loaded with a text is asked for, and stands where it belongs', async () => {
  using bench = await seeded();
  const mount = bench.mount({ freshMs: 60_000 });
  const shown = await text(mount, HOME);
  expect(shown).toContain('---\n\none\n\ntwo\n\nthree\n\n- four\n  - below\n\nfive\n');
  expect(shown).not.toMatch(/incomplete|<unknown/);
  expect((await bench.asked()).filter((line) => line.includes('/markdown'))).toHaveLength(3);
});

it('what is not given at all is told in the file, and nothing but a rewording is written to it', async () => {
  using bench = await seeded();
  const mount = bench.mount({ freshMs: 60_000 });
  const { id, blocks } = await bench.stored('Home');
  const other = blocks.filter((one) => one !== id);
  await bench.notion.fault({ kind: 'forbidden', path: `/v1/pages/(${other.join('|')})/markdown` });
  const shown = await text(mount, HOME);
  expect(shown).toMatch(/^incomplete: .*2 blocks of the text could not be loaded/m);
  expect(shown.match(/<unknown /g)).toHaveLength(2);
  await bench.asked();
  const refused = await failure(write(mount, HOME, shown.replace('two', 'two\n\nmore')));
  expect(refused).toMatchObject({ code: 'EINVAL' });
  expect(refused.reason).toContain('could not be loaded');
  expect(await bench.mutations()).toEqual([]);
  await write(mount, HOME, shown.replace('two', 'zwei'));
  const stored = await bench.stored('Home');
  expect(stored).toMatchObject({ markdown: MARKDOWN.replace('two', 'zwei'), blocks });
  expect(await text(mount, HOME)).toMatch(/^incomplete: /m);
});

it.each([
  ['a line of the page’s own text', 'one', 'eins', true],
  ['a line of a part', 'below', 'beneath', true],
  ['a new line in the page’s own text', 'two', 'two\n\nmore', true],
  ['a new block within a part', '  - below', '  - below\n  - another', true],
  ['a part, to be something else', '- four\n  - below', '# four', false],
])('an edit of %s is made where it belongs, or refused', async (_what, from, to, isMade) => {
  using bench = await seeded();
  const mount = bench.mount({ freshMs: 60_000 });
  const { blocks } = await bench.stored('Home');
  const before = await text(mount, HOME);
  const after = before.replace(from, to);
  await bench.asked();
  if (isMade) await write(mount, HOME, after);
  else {
    const refused = await failure(write(mount, HOME, after));
    expect(refused).toMatchObject({ code: 'EINVAL' });
    expect(refused.reason).toContain('by itself');
    expect(await bench.mutations()).toEqual([]);
  }
  const stored = await bench.stored('Home');
  expect(blocks.filter((one) => !stored.blocks.includes(one))).toEqual([]);
  bench.move(120_000);
  const body = (shown: string) => shown.slice(shown.indexOf('\n---\n'));
  expect(body(await text(mount, HOME))).toBe(body(isMade ? after : before));
});
