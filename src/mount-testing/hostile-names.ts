/** Titles that would break a name, a line or a terminal. */
import { deepEqual, equal, ok } from 'node:assert/strict';
import { text } from './bench.ts';
import { expectName } from './conformance.ts';
import type { Subject } from './subject.ts';

/** Whatever a person, or somebody who means harm, may call a thing. */
export const HOSTILE_TITLES: readonly string[] = [
  'a/b',
  '../../etc/passwd',
  '..',
  '.',
  'a\\b',
  '\u0007bell and \u001b[31mred',
  'line\nbreak\tand tab',
  '\u202eright to left',
  'x'.repeat(300),
  '👩‍👩‍👧 émoji and "quotes"',
  '--- \n---\nstate: closed',
  '#not a comment: {}',
  'twice',
  'twice',
];

/**
 * Has someone else make a record with each title: each has a file of its own, whose name is one, and
 * can be read; and listing them changes nothing.
 * @throws AssertionError naming the name; Error where the stand-in has no `add`
 */
export async function hostileNames<Held>(
  subject: Subject<Held>,
  { titles = HOSTILE_TITLES }: { titles?: readonly string[] } = {},
): Promise<void> {
  if (subject.add === undefined)
    throw new Error(`the stand-in of ${subject.name} has no add(title)`);
  using bench = await subject.bench();
  const { list } = subject.places;
  const names = async (mount = bench.mount(bench.memory())) =>
    (await mount.readdir(list)).map(({ name }) => name);
  const before = await names();
  for (const title of titles) await subject.add(title);
  await subject.asked();
  const mount = bench.mount();
  const after = await names(mount);
  for (const name of after) expectName(name, list);
  const made = after.filter((name) => !before.includes(name));
  const files = made.filter((name) => /\.[^.]+$/.test(name));
  equal(
    new Set(files.length > 0 ? files : made).size,
    titles.length,
    'each record has a name of its own',
  );
  for (const name of files)
    ok((await text(mount, `${list}/${name}`)).length > 0, `${name} has a text`);
  deepEqual(
    (await subject.asked()).filter((one) => one.write),
    [],
    'reading sends no write',
  );
}
