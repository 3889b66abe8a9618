/** What the files of an editor's directory are called: by the editor, and by the agent. */
import { fileURLToPath } from 'node:url';
import type { BufferedDirectory } from '../../disk/buffers.ts';
import { isInside } from '../../disk/host.ts';
import { isWithin } from '../../paths.ts';

/** One way and the other; what is elsewhere is called the same by both. */
export interface Names {
  /** The editor's path of one of the agent's, so that it can be opened there. */
  outside(path: string): string;
  /** The agent's path of a file that an editor's URI names, with the fragment that says where in it. */
  inside(uri: string): string;
}

/** @param mounted the editor's directory, where the agent has it */
export function namesOf(
  mounted: Pick<BufferedDirectory, 'directory' | 'point'> | undefined,
): Names {
  if (mounted === undefined) return { outside: (path) => path, inside: (uri) => uri };
  const { directory, point } = mounted;
  return {
    outside: (path) => (isWithin(point, path) ? directory + path.slice(point.length) : path),
    inside: (uri) => {
      const url = URL.parse(uri);
      const file = url === null ? null : fileOf(url);
      if (url === null || file === null) return uri;
      return isInside(directory, file) ? point + file.slice(directory.length) + url.hash : uri;
    },
  };
}

/** null where it is no URL of a file on this machine. */
function fileOf(url: URL): string | null {
  if (url.protocol !== 'file:' || url.host !== '') return null;
  try {
    return fileURLToPath(url);
  } catch {
    // What is written with % is no name that a file can have.
    return null;
  }
}
