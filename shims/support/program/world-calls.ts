/** Answers what a running program asks of its world: every file operation goes through the namespace and its gate. */
import { FsError } from '../../../src/errors.ts';
import type { Tool } from '../tool.ts';
import { errnoOf, toBytes } from '../tool.ts';
import type { Answer, Call, GuestCommand, GuestRan, GuestStat, WorldCalls } from './bridge.ts';

type Answers = {
  [Name in keyof WorldCalls]: (
    ...args: Parameters<WorldCalls[Name]>
  ) => Promise<ReturnType<WorldCalls[Name]>>;
};

/** Standard input, as a program says that it came to its end. */
const STDIN = '/dev/stdin';

const S_IFDIR = 0o040_000;
const S_IFREG = 0o100_000;
const S_IFLNK = 0o120_000;

/** Answers the calls of one run of a program. */
export class CallAnswers {
  readonly #answers: Answers;

  /** @param stdin what never ends and comes by standard input, or null */
  constructor(tool: Tool, stdin: string | null) {
    this.#answers = answersOf(tool, new Map(stdin === null ? [] : [[STDIN, stdin]]));
  }

  /** A file error becomes its errno; any other is a bug and rejects. */
  async answer({ name, args }: Call): Promise<Answer> {
    const run = this.#answers[name] as (...given: readonly unknown[]) => Promise<unknown>;
    try {
      return { value: await run(...args) };
    } catch (error) {
      const errno = errnoOf(error);
      if (errno === undefined) throw error;
      return { errno };
    }
  }
}

/** @param endless what never ends, by the path under which a program was given its beginning */
function answersOf(tool: Tool, endless: Map<string, string>): Answers {
  const { fs } = tool;
  const done = async (run: Promise<unknown>): Promise<null> => {
    await run;
    return null;
  };
  return {
    stat: async (path) => guestStat(await fs.stat(path)),
    lstat: async (path) => guestStat(await fs.lstat(path)),
    list: (path) => fs.readdir(path),
    read: async (path) => {
      const data = await fs.readFileBuffer(path);
      const source = fs.endlessRead();
      if (source !== null) endless.set(path, source);
      // A program reads as far as it likes, and says when it comes to the end.
      fs.enough();
      return data;
    },
    atEnd: async (path) => {
      const source = endless.get(path);
      if (source === undefined) return null;
      tool.stderr += `dirigent: ${source} never ends, and this is its beginning alone: read as much as is wanted\n`;
      throw new FsError('EFBIG', { op: 'read', path });
    },
    write: (path, data) => done(fs.writeFile(path, data)),
    append: (path, data) => done(fs.appendFile(path, data)),
    mkdir: (path) => done(fs.mkdir(path)),
    remove: (path) => done(fs.rm(path)),
    rename: (from, to) => done(fs.mv(from, to)),
    link: (from, to) => done(fs.link(from, to)),
    symlink: (target, path) => done(fs.symlink(target, path)),
    readlink: (path) => fs.readlink(path),
    chmod: (path, mode) => done(fs.chmod(path, mode)),
    utimes: (path, atime, mtime) => done(fs.utimes(path, new Date(atime), new Date(mtime))),
    exec: (command) => exec(tool, command),
  };
}

function guestStat(stat: Awaited<ReturnType<Tool['fs']['stat']>>): GuestStat {
  const type = stat.isSymbolicLink ? S_IFLNK : stat.isDirectory ? S_IFDIR : S_IFREG;
  return { mode: type | (stat.mode & 0o7777), size: stat.size, mtimeMs: stat.mtime.getTime() };
}

async function exec(tool: Tool, { run, cwd, env, stdin }: GuestCommand): Promise<GuestRan> {
  const words = typeof run === 'string' ? ['sh', '-c', run] : [...run];
  const with_ = env === null ? words : ['env', '-i', ...pairs(env), ...words];
  const ran = await tool.spawn(with_, Buffer.from(stdin).toString('latin1'), cwd);
  return {
    status: ran.exitCode,
    stdout: Buffer.from(ran.stdout, 'latin1'),
    stderr: Buffer.from(toBytes(ran.stderr), 'latin1'),
  };
}

function pairs(env: Readonly<Record<string, string>>): string[] {
  return Object.entries(env).map(([name, value]) => `${name}=${value}`);
}
