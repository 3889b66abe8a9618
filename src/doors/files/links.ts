/**
 * Targets of links. In the world `/workspace/a` is one path; to a program on the
 * host it is `DIR/workspace/a`. A link is kept as the world means it, and shown
 * as the host finds it.
 */
import { isWithin, parentOf, resolvePath } from '../../paths.ts';

/** As the world keeps it. @param directory where programs see the world; '' where it is their root */
export function targetFromHost(target: string, directory: string): string {
  if (directory === '') return target;
  if (!isWithin(directory, target)) return target;
  return target.slice(directory.length) || '/';
}

/**
 * As a program on the host is to follow it: never out of the world, where `..` of the root is the root.
 * @param path of the link
 */
export function targetForHost(target: string, path: string, directory: string): string {
  const above = parentOf(path);
  const names = target.split('/');
  const climbs = names.findIndex((name) => name !== '..');
  const up = climbs < 0 ? names.length : climbs;
  const depth = above === '/' ? 0 : above.split('/').length - 1;
  // What climbs behind a name may do so from wherever a link has led.
  const stays = !target.startsWith('/') && up <= depth && !names.slice(up).includes('..');
  if (stays) return target;
  const inside = resolvePath(above, target);
  return inside === '/' ? directory || '/' : directory + inside;
}
