import { expect, test } from 'vitest';
import type { MountedAt } from '../../src/shell/command.ts';
import { adviceFor } from './advice.ts';

const at = (point: string, kind: string): MountedAt => ({
  point,
  kind,
  mode: 'rw',
  capacity: () => null,
});
const MOUNTS = [
  at('/', 'memory'),
  at('/mnt/github', 'github'),
  at('/mnt/linear', 'linear'),
  at('/mnt/notion', 'notion'),
];

test.each([
  ['https://github.com/acme/web', '/mnt/github/acme/web'],
  ['https://github.com/acme/web.git', '/mnt/github/acme/web'],
  ['https://github.com/acme/web/issues', '/mnt/github/acme/web/issues'],
  ['https://github.com/acme/web/issues/12#issuecomment-1', '/mnt/github/acme/web/issues/12.md'],
  ['https://github.com/acme/web/pull/7/files', '/mnt/github/acme/web/pulls/7.md'],
  ['https://github.com/acme/web/blob/main/src/a%20b.ts', '/mnt/github/acme/web/files/src/a b.ts'],
  [
    'https://raw.githubusercontent.com/acme/web/main/README.md',
    '/mnt/github/acme/web/files/README.md',
  ],
  [
    'https://raw.githubusercontent.com/acme/web/refs/heads/main/README.md',
    '/mnt/github/acme/web/files/README.md',
  ],
  ['https://api.github.com/repos/acme/web/issues/3', '/mnt/github/acme/web/issues/3.md'],
  [
    'https://api.github.com/repos/acme/web/contents/src/a.ts',
    '/mnt/github/acme/web/files/src/a.ts',
  ],
  ['https://github.com/acme/web/pulls', '/mnt/github/acme/web/pulls'],
  ['https://github.com/acme/web/tree/main/src', '/mnt/github/acme/web/files/src'],
  ['https://github.com/acme/web/raw/main/a.ts', '/mnt/github/acme/web/files/a.ts'],
  ['https://github.com/acme/web/wiki', '/mnt/github/acme/web'],
  ['https://github.com/a%zz/web', '/mnt/github/a%zz/web'],
  ['https://linear.app/acme/team/ENG', '/mnt/linear'],
  ['https://www.notion.so/acme', '/mnt/notion'],
  ['https://linear.app/acme/issue/ENG-12/a-title', '/mnt/linear/teams/ENG/issues/ENG-12.md'],
  [
    'https://www.notion.so/Plan-0123456789abcdef0123456789abcdef',
    '/mnt/notion/by-id/0123456789abcdef0123456789abcdef',
  ],
])('%s is a file under the mount that holds it', (url, path) => {
  expect(adviceFor(new URL(url), MOUNTS, null)).toBe(
    `it is a file here: cat ${path}, or ls ${path}`,
  );
});

test.each([
  'https://github.com/acme',
  'https://api.github.com/user',
  'https://api.github.com/users/a/b',
])('%s is of no repository', (url) => {
  expect(adviceFor(new URL(url), MOUNTS, null)).toContain('github is not mounted');
});

test('a mount of one repository has its files at once', () => {
  const mounts = [at('/mnt/acme/web', 'github')];
  expect(adviceFor(new URL('https://github.com/Acme/web/blob/main/a'), mounts, null)).toBe(
    'it is a file here: cat /mnt/acme/web/files/a, or ls /mnt/acme/web/files/a',
  );
});

test('a service that is not mounted, and a host that is none, are told as that', () => {
  expect(adviceFor(new URL('https://github.com/a/b'), [], null)).toContain('github is not mounted');
  expect(adviceFor(new URL('https://example.com/a'), MOUNTS, null)).toBe(
    "a world asks only the hosts that its deployer allows, by network: { allow: ['example.com'] }; what is mounted is at /mnt/github, /mnt/linear, /mnt/notion",
  );
});
