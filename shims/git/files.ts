/** The namespace as the file system that isomorphic-git wants: that of node:fs, with promises. */
import type { PromiseFsClient } from 'isomorphic-git';
import type { NamespaceFs } from '../../src/namespace/types.ts';
import { errnoOf } from '../support/tool.ts';

type Stat = Awaited<ReturnType<NamespaceFs['lstat']>>;

const S_IFREG = 0o100_000;
const S_IFLNK = 0o120_000;
const S_IFDIR = 0o040_000;

/** What git keeps of a file in its index. */
function statOf(stat: Stat): object {
  const type = stat.isSymbolicLink ? S_IFLNK : stat.isDirectory ? S_IFDIR : S_IFREG;
  const mtimeMs = stat.mtime.getTime();
  return {
    mode: type | (stat.mode & 0o7777),
    size: stat.size,
    mtimeMs,
    ctimeMs: mtimeMs,
    ino: 0,
    dev: 0,
    uid: 0,
    gid: 0,
    isFile: () => stat.isFile,
    isDirectory: () => stat.isDirectory && !stat.isSymbolicLink,
    isSymbolicLink: () => stat.isSymbolicLink,
  };
}

/** Runs an operation; a file error carries its errno as `code`, by which git tells what is missing. */
async function withCode<T>(run: Promise<T>): Promise<T> {
  try {
    return await run;
  } catch (error) {
    const code = errnoOf(error);
    if (code !== undefined && error instanceof Error && !('code' in error)) {
      throw Object.assign(error, { code });
    }
    throw error;
  }
}

/** Makes it over a namespace. */
export function gitFiles(fs: NamespaceFs): PromiseFsClient {
  const readFile = async (path: string | undefined, options?: string | { encoding?: string }) => {
    // How it finds out whether functions give promises.
    if (path === undefined) throw new TypeError('no path');
    const encoding = typeof options === 'string' ? options : options?.encoding;
    const data = Buffer.from(await withCode(fs.readFileBuffer(path)));
    return encoding === 'utf8' ? data.toString('utf8') : data;
  };
  return {
    promises: {
      readFile,
      writeFile: (path: string, data: string | Uint8Array) =>
        withCode(fs.writeFile(path, typeof data === 'string' ? Buffer.from(data) : data)),
      unlink: (path: string) => withCode(fs.rm(path)),
      readdir: (path: string) => withCode(fs.readdir(path)),
      mkdir: (path: string) => withCode(fs.mkdir(path)),
      rmdir: (path: string) => withCode(fs.rm(path)),
      stat: async (path: string) => statOf(await withCode(fs.stat(path))),
      lstat: async (path: string) => statOf(await withCode(fs.lstat(path))),
      readlink: (path: string) => withCode(fs.readlink(path)),
      symlink: (target: string, path: string) => withCode(fs.symlink(target, path)),
      chmod: (path: string, mode: number) => withCode(fs.chmod(path, mode)),
    },
  };
}
