/** A mount that learns whose it is while something is under way in it. */
import { expect, onTestFinished, test } from 'vitest';
import { openChangeJournal } from '../../changes/index.ts';
import { openReplica } from '../../replica/index.ts';
import { Patience } from '../client/patience.ts';
import { Account } from './account.ts';
import { AccountMount } from './account-mount.ts';
import type { TableOfRoutes } from './service-mount.ts';

test('what a write under way brings is kept by the mount that goes on, and what comes later waits for it', async () => {
  const replica = openReplica(':memory:');
  const changes = openChangeJournal(':memory:');
  onTestFinished(() => {
    replica.close();
    changes.close();
  });
  const now = () => new Date(0);
  const ask = async () => 'ada';
  const account = new Account({ service: 'notes', token: 't', replica, changes, now, ask });
  const first = account.name;
  const sent = Promise.withResolvers<void>();
  const put = (mount: string, value: string): void => {
    replica.upsert(mount, 'notes', { key: 'k', updatedAt: '', size: 1, path: '/k', value });
  };
  const opened: string[] = [];
  const open = (name: string): TableOfRoutes => {
    opened.push(name);
    const mount: Partial<TableOfRoutes> = {
      name,
      write: async () => {
        await sent.promise;
        put(name, 'written');
      },
      read: async () => Buffer.from(String(replica.get(name, 'notes', 'k')?.value)),
      close: async () => undefined,
    };
    return mount as TableOfRoutes;
  };
  const patience = new Patience();
  const mount = new AccountMount({ account, changes, patience, stage: false, open });
  put(first, 'before');

  const writing = mount.write('/k', Buffer.from('written'));
  await account.learn();
  const reading = mount.read('/k');
  await Promise.resolve();
  expect(opened).toEqual([first]);
  sent.resolve();
  await writing;
  expect(Buffer.from(await reading).toString()).toBe('written');
  expect(opened).toEqual([first, 'notes @ada']);
  expect(replica.holdsAny(first)).toBe(false);
});
