/** A disk mount does not leave its root while another process swaps a directory of it for a link. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { DiskMount } from '../../src/disk/mount.ts';
import { isFsError } from '../../src/errors.ts';
import { hostDirectory } from './support.ts';

const ROUNDS = 4_000;

it('neither reads nor writes lead outside, whatever is swapped for a link meanwhile', async () => {
  const directory = hostDirectory();
  const root = join(directory.path, 'root');
  const outside = join(directory.path, 'outside');
  for (const each of [join(root, 'x'), outside]) fs.mkdirSync(each, { recursive: true });
  fs.writeFileSync(join(root, 'x/f'), 'inside');
  fs.writeFileSync(join(outside, 'f'), 'secret');
  fs.writeFileSync(join(outside, 'secret-name'), 'secret');
  fs.chmodSync(join(outside, 'f'), 0o600);
  const before = fs.lstatSync(join(outside, 'f'));
  const swapper = fileURLToPath(new URL('./endless-swapper.ts', import.meta.url));
  const child = spawn(process.execPath, [swapper, root, outside], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    await once(child.stdout, 'data');
    const mount = new DiskMount({ root });
    const done = new Map<string, number>();
    const attempt = async <T>(what: string, act: () => Promise<T>): Promise<T | undefined> => {
      try {
        const answer = await act();
        done.set(what, (done.get(what) ?? 0) + 1);
        return answer;
      } catch (error) {
        // The directory is away, or a link: refusing is right.
        if (!isFsError(error)) throw error;
        return undefined;
      }
    };
    for (let round = 0; round < ROUNDS; round++) {
      const text = await attempt('read', () => mount.read('/x/f'));
      if (text !== undefined) expect(Buffer.from(text).toString()).not.toBe('secret');
      const rows = await attempt('readdir', () => mount.readdir('/x'));
      expect(rows?.map(({ name }) => name) ?? []).not.toContain('secret-name');
      const walked = await attempt('walk', async () =>
        [...(mount.walk('/x') ?? [])].flatMap((file) => [file.bytes(), file.identified()?.bytes]),
      );
      for (const bytes of walked ?? [])
        expect(Buffer.from(bytes ?? []).toString()).not.toBe('secret');
      const stat = await attempt('lstat', () => mount.lstat('/x/f'));
      expect(stat?.ino).not.toBe(`${before.dev}:${before.ino}`);
      await attempt('write', () => mount.write('/x/w', Buffer.from('evil')));
      await attempt('append', () => mount.append('/x/f', Buffer.from('')));
      await attempt('chmod', () => mount.chmod('/x/f', 0o644));
      await attempt('mkdir', () => mount.mkdir('/x/made'));
      await attempt('rmdir', () => mount.rmdir('/x/made'));
      await attempt('symlink', () => mount.symlink('nowhere', '/x/l'));
      await attempt('rename', () => mount.rename('/x/l', '/x/l2'));
      await attempt('link', () => mount.link('/x/f', '/x/second'));
      await attempt('unlink', () => mount.unlink('/x/second'));
    }
    // Every kind of operation met the directory as well as the link.
    for (const what of [
      'read',
      'readdir',
      'walk',
      'lstat',
      'write',
      'append',
      'chmod',
      'mkdir',
      'link',
    ])
      expect(done.get(what), what).toBeGreaterThan(0);
    expect(done.get('read')).toBeLessThan(ROUNDS);
  } finally {
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }
  try {
    expect(fs.readdirSync(outside).sort()).toEqual(['f', 'secret-name']);
    const after = fs.lstatSync(join(outside, 'f'));
    expect([after.mode, after.nlink, after.size]).toEqual([before.mode, 1, 'secret'.length]);
  } finally {
    directory.remove();
  }
});
