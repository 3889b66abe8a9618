/** When errors of the file system are put into a command's result: after the command, and after its redirections. */
import type { CommandNode } from 'just-bash';
import type { FsError } from '../errors.ts';
import type { NamespaceFs } from '../namespace/types.ts';
import { withTrueErrors } from './errors-to-stderr.ts';
import type { Frame, Run } from './frame.ts';
import type { CommandResult } from './interpreter-types.ts';

/** Commands whose status 1 means "no": their trouble is 2. */
const TROUBLE_IS_2 = new Set(['grep', 'egrep', 'fgrep', 'rg', 'diff', 'cmp', 'test', '[']);
/** bash names itself before these. */
const BUILTINS = new Set(
  '. : [ builtin cd command declare dirs eval exec export local mapfile popd pushd read readarray readonly source test type typeset unset'.split(
    ' ',
  ),
);

/** Where just-bash tries to put what `<( … )` prints, before it takes a place of its own for it. */
const PROBED = /^\/dev\/fd(?:\/\d+)?$/;

/** Errors since a mark that must reach stderr and have not. */
export function untold(run: Run, mark: number, fs: NamespaceFs): FsError[] {
  return fs
    .errorsSince(mark)
    .filter((error) => error.loud && !run.line.told.has(error) && !PROBED.test(error.path));
}

/**
 * After a command, before its redirections (so `2> /dev/null` holds): its own
 * errors decide its status, those of its words' expansion (`cat /refused/*`)
 * are told without.
 */
export function settleRun(
  result: CommandResult,
  args: readonly string[],
  run: Run,
  frame: Frame,
  entry: number,
  fs: NamespaceFs,
): CommandResult {
  const errors = untold(run, frame.mark, fs);
  if (errors.length === 0) return result;
  const own = new Set(fs.errorsSince(entry));
  const blame = {
    cwd: run.ctx.state.cwd,
    resolve: (base: string, path: string) => fs.resolvePath(base, path),
  };
  for (const error of errors) run.line.told.add(error);
  const expanded = withTrueErrors(
    result,
    errors.filter((error) => !own.has(error)),
    { ...blame, speaker: 'bash', words: [], failure: null },
  );
  const mended = withTrueErrors(
    expanded,
    errors.filter((error) => own.has(error)),
    {
      ...blame,
      speaker: speakerOf(frame.name),
      words: [...args, frame.name],
      failure: TROUBLE_IS_2.has(frame.name) ? 2 : 1,
    },
  );
  // `./x.sh` that may not be read: 126, as for any file that cannot be run.
  const unreadable = frame.name.includes('/') && mended.exitCode === 127;
  return unreadable ? { ...mended, exitCode: 126 } : mended;
}

/** After a command with its redirections, or after a whole line (node null): what the interpreter itself met. */
export function settleCommand(
  result: CommandResult,
  node: CommandNode | null,
  run: Run,
  frame: Frame,
  fs: NamespaceFs,
): CommandResult {
  const errors = untold(run, frame.mark, fs);
  if (errors.length === 0) return result;
  for (const error of errors) run.line.told.add(error);
  const words =
    node !== null && 'redirections' in node
      ? node.redirections.flatMap(({ target }) =>
          target.type === 'HereDoc'
            ? []
            : target.parts.flatMap((part) => ('value' in part ? [part.value] : [])),
        )
      : [];
  return withTrueErrors(result, errors, {
    speaker: 'bash',
    cwd: run.ctx.state.cwd,
    words,
    resolve: (base, path) => fs.resolvePath(base, path),
    // An answer of `[[ … ]]` that rests on a failed look is none.
    failure: node?.type === 'ConditionalCommand' ? 2 : null,
  });
}

function speakerOf(name: string): string {
  if (name.includes('/')) return 'bash';
  return BUILTINS.has(name) ? `bash: ${name}` : name;
}
