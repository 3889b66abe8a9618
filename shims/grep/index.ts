/** The commands grep, egrep, fgrep and rg. */
import { type Command, DefenseInDepthBox, defineCommand } from 'just-bash';
import type { ShimFactory, ShimHost } from '../../src/shell/command.ts';
import { withDescriptors } from '../support/descriptors.ts';
import { LineKernel, madeWhenWorth } from '../support/literal/line-kernel.ts';
import { TextIndex } from '../support/literal/trigrams/text-index.ts';
import { isByteLocale } from '../support/locale.ts';
import { runRg } from './rg.ts';
import { type Outcome, runGrep, type Surroundings } from './run.ts';
import { isSemantic, namesFiles, searchByMeaning } from './semantic.ts';
import { isTypedPattern, linesOfPattern } from './typed-pattern.ts';

/** grep's status when no line was selected and nothing went wrong. */
const NOTHING = 1;

/** What a command is given by the shell, as far as these commands use it. */
interface Given {
  cwd: string;
  env: Map<string, string>;
  stdin: string;
}

/** What the commands of one world share. */
type Shared = Required<Pick<Surroundings, 'index' | 'kernelFor'>>;

function surroundings(given: Given, shared: Shared): Surroundings {
  return {
    cwd: given.cwd,
    stdin: given.stdin,
    ...shared,
    piped: (given.env.get('DIRIGENT_IO') ?? '').includes('p'),
    bytes: isByteLocale(given.env),
  };
}

function result(outcome: Outcome): Outcome & { stdoutKind: 'bytes' } {
  return { ...outcome, stdoutKind: 'bytes' };
}

/** egrep and fgrep are grep with a first option. */
function grepCommand(name: string, before: string[], host: ShimHost, shared: Shared): Command {
  return defineCommand(name, async (args, ctx) => {
    const io = surroundings(ctx as unknown as Given, shared);
    const literally = (): Promise<Outcome> =>
      runGrep(withDescriptors(host.fs, ctx.fs, args), [...before, ...args], io);
    if (name !== 'grep' || !isSemantic(args, host, io)) return result(await literally());
    if (await namesFiles(args, host, io)) {
      const found = await literally();
      if (found.exitCode !== NOTHING) return result(found);
    }
    if (isTypedPattern(args[0] ?? '')) {
      const found = await linesOfPattern(args, withDescriptors(host.fs, ctx.fs, args), io);
      if (found !== null) return result(found);
    }
    return result(await searchByMeaning(args, host, io));
  });
}

/** Makes the grep family for one world. */
export const grepShims: ShimFactory = (host) => {
  const shared: Shared = {
    index: new TextIndex(),
    // No command may compile anything: this is the host's own code.
    kernelFor: madeWhenWorth(() => DefenseInDepthBox.runTrusted(() => new LineKernel())),
  };
  return [
    grepCommand('grep', [], host, shared),
    grepCommand('egrep', ['-E'], host, shared),
    grepCommand('fgrep', ['-F'], host, shared),
    defineCommand('rg', async (args, ctx) =>
      result(
        await runRg(
          withDescriptors(host.fs, ctx.fs, args),
          args,
          surroundings(ctx as unknown as Given, shared),
        ),
      ),
    ),
  ];
};
