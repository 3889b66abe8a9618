/** flock: locks among the commands of one world, of which only those inside one another run at a time. */
import { UsageError } from '../support/getopt.ts';
import type { Tool } from '../support/tool.ts';

/** A lock that a command further out holds. */
type Held = Map<string, 'shared' | 'exclusive'>;

export function flock(): (tool: Tool) => Promise<undefined> {
  const held: Held = new Map();
  return (tool) => lock(tool, held);
}

async function lock(tool: Tool, held: Held): Promise<undefined> {
  const options = tool.options({
    short: 'eE:Fnosuw:x',
    stopAtOperand: true,
    long: {
      close: 'o',
      'conflict-exit-code': 'E:',
      exclusive: 'x',
      nb: 'n',
      'no-fork': 'F',
      nonblock: 'n',
      nonblocking: 'n',
      shared: 's',
      timeout: 'w:',
      unlock: 'u',
      verbose: 'verbose',
      wait: 'w:',
    },
  });
  const conflict = options.get('E') ?? '1';
  if (!/^\d+$/.test(conflict))
    throw new UsageError(`invalid exit code: '${conflict}'`, { hint: false });
  if (Number(conflict) > 255)
    throw new UsageError('exit code out of range (expected 0 to 255)', { hint: false });
  const wait = options.get('w');
  if (wait !== undefined && !/^\d*\.?\d+$/.test(wait))
    throw new UsageError(`invalid timeout value: '${wait}'`, { hint: false });
  const [file, ...words] = options.operands;
  if (file === undefined) throw new UsageError('not enough arguments');
  if (words.length === 0) {
    // A descriptor: nobody else is there who could hold its file.
    if (/^\d+$/.test(file)) return;
    throw new UsageError(`bad file descriptor: '${file}'`, { hint: false });
  }
  const command =
    words[0] === '-c' || words[0] === '--command' ? ['sh', ...words.with(0, '-c')] : words;
  if (command[0] === 'sh' && command.length !== 3 && words[0] !== 'sh')
    throw new UsageError('-c requires exactly one command argument', { hint: false });
  const path = tool.path(file);
  if (!(await tool.fs.exists(path))) {
    const made = await tool.attempt(
      `cannot open lock file ${file}`,
      async () => {
        await tool.fs.writeFile(path, '');
        return true;
      },
      66,
    );
    if (made === undefined) return;
  }
  const mine = options.has('s') ? 'shared' : 'exclusive';
  const other = held.get(path);
  if (other !== undefined && (other === 'exclusive' || mine === 'exclusive')) {
    tool.status = Number(conflict);
    if (options.has('n') || options.has('w')) return;
    tool.warn(`${file}: held by the command that this one is part of, which would wait for ever`);
    return;
  }
  held.set(path, mine);
  try {
    const { stdout, stderr, exitCode } = await tool.spawn(command, tool.stdin);
    tool.write(stdout);
    tool.stderr += stderr;
    tool.status = exitCode;
  } finally {
    if (other === undefined) held.delete(path);
    else held.set(path, other);
  }
}
