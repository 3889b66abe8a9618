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

test('a service that is not mounted, and a host that is none, are told as that', () => {
  expect(adviceFor(new URL('https://github.com/a/b'), [], null)).toContain('github is not mounted');
  expect(adviceFor(new URL('https://example.com/a'), MOUNTS, null)).toContain(
    "network: { allow: ['example.com'] }",
  );
});
