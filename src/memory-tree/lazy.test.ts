/** A tree in which nothing was made answers as one in which everything was removed again, and costs no loading. */
import { expect, test } from 'vitest';
import type { FsError } from '../errors.ts';
import { MemoryTree } from './tree.ts';

function emptied(): MemoryTree {
  const tree = new MemoryTree();
  tree.apply({ op: 'mkdir', path: '/a', at: 0 });
  tree.apply({ op: 'rmdir', path: '/a', at: 0 });
  tree.apply({ op: 'utimes', path: '/', at: 5 });
  return tree;
}

function bare(): MemoryTree {
  const tree = new MemoryTree();
  tree.apply({ op: 'utimes', path: '/', at: 5 });
  return tree;
}

/** What each question gives, or the errno it fails with. */
function answers(tree: MemoryTree) {
  const long = 'n'.repeat(256);
  const asked: Record<string, (path: string) => unknown> = {
    lstat: (path) => tree.lstat(path),
    readdir: (path) => tree.readdir(path),
    read: (path) => tree.read(path),
    readlink: (path) => tree.readlink(path),
    lacks: (path) => tree.lacks(path),
    hasLinks: (path) => tree.hasLinks(path),
    walk: (path) => [...(tree.walk(path) ?? ['not walked'])],
    dump: () => [...tree.dump()],
    unlink: (path) => tree.apply({ op: 'unlink', path, at: 5 }),
    rmdir: (path) => tree.apply({ op: 'rmdir', path, at: 5 }),
    chmod: (path) => tree.apply({ op: 'chmod', path, mode: 0o700 }),
    rename: (path) => tree.apply({ op: 'rename', path, to: '/b', at: 5 }),
  };
  return Object.entries(asked).flatMap(([name, ask]) =>
    ['/', '/x', '/x/y', `/${long}`, `/x/${long}`].map((path) => {
      try {
        return [name, path, ask(path)];
      } catch (error) {
        return [name, path, (error as FsError).code];
      }
    }),
  );
}

test('whatever it is asked, before something was made and after all is gone', () => {
  expect(answers(bare())).toEqual(answers(emptied()));
});

test('its root keeps mode, time and number when the first file is made', () => {
  const tree = bare();
  tree.apply({ op: 'chmod', path: '/', mode: 0o711 });
  const before = tree.lstat('/');
  tree.apply({ op: 'write', path: '/f', data: Buffer.from('x'), at: 5 });
  expect(tree.lstat('/')).toEqual(before);
});
