/** Paths of the namespace: absolute, `/`-separated, normalised by text alone. */

/** What a normalised path has not; a name that begins with a dot is looked at more closely. */
const UNTIDY = /\/(?:$|[/.])/;

/** Normalises `path` against `base`: no `.`, no `..`, no double or trailing `/`. */
export function resolvePath(base: string, path: string): string {
  if (path.startsWith('/') && !UNTIDY.test(path)) return path;
  const parts: string[] = [];
  const whole = path.startsWith('/') ? path : `${base}/${path}`;
  for (const part of whole.split('/')) {
    if (part === '' || part === '.') continue;
    if (part === '..') parts.pop();
    else parts.push(part);
  }
  return `/${parts.join('/')}`;
}

/** What an empty path, as a caller gave it, stands for: no path, and nothing is there. */
export const NOWHERE = '/\0';

/** The directory a path is in; `/` for `/`. */
export function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/')) || '/';
}

/** The last component; empty for `/`. */
export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** `directory` joined with one name. */
export function childOf(directory: string, name: string): string {
  return directory === '/' ? `/${name}` : `${directory}/${name}`;
}

/** Is `path` the directory itself or below it? */
export function isWithin(directory: string, path: string): boolean {
  return directory === '/' || path === directory || path.startsWith(`${directory}/`);
}

/** A path as it can be typed in a directory: relative below it, absolute elsewhere. */
export function relativeTo(directory: string, path: string): string {
  if (path === directory || !isWithin(directory, path)) return path;
  return path.slice(directory === '/' ? 1 : directory.length + 1);
}
