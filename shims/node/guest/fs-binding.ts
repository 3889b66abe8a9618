/**
 * What `internalBinding('fs')` is: how Node.js's own library calls files. A call answers at once, by a
 * request's callback or by a promise, and fails with the error that libuv would give.
 */
import { Failed, type FileHost } from './file-host.ts';
import { S_IFDIR, S_IFMT } from './file-numbers.ts';
import type { Files } from './files.ts';
import { type FsCall, fsCalls, typeOf } from './fs-calls.ts';
import type { Bag } from './loose.ts';

/** Whoever calls this way is told by a callback. */
class FSReqCallback {
  oncomplete: ((error: unknown, value?: unknown) => void) | undefined;
  context: unknown;
}

/** What `internalBinding('fs')` is. */
export function fsBinding(files: Files, host: FileHost): object {
  const usesPromises = Symbol('fs_use_promises_symbol');
  const FileHandle = fileHandles(files, host);
  const calls: Record<string, FsCall> = {
    ...fsCalls(files, host),
    openFileHandle: {
      count: 3,
      paths: 1,
      run: (path, flags, mode) => new FileHandle(files.open(path, flags, mode)),
      syscall: 'open',
    },
  };
  const define = (spec: FsCall) =>
    function called(...args: unknown[]): unknown {
      const request = args.find(
        (arg, index) => index > 0 && (arg instanceof FSReqCallback || arg === usesPromises),
      );
      let value: unknown;
      let error: Error | null = null;
      try {
        value = (spec.run as (...given: unknown[]) => unknown)(...args.slice(0, spec.count));
      } catch (caught) {
        error = failure(host, caught, spec, args);
      }
      if (request instanceof FSReqCallback) {
        host.later(() => {
          if (error === null) request.oncomplete?.(null, value);
          else request.oncomplete?.(error);
        });
        return undefined;
      }
      if (request === usesPromises) {
        return new Promise((resolve, reject) => {
          host.later(() => (error === null ? resolve(value) : reject(error)));
        });
      }
      if (error !== null) throw error;
      return value;
    };
  const called = Object.fromEntries(
    Object.entries(calls).map(([name, spec]) => [name, define(spec)]),
  );
  const quiet =
    (name: 'stat' | 'lstat') =>
    (path: unknown, isBig: unknown, request: unknown, throws = true): unknown => {
      if (request !== undefined || throws !== false) return called[name]?.(path, isBig, request);
      const stat = files.tryStat(path, name === 'stat');
      return stat === null ? undefined : files.numbersOf(stat, files.resolve(path), isBig === true);
    };
  return {
    ...called,
    stat: quiet('stat'),
    lstat: quiet('lstat'),
    existsSync: (path: unknown) => files.tryStat(path) !== null,
    internalModuleStat: (...args: unknown[]) => {
      const path = args.find((arg) => typeof arg === 'string');
      const stat = files.tryStat(path);
      return stat === null ? -2 : (stat.mode & S_IFMT) === S_IFDIR ? 1 : 0;
    },
    cpSyncCheckPaths: () => undefined,
    cpSyncOverrideFile: (from: unknown, to: unknown, mode: number) => {
      files.unlink(to);
      files.copy(from, to, mode);
    },
    cpSyncCopyDir: (from: unknown, to: unknown, isForced = true) =>
      copyTree(files, from, to, isForced),
    getFormatOfExtensionlessFile: () => 0,
    legacyMainResolve: () => 0,
    FSReqCallback,
    FileHandle,
    kUsePromises: usesPromises,
    kFsStatsFieldsNumber: 18,
    statValues: new Float64Array(36),
    bigintStatValues: new BigInt64Array(36),
    StatWatcher: class {},
  } satisfies Bag;
}

/** Open files as promises have them. */
function fileHandles(files: Files, host: FileHost) {
  return class FileHandle {
    fd: number;
    #isClosed = false;
    constructor(fd: number) {
      this.fd = fd;
    }
    getAsyncId(): number {
      return 0;
    }
    close(): Promise<void> {
      return new Promise((resolve, reject) => {
        host.later(() => {
          try {
            if (!this.#isClosed) files.close(this.fd);
            this.#isClosed = true;
            this.fd = -1;
            resolve();
          } catch (error) {
            reject(failure(host, error, { syscall: 'close', paths: 0 }, []));
          }
        });
      });
    }
    releaseFD(): number {
      const { fd } = this;
      this.fd = -1;
      this.#isClosed = true;
      return fd;
    }
  };
}

function failure(
  host: FileHost,
  error: unknown,
  { syscall, paths }: Pick<FsCall, 'syscall' | 'paths'>,
  args: unknown[],
): Error {
  if (!(error instanceof Failed)) return error as Error;
  return uvException(host, error.errno, syscall, args.slice(0, paths));
}

function copyTree(files: Files, from: unknown, to: unknown, isForced: boolean): void {
  files.makeDirectory(to, 0o777, true);
  for (const name of files.list(from)) {
    const [source, target] = [`${String(from)}/${name}`, `${String(to)}/${name}`];
    const type = typeOf(files.tryStat(source, false));
    if (type === 2) copyTree(files, source, target, isForced);
    else if (type === 3) files.symlink(files.readLink(source), target);
    else if (isForced || files.tryStat(target) === null) files.copy(source, target, 0);
  }
}

/** The error that Node.js makes of an errno. */
function uvException(
  host: FileHost,
  code: string,
  syscall: string,
  [path, dest]: unknown[],
): Error {
  const [errno, text] = host.errno(code);
  const shown = (value: unknown): string => ` '${String(value)}'`;
  const where = path === undefined ? '' : shown(path);
  const message = `${code}: ${text}, ${syscall}${where}${dest === undefined ? '' : ` ->${shown(dest)}`}`;
  const error = new Error(message) as Error & Bag;
  error['errno'] = errno;
  error['code'] = code;
  error['syscall'] = syscall;
  if (path !== undefined) error['path'] = String(path);
  if (dest !== undefined) error['dest'] = String(dest);
  return error;
}
