/** What the kernel asks of extended attributes: `user.dirigent.NAME`. */
import { createHash } from 'node:crypto';
import { FsError } from '../../errors.ts';
import type { FileSystem } from '../files/file-system.ts';
import type { Put } from './answering.ts';
import type { KernelOperations } from './binding.ts';

const PREFIX = 'user.dirigent.';

/** Those that cost no reading of the file. */
const CHEAP = ['origin', 'fresh', 'error'] as const;

/** Extended attributes: those of ours are read, and none is set. */
export function attributeOperations(
  files: FileSystem,
  put: Put,
): Pick<KernelOperations, 'getxattr' | 'listxattr' | 'setxattr' | 'removexattr'> {
  return {
    getxattr: (path, name, _position, answer) => {
      if (!name.startsWith(PREFIX)) return answer(0, null);
      put(path, answer, () => extendedAttribute(files, path, name.slice(PREFIX.length)));
    },
    listxattr: (path, answer) =>
      put(path, answer, async () => {
        const has = async (name: string) => (await extendedAttribute(files, path, name)) !== null;
        const names: string[] = [];
        for (const name of CHEAP) if (await has(name)) names.push(PREFIX + name);
        return [...names, `${PREFIX}version`];
      }),
    setxattr: (path, _name, _value, _position, _flags, answer) =>
      put(path, answer, async () => {
        throw new FsError('ENOTSUP', { path, op: 'setxattr' });
      }),
    removexattr: (path, _name, answer) =>
      put(path, answer, async () => {
        throw new FsError('ENOTSUP', { path, op: 'removexattr' });
      }),
  };
}

/** The value of `user.dirigent.NAME`; null where there is none. */
async function extendedAttribute(
  files: FileSystem,
  path: string,
  name: string,
): Promise<Buffer | null> {
  switch (name) {
    case 'origin': {
      const { kind, point } = await files.locate(path);
      return Buffer.from(`${kind} ${point}`);
    }
    case 'fresh': {
      const { coverage } = await files.locate(path);
      return coverage === null ? null : Buffer.from(coverage);
    }
    case 'error': {
      const sentence = files.sentence(path);
      return sentence === undefined ? null : Buffer.from(sentence);
    }
    case 'version': {
      const bytes = await files.content(path);
      if (bytes === null) return null;
      return Buffer.from(`sha256:${createHash('sha256').update(bytes).digest('hex')}`);
    }
    default:
      return null;
  }
}
