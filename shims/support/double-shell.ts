/** A shell over the test double, with some shims: what their tests run commands in. */
import { Bash } from 'just-bash';
import type { ShimFactory } from '../../src/shell/command.ts';
import { DoubleFs } from './double-fs.ts';

/** What a command gave. */
export interface Ran {
  stdout: string;
  stderr: string;
  exitCode: number;
}

/** A file system and the way to run commands over it. */
export interface DoubleShell {
  fs: DoubleFs;
  run(command: string, signal?: AbortSignal): Promise<Ran>;
}

/** Makes a shell with these shims over these files. It starts in `cwd`. */
export function doubleShell(
  factories: readonly ShimFactory[],
  files: Record<string, string | Uint8Array> = {},
  cwd = '/data',
): DoubleShell {
  const fs = new DoubleFs(files);
  fs.seedDir(cwd);
  const search = {
    ask: async () => ({ answers: [], documents: 0, note: '' }),
    state: async () => ({ documents: 0, chunks: 0, pending: 0 }),
  };
  const customCommands = factories.flatMap((factory) => factory({ fs, search }));
  const env = { HOME: '/data', LC_ALL: 'C.UTF-8', TZ: 'UTC' };
  const bash = new Bash({ fs, cwd, env, customCommands });
  return {
    fs,
    async run(command, signal) {
      const { stdout, stderr, exitCode } = await bash.exec(
        command,
        signal === undefined ? {} : { signal },
      );
      return { stdout, stderr, exitCode };
    },
  };
}
