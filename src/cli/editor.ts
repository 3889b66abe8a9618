/** The person's own editor, on a copy of a file of the world. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nameOf } from '../paths.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Opens a text in `$VISUAL`, `$EDITOR` or vi, and waits for its end.
 * @param path by whose name editors know what kind of text it is
 * @returns the text as it was left; null where the editor failed
 */
export async function editText(
  path: string,
  text: string,
  env: Environment,
): Promise<string | null> {
  const directory = mkdtempSync(join(tmpdir(), 'dirigent-edit-'));
  try {
    const file = join(directory, nameOf(path).replaceAll('\0', '') || 'text');
    writeFileSync(file, text, { mode: 0o600 });
    const editor = env['VISUAL'] || env['EDITOR'] || 'vi';
    // It may be more than one word, as for git: `code --wait`.
    const child = spawn('/bin/sh', ['-c', `${editor} "$1"`, 'sh', file], { stdio: 'inherit' });
    const [code] = await once(child, 'exit');
    return code === 0 ? readFileSync(file, 'utf8') : null;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
