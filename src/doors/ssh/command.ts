/** A command by SSH: what is on its stdin, what it prints, and its status. */
import type { ServerChannel } from 'ssh2';
import { FsError, sentenceOf } from '../../errors.ts';
import { escapeText } from '../../visible.ts';
import type { VisitExecOptions } from '../door.ts';

/** What a command is run with. */
export interface SshCommand {
  channel: ServerChannel;
  exec(command: string, options: VisitExecOptions): ReturnType<import('../door.ts').Visit['exec']>;
  env: Readonly<Record<string, string>>;
  signal: AbortSignal;
  /** Bytes that may come on stdin. */
  most: number;
}

/** As a shell has it of a command that could not be run. */
const NOT_RUN = 126;

/** Runs a command in a shell that begins anew. @returns its status */
export async function runSshCommand(command: string, given: SshCommand): Promise<number> {
  const { channel } = given;
  try {
    // A client that keeps its end open has nothing to say to a command that does not listen.
    const { mayReadStdin } = await import('../../shell/may-read-stdin.ts');
    const reads = mayReadStdin(command);
    if (!reads) channel.resume();
    return await run(command, reads ? await readAll(channel, given.most) : undefined, given);
  } catch (error) {
    return told(channel, error);
  }
}

/** Runs what comes on stdin, to its end, as a script. */
export async function runSshScript(given: SshCommand): Promise<number> {
  const { channel, most } = given;
  try {
    return await run((await readAll(channel, most)).toString(), undefined, given);
  } catch (error) {
    return told(channel, error);
  }
}

async function run(
  command: string,
  stdin: Uint8Array | undefined,
  { channel, exec, env, signal }: SshCommand,
): Promise<number> {
  const printed = { stdout: 0, stderr: 0 };
  const print = (stream: 'stdout' | 'stderr', bytes: Uint8Array): void => {
    printed[stream] += bytes.length;
    if (bytes.length > 0) (stream === 'stdout' ? channel : channel.stderr).write(bytes);
  };
  const result = await exec(command, {
    fresh: true,
    env: { ...env },
    signal,
    onOutput: print,
    ...(stdin === undefined ? {} : { stdin }),
  });
  print('stdout', result.stdoutBytes.subarray(printed.stdout));
  print('stderr', result.stderrBytes.subarray(printed.stderr));
  return result.exitCode;
}

function told(channel: ServerChannel, error: unknown): number {
  channel.stderr.write(`dirigent: ${escapeText(sentenceOf(error))}\n`);
  return NOT_RUN;
}

/** @throws FsError EFBIG */
async function readAll(channel: ServerChannel, most: number): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of channel) {
    bytes += (piece as Buffer).length;
    if (bytes > most)
      throw new FsError('EFBIG', {
        path: '/dev/stdin',
        op: 'read',
        reason: `stdin has ${most} bytes at most; put the file there by sftp`,
      });
    pieces.push(piece as Buffer);
  }
  return Buffer.concat(pieces);
}
