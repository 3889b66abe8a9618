/** `<( … )`: files that only the running command has, beside those of the namespace. */
import type { IFileSystem } from 'just-bash';
import type { NamespaceFs } from '../../src/namespace/types.ts';

/** What `<( … )` and `>( … )` become in the arguments. */
const DESCRIPTOR = /^\/dev\/fd\/\d+$/;

/**
 * The file system for one run of a command.
 * @param own the file system in the command's context, the one that has the descriptors
 */
export function withDescriptors(
  fs: NamespaceFs,
  own: IFileSystem,
  args: readonly string[],
): NamespaceFs {
  if (!args.some((arg) => DESCRIPTOR.test(arg))) return fs;
  return new Proxy(Object.create(null) as NamespaceFs, {
    get(_none, property) {
      return (...given: unknown[]): unknown => {
        const [path] = given;
        const isOwn = typeof path === 'string' && DESCRIPTOR.test(path);
        // The namespace walks and prefetches; a descriptor is one file.
        if (isOwn && property === 'walk') return null;
        if (isOwn && property === 'prefetch') return Promise.resolve();
        const from: IFileSystem = isOwn && property in own ? own : fs;
        const method: unknown = Reflect.get(from, property);
        if (typeof method !== 'function') throw new TypeError(`no method ${String(property)}`);
        return method.apply(from, given);
      };
    },
  });
}
