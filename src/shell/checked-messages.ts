/** Messages of what is missing, held against the file system. */
import type { NamespaceFs } from '../namespace/types.ts';
import type { Run } from './frame.ts';
import type { CommandResult } from './interpreter-types.ts';
import { withTrueMessages } from './messages.ts';

/** A result whose messages say of each operand what the file system says of it now. */
export async function withCheckedMessages(
  result: CommandResult,
  name: string,
  run: Run,
  fs: NamespaceFs,
): Promise<CommandResult> {
  const mark = fs.errorMark();
  const checked = await withTrueMessages(result, name, (operand) =>
    fs.stat(fs.resolvePath(run.ctx.state.cwd, operand)),
  );
  // What this look met is not the command's.
  for (const error of fs.errorsSince(mark)) run.line.told.add(error);
  return checked;
}
