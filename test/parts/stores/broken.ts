/** Stores that break one promise each: what the trials of stores are for. `options`: the promise. */
import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LogWriter, PartModule, SessionStore } from '../../../entry/parts.ts';
import { SessionDirectory } from '../../../src/session/directory.ts';

type Broken = (store: SessionStore, session: string, writer: LogWriter) => Partial<LogWriter>;

const bytesOf = (store: SessionStore, session: string): number => store.stat(session)?.bytes ?? 0;

const WRITERS: Record<string, Broken> = {
  'expects no length': (store, session, writer) => ({
    append: (bytes) => writer.append(bytes, bytesOf(store, session)),
  }),
  'forgets to undo': () => ({ undo: () => undefined }),
  'keeps no head': () => ({ keepHead: () => undefined }),
  'cuts nothing': (store, session) => ({ cut: () => store.where(session) }),
  'removes nothing': (_store, _session, writer) => ({ remove: () => writer.release() }),
  'loses what was not synced in time': (_store, _session, writer) => {
    let held: [Uint8Array, number][] = [];
    return {
      append: (bytes, at) => void held.push([Uint8Array.from(bytes), at]),
      sync: () => undefined,
      release: () => {
        for (const [bytes, at] of held) writer.append(bytes, at);
        held = [];
        writer.release();
      },
    };
  },
};

const store: PartModule<SessionStore> = ({ directory, options }) => {
  const fault = String(options);
  const whole = new SessionDirectory(join(directory, 'state', 'sessions'));
  const bound = {
    list: () => whole.list(),
    stat: (session: string) => whole.stat(session),
    read: (session: string) => whole.read(session),
    write: (session: string): LogWriter => {
      const writer = whole.write(session);
      const broken = WRITERS[fault]?.(whole, session, writer) ?? {};
      const methods = ['append', 'sync', 'undo', 'cut', 'keepHead', 'remove', 'release'] as const;
      const plain = Object.fromEntries(
        methods.map((name) => [name, (writer[name] as () => unknown).bind(writer)]),
      );
      return { ...plain, ...broken } as unknown as LogWriter;
    },
    head: (session: string) => whole.head(session),
    where: (session: string) => whole.where(session),
  };
  if (fault === 'lets anybody write') {
    const any = (session: string): LogWriter => {
      const held = whole.write(session);
      held.release();
      return {
        ...held,
        append: (bytes) => appendFileSync(whole.where(session), bytes),
        sync: () => undefined,
        undo: () => undefined,
        cut: () => '',
        keepHead: () => undefined,
        remove: () => undefined,
        release: () => undefined,
      };
    };
    return { ...bound, write: any };
  }
  if (fault === 'reads one byte off') {
    const read: SessionStore['read'] = (session) => ({
      read: (into, at) => readFileSync(whole.where(session)).copy(into, 0, at + 1),
      close: () => undefined,
    });
    return { ...bound, read };
  }
  return bound;
};

export default store;
