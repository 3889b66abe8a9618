/** A stand-in for the namespace in this directory's tests: memory, with refusals below /harness. */
import { type IFileSystem, type InitialFiles, InMemoryFs } from 'just-bash';
import { FsError } from '../errors.ts';
import type { NamespaceFs } from '../namespace/types.ts';

const REASON = 'mode ro of /harness';
const PATH_METHODS = [
  'readFile',
  'readFileBytes',
  'readFileBuffer',
  'writeFile',
  'appendFile',
  'stat',
  'lstat',
  'mkdir',
  'readdir',
  'readdirWithFileTypes',
  'rm',
  'chmod',
  'utimes',
  'readlink',
  'realpath',
] as const;
const TWO_PATHS = ['cp', 'mv', 'link', 'symlink'] as const;

/** Refuses everything at /harness/x, /harness/y …; `/harness` itself can be looked at. */
export function testFs(files: InitialFiles = {}): NamespaceFs {
  const base = new InMemoryFs({ '/harness/seed': 'seed\n', '/work/a.txt': 'alpha\n', ...files });
  const errors: FsError[] = [];
  const refuse = (path: string, op: string): never => {
    const error = new FsError('EACCES', { path, op, reason: REASON, rule: REASON });
    errors.push(error);
    throw error;
  };
  const check = (path: string, op: string) => {
    const absolute = base.resolvePath('/', path);
    if (absolute.startsWith('/harness/')) refuse(absolute, op);
  };
  const fs = new Proxy(base, {
    get(target, property) {
      const value: unknown = target[property as keyof IFileSystem];
      if (['endlessRead', 'noteEndless', 'enough'].includes(String(property))) return () => null;
      if (property === 'errorMark') return () => errors.length;
      if (property === 'errorsSince') return (mark: number) => errors.slice(mark);
      if (property === 'exists') {
        return async (path: string) => {
          try {
            check(path, 'access');
          } catch {
            return false;
          }
          return target.exists(path);
        };
      }
      if (property === 'separately') return (run: () => unknown) => run();
      if (property === 'prefetch') return async () => [];
      if (property === 'flush') return async () => undefined;
      if (property === 'heldMark') return () => 0;
      if (property === 'checkRemoval') return async () => false;
      if (property === 'costly') return () => false;
      if (property === 'walk') return () => null;
      if (property === 'searchable') return () => false;
      if (typeof value !== 'function') return value;
      return (...args: unknown[]) => {
        const [first, second] = args;
        const name = String(property);
        if (PATH_METHODS.some((one) => one === name)) {
          try {
            check(String(first), name);
          } catch (error) {
            return Promise.reject(error);
          }
        }
        if (TWO_PATHS.some((one) => one === name)) {
          try {
            check(String(second), name);
          } catch (error) {
            return Promise.reject(error);
          }
        }
        return value.apply(target, args);
      };
    },
  });
  return fs as unknown as NamespaceFs;
}
