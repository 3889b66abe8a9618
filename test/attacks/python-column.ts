/** Operations on files by Python's own functions. */
import type { FileOperation } from './attempt.ts';

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** A program of Python with its arguments, as a script of the shell. */
const program = (code: string, ...args: readonly string[]): string =>
  ['python3', '-c', code, ...args].map(quoted).join(' ');

/** An operation in Python, as a script of the shell. */
export function operationInPython(operation: FileOperation): string {
  const { path } = operation;
  const run = (code: string, ...args: readonly string[]): string =>
    program(
      `import os, shutil, sys\nfrom pathlib import Path\np, *a = sys.argv[1:]\n# A directory that is not there has no parent for a program, as it has for the shell.\np = os.path.normpath(p)\n${code}`,
      path,
      ...args,
    );
  switch (operation.op) {
    case 'write':
      return run('with open(p, "w") as f: f.write(a[0])', operation.text);
    case 'append':
      return run('with open(p, "a") as f: f.write(a[0])', operation.text);
    case 'edit':
      return run(
        'text = Path(p).read_text().replace(a[0], a[1])\nwith open(p, "w") as f: f.write(text)',
        operation.old,
        operation.text,
      );
    case 'read':
      return run('sys.stdout.write(open(p).read())');
    case 'list':
      return run('print(*os.listdir(p), sep="\\n")');
    case 'remove':
      return run('os.remove(p)');
    case 'mkdir':
      return run('os.mkdir(p)');
    case 'readlink':
      return run('print(os.readlink(p))');
    case 'touch':
      return run('os.utime(p, (978307200, 978307200))');
    case 'chmod':
      return run('os.chmod(p, int(a[0]))', String(operation.mode));
    case 'move':
      return run('os.rename(p, a[0])', operation.to);
    case 'copy':
      return run('shutil.copyfile(p, a[0])', operation.to);
    case 'symlink':
      return run('os.symlink(a[0], p)', operation.to);
    case 'link':
      // This build of Python makes no hard links by itself.
      return run(
        'import subprocess\nsys.exit(subprocess.run(["ln", p, a[0]]).returncode)',
        operation.to,
      );
  }
}
