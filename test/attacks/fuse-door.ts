/** An attacker in a mounted world: a program of the host, which does one operation by its system calls. */
import { execFile } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Doorway } from '../../src/doors/door.ts';
import { openMount } from '../../src/doors/fuse/door.ts';
import type { Principal } from '../../src/doors/principal.ts';
import { temporaryDirectory } from '../world/harness.ts';
import type { FileOperation } from './attempt.ts';
import type { Door, Outcome } from './columns.ts';

const run = promisify(execFile);

/** Prints what was read. A failure is its text, and what the mount says of the paths that it is about. */
const PROGRAM = `
import errno, json, os, shutil, sys
at, operation = sys.argv[1], json.loads(sys.argv[2])
to, op, path = operation.get('to'), operation['op'], at + operation['path']
# The kernel goes through what stands before '..'; what is not there, programs leave out themselves.
if not os.path.lexists(os.path.dirname(path)): path = os.path.normpath(path)
def put(mode, text):
    with open(path, mode) as file: file.write(text)
def get():
    with open(path, errors='surrogateescape') as file: return file.read()
def move():
    try: os.rename(path, at + to)
    except OSError as error:
        if error.errno != errno.EXDEV: raise
        shutil.copyfile(path, at + to)
        os.unlink(path)
try:
    if op == 'write': put('w', operation['text'])
    elif op == 'append': put('a', operation['text'])
    elif op == 'edit': put('w', get().replace(operation['old'], operation['text'], 1))
    elif op == 'read': sys.stdout.write(get())
    elif op == 'list': print(*os.listdir(path), sep=',')
    elif op == 'remove': os.rmdir(path) if os.path.isdir(path) and not os.path.islink(path) else os.unlink(path)
    elif op == 'mkdir': os.mkdir(path)
    elif op == 'readlink': print(os.readlink(path))
    elif op == 'touch': os.utime(path, (978307200, 978307200))
    elif op == 'chmod': os.chmod(path, operation['mode'])
    elif op == 'move': move()
    elif op == 'copy': shutil.copyfile(path, at + to)
    elif op == 'symlink': os.symlink(to, path)
    else: raise ValueError(op)
except OSError as error:
    print(f'{operation["path"]}: {os.strerror(error.errno)}')
    named = [path] + ([at + to] if op in ('move', 'copy') else [])
    for each in dict.fromkeys(named + [os.path.dirname(name) for name in named]):
        try: print(os.getxattr(each, 'user.dirigent.error', follow_symlinks=False).decode())
        except OSError: pass
    sys.exit(1)
`;

/** Its file system, entered by a principal. */
export async function openFuse(doorway: Doorway, principal: Principal): Promise<Door> {
  const directory = mkdtempSync(join(temporaryDirectory(), 'mounted-'));
  const mount = await openMount(doorway, { directory, principal, onTrouble: () => undefined });
  return {
    labels: false,
    lacks: ['link'],
    file: (operation) => outcomeOf(mount.directory, operation),
    close: () => mount.close(),
  };
}

async function outcomeOf(directory: string, operation: FileOperation): Promise<Outcome> {
  const args = ['-c', PROGRAM, directory, JSON.stringify(operation)];
  try {
    const { stdout } = await run('python3', args, { maxBuffer: 2 ** 28 });
    return { failed: false, text: stdout, origins: [] };
  } catch (error) {
    // What has no status was no program that ended.
    if (typeof (error as { code?: unknown }).code !== 'number') throw error;
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    return { failed: true, text: `${stdout}${stderr}`, origins: [] };
  }
}
