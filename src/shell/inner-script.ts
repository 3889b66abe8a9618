/** Scripts that run inside a script, on its own interpreter: substitutions, `eval`, `source` and `./x.sh`. */
import { parse, type ScriptNode, type StatementNode } from 'just-bash';
import { endingWith } from './exec.ts';
import { withOwnTraps } from './exit-trap.ts';
import type { Run } from './frame.ts';
import type { CommandResult } from './interpreter-types.ts';
import { intoPipe, recounted } from './results.ts';
import { isAbort } from './run.ts';

/** A script in a subshell. */
export function subshellScript(script: string): ScriptNode {
  const { statements: body } = parse(script);
  const pipelines: StatementNode['pipelines'] = [
    { type: 'Pipeline', commands: [{ type: 'Subshell', body, redirections: [] }], negated: false },
  ];
  return {
    type: 'Script',
    statements: [{ type: 'Statement', pipelines, operators: [], background: false }],
  };
}

/** A script inside a script: `eval`, `source` and `./x.sh` inherit; a substitution's output is a word. */
export async function executeInner(
  run: Run,
  node: ScriptNode,
  original: () => Promise<CommandResult>,
): Promise<CommandResult> {
  const outer = run.frame;
  // A line that an error ended is one of the script around.
  const { discarded, aliasing } = run;
  const { reading } = aliasing;
  run.discarded = null;
  aliasing.reading = { last: 0, at: ++aliasing.lines };
  try {
    if (outer.expanding) return await substitute(run, node, original);
    const result = await original();
    // just-bash ends the text of `eval` alone.
    if (run.unbound === null) return result;
    throw endingWith(run.unbound, result);
  } finally {
    run.discarded = discarded;
    aliasing.reading = reading;
    if (outer.expanding) run.unbound = null;
  }
}

async function substitute(
  run: Run,
  node: ScriptNode,
  original: () => Promise<CommandResult>,
): Promise<CommandResult> {
  const outer = run.frame;
  outer.substituted = true;
  run.frame = {
    ...outer,
    stdout: false,
    stderr: false,
    joined: false,
    expanding: false,
    raw: false,
    kept: null,
  };
  const isProcess = isProcessBody(outer.node, node);
  const { options, shoptOptions, startTime } = run.ctx.state;
  const errexit = options['errexit'] === true;
  // What fails in `$( … )` ends it only where that was asked for.
  const inherits = isProcess || options['posix'] === true || shoptOptions['inherit_errexit'];
  if (errexit && inherits !== true) options['errexit'] = false;
  try {
    const result = await withOwnTraps(run, original);
    // `$( … )` is text; `<( … )` is a file, for which the escapes must be bytes again.
    if (isProcess)
      return result.stdout.isWellFormed() ? result : recounted(intoPipe(result, false));
    return result.stdout.includes('\0') ? withoutNul(result) : result;
  } finally {
    if (errexit) options['errexit'] = true;
    run.ctx.state.startTime = startTime;
    outer.flow ??= isAbort(run.frame.flow) ? run.frame.flow : null;
    run.frame = outer;
  }
}

/** A word holds no NUL. */
function withoutNul(result: CommandResult): CommandResult {
  const warning = 'bash: warning: command substitution: ignored null byte in input\n';
  const stdout = result.stdout.replaceAll('\0', '');
  return recounted({ ...result, stdout, stderr: result.stderr + warning });
}

/** Is the script the body of a process substitution somewhere in the command? */
function isProcessBody(within: unknown, body: ScriptNode): boolean {
  if (typeof within !== 'object' || within === null) return false;
  const part = within as { type?: unknown; body?: unknown };
  if (part.type === 'ProcessSubstitution' && part.body === body) return true;
  return Object.values(within).some((inner) => isProcessBody(inner, body));
}
