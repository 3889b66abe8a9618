/** One call of git: what its subcommand is given. */

import { getopt, type OptionSpec, type Options, UsageError } from '../support/getopt.ts';
import type { Tool } from '../support/tool.ts';
import type { Git } from './engine.ts';
import { GitFault } from './fault.ts';
import { Repository } from './repository.ts';

export class Call {
  readonly git: Git;
  readonly tool: Tool;
  /** The subcommand. */
  readonly name: string;
  readonly args: readonly string[];
  /** Where it was sent with `-C`, or where the command was called. */
  readonly cwd: string;
  readonly settings: ReadonlyMap<string, string>;
  #repository: Promise<Repository> | undefined;

  constructor(
    git: Git,
    tool: Tool,
    { name, args, cwd, settings }: Pick<Call, 'name' | 'args' | 'cwd' | 'settings'>,
  ) {
    this.git = git;
    this.tool = tool;
    this.name = name;
    this.args = args;
    this.cwd = cwd;
    this.settings = settings;
  }

  /** The repository that the command is in. @throws GitFault where there is none */
  repository(): Promise<Repository> {
    this.#repository ??= Repository.open(this.git, this.tool, this.cwd, this.settings);
    return this.#repository;
  }

  /** The same call with its first word for a name, for a subcommand that has some of its own. */
  rest(): Call {
    const { git, tool, cwd, settings } = this;
    const [name = '', ...args] = this.args;
    return new Call(git, tool, { name, args, cwd, settings });
  }

  /** The options; what stands behind `--` is apart, and null without it. @throws GitFault */
  options(spec: OptionSpec): { options: Options; operands: string[]; paths: string[] | null } {
    const dashes = this.args.indexOf('--');
    const given = dashes < 0 ? this.args : this.args.slice(0, dashes);
    try {
      const options = getopt(given, spec);
      const paths = dashes < 0 ? null : this.args.slice(dashes + 1);
      return { options, operands: options.operands, paths };
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      const [, option] = /'(.*)'/.exec(error.message) ?? [];
      throw new GitFault(
        `unknown option \`${option?.replace(/^-+/, '') ?? ''}' of git ${this.name}: ${error.message}`,
        129,
        'error',
      );
    }
  }
}

/** A subcommand. */
export type GitCommand = (call: Call) => Promise<void>;
