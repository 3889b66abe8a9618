/** id, groups, whoami, logname, users, who, w: there is one user, and nobody else. */
import type { ShimFactory, ShimHost } from '../../src/shell/command.ts';
import { OWNER, OWNER_ID } from '../support/files.ts';
import { UsageError } from '../support/getopt.ts';
import { defineTool, type Tool } from '../support/tool.ts';

/** Does a name or a number mean the one user? */
const isOwner = (name: string): boolean => name === OWNER || name === String(OWNER_ID);

async function id(tool: Tool): Promise<undefined> {
  const options = tool.options({
    short: 'agGnruzZ',
    long: { context: 'Z', group: 'g', groups: 'G', name: 'n', real: 'r', user: 'u', zero: 'z' },
  });
  const kinds = ['u', 'g', 'G'].filter((key) => options.has(key));
  if (kinds.length > 1)
    throw new UsageError('cannot print "only" of more than one choice', { hint: false });
  if (options.has('Z'))
    throw new UsageError('--context (-Z) works only on an SELinux-enabled kernel', { hint: false });
  if (kinds.length === 0 && (options.has('n') || options.has('r')))
    throw new UsageError('printing only names or real IDs requires -u, -g, or -G', { hint: false });
  if (kinds.length === 0 && options.has('z'))
    throw new UsageError('option --zero not permitted in default format', { hint: false });
  const end = options.has('z') ? '\0' : '\n';
  for (const name of options.operands.length === 0 ? [OWNER] : options.operands) {
    if (!isOwner(name)) {
      tool.fail(`'${name}': no such user`);
      continue;
    }
    const one = options.has('n') ? OWNER : String(OWNER_ID);
    const both = `${OWNER_ID}(${OWNER})`;
    tool.print(kinds.length > 0 ? `${one}${end}` : `uid=${both} gid=${both} groups=${both}\n`);
  }
}

async function groups(tool: Tool): Promise<undefined> {
  const { operands } = tool.options({ short: '' });
  if (operands.length === 0) tool.print(`${OWNER}\n`);
  for (const name of operands) {
    if (isOwner(name)) tool.print(`${name} : ${OWNER}\n`);
    else tool.fail(`'${name}': no such user`);
  }
}

const owner = async (tool: Tool): Promise<undefined> => {
  const { operands } = tool.options({ short: '' });
  if (operands[0] !== undefined) throw new UsageError(`extra operand '${operands[0]}'`);
  tool.print(`${OWNER}\n`);
};

/** Who sits at a terminal: the person whose command this is, or nobody. */
const who =
  (host: ShimHost) =>
  async (tool: Tool): Promise<undefined> => {
    const options = tool.options({
      short: 'abdHhilmpqrstTu',
      long: { all: 'a', count: 'q', heading: 'H' },
    });
    const there = host.terminal?.() != null;
    if (options.has('q')) tool.print(`${there ? `${OWNER}\n` : ''}# users=${there ? 1 : 0}\n`);
    else {
      if (options.has('H')) tool.print('NAME     LINE         TIME             COMMENT\n');
      if (there) tool.print(`${OWNER.padEnd(8)} tty\n`);
    }
  };

const users =
  (host: ShimHost) =>
  async (tool: Tool): Promise<undefined> => {
    tool.options({ short: '' });
    tool.print(host.terminal?.() == null ? '\n' : `${OWNER}\n`);
  };

/** id, groups, whoami, logname, who, users. */
export const idShims: ShimFactory = (host) => [
  defineTool(
    host,
    {
      name: 'id',
      usage:
        'Usage: id [OPTION]... [USER]...\nPrint user and group.\n\n  -u, --user  -g, --group  -G, --groups  -n, --name  -r, --real  -z, --zero',
    },
    id,
  ),
  defineTool(
    host,
    { name: 'groups', usage: 'Usage: groups [USERNAME]...\nPrint the groups of each USERNAME.' },
    groups,
  ),
  defineTool(host, { name: 'whoami', usage: 'Usage: whoami\nPrint the name of the user.' }, owner),
  defineTool(
    host,
    { name: 'logname', usage: 'Usage: logname\nPrint the name of the user.' },
    owner,
  ),
  defineTool(
    host,
    { name: 'who', usage: 'Usage: who [OPTION]...\nPrint who sits at a terminal.' },
    who(host),
  ),
  defineTool(
    host,
    { name: 'users', usage: 'Usage: users\nPrint who sits at a terminal.' },
    users(host),
  ),
];
