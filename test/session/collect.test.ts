/** `session gc`: what no session refers to goes, everything else stays. */
import { rmSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { MAX_INLINE_BYTES } from '../../src/session/blobs.ts';
import { collectBlobs } from '../../src/session/collect.ts';
import { createSession, forkSession, SessionFile } from '../../src/session/index.ts';
import { verifySession } from '../../src/session/verify.ts';
import { diskFiles, Manifest, WorkspaceSnapshots } from '../../src/session/workspace/index.ts';
import { atOnce } from '../../src/slices.ts';
import { flipByte, temporaryDirectory, testPlace } from './support.ts';

const DAY = 24 * 60 * 60 * 1000;
const inAMonth = { days: 7, dryRun: false, now: () => Date.now() + 30 * DAY };

/** A session with long output, and a snapshot of a workspace with one file in a directory. */
function sessionWith(place: ReturnType<typeof testPlace>, content: string) {
  const root = temporaryDirectory();
  writeFileSync(join(root, 'same'), 'in both');
  writeFileSync(join(root, 'own'), content);
  const workspace = atOnce(new WorkspaceSnapshots(diskFiles(root), place.blobs).takeAll());
  const log = createSession(place);
  const stdout = content.repeat(MAX_INLINE_BYTES);
  log.append({ type: 'bash_end', start: log.id, stdout, workspace });
  log.close();
  return { id: log.id, file: log.file, leaf: log.leaf ?? '', workspace };
}

test('gc removes what only a deleted session referred to; sessions and forks that exist stay whole', () => {
  const place = testPlace();
  const gone = sessionWith(place, 'gone');
  const kept = sessionWith(place, 'kept');
  const from = new SessionFile(place, kept.id).refresh();
  const fork = forkSession(place, from, kept.leaf).log;
  fork.close();
  from.close();
  expect(collectBlobs(place, inAMonth)).toMatchObject({ removed: 0, young: 0 });
  rmSync(dirname(gone.file), { recursive: true });
  expect(collectBlobs(place, { days: 7, dryRun: false })).toMatchObject({ removed: 0, young: 3 });
  expect(collectBlobs(place, { ...inAMonth, dryRun: true })).toMatchObject({ removed: 3 });
  // Its output, its listing, and the file that was not in the other one.
  expect(collectBlobs(place, inAMonth)).toMatchObject({ removed: 3, young: 0, kept: 4 });
  expect(place.blobs.has(gone.workspace)).toBe(false);
  const files = [...new Manifest(place.blobs, kept.workspace).walk()];
  expect(files.map(([path]) => path)).toEqual(['/own', '/same']);
  for (const [, node] of files)
    if (node.type === 'file') expect(place.blobs.get(node.hash ?? '').length).toBeGreaterThan(0);
  expect(verifySession(place, kept.id).faults.filter(({ reason }) => /blob/.test(reason))).toEqual(
    [],
  );
});

test('a blob that is kept again is young again', () => {
  const place = testPlace();
  const hash = place.blobs.put(Buffer.from('again'), false);
  const old = (Date.now() - 30 * DAY) / 1000;
  utimesSync(place.blobs.file(hash), old, old);
  expect(collectBlobs(place, { days: 7, dryRun: true }).removed).toBe(1);
  place.blobs.put(Buffer.from('again'), false);
  expect(collectBlobs(place, { days: 7, dryRun: false })).toMatchObject({ removed: 0, young: 1 });
});

test('gc removes nothing while a session is broken, and names it', () => {
  const place = testPlace();
  const { id, file } = sessionWith(place, 'x');
  const nobodys = place.blobs.put(Buffer.from('nobody'), false);
  flipByte(file, 300);
  expect(() => collectBlobs(place, inAMonth)).toThrow(id);
  expect(place.blobs.has(nobodys)).toBe(true);
});
