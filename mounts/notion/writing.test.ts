/** Writing pages, rows and their texts: what is sent, what is refused, what stays untouched. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  failure,
  id,
  named,
  names,
  page,
  TASKS,
  text,
  Workbench,
  workspace,
  write,
} from './testing.ts';

let workbench: Workbench;
beforeAll(async () => {
  workbench = await Workbench.start();
});
afterAll(() => workbench[Symbol.asyncDispose]());

const HOME = `/${named('Home')}.md`;
const ROW = `${TASKS}/${named('First')}.md`;
const TEXT = '## Plan\n- one\n- two\n\t- deeper\n**bold** end';
const PAGES = [
  page('Home', {
    markdown: TEXT,
    extra: [{ type: 'bookmark', content: { url: 'https://example.org/', caption: [] } }],
  }),
  page('Child', { parent: id('Home') }),
];
const ROWS = [
  page('First', {
    values: { Status: 'Open', Kind: 'bug', Areas: ['api'], Owner: ['Mara'], Notes: 'short' },
  }),
  page('Second'),
];
const seeded = () => workbench.bench(workspace(PAGES, ROWS));

describe('an edit of a text', () => {
  it('sends the lines that differ; every other block stays the very block that it was', async () => {
    using bench = await seeded();
    const mount = bench.mount();
    const before = await bench.stored('Home');
    await write(
      mount,
      HOME,
      (await text(mount, HOME))
        .replace('- two', '- 2')
        .replace('**bold** end', '**bold** end\n\nmore'),
    );
    const after = await bench.stored('Home');
    expect(after.markdown).toBe(
      before.markdown.replace('- two', '- 2').replace('end', 'end\nmore'),
    );
    expect(after.markdown).toContain('alt="bookmark"');
    // The heading, `one`, the bold line, the bookmark and the child page keep their ids.
    const kept = before.blocks.filter((block) => after.blocks.includes(block));
    expect(kept).toEqual([before.blocks[0], before.blocks[1], ...before.blocks.slice(4)]);
    const [change] = mount.journal.list();
    expect(change).toMatchObject({
      state: 'applied',
      request: { method: 'PATCH', body: { type: 'update_content' } },
    });
    expect(await text(mount, HOME)).toContain('more');
    expect(await bench.mutations()).toHaveLength(1);
  });

  it('that would lose a page or a block that markdown cannot show is refused, and nothing is sent', async () => {
    using bench = await seeded();
    const mount = bench.mount();
    const before = await text(mount, HOME);
    await bench.asked();
    for (const line of before.split('\n').filter((one) => /^<(page|unknown)/.test(one))) {
      const refused = await failure(write(mount, HOME, before.replace(line, 'gone')));
      expect(refused).toMatchObject({ code: 'EINVAL' });
      expect(refused.reason).toContain(line);
    }
    expect(await bench.mutations()).toEqual([]);
  });

  it('of an empty page, and to an empty one', async () => {
    using bench = await seeded();
    const mount = bench.mount();
    const path = `/${named('Home')}/${named('Child')}.md`;
    await write(mount, path, `${await text(mount, path)}\nfirst\n\nsecond\n`);
    expect((await bench.stored('Child')).markdown).toBe('first\nsecond');
    await write(mount, path, (await text(mount, path)).replace('\nfirst\n\nsecond\n', ''));
    expect((await bench.stored('Child')).markdown).toBe('');
  });

  it('by append adds to the end', async () => {
    using bench = await seeded();
    const mount = bench.mount();
    await mount.append?.(HOME, Buffer.from('- three\n'));
    expect((await bench.stored('Home')).markdown).toMatch(/\n- three$/);
  });

  it('merges with another field’s change, and is ESTALE where both changed the text', async () => {
    using bench = await seeded();
    const mount = bench.mount();
    const before = await text(mount, HOME);
    await bench.notion.edit({ op: 'title', id: id('Home'), title: 'Theirs' });
    await write(mount, HOME, before.replace('- one', '- 1'));
    expect(await bench.stored('Home')).toMatchObject({ title: 'Theirs' });
    const again = await text(mount, HOME);
    const { markdown } = await bench.stored('Home');
    await bench.notion.edit({
      op: 'text',
      id: id('Home'),
      markdown: markdown.replace('- two', '- zwei'),
    });
    await bench.asked();
    const refused = await failure(write(mount, HOME, again.replace('- two', '- deux')));
    expect(refused.code).toBe('ESTALE');
    expect(await bench.mutations()).toEqual([]);
    expect(mount.journal.list({ state: 'conflict' })[0]?.theirs).toContain('- zwei');
  });
});

describe('a text as people write it', () => {
  const TYPED = `## Options

| Option | Cost | Why |
| --- | --- | --- |
| A \\| B | **2** days | see [here](https://example.org/x) |
| C | $5 | \`a \\| b\` |

A paragraph
of two lines, with $e = mc^2$ and snake_case.

1. first
   - below
2. second

\`\`\`typescript
const a = 1;

// | * _ \`
\`\`\`

> [!WARNING]
> Mind the gap.

<details>
<summary>More</summary>

- [ ] folded

</details>

![Chart](https://example.org/chart.png)

<empty-block/>

---

Colored {color="red"}`;

  it('comes back from Notion as it was written, tables as tables', async () => {
    using bench = await seeded();
    const mount = bench.mount();
    const below = `/${named('Home')}`;
    await write(mount, `${below}/new.md`, `---\ntitle: Typed\n---\n\n${TYPED}\n`);
    const made = (await text(mount, `${below}/.last`)).trim();
    expect((await text(mount, `${below}/${made}`)).split('---\n\n').slice(1).join('---\n\n')).toBe(
      `${TYPED}\n`,
    );
    expect(await bench.types('Typed')).toEqual([
      'heading_2',
      'table',
      'paragraph',
      'numbered_list_item',
      'numbered_list_item',
      'code',
      'callout',
      'toggle',
      'image',
      'paragraph',
      'divider',
      'paragraph',
    ]);
  });

  it('that Notion cannot hold is refused with the line, and nothing is sent', async () => {
    using bench = await seeded();
    const mount = bench.mount();
    const before = await text(mount, HOME);
    await bench.asked();
    const wrong = `${before}\n##### deep\n\n| a | b |\n|:-:|---|\n| 1 |\n`;
    const refused = await failure(write(mount, HOME, wrong));
    for (const part of [
      'four levels',
      'no alignment',
      'has 1 cells, and the table has 2 columns',
    ]) {
      expect(refused.reason).toContain(part);
    }
    expect(refused.reason).toMatch(/body: line \d+ of the text: /);
    expect(await bench.mutations()).toEqual([]);
  });

  it('ticked or reworded stays the very block, at any depth', async () => {
    const markdown =
      '- [ ] one\n- [ ] two\n\t- [ ] deep\nA **bold** word\n<callout>\n\tx\n</callout>';
    using bench = await workbench.bench(workspace([page('Home', { markdown })], []));
    const mount = bench.mount();
    const { blocks } = await bench.stored('Home');
    for (const [from, to] of [
      ['- [ ] one', '- [x] one'],
      ['  - [ ] deep', '  - [x] deeper'],
      ['A **bold** word', 'A *bolder* `word`'],
    ] as const) {
      await write(mount, HOME, (await text(mount, HOME)).replace(from, to));
      expect(await text(mount, HOME)).toContain(to);
      expect((await bench.stored('Home')).blocks).toEqual(blocks);
    }
    const sent = mount.journal.list().map(({ request }) => request?.body);
    expect(sent).toContainEqual({ to_do: { checked: true } });
    expect(await bench.mutations()).toHaveLength(3);
    // Another number of blocks is an edit of lines.
    await mount.append?.(HOME, Buffer.from('\nmore\n'));
    expect((await bench.stored('Home')).blocks.slice(0, blocks.length)).toEqual(blocks);
  });

  it('with another amount of empty lines is the same text, and sends nothing', async () => {
    using bench = await seeded();
    const mount = bench.mount();
    const before = await text(mount, HOME);
    await write(mount, HOME, before.replace('## Plan\n\n', '## Plan\n'));
    expect(await bench.mutations()).toEqual([]);
    expect(await text(mount, HOME)).toBe(before);
  });
});

describe('an edit of fields', () => {
  it('sends only those that differ', async () => {
    using bench = await seeded();
    const mount = bench.mount();
    const before = await bench.stored('First');
    const edited = (await text(mount, ROW))
      .replace('Status: Open', 'Status: Done')
      .replace('Areas: [api]', 'Areas: [docs, web]')
      .replace('Due: null', 'Due: 2025-02-28/2025-03-01')
      .replace('Owner: [Mara]', 'Owner: [tomasz@example.org]')
      .replace('Blocks: []', `Blocks: [${named('Second')}.md]`)
      .replace('Points: null', 'Points: 1.5')
      .replace('title: First', 'title: "Fir: st"');
    await write(mount, ROW, edited);
    const { body } = mount.journal.list()[0]?.request ?? {};
    expect(Object.keys((body as { properties: object }).properties).sort()).toEqual([
      'Areas',
      'Blocks',
      'Due',
      'Name',
      'Owner',
      'Points',
      'Status',
    ]);
    const after = await bench.stored('First');
    expect(after.title).toBe('Fir: st');
    expect(after.properties['Kind']).toEqual(before.properties['Kind']);
    expect(await text(mount, ROW)).toBe(
      edited
        .replace('.md]', ']')
        .replace('tomasz@example.org', 'Tomasz')
        .replace(
          /last_edited_time: .*/,
          /last_edited_time: .*/.exec(await text(mount, ROW))?.[0] ?? '',
        ),
    );
  });

  it('names every wrong one and the nearest right ones, and sends nothing', async () => {
    using bench = await seeded();
    const mount = bench.mount();
    const before = await text(mount, ROW);
    await bench.asked();
    const wrong = before
      .replace('Owner: [Mara]', 'Owner: [Marta]')
      .replace('Blocks: []', 'Blocks: [nowhere]')
      .replace('Status: Open', 'Status: Opn')
      .replace('Areas: [api]', 'Areas: [apis]')
      .replace('Due: null', 'Due: 2025-02-30')
      .replace('Points: null', 'Points: many')
      .replace('Mail: null', `Mail: ${'x'.repeat(201)}`)
      .replace('Kind: bug', 'Knd: bug')
      .replace('Made: null', 'Made: 2025-01-01');
    const refused = await failure(write(mount, ROW, wrong));
    expect(refused.code).toBe('EINVAL');
    for (const part of [
      'no option "Opn" (nearest: Open)',
      'no option "apis" (nearest: api)',
      'Due: must be a date',
      'Points: must be a number',
      'Mail: is longer than 200',
      'Knd: no such field (nearest: Kind',
      'Made: cannot be changed',
      'Owner: there is no person "Marta" here (nearest: Mara;',
      'Blocks: there is no page "nowhere"',
    ]) {
      expect(refused.reason).toContain(part);
    }
    expect(await bench.asked()).toEqual(['GET /v1/users?page_size=100 200']);
    expect(await text(mount, `${TASKS}/.error`)).toBe(`${refused.reason}\n`);
  });

  it('looks people up once, and refuses whom it does not find', async () => {
    using bench = await seeded();
    const mount = bench.mount();
    const before = await text(mount, ROW);
    await bench.asked();
    const refused = await failure(write(mount, ROW, before.replace('[Mara]', '[Marta]')));
    expect(refused.reason).toContain('there is no person "Marta" here (nearest: Mara;');
    expect((await bench.asked()).filter((line) => line.includes('/users'))).toEqual([
      'GET /v1/users?page_size=100 200',
    ]);
  });

  it('is refused where a line would lose formatting', async () => {
    using bench = await seeded();
    const mount = bench.mount();
    const bold = [
      { type: 'text', text: { content: 'loud' }, annotations: { bold: true }, plain_text: 'loud' },
    ];
    await bench.notion.edit({
      op: 'property',
      id: id('First'),
      name: 'Notes',
      value: { rich_text: bold },
    });
    const refused = await failure(
      write(mount, ROW, (await text(mount, ROW)).replace('Notes: loud', 'Notes: quiet')),
    );
    expect(refused.reason).toContain('Notes: has formatting');
    await write(mount, ROW, (await text(mount, ROW)).replace('Kind: bug', 'Kind: idea'));
    expect((await bench.stored('First')).properties['Notes']).toMatchObject({
      rich_text: [{ annotations: { bold: true } }],
    });
  });

  it('of a title of a page keeps its text and its old path', async () => {
    using bench = await seeded();
    const mount = bench.mount();
    await write(mount, HOME, (await text(mount, HOME)).replace('title: Home', 'title: House'));
    expect(await names(mount, '/')).toContain(`${named('House', 'Home')}.md`);
    expect(await text(mount, HOME)).toContain('title: House');
    expect(await text(mount, HOME)).toContain('- one');
  });
});

describe('new.md', () => {
  it('makes a page, and a row with its fields; .last names it', async () => {
    using bench = await seeded();
    const mount = bench.mount();
    const below = `/${named('Home')}/${named('Child')}`;
    await write(mount, `${below}/new.md`, '---\ntitle: Deep\n---\n\n# Hi\n- a\n\t- b\n');
    const made = (await text(mount, `${below}/.last`)).trim();
    expect(made).toMatch(/^Deep--[0-9a-f]{12}\.md$/);
    expect(await text(mount, `${below}/${made}`)).toContain('# Hi\n\n- a\n  - b\n');
    expect(await names(mount, `/${named('Home')}`)).toContain(named('Child'));
    expect(await text(mount, `${TASKS}/new.md`)).toContain(
      'Status: null # one of Open, Doing, Done, or null',
    );
    await write(
      mount,
      `${TASKS}/new.md`,
      '---\ntitle: Third\nStatus: Doing\nAreas: [web]\n---\n\nWhy\n',
    );
    expect(await bench.stored('Third')).toMatchObject({
      markdown: 'Why',
      properties: { Status: { status: { name: 'Doing' } } },
    });
  });

  it('takes its own template back, once the title is filled in: of a page, of a row', async () => {
    using bench = await seeded();
    const mount = bench.mount();
    for (const [path, title] of [
      [`/${named('Home')}/new.md`, 'Page filled in'],
      [`${TASKS}/new.md`, 'Row filled in'],
    ] as const) {
      const filled = (await text(mount, path)).replace('title: ""', `title: "${title}"`);
      await write(mount, path, filled);
      expect(await bench.stored(title)).toMatchObject({ inTrash: false });
    }
  });

  it('refuses what is wrong, an append, and a name of its own, without a request', async () => {
    using bench = await seeded();
    const mount = bench.mount();
    await names(mount, '/');
    await bench.asked();
    expect(
      (await failure(write(mount, `${TASKS}/new.md`, '---\ntitle: ""\nStatus: Nope\n---\n')))
        .reason,
    ).toMatch(/Status: .*; .*title: is required|title: .*Status: /);
    expect(
      (await failure(mount.append?.(`${TASKS}/new.md`, Buffer.from('x')) ?? Promise.resolve()))
        .code,
    ).toBe('EINVAL');
    expect((await failure(write(mount, `${TASKS}/own.md`, 'x'))).code).toBe('EPERM');
    expect(
      (await failure(write(mount, `/Nowhere--0123456789ab/new.md`, '---\ntitle: x\n---\n'))).code,
    ).toBe('ENOENT');
    expect(await bench.mutations()).toEqual([]);
  });
});

describe('removing', () => {
  it('moves a page to the trash, but none with pages below it; renaming is refused', async () => {
    using bench = await seeded();
    const mount = bench.mount();
    const refused = await failure(mount.unlink?.(HOME) ?? Promise.resolve());
    expect(refused).toMatchObject({ code: 'EPERM' });
    expect(refused.reason).toContain('1 page is below it');
    await mount.unlink?.(ROW);
    expect(await bench.stored('First')).toMatchObject({ inTrash: true });
    expect(await names(mount, TASKS)).not.toContain(`${named('First')}.md`);
    expect((await failure(mount.rename?.(HOME, '/x.md') ?? Promise.resolve())).code).toBe('EPERM');
  });
});

describe('a stage mount', () => {
  it('shows the staged text, sends nothing, and applies it on demand', async () => {
    using bench = await seeded();
    const mount = bench.mount({ stage: true });
    await write(
      mount,
      ROW,
      (await text(mount, ROW)).replace('Open', 'Done').replace(/---\n$/, '---\n\nnew text\n'),
    );
    await write(mount, `${TASKS}/new.md`, '---\ntitle: Staged\n---\n');
    expect(await bench.mutations()).toEqual([]);
    expect(await text(mount, ROW)).toContain('Status: Done');
    const pending = mount.journal.list({ state: 'pending' });
    expect(pending).toHaveLength(2);
    await mount.journal.apply(pending.map((change) => change.id));
    expect(await bench.stored('First')).toMatchObject({ markdown: 'new text' });
    expect(await bench.stored('Staged')).toMatchObject({ inTrash: false });
  });
});
