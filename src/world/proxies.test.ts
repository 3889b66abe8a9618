import { expect, test } from 'vitest';
import type { FsAnswer, FsCall } from './fs-call.ts';
import { createFsProxy } from './proxies.ts';
import type { Supervisor } from './supervisor.ts';

test('a file that was not made, since something is there, is told as no change', async () => {
  const told: string[] = [];
  const terms = { there: true, whole: false };
  const answers: FsAnswer = {
    values: [
      { ...terms, made: null },
      { ...terms, there: false, made: { isFile: true } },
      undefined,
    ],
  };
  const supervisor = { call: async () => answers } as unknown as Supervisor;
  const fs = createFsProxy(supervisor, {
    touched: () => undefined,
    changed: (paths) => void told.push(...paths),
  });
  const calls: FsCall[] = [
    ['make', '/workspace/there', 0o644],
    ['make', '/workspace/new', 0o644],
    ['chmod', '/workspace/mode', 0o600],
  ];
  await fs.all(calls);
  expect(told).toEqual(['/workspace/new', '/workspace/mode']);
});
