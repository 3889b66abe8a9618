/** Generated rewordings of a page that has every container: for the tests of this folder. */
import fc from 'fast-check';
import { expect } from 'vitest';
import { id, named, page, text, type Workbench, workspace, write } from './testing.ts';

/** Words that stand once each, in every block that has a text. */
const TEXT = `# head0
plain0 **bold0** \`code0\` and [link0](https://example.org/0)
- item0
	- below0
		1. deep0
		2. deeper0
	- [ ] task0
3. third0
4. fourth0
> quote0
	quoted0
<details>
<summary>folded0</summary>
	within0
	<callout icon="💡" color="gray_bg">
		called0
		- inner0
	</callout>
</details>
<callout icon="🚀">
	lead0
	behind0
	<table header-row="true">
		<tr>
			<td>one0</td>
			<td>two0</td>
		</tr>
		<tr>
			<td>three0</td>
			<td>**four0**</td>
		</tr>
	</table>
</callout>
<columns>
	<column>
		left0
		- [x] done0
	</column>
	<column>
		## right0
		\`\`\`typescript
		const source0 = 1;
		1. number0
		\`\`\`
	</column>
</columns>
<synced_block>
	synced0
</synced_block>
<table header-row="true" header-column="true">
	<tr>
		<td>corner0</td>
		<td>wide0</td>
	</tr>
</table>
<span color="red">colored0</span> by <mention-user url="https://www.notion.so/${id('Mara')}">Mara</mention-user> named0 {color="blue"}
$$
formula0
$$
![caption0](https://example.org/a.png)
\`\`\`shell
run0
\`\`\`
last0`;

const WORD = /[a-z]+\d+(?=\b)/g;
const words = [...new Set(TEXT.match(/\b[a-z]+0\b/g))];

export interface Counted {
  edits: number;
  /** Blocks that an edit made, though it only reworded others. */
  anew: number;
}

/** So many edits one after the other, each of up to three words: every block keeps its id. */
export async function checkRewordings(
  workbench: Workbench,
  runs: number,
  habits: { callouts?: 'tag' | 'colons'; tables?: 'flush' | 'indented' } = {},
): Promise<Counted> {
  using bench = await workbench.bench({
    ...workspace([page('Home', { markdown: TEXT })]),
    habits,
  });
  const mount = bench.mount({ freshMs: 60_000 });
  const path = `/${named('Home')}.md`;
  const counted: Counted = { edits: 0, anew: 0 };
  let version = 0;
  const some = fc.subarray(words, { minLength: 1, maxLength: 3 });
  await fc.assert(
    fc.asyncProperty(some, fc.constantFrom('', ' more', ' *x*'), async (chosen, tail) => {
      version++;
      const before = await text(mount, path);
      const { blocks } = await bench.stored('Home');
      const names = chosen.map((word) => word.replace(/\d+$/, ''));
      const reworded = before.replace(WORD, (word) =>
        names.includes(word.replace(/\d+$/, '')) ? word.replace(/\d+$/, String(version)) : word,
      );
      const after =
        tail === '' ? reworded : reworded.replace(/\blast\d+.*/, `last${version}${tail}`);
      if (after === before) return;
      await write(mount, path, after);
      const stored = await bench.stored('Home');
      counted.edits++;
      counted.anew += stored.blocks.filter((one) => !blocks.includes(one)).length;
      expect(stored.blocks).toEqual(blocks);
      expect((await text(mount, path)).replace(/last_edited_time.*/, '')).toBe(
        after.replace(/last_edited_time.*/, ''),
      );
      bench.move(120_000);
      expect(await text(mount, path)).toContain(`${names[0]}${version}`);
    }),
    { numRuns: runs },
  );
  expect(bench.notices).toEqual([]);
  return counted;
}

/** What an edit does to a line of a container, and what stays of the blocks that were there. */
export interface Shaping {
  what: string;
  from: string;
  to: string;
  /** Blocks that go, and that come. */
  gone: number;
  come: number;
}

/** Edits of what is in containers. */
export const SHAPINGS: readonly Shaping[] = [
  {
    what: 'a line in a toggle',
    from: 'within0',
    to: 'within0\n\nadded **in** it',
    gone: 0,
    come: 1,
  },
  {
    what: 'a first line in a toggle',
    from: 'within0',
    to: '## First\n\nwithin0',
    gone: 0,
    come: 1,
  },
  {
    what: 'an item in a callout in a toggle',
    from: '- inner0',
    to: '- inner0\n- more\n  - and more',
    gone: 0,
    come: 2,
  },
  { what: 'an item less', from: '  - [ ] task0\n', to: '', gone: 1, come: 0 },
  { what: 'a nested list less', from: '    1. deep0\n    2. deeper0\n', to: '', gone: 2, come: 0 },
  {
    what: 'a row in a table in a callout',
    from: '| three0 |',
    to: '| new | row |\n| three0 |',
    gone: 0,
    come: 1,
  },
  { what: 'a row less', from: '| three0 | **four0** |\n', to: '', gone: 1, come: 0 },
  {
    what: 'a line in a column',
    from: '\t\tleft0',
    to: '\t\tleft0\n\t\tbelow it',
    gone: 0,
    come: 1,
  },
  {
    what: 'a line in a synced block',
    from: '\tsynced0',
    to: '\tsynced1\n\tbelow it',
    gone: 0,
    come: 1,
  },
  {
    what: 'a quote’s second paragraph',
    from: '> quoted0',
    to: '> quoted0\n>\n> more',
    gone: 0,
    come: 1,
  },
  {
    what: 'a line at the top and one in a callout',
    from: 'behind0',
    to: 'behind0\n\nmore',
    gone: 0,
    come: 2,
  },
];

/** One of them: the blocks that it does not touch stay, and the text is as it was written. */
export async function checkShaping(workbench: Workbench, shaping: Shaping): Promise<void> {
  using bench = await workbench.bench(workspace([page('Home', { markdown: TEXT })]));
  const mount = bench.mount({ freshMs: 60_000 });
  const path = `/${named('Home')}.md`;
  const before = await text(mount, path);
  const { blocks } = await bench.stored('Home');
  expect(before).toContain(shaping.from);
  const edited = before.replace(shaping.from, shaping.to);
  const after = shaping.what.includes('at the top') ? `${edited}\nat the end\n` : edited;
  await write(mount, path, after);
  const stored = (await bench.stored('Home')).blocks;
  expect({
    gone: blocks.filter((one) => !stored.includes(one)).length,
    come: stored.filter((one) => !blocks.includes(one)).length,
  }).toEqual({ gone: shaping.gone, come: shaping.come });
  const body = (shown: string) => shown.slice(shown.indexOf('\n---\n', 4)).trim();
  expect(body(await text(mount, path))).toBe(body(after));
  bench.move(120_000);
  expect(body(await text(mount, path))).toBe(body(after));
  expect(bench.notices).toEqual([]);
}

/** The answer to a block's making is lost: the block is there once, and the change is settled. */
export async function checkLostAnswer(workbench: Workbench, method: string): Promise<void> {
  using bench = await workbench.bench(workspace([page('Home', { markdown: TEXT })]));
  const mount = bench.mount({ freshMs: 60_000 });
  const path = `/${named('Home')}.md`;
  const before = await text(mount, path);
  const { blocks } = await bench.stored('Home');
  const after =
    method === 'DELETE'
      ? before.replace('  - [ ] task0\n', '')
      : before.replace('- inner0', '- inner0\n- more');
  await bench.notion.fault({ kind: 'lost-answer', method, path: '/v1/blocks/', times: 1 });
  await write(mount, path, after);
  expect(await bench.mutations()).toHaveLength(1);
  expect(mount.journal.list().map(({ state }) => state)).toEqual(['applied']);
  const stored = await bench.stored('Home');
  expect(stored.blocks).toHaveLength(blocks.length + (method === 'DELETE' ? -1 : 1));
}
