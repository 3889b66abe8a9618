import { describe, expect, it } from 'vitest';
import { identityOf, KnownFiles, written } from './known-files.ts';

describe('files that are known', () => {
  const open = () => {
    const known = new KnownFiles('/mnt/docs');
    known.open('/mnt/docs/a/b').files.set('x', [1, 2]);
    known.open('/mnt/docs/a').files.set('y', null);
    known.open('/mnt/docs/ab').files.set('z', [1]);
    return known;
  };

  it('are in directories, which are in those above them, up to the mount', () => {
    const known = open();
    expect([known.size, known.files]).toEqual([4, 3]);
    expect([...(known.get('/mnt/docs')?.below ?? [])].toSorted()).toEqual(['a', 'ab']);
    expect([...(known.get('/mnt/docs/a')?.below ?? [])]).toEqual(['b']);
    expect(known.open('/mnt/docs/a')).toBe(known.get('/mnt/docs/a'));
    expect(known.get('/mnt')).toBeUndefined();
  });

  it('are found at and below a path', () => {
    const known = open();
    const within = (path: string) => [...known.within(path)].map((each) => each.path).toSorted();
    expect(within('/mnt/docs')).toHaveLength(4);
    expect(within('/mnt/docs/a')).toEqual(['/mnt/docs/a', '/mnt/docs/a/b']);
    expect(within('/mnt/docs/none')).toEqual([]);
  });

  it('are forgotten with their directory and all that is below it', () => {
    const known = open();
    expect(known.forget('/mnt/docs/a').toSorted()).toEqual(['/mnt/docs/a/b/x', '/mnt/docs/a/y']);
    expect([known.size, known.files]).toEqual([2, 1]);
    expect([...(known.get('/mnt/docs')?.below ?? [])]).toEqual(['ab']);
    expect(known.forget('/mnt/docs/a')).toEqual([]);
    expect(known.forget('/mnt/docs')).toEqual(['/mnt/docs/ab/z']);
    expect(known.size).toBe(0);
  });

  it('have the identity that they were handed out with, or none', () => {
    const directory = open().open('/mnt/docs/a/b');
    directory.files.set('unknown', null);
    expect(directory.holds('x', [1, 2])).toBe(true);
    expect(directory.holds('x', [1, 3])).toBe(false);
    expect(directory.holds('x', null)).toBe(false);
    expect(directory.holds('unknown', null)).toBe(false);
    expect(directory.holds('none', [1, 2])).toBe(false);
  });
});

describe('an identity as it is written', () => {
  it.each([[[3, 1_000, '7']], [['sha256', 'Zm9v+/=']], [[12.5, 0]], [['-1', '1e3', '0x1']]])(
    'is the same when it is read: %j',
    (identity) => {
      // What is a number is read as one, however it was written.
      const read = identityOf(written(identity)) ?? [];
      expect(read.map(String)).toEqual(identity.map(String));
      expect(identity.every((part, at) => typeof part !== 'number' || read[at] === part)).toBe(
        true,
      );
    },
  );

  it('is none where there is none', () => {
    expect([written(null), identityOf('')]).toEqual(['', null]);
  });
});
