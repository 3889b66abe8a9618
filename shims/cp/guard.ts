/** How cp and mv keep what stands where they write: under another name. */
import { dirOf } from '../basename/index.ts';
import { type Options, wordOf } from '../support/getopt.ts';
import type { Tool } from '../support/tool.ts';

/** Each method, with another word for it. */
const METHODS = [
  ['none', 'off'],
  ['simple', 'never'],
  ['existing', 'nil'],
  ['numbered', 't'],
] as const;

/** How what is overwritten is kept. */
export interface Backup {
  method: 'simple' | 'existing' | 'numbered';
  suffix: string;
}

/** What `-b`, `--backup` and `-S` say; undefined where nothing is kept. */
export function backupOf(tool: Tool, options: Options): Backup | undefined {
  if (!options.has('b') && !options.has('backup') && !options.has('S')) return undefined;
  const { env } = tool.ctx;
  const word = options.get('backup') || env.get('VERSION_CONTROL') || 'existing';
  const method = wordOf('backup type', word, METHODS);
  const suffix = options.get('S') || env.get('SIMPLE_BACKUP_SUFFIX') || '~';
  return method === 'none' ? undefined : { method, suffix };
}

/** Moves what is there out of the way. @returns what to print behind the names */
export async function keep(tool: Tool, to: string, { method, suffix }: Backup): Promise<string> {
  const target = tool.path(to);
  const base = target.slice(target.lastIndexOf('/') + 1);
  const names = await tool.fs.readdir(dirOf(target));
  const numbers = names
    .filter((name) => name.startsWith(`${base}.~`))
    .map((name) => Number(/^\.~(\d+)~$/.exec(name.slice(base.length))?.[1] ?? 0));
  const last = Math.max(0, ...numbers);
  const isNumbered = method === 'numbered' || (method === 'existing' && last > 0);
  const end = isNumbered ? `.~${last + 1}~` : suffix;
  await tool.fs.mv(target, target + end);
  return ` (backup: '${to}${end}')`;
}
