/** Comments of pages and of blocks. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { failure, id, named, names, page, text, Workbench, workspace, write } from './testing.ts';

let workbench: Workbench;
beforeAll(async () => {
  workbench = await Workbench.start();
});
afterAll(() => workbench[Symbol.asyncDispose]());

const [HOME, CHILD] = [named('Home'), named('Child')];
const NESTED = [
  page('Home', { markdown: 'Hello\n- a\n\t- b' }),
  page('Child', { parent: id('Home'), markdown: 'In the middle' }),
];

describe('comments', () => {
  it('are found when named, made and changed, and not deleted', async () => {
    using bench = await workbench.bench(workspace(NESTED));
    const mount = bench.mount();
    const there = `/${HOME}/${CHILD}/comments`;
    expect(await names(mount, `/${HOME}/${CHILD}`)).not.toContain('comments');
    const other = await bench.notion.edit({ op: 'comment', page: id('Child'), text: 'Theirs' });
    expect(await names(mount, there)).toEqual([`${other.replaceAll('-', '')}.md`]);
    await write(mount, `${there}/new.md`, 'Mine\n');
    const own = (await text(mount, `${there}/.last`)).trim();
    expect(await text(mount, `${there}/${own}`)).toContain('author: bot');
    await write(
      mount,
      `${there}/${own}`,
      (await text(mount, `${there}/${own}`)).replace('Mine', 'Better'),
    );
    expect(await text(mount, `${there}/${own}`)).toContain('Better');
    const refused = await failure(write(mount, `${there}/${other.replaceAll('-', '')}.md`, 'x'));
    expect(refused.code).toBe('EINVAL');
    expect((await failure(mount.unlink?.(`${there}/${own}`) ?? Promise.resolve())).code).toBe(
      'EPERM',
    );
  });

  it('answer one another in a thread: by the id of a comment here, and of no other', async () => {
    using bench = await workbench.bench(workspace(NESTED));
    const mount = bench.mount();
    const there = `/${HOME}/comments`;
    const asked = await bench.notion.edit({ op: 'comment', page: id('Home'), text: 'Why?' });
    const other = await bench.notion.edit({ op: 'comment', page: id('Child'), text: 'Else' });
    expect(await text(mount, `${there}/new.md`)).toContain('reply_to: null # ');
    await write(mount, `${there}/new.md`, `---\nreply_to: ${asked}\n---\n\nBecause.\n`);
    const own = await text(mount, `${there}/${(await text(mount, `${there}/.last`)).trim()}`);
    const thread = /^discussion: (.*)$/m;
    const first = await text(mount, `${there}/${asked.replaceAll('-', '')}.md`);
    expect(thread.exec(own)?.[1]).toBe(thread.exec(first)?.[1]);
    await bench.asked();
    const wrong = `---\nreply_to: ${other}\n---\n\nNo.\n`;
    const refused = await failure(write(mount, `${there}/new.md`, wrong));
    expect(refused).toMatchObject({ code: 'EINVAL' });
    expect(refused.reason).toContain('reply_to: no open comment here has that id');
    expect(await bench.mutations()).toEqual([]);
  });

  it('on a block are in the directory of its id, which blocks.tsv tells', async () => {
    using bench = await workbench.bench(workspace(NESTED));
    const mount = bench.mount();
    const there = `/${HOME}/comments`;
    const outline = (await text(mount, `${there}/blocks.tsv`)).trim().split('\n');
    expect(outline.map((line) => line.split('\t').slice(1).join(' '))).toEqual([
      'depth type text',
      '0 paragraph Hello',
      '0 bulleted_list_item a',
      '1 bulleted_list_item b',
      '0 child_page',
    ]);
    const block = outline.find((line) => line.endsWith('\tb'))?.split('\t')[0] ?? '';
    expect(await names(mount, `${there}/${block}`)).toEqual([]);
    await write(mount, `${there}/${block}/new.md`, 'On b\n');
    const made = (await text(mount, `${there}/${block}/.last`)).trim();
    expect(await names(mount, `${there}/${block}`)).toEqual([made]);
    expect(await names(mount, there)).toEqual([]);
    const answer = `---\nreply_to: ${made}\n---\n\nAgreed\n`;
    await write(mount, `${there}/${block}/new.md`, answer);
    expect(await names(mount, `${there}/${block}`)).toHaveLength(2);
    const nowhere = `${there}/${'0'.repeat(32)}`;
    expect((await failure(names(mount, nowhere))).code).toBe('ENOENT');
    expect((await failure(write(mount, `${nowhere}/new.md`, 'x'))).code).toBe('ENOENT');
  });

  it('are made once though the answer is lost, an answer in its thread as well', async () => {
    using bench = await workbench.bench(workspace(NESTED));
    const mount = bench.mount();
    const there = `/${HOME}/comments`;
    const asked = await bench.notion.edit({ op: 'comment', page: id('Home'), text: 'Why?' });
    await names(mount, there);
    for (const reply of ['null', asked]) {
      await bench.notion.fault({
        kind: 'lost-answer',
        method: 'POST',
        path: '/comments$',
        times: 1,
      });
      await write(mount, `${there}/new.md`, `---\nreply_to: ${reply}\n---\n\nSame\n`);
      expect(mount.journal.list({ state: 'applied' })).not.toEqual([]);
      bench.move(120_000);
    }
    expect((await bench.stored('Home')).comments).toEqual(['Why?', 'Same', 'Same']);
  });
});
