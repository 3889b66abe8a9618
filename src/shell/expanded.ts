/** A command with the words expanded that just-bash would expand otherwise than bash. */
import type { CommandNode, WordNode } from 'just-bash';
import type { NamespaceFs } from '../namespace/types.ts';
import { hasOpenName, withName } from './command-names.ts';
import { expandWords, runDeclaring } from './declare.ts';
import { withOwnTraps } from './exit-trap.ts';
import { hasOwnWords, withOwnWords } from './fields.ts';
import type { Run } from './frame.ts';
import { type GlobHost, NoMatch } from './glob/expand.ts';
import { AmbiguousRedirect, hasLists, noMatch, withFoundLists } from './glob/words.ts';
import type { CommandResult, InterpreterState } from './interpreter-types.ts';
import type { Rewrites } from './rewrites.ts';

/** Runs a command once the lists in it are expanded that it will not see itself. */
export async function runExpanded(
  run: Run,
  given: CommandNode,
  rewrites: Rewrites,
  fs: NamespaceFs,
  original: (node: CommandNode) => Promise<CommandResult>,
): Promise<CommandResult> {
  const { state } = run.ctx;
  if (rewrites.hasTraps(given)) return withOwnTraps(run, () => original(given));
  const expand = (words: readonly WordNode[]) => expandWords(words, state, original);
  const named = hasOpenName(given) ? await withName(given, state, expand) : given;
  const node = hasOwnWords(named, state)
    ? await untold(state, () => withOwnWords(named, state, expand))
    : named;
  const traced = state.options['xtrace'] === true;
  if (!hasLists(node, traced)) return runDeclaring(node, state, original);
  let listed: CommandNode;
  try {
    // The trace is of the command, not of how it came about.
    state.options['xtrace'] = false;
    listed = await withFoundLists(node, expand, globHost(run, fs), traced);
  } catch (error) {
    if (error instanceof AmbiguousRedirect) {
      return { stdout: '', stderr: `bash: ${error.message}: ambiguous redirect\n`, exitCode: 1 };
    }
    if (!(error instanceof NoMatch)) throw error;
    return noMatch(error.message);
  } finally {
    state.options['xtrace'] = traced;
  }
  return runDeclaring(listed, state, original);
}

/** Expands words, of which neither a trace nor `$?` tells. */
async function untold<T>(state: InterpreterState, expand: () => Promise<T>): Promise<T> {
  const { lastExitCode } = state;
  const traced = state.options['xtrace'] === true;
  state.options['xtrace'] = false;
  try {
    return await expand();
  } finally {
    state.options['xtrace'] = traced;
    state.lastExitCode = lastExitCode;
    state.env.set('?', String(lastExitCode));
  }
}

/** What a look for file names needs of a run. */
export function globHost({ line, ctx }: Run, fs: NamespaceFs): GlobHost {
  return {
    fs,
    state: ctx.state,
    tick: () => line.tick(),
    stopped: () => line.signal.aborted,
  };
}
