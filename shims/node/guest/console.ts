/** `console`, and the three streams of the process. */
import type { Bag } from './loose.ts';
import type { Realm } from './realm.ts';

type Make = new (...args: unknown[]) => Bag;

/** They are made when somebody first asks for them. */
export function standardStreams({ library }: Realm, process: object): void {
  const lazily = (name: string, make: () => unknown): void => {
    let made: unknown;
    Object.defineProperty(process, name, {
      configurable: true,
      enumerable: true,
      get: () => {
        made ??= make();
        return made;
      },
    });
  };
  const output = (fd: number) => (): unknown => {
    const SyncWriteStream = library('internal/fs/sync_write_stream') as unknown as Make;
    const stream = new SyncWriteStream(fd, { autoClose: false });
    return Object.assign(stream, {
      fd,
      _type: 'fs',
      _isStdio: true,
      destroySoon: stream['destroy'],
      _destroy(error: unknown, done: (error: unknown) => void) {
        done(error);
      },
    });
  };
  lazily('stdout', output(1));
  lazily('stderr', output(2));
  lazily('stdin', () => {
    const { ReadStream } = library('fs') as unknown as { ReadStream: Make };
    return Object.assign(new ReadStream(null, { fd: 0, autoClose: false }), { fd: 0 });
  });
}

/** The console of the library, over these streams. */
export function consoleOf({ library }: Realm, process: object, scope: Bag): void {
  const console = library('internal/console/global');
  const { kBindStreamsLazy } = library('internal/console/constructor') as unknown as {
    kBindStreamsLazy: symbol;
  };
  console[kBindStreamsLazy]?.(process);
  Object.defineProperty(scope, 'console', {
    value: console,
    configurable: true,
    enumerable: false,
    writable: true,
  });
}
