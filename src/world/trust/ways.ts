/** Which names of the host are gone through when a path is followed, and when a module is looked up. */
import fs from 'node:fs';
import { dirname, isAbsolute, join, parse, resolve } from 'node:path';

/** Where a path leads. */
export interface Followed {
  /** Without links, as far as it is there. */
  real: string;
  /** The links that were followed, by their own places; whoever changes one changes where the path leads. */
  links: string[];
}

/** More links than the system would follow. */
const MOST_LINKS = 64;

/** Follows a path of the host, which need not exist. */
export function follow(path: string): Followed {
  const links: string[] = [];
  const rest = namesOf(resolve(path));
  let real = parse(resolve(path)).root;
  for (let name = rest.shift(); name !== undefined; name = rest.shift()) {
    if (name === '..') {
      real = dirname(real);
      continue;
    }
    const next = join(real, name);
    const target = links.length < MOST_LINKS ? linkAt(next) : null;
    if (target === null) {
      real = next;
      continue;
    }
    links.push(next);
    if (isAbsolute(target)) real = parse(target).root;
    rest.unshift(...namesOf(target));
  }
  return { real, links };
}

const namesOf = (path: string): string[] =>
  path
    .slice(parse(path).root.length)
    .split('/')
    .filter((name) => name !== '' && name !== '.');

/** What a link says; null for what is none, or is not there. */
function linkAt(path: string): string | null {
  try {
    return fs.lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true
      ? fs.readlinkSync(path)
      : null;
  } catch (error) {
    // Behind something that is no directory, or is closed to us, there is no link that we would follow.
    if (error instanceof Error && 'code' in error) return null;
    throw error;
  }
}

/** A directory and all above it, itself first. */
export function* upFrom(directory: string): Generator<string> {
  for (let at = directory; ; at = dirname(at)) {
    yield at;
    if (dirname(at) === at) return;
  }
}
