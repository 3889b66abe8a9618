/** What this directory's tests share: a shell over the stand-in file system, and results as text. */
import { type Command, defineCommand, type InitialFiles } from 'just-bash';
import {
  createShell,
  type ExecOptions,
  type Shell,
  type ShellOptions,
  type Stream,
} from './shell.ts';
import { testFs } from './test-fs.ts';

export interface TextOutcome {
  stdout: string;
  stderr: string;
  exitCode: number;
}

export interface TestShell {
  shell: Shell;
  /** Output as it came. */
  live: { stream: Stream; text: string }[];
  run(script: string, options?: ExecOptions): Promise<TextOutcome>;
}

/** Prints the letters that a shim may read, in brackets. */
const probe: Command = defineCommand('probe', async (_args, ctx) => ({
  stdout: `[${ctx.env.get('DIRIGENT_IO')}]`,
  stderr: '',
  exitCode: 0,
}));

export function testShell(
  files: InitialFiles = {},
  options: Partial<ShellOptions> = {},
): TestShell {
  const live: TestShell['live'] = [];
  const shell = createShell({
    fs: testFs(files),
    commands: [probe],
    cwd: '/work',
    onOutput: (stream, bytes) => {
      live.push({ stream, text: Buffer.from(bytes, 'latin1').toString() });
    },
    ...options,
  });
  return {
    shell,
    live,
    async run(script, execOptions) {
      const { stdout, stderr, exitCode } = await shell.exec(script, execOptions);
      return {
        stdout: Buffer.from(stdout).toString(),
        stderr: Buffer.from(stderr).toString(),
        exitCode,
      };
    },
  };
}
