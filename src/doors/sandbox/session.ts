/** A visit as the AI SDK has a sandbox: commands, and files. */
import type { Experimental_SandboxSession as SandboxSession } from 'ai';
import { FsError, isFsError } from '../../errors.ts';
import type { VisitExecOptions } from '../door.ts';
import { HOME, inWords, fromHome as path, writeFromHome } from './files.ts';
import type { SandboxVisit } from './parking.ts';
import { startProcess } from './process.ts';

const DESCRIPTION =
  'A world in which everything is a file, with a bash-like shell. Its directory is /workspace; services are directories under /mnt, each with a README.md. `COMMAND &` goes on in the background, with its output in /session/jobs/, until the session ends; there are no ports.';

type Process = Parameters<SandboxSession['run']>[0];

/** What {@link sandboxOf} gives: a session that can be handed to whoever takes one. */
export type VisitSandbox = SandboxSession;

export function sandboxOf(visit: SandboxVisit): VisitSandbox {
  const settings = ({ workingDirectory, env, abortSignal }: Process): VisitExecOptions => ({
    fresh: true,
    cwd: path(workingDirectory ?? HOME),
    ...(env === undefined ? {} : { env }),
    ...(abortSignal === undefined ? {} : { signal: abortSignal }),
  });
  const readBinaryFile: SandboxSession['readBinaryFile'] = async ({ path: given, abortSignal }) => {
    abortSignal?.throwIfAborted();
    return orNull(() => visit.fs.readFileBuffer(path(given)));
  };
  const write = async (given: string, content: string | Uint8Array): Promise<void> => {
    await inWords(() => writeFromHome(visit, given, content));
  };
  return {
    description: DESCRIPTION,
    run: async (options) => {
      const running = inWords(() => visit.exec(options.command, settings(options)));
      const { exitCode, stdout, stderr } = await running;
      return { exitCode, stdout, stderr };
    },
    spawn: async ({ stdin = false, ...options }) =>
      startProcess(visit, options.command, settings(options), stdin),
    readFile: async (options) => {
      const bytes = await readBinaryFile(options);
      return bytes === null ? null : ReadableStream.from([new Uint8Array(bytes)]);
    },
    readBinaryFile,
    readTextFile: async ({ encoding, startLine, endLine, ...options }) => {
      const bytes = await readBinaryFile(options);
      if (bytes === null) return null;
      const text = new TextDecoder(encoding ?? 'utf-8').decode(bytes);
      if (startLine === undefined && endLine === undefined) return text;
      return text
        .split('\n')
        .slice((startLine ?? 1) - 1, endLine)
        .join('\n');
    },
    writeFile: async ({ path: given, content }) => {
      const chunks: Uint8Array[] = [];
      for await (const chunk of content) chunks.push(chunk);
      await write(given, Buffer.concat(chunks));
    },
    writeBinaryFile: ({ path: given, content }) => write(given, content),
    writeTextFile: ({ path: given, content, encoding = 'utf-8' }) => {
      if (!/^utf-?8$/i.test(encoding)) throw notUtf8(path(given), encoding);
      return write(given, content);
    },
    stat: async ({ path: given }) => {
      const stat = await orNull(() => visit.fs.stat(path(given)));
      return stat === null ? null : { type: typeOf(stat), size: stat.size };
    },
    listDirectory: async ({ path: given }) => {
      const rows = await orNull(() => visit.fs.readdirWithFileTypes(path(given)));
      return rows?.map((row) => ({ name: row.name, type: typeOf(row, 'symlink') })) ?? null;
    },
    deleteFile: async ({ path: given }) => {
      const whole = path(given);
      const stat = await orNull(() => visit.fs.lstat(whole));
      if (stat === null) return false;
      if (stat.isDirectory) throw new FsError('EISDIR', { path: whole, op: 'unlink' });
      await inWords(() => visit.fs.rm(whole));
      return true;
    },
  };
}

/** @param link what a link is called where it is not followed */
function typeOf<Link extends string = never>(
  { isFile, isDirectory }: { isFile: boolean; isDirectory: boolean },
  link?: Link,
): 'file' | 'directory' | 'other' | Link {
  return isDirectory ? 'directory' : isFile ? 'file' : (link ?? 'other');
}

const notUtf8 = (path: string, encoding: string): FsError =>
  new FsError('EINVAL', {
    path,
    op: 'open',
    reason: `text is written as UTF-8, not as ${encoding}`,
  });

/** A file that is not there is null to the AI SDK; every other failure is told. */
async function orNull<T>(work: () => Promise<T>): Promise<T | null> {
  try {
    return await inWords(work);
  } catch (error) {
    if (isFsError(error, 'ENOENT')) return null;
    throw error;
  }
}
