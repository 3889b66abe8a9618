/** git init */
import type { GitCommand } from './call.ts';

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
  const { gitFiles } = await import('./files.ts');
  const defaultBranch = options.get('b') ?? call.settings.get('init.defaultbranch') ?? 'master';
  if (!again) await git.init({ fs: gitFiles(tool.fs), dir, defaultBranch });
  if (!options.has('q')) {
    tool.print(
      `${again ? 'Reinitialized existing' : 'Initialized empty'} Git repository in ${gitdir}/\n`,
    );
  }
};
