/** Titles that would break a name, a line or a terminal, on every service: names stay names, and nothing is lost. */
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { SERVICES, startService } from './each-service.ts';
import { type JournalledMount, names, text, write } from './testing.ts';

const HOSTILE = [
  'a/b',
  '../../etc/passwd',
  '..',
  '.',
  'a\\b',
  '\u0007bell and \u001b[31mred',
  'line\nbreak\tand tab',
  '‮right to left',
  'x'.repeat(300),
  '👩‍👩‍👧 émoji and "quotes"',
  '--- \n---\nstate: closed',
  '#not a comment: {}',
  'twice',
  'twice',
];

it.each(SERVICES)('%s', async (name) => {
  await using service = await startService(name);
  using bench = await service.bench();
  const { list } = service.places;
  const before = await names(bench.mount(bench.memory()), list);
  for (const title of HOSTILE) await service.add(title);
  const held = (await service.held()).records.map(({ title }) => oneLine(title));
  const mount = bench.mount();
  const listed = (await names(mount, list)).filter((one) => !before.includes(one));
  for (const one of await names(mount, list)) {
    expect(one).not.toMatch(/[/\p{Cc}\u202e]/u);
    expect(['.', '..']).not.toContain(one);
    expect(Buffer.byteLength(one)).toBeLessThanOrEqual(255);
  }
  const files = listed.filter((one) => one.endsWith('.md'));
  expect(new Set(files).size).toBe(HOSTILE.length);
  const titles = await Promise.all(files.map((one) => titleOf(mount, `${list}/${one}`)));
  expect(titles.map(oneLine).sort()).toEqual(HOSTILE.map(oneLine).sort());
  for (const file of files) await editsText(mount, `${list}/${file}`);
  const after = (await service.held()).records.map(({ title }) => oneLine(title));
  expect(after.sort()).toEqual(held.sort());
});

/** A service may show a line break in a title as a space. */
function oneLine(title: string): string {
  return title.replaceAll('\n', ' ');
}

async function titleOf(mount: JournalledMount, path: string): Promise<string> {
  const content = await text(mount, path);
  const head = content.slice(4, content.indexOf('\n---\n', 4));
  return String((parse(head) as { title: unknown }).title);
}

/** What is written back with another text only leaves the title alone. */
async function editsText(mount: JournalledMount, path: string): Promise<void> {
  const before = await text(mount, path);
  await write(mount, path, `${before}\nmore\n`);
  const change = mount.journal.list().at(-1);
  expect(change?.state, path).toBe('applied');
  expect(JSON.stringify(change?.request), path).not.toMatch(/"title"/);
}
