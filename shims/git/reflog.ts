/** git reflog: where HEAD or a branch has been. */
import type { GitCommand } from './call.ts';
import { GitFault } from './fault.ts';
import { movesOf, refOf } from './moves.ts';
import { shortOid, unknownRevision } from './revision.ts';

export const reflog: GitCommand = async (call) => {
  const { options, operands } = call.options({
    short: 'n:',
    digits: true,
    long: { 'max-count': 'n:', 'no-abbrev': 'no-abbrev', oneline: 'oneline', all: 'all' },
  });
  const [verb, ...rest] = operands;
  if (verb === 'expire' || verb === 'delete' || options.has('all'))
    throw new GitFault(
      `git reflog ${verb ?? '--all'} cannot be done here: git reflog shows HEAD's`,
    );
  const repo = await call.repository();
  const isBare = verb !== 'show' && verb !== 'exists';
  const name = (isBare ? verb : rest[0]) ?? 'HEAD';
  const ref = refOf(name);
  const moves = await movesOf(repo, ref);
  if (verb === 'exists') {
    call.tool.status = moves.length > 0 ? 0 : 1;
    return;
  }
  if (moves.length === 0 && (await repo.tryResolve(ref)) === null) throw unknownRevision(name);
  const most = Number(options.get('n') ?? options.get('digits') ?? moves.length);
  for (const [index, { after, message }] of moves.slice(0, most).entries()) {
    const id = options.has('no-abbrev') ? after : await shortOid(repo, after);
    call.tool.print(`${id} ${name}@{${index}}: ${message}\n`);
  }
};
