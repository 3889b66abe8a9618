/**
 * Targets of links. In the world `/workspace/a` is one path; to a program on the
 * host it is `DIR/workspace/a`. A link is kept as the world means it, and shown
 * as the host finds it.
 */
import { isWithin } from '../../paths.ts';

/** As the world keeps it. @param directory where the world is mounted */
export function targetFromHost(target: string, directory: string): string {
  if (!isWithin(directory, target)) return target;
  return target.slice(directory.length) || '/';
}

/** As a program on the host is to follow it. @param names the names in the root of the world */
export function targetForHost(
  target: string,
  directory: string,
  names: ReadonlySet<string>,
): string {
  if (!target.startsWith('/')) return target;
  const [, first = ''] = target.split('/');
  // What the world has no such directory for is a path of the host's, made by a program there.
  return first === '' || names.has(first) ? directory + (target === '/' ? '' : target) : target;
}
