/** Whose a mount is, of a service that a deployment brings along: by its own say, or by its credential. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ChangeJournal, openChangeJournal } from '../../changes/index.ts';
import { openReplica, type Replica } from '../../replica/index.ts';
import { ServiceFailure } from '../client/failure.ts';
import { ServiceStore } from '../table/service-store.ts';
import { openServiceMount, type ServiceDefinition } from './opening.ts';
import type { ServiceMount } from './service-mount.ts';

type Notes = ServiceDefinition<{ usage(): { requests: number; bytes: number } }, ServiceStore>;

let directory: string;
let open: (Replica | ChangeJournal)[];
let asked: string[];
/** A second after another. */
let time: number;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'dirigent-account-'));
  open = [];
  asked = [];
  time = Date.parse('2025-01-01T00:00:00Z');
});
afterEach(() => {
  for (const one of open) one.close();
  rmSync(directory, { recursive: true });
});

/** `/mine.md`, which says whose it is; each mount as another process would open it. */
function mountOf(token: string, account?: (token: string) => Promise<string>): ServiceMount {
  const replica = openReplica(join(directory, 'replica.sqlite'));
  const changes = openChangeJournal(join(directory, 'changes.sqlite'));
  open.push(replica, changes);
  const usage = () => ({ requests: 0, bytes: 0 });
  const table: Notes['table'] = ({ store }) => ({
    about: '',
    hints: [],
    params: {},
    collections: {
      notes: {
        scope: [],
        heldSince: () => store.heldSince('notes'),
        sync: async () => {
          asked.push(`notes ${token}`);
          const value = `of ${token}`;
          const record = { key: 'mine', updatedAt: '', size: 1, path: '/mine.md', value };
          store.replica.upsert(store.mount, 'notes', record);
          store.listed('notes');
        },
      },
    },
    routes: [
      {
        pattern: '/mine.md',
        type: 'file',
        about: '',
        needs: ['notes'],
        read: () => {
          const found = store.replica.get(store.mount, 'notes', 'mine');
          if (found === null) return null;
          return { text: String(found.value), version: found.version, mtime: new Date(0) };
        },
      },
    ],
  });
  return openServiceMount<{ usage: typeof usage }, ServiceStore>(
    {
      token,
      replica,
      changes,
      stage: false,
      freshMs: 60_000,
      now: () => new Date(time++),
      onNotice: () => undefined,
    },
    {
      kind: 'notes',
      title: 'Notes',
      client: () => ({ usage }),
      store: (...given) => new ServiceStore(...given),
      table,
      ...(account && {
        account: () => {
          asked.push(`account ${token}`);
          return account(token);
        },
      }),
    },
  );
}

const read = async (mount: ServiceMount) => Buffer.from(await mount.read('/mine.md')).toString();

describe('the only credential so far', () => {
  it('is not asked about before a read, and keeps what it read once another one comes', async () => {
    const owner = async (token: string) => token;
    const first = mountOf('a', owner);
    expect(await read(first)).toBe('of a');
    expect(asked).toEqual(['notes a']);
    expect(await read(mountOf('b', owner))).toBe('of b');
    expect(await read(first)).toBe('of a');
    expect(asked).toEqual(['notes a', 'account b', 'notes b', 'account a']);
  });

  it('is told by another mount of the credential: the one that read first goes on with what both keep', async () => {
    const owner = async (token: string) => token;
    const [first, second] = [mountOf('a', owner), mountOf('a', owner)];
    await first.read('/mine.md');
    await second.probe?.();
    expect([...(first.walk('/') ?? ['asks'])]).toEqual(['asks']);
    await first.read('/mine.md');
    expect(first.name).toBe(second.name);
    expect([...first.documents()]).toEqual([...second.documents()]);
    expect(asked).toEqual(['notes a', 'account a']);
  });

  it('is asked about by a probe, which asks in any case', async () => {
    const mount = mountOf('a', async () => 'mara');
    await mount.probe?.();
    expect(mount.name).toBe('notes @mara');
  });
});

describe('a service that does not tell whose a credential is', () => {
  it('shares what is kept between equal credentials, and between no others', async () => {
    expect(await read(mountOf('a'))).toBe('of a');
    expect(await read(mountOf('b'))).toBe('of b');
    expect(await read(mountOf('a'))).toBe('of a');
    expect(asked).toEqual(['notes a', 'notes b']);
  });
});

describe('a service that tells', () => {
  // As of a state directory in which more than one credential has been used.
  beforeEach(() => {
    mountOf('another', async () => 'another');
  });

  it('is asked once for each credential, and shares by account', async () => {
    const owner = async (token: string) => token.charAt(0);
    for (const token of ['m1', 'm2', 'o1', 'm1', 'm2']) {
      expect(await read(mountOf(token, owner))).toBe(token === 'o1' ? 'of o1' : 'of m1');
    }
    expect(asked).toEqual(['account m1', 'notes m1', 'account m2', 'account o1', 'notes o1']);
  });

  it('may call an account as it likes: no two become one, and none becomes another mount', async () => {
    const odd = ['a b', 'a\nb', 'a b ', '', 'x'.repeat(300), '../x', '~'];
    const names = await Promise.all(
      odd.map(async (name, index) => {
        const mount = mountOf(`t${index}`, async () => name);
        await read(mount);
        return mount.name;
      }),
    );
    expect(new Set(names).size).toBe(odd.length);
    for (const name of names) expect(name).toMatch(/^notes @[\w~.,:+-]+$/);
  });

  it('and cannot this time is no failure: the credential stands for its account until it does', async () => {
    const refuse = async () => {
      throw new ServiceFailure('forbidden', 'not for you');
    };
    expect(await read(mountOf('a', refuse))).toBe('of a');
    expect(await read(mountOf('b', refuse))).toBe('of b');
    const named = mountOf('a', async () => 'mara');
    expect(await read(named)).toBe('of a');
    expect(named.name).toBe('notes @mara');
    expect(asked.filter((one) => one.startsWith('notes'))).toEqual(['notes a', 'notes b']);
  });

  it('and cannot be reached fails what nothing is kept of, with its own words, and is asked again', async () => {
    let down = true;
    const mount = mountOf('a', async () => {
      if (down) throw new ServiceFailure('network', 'Notes could not be reached');
      return 'mara';
    });
    await expect(read(mount)).rejects.toMatchObject({ reason: 'Notes could not be reached' });
    expect(asked).toEqual(['account a']);
    down = false;
    time += 10_000;
    expect(await read(mount)).toBe('of a');
  });

  it('is asked once, however many ask at the same time', async () => {
    const mount = mountOf('a', async () => 'mara');
    await Promise.all([read(mount), read(mount), mount.readdir('/')]);
    expect(asked.filter((one) => one === 'account a')).toHaveLength(1);
  });
});
