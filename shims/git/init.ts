/** git init */
import type { GitCommand } from './call.ts';
import { Repository } from './repository.ts';

export const init: GitCommand = async (call) => {
  const { options, operands } = call.options({
    short: 'qb:',
    long: { quiet: 'q', 'initial-branch': 'b:' },
  });
  const { tool, git } = call;
  const dir = operands[0] === undefined ? call.cwd : tool.path(operands[0]);
  const gitdir = dir === '/' ? '/.git' : `${dir}/.git`;
  const again = await tool.fs.exists(gitdir);
  if (!(await tool.fs.exists(dir))) await tool.fs.mkdir(dir, { recursive: true });
  const defaultBranch = options.get('b') ?? call.settings.get('init.defaultbranch') ?? 'master';
  if (!again) {
    const { at } = new Repository(git, tool, dir, call.settings);
    await git.init({ ...at, defaultBranch });
    // The engine takes the file system for one without modes, links and cases; here there are all of them.
    for (const [path, value] of [
      ['core.filemode', true],
      ['core.logallrefupdates', true],
      ['core.symlinks', undefined],
      ['core.ignorecase', undefined],
    ] as const)
      await git.setConfig({ ...at, path, value });
  }
  if (!options.has('q')) {
    tool.print(
      `${again ? 'Reinitialized existing' : 'Initialized empty'} Git repository in ${gitdir}/\n`,
    );
  }
};
