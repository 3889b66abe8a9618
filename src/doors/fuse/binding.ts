/**
 * What binds a process to the kernel, behind an interface: the package
 * `fuse-napi` today. It is not installed with this one; who wants to mount
 * installs it beside.
 */
import { ConfigError } from '../../errors.ts';
import type { KernelStat, KernelTime } from '../files/stat.ts';

/** The answer to one question of the kernel: 0 or more, or an errno below 0. */
type Answer<T = void> = (result: number, value?: T) => void;

/** The questions, each answered once. Handles are numbers of ours. */
export interface KernelOperations {
  initWithConfig(
    connection: { maxWrite: number; maxReadahead: number },
    answer: Answer<{ maxWrite?: number }>,
  ): void;
  getattr(path: string, answer: Answer<KernelStat>): void;
  fgetattr(path: string | null, fd: number, answer: Answer<KernelStat>): void;
  /** All of a directory, at each of its openings. */
  readdir(
    path: string,
    answer: (result: number, names?: string[], stats?: { mode: number }[]) => void,
  ): void;
  open(path: string, flags: number, answer: Answer<OpenAnswer>): void;
  createWithFlags(path: string, mode: number, flags: number, answer: Answer<OpenAnswer>): void;
  read(
    path: string,
    fd: number,
    buffer: Buffer,
    length: number,
    position: number,
    answer: Answer,
  ): void;
  write(
    path: string,
    fd: number,
    buffer: Buffer,
    length: number,
    position: number,
    answer: Answer,
  ): void;
  truncate(path: string, size: number, answer: Answer): void;
  ftruncate(path: string, fd: number, size: number, answer: Answer): void;
  flush(path: string, fd: number, answer: Answer): void;
  fsync(path: string, dataOnly: boolean, fd: number, answer: Answer): void;
  fsyncdir(path: string, dataOnly: boolean, fd: number, answer: Answer): void;
  release(path: string, fd: number, answer: Answer): void;
  mknod(path: string, mode: number, device: number, answer: Answer): void;
  mkdir(path: string, mode: number, answer: Answer): void;
  rmdir(path: string, answer: Answer): void;
  unlink(path: string, answer: Answer): void;
  renameWithFlags(from: string, to: string, flags: number, answer: Answer): void;
  link(from: string, to: string, answer: Answer): void;
  symlink(target: string, path: string, answer: Answer): void;
  readlink(path: string, answer: Answer<string>): void;
  chmod(path: string, mode: number, answer: Answer): void;
  chown(path: string, uid: number, gid: number, answer: Answer): void;
  utimensWithTimespec(path: string, atime: KernelTime, mtime: KernelTime, answer: Answer): void;
  statfs(path: string, answer: Answer<Record<string, number>>): void;
  fallocate(
    path: string,
    fd: number,
    mode: number,
    offset: number,
    length: number,
    answer: Answer,
  ): void;
  getxattr(path: string, name: string, position: number, answer: Answer<Buffer | null>): void;
  listxattr(path: string, answer: Answer<string[]>): void;
  setxattr(
    path: string,
    name: string,
    value: Buffer,
    position: number,
    flags: number,
    answer: Answer,
  ): void;
  removexattr(path: string, name: string, answer: Answer): void;
}

export interface OpenAnswer {
  fd: number;
  keepCache: boolean;
  directIO: boolean;
}

/** What a mount is made with, by the names of `fuse-napi`. */
export interface KernelOptions {
  fsname: string;
  subtype: string;
  attrTimeout: number;
  entryTimeout: number;
  autoUnmount: boolean;
  timeout: false | Record<string, number | false>;
  maxConcurrency: number;
  onError(error: Error, operation: string): void;
}

/** A mounted directory. */
export interface KernelMount {
  mount(done: (error: Error | null) => void): void;
  unmount(done: (error: Error | null) => void): void;
  /** Of the question that is being answered; null outside of one. */
  context(): { uid: number; gid: number; pid: number; umask: number } | null;
}

/** The package. */
export type KernelBinding = new (
  directory: string,
  operations: KernelOperations,
  options: KernelOptions,
) => KernelMount;

const PACKAGE = 'fuse-napi';

/**
 * Loads the package. The library of the system comes with it.
 * @throws ConfigError saying what is missing, and how it is installed
 */
export async function loadBinding(): Promise<KernelBinding> {
  if (process.platform === 'win32')
    throw new ConfigError('', 'a world can be mounted on Linux and macOS; on Windows, in WSL');
  try {
    // Its own types say the same at more length.
    const module = (await import('fuse-napi')) as unknown as { default: KernelBinding };
    return module.default;
  } catch (cause) {
    throw new ConfigError('', bindingFault(cause), cause);
  }
}

function bindingFault(cause: unknown): string {
  const { code, message = '' } = cause as { code?: string; message?: string };
  if (code === 'ERR_MODULE_NOT_FOUND' && message.includes(PACKAGE)) {
    return `mounting a world needs the package ${PACKAGE}, which is not installed: npm install ${PACKAGE} (beside dirigent; with -g if dirigent was installed so)`;
  }
  if (/libfuse|\.so|dylib/.test(message)) return missingLibrary(message);
  return `the package ${PACKAGE} cannot be loaded: ${message}`;
}

const missingLibrary = (message: string): string =>
  `FUSE 3 is missing on this machine: ${installation()} (${message.split('\n')[0]})`;

/** How FUSE 3 gets onto this system. */
const installation = (): string =>
  process.platform === 'darwin'
    ? 'brew install --cask macfuse, and allow its system extension'
    : 'apt-get install fuse3 libfuse3-3 (Debian, Ubuntu), dnf install fuse3 (Fedora) or apk add fuse3 (Alpine)';

/** A failure to mount, in a sentence that says what to do. */
export function mountFault(error: unknown, directory: string): string {
  const { code, message = String(error) } = error as { code?: string; message?: string };
  if (code === 'EFUSEDEVICE') {
    return `/dev/fuse cannot be opened (${message}): load the module (modprobe fuse), give a container the device (--device /dev/fuse --cap-add SYS_ADMIN), or have root make it readable (chmod 666 /dev/fuse)`;
  }
  if (code === 'EFUSEHELPER') return missingLibrary(message);
  if (message.includes('Mountpoint in use'))
    return `something is mounted at ${directory} already: fusermount3 -u ${directory}`;
  return `${directory} cannot be mounted: ${message}`;
}
