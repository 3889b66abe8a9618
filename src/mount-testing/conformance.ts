/** What holds for every mount of a service, whatever it shows: names, kinds, errors, and what costs a request. */
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import type { Errno } from '../errors.ts';
import type { FileType } from '../mount/contract/contract.ts';
import { failure, type JournalledMount, readBefore, text } from './bench.ts';
import type { Subject } from './subject.ts';

/** No more entries are looked at: a mount may show a whole service. */
const MOST = 500;

/**
 * Walks the mount from its root: every name of a listing is one, and is there; what is a directory
 * lists, what is a file reads; what is not there says so; what was listed and read costs nothing more.
 * @returns how many entries were looked at
 * @throws AssertionError naming the path
 */
export async function conformance<Held>(subject: Subject<Held>): Promise<number> {
  using bench = await subject.bench();
  bench.stopClock();
  const mount = bench.mount({ freshMs: 60_000 });
  const seen = await walk(mount);
  equal((await mount.lstat(subject.places.list)).type, 'directory', subject.places.list);
  for (const path of ['/README.md', subject.places.record])
    ok(seen.has(path), `${path} is in the listing of its directory`);
  match(await text(mount, '/README.md'), /^# /, '/README.md begins with a heading');
  await absent(mount, subject);
  await subject.asked();
  await walk(mount);
  deepEqual(await subject.asked(), [], 'what was listed and read a moment ago costs no request');
  for (const { path } of subject.writes.filter((one) => /\/new\.[a-z]+$/.test(one.path))) {
    const directory = path.slice(0, path.lastIndexOf('/')) || '/';
    const names = (await mount.readdir(directory)).map(({ name }) => name);
    const made = path.slice(path.lastIndexOf('/') + 1);
    ok(!names.includes(made), `${path} is found when named, and is in no listing`);
    ok((await mount.lstat(path)).type === 'file', `${path} is there when it is named`);
  }
  equal((await failure(mount.mkdir?.('/made'))).code, 'EPERM', 'directories come with the records');
  return seen.size;
}

/** Every entry, with its type. */
async function walk(mount: JournalledMount): Promise<Map<string, FileType>> {
  const seen = new Map<string, FileType>([['/', 'directory']]);
  for (const [path, type] of seen) {
    if (seen.size > MOST) break;
    const stat = await mount.lstat(path);
    equal(stat.type, type, `${path} is what its directory says`);
    ok(stat.mtime instanceof Date && Number.isFinite(stat.mtime.getTime()), `${path} has a time`);
    if (type === 'directory') {
      for (const [name, below] of await listed(mount, path))
        seen.set(`${path === '/' ? '' : path}/${name}`, below);
    } else if (type === 'file' && mount.costly?.(path) !== true) {
      const bytes = await mount.read(path);
      const { size } = await mount.lstat(path);
      equal(size, bytes.length, `${path} has its true size once it was read`);
      await fails(mount.readdir(path), 'ENOTDIR', `${path} lists nothing`);
      for (const below of [`${path}/x`, `${path}/x/y.md`]) {
        await fails(mount.lstat(below), 'ENOTDIR', `${below} is below a file`);
        await fails(mount.read(below), 'ENOTDIR', `${below} is below a file`);
      }
    }
  }
  return seen;
}

async function listed(mount: JournalledMount, path: string): Promise<[string, FileType][]> {
  await fails(mount.read(path), 'EISDIR', `${path} is no file`);
  const rows = await mount.readdir(path);
  const names = rows.map(({ name }) => name);
  deepEqual([...new Set(names)].length, names.length, `${path} lists each name once`);
  for (const name of names) expectName(name, path);
  return rows.map(({ name, type }) => [name, type]);
}

/** A name that a shell can take, and that a terminal can show. */
export function expectName(name: string, directory: string): void {
  const what = `${JSON.stringify(name)} in ${directory}`;
  ok(
    !/[/\p{Cc}\u202a-\u202e\u2066-\u2069]/u.test(name),
    `${what} has no slash, control or override`,
  );
  ok(!['', '.', '..'].includes(name), `${what} is a name`);
  ok(Buffer.byteLength(name) <= 255, `${what} has at most 255 bytes`);
}

async function absent<Held>(mount: JournalledMount, subject: Subject<Held>): Promise<void> {
  const { list, record } = subject.places;
  const cut = record.lastIndexOf('.');
  for (const path of [
    '/there is no such thing',
    `${list}/.nothing`,
    `${record.slice(0, cut)}.none`,
  ]) {
    await fails(mount.lstat(path), 'ENOENT', `${path} is not there`);
    await fails(mount.read(path), 'ENOENT', `${path} is not there`);
  }
  const bytes = Buffer.byteLength(await readBefore(mount, record));
  ok(bytes > 0, `${record} has a text`);
  equal((await mount.lstat(record)).size, bytes, `${record} has its true size once it was read`);
}

async function fails(work: Promise<unknown>, code: Errno, what: string): Promise<void> {
  equal((await failure(work)).code, code, what);
}
