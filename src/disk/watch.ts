/** Changes in one directory of the host, as the system tells them. */
import fs from 'node:fs';

/**
 * @param changed told each name of which something changed; null where it may be any
 * @returns ends it; null where the system watches nothing more
 */
export function watchDirectory(
  host: string,
  changed: (name: string | null) => void,
): (() => void) | null {
  try {
    const watcher = fs.watch(host, { persistent: false, recursive: false });
    watcher.on('change', (_event, name) => changed(typeof name === 'string' ? name : null));
    watcher.on('error', () => changed(null));
    return () => watcher.close();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT' && code !== 'ENOTDIR') return null;
    // It is gone: whoever looks at it finds out.
    changed(null);
    return () => undefined;
  }
}
