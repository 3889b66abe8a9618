/** What was deleted upstream is gone here, and from the feed that an index follows. */
import { expect, it } from 'vitest';
import { SERVICES, startService } from './each-service.ts';
import { failure, names, text } from './testing.ts';

const HOUR_MS = 3_600_000;

it.each(SERVICES)('%s', async (name) => {
  await using service = await startService(name);
  using bench = await service.bench();
  const { record, other, comment } = service.places;
  const mount = bench.mount();
  await mount.prefetch('/');
  const documents = () => [...mount.documents()].map(({ path }) => path);
  // Notion's comments are no documents, and cannot be deleted by an integration.
  const gone = service.removeComment === undefined ? [record] : [record, comment];
  for (const path of [...gone, other]) await text(mount, path);
  expect(documents()).toEqual(expect.arrayContaining([...gone, other]));
  const seq = mount.feed(0).at(-1)?.seq ?? 0;
  await service.removeRecord();
  await service.removeComment?.();
  bench.move(HOUR_MS + 1_000);
  await mount.prefetch('/');
  for (const path of gone) {
    expect((await failure(mount.read(path))).code, path).toBe('ENOENT');
    expect((await failure(mount.lstat(path))).code, path).toBe('ENOENT');
    const directory = path.slice(0, path.lastIndexOf('/')) || '/';
    expect(await names(mount, directory), path).not.toContain(path.slice(directory.length + 1));
    expect(documents(), path).not.toContain(path);
    expect(mount.document(path), path).toBeNull();
    expect(mount.feed(seq), path).toContainEqual(expect.objectContaining({ path, op: 'delete' }));
  }
  expect(documents()).toContain(other);
  expect(await text(mount, other)).toContain('title:');
});
