/** The kernel's questions, put to the {@link FileSystem}: promises become answers, errors errnos. */
import { constants as fsConstants, readFileSync } from 'node:fs';
import { constants as osConstants } from 'node:os';
import { FsError, isFsError } from '../../errors.ts';
import type { FileSystem } from '../files/file-system.ts';
import type { Asker } from '../files/handles.ts';
import type { KernelStat, KernelTime } from '../files/stat.ts';
import { errnoOf, putter } from './answering.ts';
import type { KernelMount, KernelOperations, OpenAnswer } from './binding.ts';
import { attributeOperations } from './extended-attributes.ts';
import { Hidden, isHiddenName } from './hidden.ts';
import { ToldSizes } from './told-sizes.ts';

/** The nanoseconds of utimensat(2) that mean "now", and "as it is". */
const UTIME_NOW = 0x3fffffff;
const UTIME_OMIT = 0x3ffffffe;

const DIRECTORY = 0o040000;

/** The answer where nothing is. */
const ABSENT = -osConstants.errno.ENOENT;

export interface OperationsOptions {
  files: FileSystem;
  /** The mount, once there is one. */
  mount(): KernelMount | null;
  onTrouble(message: string): void;
}

export function kernelOperations(options: OperationsOptions): KernelOperations {
  const { files } = options;
  const { handles } = files;
  const hidden = new Hidden(options);
  const put = putter(options);
  /** Tells of the process that asks, while it waits. */
  const asker = (): Asker => {
    const thread = options.mount()?.context()?.pid;
    return () => processOf(thread);
  };
  const sizes = new ToldSizes();
  const told = (path: string, stat: KernelStat): KernelStat => {
    sizes.tell(path, stat.size);
    return stat;
  };
  const opened = async (
    path: string,
    open: Promise<{ fd: number; keepCache: boolean }>,
  ): Promise<OpenAnswer> => {
    const { fd, keepCache } = await open;
    const file = handles.fileOf(fd);
    return { fd, keepCache, directIO: file.isLoaded && sizes.differs(path, file.size) };
  };
  return {
    initWithConfig: ({ maxWrite }, answer) => answer(0, { maxWrite }),
    getattr: (path, answer) => {
      if (isHiddenName(path)) return put(path, answer, () => hidden.stat(path));
      const known = files.known(path);
      if (known === null) return answer(ABSENT);
      put(path, answer, () =>
        known === undefined ? files.stat(path).then((stat) => told(path, stat)) : told(path, known),
      );
    },
    fgetattr: (path, fd, answer) =>
      put(path ?? '', answer, async () => {
        const stat = await handles.stat(fd, (name) => files.stat(name));
        return isHiddenName(path) ? hidden.counted(path ?? '', stat) : told(path ?? '', stat);
      }),
    // Asked once for each opening of a directory: libfuse keeps the rows until it is closed.
    readdir: (path, answer) => {
      files.list(path).then(
        (rows) => {
          const all = [{ name: '.', mode: DIRECTORY }, { name: '..', mode: DIRECTORY }, ...rows];
          const stats = all.map(({ mode }) => ({ mode }));
          answer(
            0,
            all.map(({ name }) => name),
            stats,
          );
        },
        (error: unknown) => {
          if (error instanceof FsError) files.refused(path, error);
          answer(errnoOf(error));
        },
      );
    },
    open: (path, flags, answer) => {
      const opener = asker();
      put(path, answer, () => opened(path, handles.open(path, flags, opener).catch(lookedUpAnew)));
    },
    createWithFlags: (path, mode, flags, answer) => {
      const opener = asker();
      put(path, answer, () => {
        requireText(path, 'open');
        return opened(path, handles.create(path, mode & 0o7777, flags, opener));
      });
    },
    read: (_path, fd, buffer, length, position, answer) => {
      handles.read(fd, buffer, length, position).then(answer, (error) => answer(errnoOf(error)));
    },
    write: (path, fd, buffer, length, position, answer) => {
      sizes.forget(path);
      const data = buffer.subarray(0, length);
      handles.write(fd, data, position).then(answer, (error) => answer(errnoOf(error)));
    },
    truncate: (path, size, answer) => {
      sizes.forget(path);
      put(path, answer, () =>
        isHiddenName(path) ? hidden.truncate(path, size) : handles.truncate(path, size),
      );
    },
    ftruncate: (path, fd, size, answer) => {
      sizes.forget(path);
      put(path, answer, async () => {
        await handles.resize(fd, size);
        if (isHiddenName(path)) hidden.resized(path);
      });
    },
    flush: (_path, fd, answer) => {
      const closer = asker();
      put(handles.nameOf(fd) ?? '', answer, () =>
        handles.hasUntold(fd) ? handles.flush(fd, closer) : undefined,
      );
    },
    fsync: (_path, _dataOnly, fd, answer) =>
      put(handles.nameOf(fd) ?? '', answer, () => handles.sync(fd)),
    fsyncdir: (path, _dataOnly, _fd, answer) => put(path, answer, () => files.told()),
    release: (path, fd, answer) => put(path, answer, () => handles.release(fd)),
    mknod: (path, mode, _device, answer) =>
      put(path, answer, async () => {
        if ((mode & 0o170000) !== 0o100000 && (mode & 0o170000) !== 0) throw noSpecialFile(path);
        requireText(path, 'mknod');
        const { fd } = await handles.create(path, mode & 0o7777, fsConstants.O_EXCL, null);
        await handles.release(fd);
      }),
    mkdir: (path, mode, answer) =>
      put(path, answer, () => {
        requireText(path, 'mkdir');
        return files.names.mkdir(path, mode & 0o7777);
      }),
    rmdir: (path, answer) => put(path, answer, () => files.names.rmdir(path)),
    unlink: (path, answer) =>
      put(path, answer, async () =>
        isHiddenName(path) ? hidden.drop(path) : files.names.unlink(path),
      ),
    renameWithFlags: (from, to, flags, answer) => {
      const thread = options.mount()?.context()?.pid ?? 0;
      put(from, answer, async () => {
        if (isHiddenName(to)) return hidden.hide(from, to, thread);
        requireText(to, 'rename');
        hidden.replacing(to);
        return files.names.rename(from, to, flags);
      });
    },
    link: (_from, to, answer) => put(to, answer, async () => Promise.reject(noHardLink(to))),
    symlink: (target, path, answer) =>
      put(path, answer, () => {
        for (const said of [path, target]) requireText(said, 'symlink');
        return files.names.symlink(target, path);
      }),
    readlink: (path, answer) => put(path, answer, () => files.names.readlink(path)),
    chmod: (path, mode, answer) => put(path, answer, () => files.chmod(path, mode & 0o7777)),
    chown: (path, uid, gid, answer) => put(path, answer, () => files.chown(path, uid, gid)),
    utimensWithTimespec: (path, atime, mtime, answer) =>
      put(path, answer, () => files.utimes(path, wanted(atime), wanted(mtime))),
    statfs: (path, answer) => put(path, answer, () => statfs(files, path)),
    fallocate: (path, fd, mode, offset, length, answer) => {
      sizes.forget(path);
      put(path, answer, async () => {
        if (mode !== 0) throw new FsError('ENOTSUP', { path, op: 'fallocate' });
        const { size } = handles.fileOf(fd);
        if (offset + length > size) await handles.resize(fd, offset + length);
      });
    },
    ...attributeOperations(files, put),
  };
}

/** The process of a thread; null where that cannot be told. */
function processOf(thread: number | undefined): number | null {
  if (thread === undefined || thread === 0) return null;
  try {
    const status = readFileSync(`/proc/${thread}/status`, 'latin1');
    return Number(/^Tgid:\s*(\d+)/m.exec(status)?.[1] ?? thread);
  } catch {
    // It has ended meanwhile, or there is no /proc: the thread is all that is known.
    return thread;
  }
}

/**
 * The kernel believed in a name that has gone by another way. ESTALE has it look again, and make the
 * file where the program wants that; ENOENT would be the program's answer.
 */
function lookedUpAnew(error: unknown): never {
  if (isFsError(error, 'ENOENT') && !error.loud)
    throw new FsError('ESTALE', { path: error.path, op: 'open' });
  throw error;
}

/** null leaves a time as it is. */
function wanted(time: KernelTime): KernelTime | null {
  if (time.nanoseconds === UTIME_OMIT) return null;
  if (time.nanoseconds !== UTIME_NOW) return { ...time, seconds: Number(time.seconds) };
  const now = Date.now();
  return { seconds: Math.floor(now / 1000), nanoseconds: (now % 1000) * 1_000_000 };
}

/**
 * libfuse numbers the names of files, and not the files: to a program, two names of one file are two
 * files. Git takes that for an attack; where there are no links it copies, as others do.
 */
function noHardLink(path: string): FsError {
  return new FsError('EPERM', {
    path,
    op: 'link',
    rule: 'a mounted world makes no hard links',
    reason:
      'a second name would be another file to programs here: copy it, make a symbolic link (ln -s), or let a command of the world make the hard link',
  });
}

/**
 * What is no UTF-8 comes from the binding with U+FFFD in its place: two such names would be one file,
 * and the second would be written over the first.
 * @throws FsError EINVAL
 */
function requireText(path: string, op: string): void {
  if (!path.includes('\uFFFD')) return;
  throw new FsError('EINVAL', {
    path,
    op,
    rule: 'names are UTF-8',
    reason:
      'names are UTF-8, and this one has bytes that are none of it, or U+FFFD, which stands for those: take another name',
  });
}

function noSpecialFile(path: string): FsError {
  return new FsError('EPERM', {
    path,
    op: 'mknod',
    rule: 'a world has files, directories and links',
    reason: 'pipes, sockets and devices cannot be made here: make them in a directory of the host',
  });
}

async function statfs(files: FileSystem, path: string): Promise<Record<string, number>> {
  const { block, blocks, free, entries, longestName } = await files.room(path);
  return {
    bsize: block,
    frsize: block,
    blocks,
    bfree: free,
    bavail: free,
    files: entries,
    ffree: entries,
    favail: entries,
    namemax: longestName,
  };
}
