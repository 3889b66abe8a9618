/** run: a program of the host, on the files of the world and nothing else of the host's. */
import { DefenseInDepthBox, defineCommand } from 'just-bash';
import { ConfigError } from '../../src/errors.ts';
import type { ShimFactory } from '../../src/shell/command.ts';
import { Tool, toBuffer } from '../support/tool.ts';

const USAGE_STATUS = 125;
const CANNOT_START = 126;
const NOT_THERE = 127;

/** Options are the program's: `run` has none but `--help`. */
export const runShims: ShimFactory = ({ programs, ...host }) => [
  defineCommand('run', async (args, ctx) => {
    const tool = new Tool('run', args, host, ctx);
    const names = programs?.names ?? [];
    const [name = '', ...rest] = args;
    if (name === '--help') {
      tool.print(help(names));
      return tool.result();
    }
    if (programs === undefined || programs === null || !names.includes(name)) {
      const which = names.length === 0 ? 'none' : names.join(', ');
      if (name === '') tool.fail(`run PROGRAM [ARGUMENT]…; there are ${which}`, USAGE_STATUS);
      else
        tool.fail(
          `${name}: no program that this world may run; there are ${which}. Who deploys it names them: programs: { host: […] }`,
          NOT_THERE,
        );
      return tool.result();
    }
    const program = {
      name,
      args: rest,
      cwd: ctx.cwd,
      env: { ...ctx.exportedEnv },
      stdin: toBuffer(tool.stdin),
    };
    try {
      // What waits for the host is no script's.
      const end = await DefenseInDepthBox.runTrustedAsync(() => programs.run(program, ctx.signal));
      tool.write(Buffer.from(end.stdout).toString('latin1'));
      tool.stderr += Buffer.from(end.stderr).toString('utf8');
      tool.status = end.exitCode;
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      tool.fail(`${name}: ${error.message}`, CANNOT_START);
    }
    return tool.result();
  }),
];

const help = (names: readonly string[]): string => `Usage: run PROGRAM [ARGUMENT]...
Run a program of the host on the files of this world: it sees the world's files at their paths and
nothing else of the host but what programs need to start, has no network, and each file that it
opens passes the policy. It ends with this command.

Programs: ${names.join(', ')}
`;
