/** git, over the namespace: what needs no other host. */
import { DefenseInDepthBox, defineCommand } from 'just-bash';
import type { ShimFactory } from '../../src/shell/command.ts';
import { strerror, Tool } from '../support/tool.ts';
import { Call, type GitCommand } from './call.ts';
import { type Git, loadGit } from './engine.ts';
import { GitFault } from './fault.ts';

/** The subcommands, each loaded when it runs. */
const COMMANDS: Readonly<Record<string, () => Promise<GitCommand>>> = {
  add: async () => (await import('./stage.ts')).add,
  apply: async () => (await import('./apply.ts')).apply,
  blame: async () => (await import('./blame.ts')).blame,
  branch: async () => (await import('./branch.ts')).branch,
  'cat-file': async () => (await import('./plumbing.ts')).catFile,
  'cherry-pick': async () => (await import('./pick.ts')).cherryPick,
  clean: async () => (await import('./clean.ts')).clean,
  checkout: async () => (await import('./checkout.ts')).checkout,
  commit: async () => (await import('./commit.ts')).commit,
  config: async () => (await import('./config.ts')).config,
  diff: async () => (await import('./diff.ts')).diff,
  'hash-object': async () => (await import('./plumbing.ts')).hashObject,
  init: async () => (await import('./init.ts')).init,
  log: async () => (await import('./log.ts')).log,
  'ls-files': async () => (await import('./plumbing.ts')).lsFiles,
  'ls-tree': async () => (await import('./plumbing.ts')).lsTree,
  merge: async () => (await import('./merge.ts')).merge,
  'merge-base': async () => (await import('./plumbing.ts')).mergeBase,
  mv: async () => (await import('./stage.ts')).move,
  rebase: async () => (await import('./rebase.ts')).rebase,
  reflog: async () => (await import('./reflog.ts')).reflog,
  reset: async () => (await import('./checkout.ts')).reset,
  restore: async () => (await import('./checkout.ts')).restore,
  'rev-parse': async () => (await import('./plumbing.ts')).revParse,
  revert: async () => (await import('./pick.ts')).revert,
  rm: async () => (await import('./stage.ts')).remove,
  show: async () => (await import('./log.ts')).show,
  stash: async () => (await import('./stash.ts')).stash,
  status: async () => (await import('./status.ts')).status,
  switch: async () => (await import('./checkout.ts')).switchTo,
  tag: async () => (await import('./branch.ts')).tag,
};

const NO_NETWORK =
  'there is no network here: repositories of GitHub are mounted, such as /mnt/github/OWNER/REPO/files, and written by editing their files';
/** What git has and this has not, with what to do instead. */
const REFUSED: Readonly<Record<string, string>> = {
  clone: NO_NETWORK,
  fetch: NO_NETWORK,
  pull: NO_NETWORK,
  push: NO_NETWORK,
  remote: NO_NETWORK,
  'ls-remote': NO_NETWORK,
  submodule: NO_NETWORK,
  am: 'use git apply FILE, then git commit -a',
  grep: 'use grep -rn, or rg',
  worktree: 'copy the directory',
  bisect: 'use git checkout COMMIT and git log',
  gc: 'nothing needs to be packed',
  describe: 'use git tag, git log --oneline and git rev-parse --short HEAD',
  shortlog: "use git log --format='%an' | sort | uniq -c | sort -rn",
};

const VERSION = 'git version 2.39.5 (isomorphic-git)\n';

interface Line {
  name: string | undefined;
  args: string[];
  cwd: string;
  settings: Map<string, string>;
}

/** Reads what stands before the subcommand. */
async function readLine(tool: Tool): Promise<Line> {
  const rest = [...tool.args];
  const line: Line = { name: undefined, args: rest, cwd: tool.ctx.cwd, settings: new Map() };
  while (rest[0]?.startsWith('-') === true) {
    const option = rest.shift() ?? '';
    if (option === '-C') {
      const directory = rest.shift();
      if (directory === undefined)
        throw new GitFault("no directory given for '-C' option", 129, 'usage');
      line.cwd = await changed(tool, line.cwd, directory);
    } else if (option === '-c') {
      const [name = '', value = 'true'] = (rest.shift() ?? '').split(/=(.*)/s);
      line.settings.set(name.toLowerCase(), value);
    } else if (option === '--version' || option === '-v') rest.unshift('version');
    else if (option === '--help' || option === '-h') rest.unshift('help');
    else if (
      ![
        '--no-pager',
        '-P',
        '-p',
        '--paginate',
        '--no-optional-locks',
        '--literal-pathspecs',
      ].includes(option)
    )
      throw new GitFault(`unknown option: ${option}`, 129, 'usage');
  }
  line.name = rest.shift();
  return line;
}

/** Where `-C` leads. @throws GitFault where that is no directory */
async function changed(tool: Tool, cwd: string, directory: string): Promise<string> {
  if (directory === '') return cwd;
  const path = tool.fs.resolvePath(cwd, directory);
  const why = !(await tool.fs.exists(path))
    ? 'No such file or directory'
    : (await tool.fs.stat(path)).isDirectory
      ? null
      : 'Not a directory';
  if (why !== null) throw new GitFault(`cannot change to '${directory}': ${why}`);
  return path;
}

async function git(tool: Tool, engine: () => Git): Promise<void> {
  const line = await readLine(tool);
  const { name } = line;
  if (name === undefined || name === 'help') {
    tool.print(
      `usage: git [-C <path>] [-c <name>=<value>] <command> [<args>]\n\nThe commands here: ${Object.keys(COMMANDS).join(', ')}\n`,
    );
    tool.status = name === undefined ? 1 : 0;
    return;
  }
  if (name === 'version') {
    tool.print(VERSION);
    return;
  }
  const instead = Object.hasOwn(REFUSED, name) ? REFUSED[name] : undefined;
  if (instead !== undefined) throw new GitFault(`git ${name} cannot be done here: ${instead}`);
  const load = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (load === undefined)
    throw new GitFault(`git: '${name}' is not a git command here. See 'git help'.`, 1, 'usage');
  const run = await load();
  // Names of the command line are meant from where it was sent with -C.
  const there = Object.create(tool.ctx, { cwd: { value: line.cwd } }) as Tool['ctx'];
  const sent = line.cwd === tool.ctx.cwd ? tool : withContext(tool, there);
  await run(new Call(engine(), sent, { ...line, name }));
  if (sent !== tool) {
    tool.write(sent.take());
    tool.stderr += sent.stderr;
    tool.status = sent.status;
  }
}

const withContext = (tool: Tool, ctx: Tool['ctx']): Tool =>
  new Tool(tool.name, tool.args, { fs: tool.fs } as never, ctx);

function complain(tool: Tool, error: unknown): void {
  if (error instanceof GitFault) {
    const prefix = error.kind === 'usage' ? '' : `${error.kind}: `;
    tool.stderr += `${prefix}${error.message}\n`;
    tool.status = error.status;
    return;
  }
  if (strerror(error) !== undefined) {
    tool.complain('fatal', error, 128);
    return;
  }
  const broken = engineFault(error);
  if (broken === null) throw error;
  tool.stderr += `fatal: ${broken}\n`;
  tool.status = 128;
}

/** What the engine says of a repository that is broken, without its request for bug reports; null of anything else. */
function engineFault(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  const { code, data } = error as { code?: unknown; data?: { message?: unknown } };
  if (typeof code !== 'string' || code !== error.name) return null;
  return typeof data?.message === 'string' ? data.message : error.message;
}

/** git. */
export const gitShims: ShimFactory = (host) => {
  let loaded: Git | undefined;
  const engine = (): Git => {
    loaded ??= loadGit();
    return loaded;
  };
  return [
    defineCommand('git', async (args, ctx) => {
      const tool = new Tool('git', args, host, ctx);
      try {
        await DefenseInDepthBox.runTrustedAsync(() => git(tool, engine));
      } catch (error) {
        complain(tool, error);
      }
      return tool.result();
    }),
  ];
};
