/** The namespace as just-bash sees it: the same, but text with escaped bytes is written as those bytes. */
import type { FsStat, IFileSystem } from 'just-bash';
import type { DoorFs } from '../namespace/types.ts';
import { bytesFromText } from './bytes.ts';

type Content = Parameters<IFileSystem['writeFile']>[1];
type Options = Parameters<IFileSystem['writeFile']>[2];

/** A longer file is taken for data. */
const LONGEST_SCRIPT = 1_000_000;

/** Of a class of its own: just-bash copies plain objects, own properties alone, before commands see them. */
class Facade {}

/**
 * Redirections hand the output of a command to `writeFile` and `appendFile` as
 * text; see bytes.ts for why it may hold escaped bytes.
 */
export function withExactWrites(
  fs: IFileSystem,
  onScript: (text: string) => void = () => undefined,
): IFileSystem {
  const own = new Map<PropertyKey, unknown>([
    ['stat', async (path: string) => asAllowed(await fs.stat(path), path, fs)],
    [
      'readFile',
      async (path: string, options?: Parameters<IFileSystem['readFile']>[1]) => {
        const text = await fs.readFile(path, options);
        // Of a script that is run, just-bash keeps the parsed form alone.
        if (text.length <= LONGEST_SCRIPT && text.includes('=(')) onScript(text);
        return text;
      },
    ],
    [
      'writeFile',
      (path: string, content: Content, options?: Options) =>
        fs.writeFile(path, exact(content), isEscaped(content) ? undefined : options),
    ],
    [
      'appendFile',
      (path: string, content: Content, options?: Options) =>
        fs.appendFile(path, exact(content), isEscaped(content) ? undefined : options),
    ],
  ]);
  // Not around the namespace: a proxy of a frozen object may not answer with other functions.
  return new Proxy(new Facade() as unknown as IFileSystem, {
    has: (_none, property) => property in fs,
    get(_none, property) {
      const known = own.get(property);
      if (known !== undefined) return known;
      // Bound to the namespace itself: a class with private fields does not work on a proxy.
      const value: unknown = fs[property as keyof IFileSystem];
      if (typeof value !== 'function') return value;
      const bound: unknown = value.bind(fs);
      own.set(property, bound);
      return bound;
    },
  });
}

/** All that a mode can allow to read and write; and to run, where anybody may. */
const READ = 0o400;
const READ_AND_WRITE = 0o600;
const RUN = 0o111;

/**
 * Attributes as the shell's own questions take them (`test -r`): in memory nobody is kept from a file
 * by its mode, and it would be wrong to say so. On a disk the host decides by the mode.
 */
async function asAllowed(stat: FsStat, path: string, fs: IFileSystem): Promise<FsStat> {
  const runs = (stat.mode & RUN) === 0 ? 0 : RUN;
  const all = stat.mode | READ_AND_WRITE | runs;
  if (stat.mode === all || !knowsPlaces(fs)) return stat;
  const place = await fs.locate(path);
  if (place.kind !== 'memory') return stat;
  return { ...stat, mode: place.mode === 'ro' ? stat.mode | READ | runs : all };
}

const knowsPlaces = (fs: IFileSystem): fs is IFileSystem & DoorFs => 'locate' in fs;

function isEscaped(content: Content): boolean {
  return typeof content === 'string' && !content.isWellFormed();
}

function exact(content: Content): Content {
  return typeof content === 'string' && isEscaped(content)
    ? Buffer.from(bytesFromText(content), 'latin1')
    : content;
}
