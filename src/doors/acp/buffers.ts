/** The files that an editor has open, as it gives and takes them by the protocol. */
import { dirname, isAbsolute, resolve } from 'node:path';
import {
  type AgentContext,
  type FileSystemCapabilities,
  methods,
  type ReadTextFileRequest,
  RequestError,
} from '@agentclientprotocol/sdk';
import type { BufferedDirectory, Buffers } from '../../disk/buffers.ts';
import { hostPath } from '../../disk/host.ts';
import { FsError } from '../../errors.ts';

/** Where an editor's files are mounted. */
const EDITOR_POINT = '/mnt/editor';

const ANSWER_MS = 10_000;

/** What an editor is asked with. */
interface EditorOptions {
  client: AgentContext;
  /** The id of the session, once it is known. */
  session: Promise<string>;
  /** The directory of the session, as the editor names it. */
  directory: string;
  /** What it has said that it can do. */
  able: FileSystemCapabilities;
  /** It is waited for so long, in ms; {@link ANSWER_MS} by default. */
  answerMs?: number | undefined;
}

/** The directory of an editor's session, as it is mounted. @throws RequestError where it cannot be */
export function editorDirectory(
  open: EditorOptions,
  mode: 'ro' | 'rw',
  onNotice: (line: string) => void,
): BufferedDirectory {
  const directory = resolve(open.directory);
  if (!isAbsolute(open.directory) || dirname(directory) === directory)
    throw RequestError.invalidParams(
      undefined,
      `${open.directory} is not mounted for the agent: open the directory of a project`,
    );
  const buffers = editorBuffers({ ...open, directory });
  if (!buffers.reads)
    onNotice(`the editor gives none of its files: ${EDITOR_POINT} has what is saved on the disk`);
  if (!buffers.writes && mode === 'rw')
    onNotice(`the editor takes no files: what is written in ${EDITOR_POINT} goes to the disk`);
  return { directory, point: EDITOR_POINT, mode, buffers };
}

function editorBuffers({
  client,
  session,
  directory,
  able,
  answerMs = ANSWER_MS,
}: EditorOptions): Buffers {
  /** @param unsure what is not known where no answer comes */
  const ask = async <T>(
    path: string,
    op: string,
    unsure: string,
    request: (file: ReadTextFileRequest, late: AbortSignal) => Promise<T>,
  ): Promise<T> => {
    const file = { sessionId: await session, path: hostPath(directory, path) };
    const late = AbortSignal.timeout(answerMs);
    try {
      return await request(file, late);
    } catch (cause) {
      const seconds = answerMs / 1000;
      if (late.aborted) {
        const reason = `the editor did not answer within ${seconds} s${unsure}; see whether it is waiting for somebody, and try again`;
        throw new FsError('ETIMEDOUT', { path, op, reason, cause });
      }
      const said = cause instanceof Error ? cause.message : String(cause);
      throw new FsError('EIO', { path, op, reason: `the editor answered: ${said}`, cause });
    }
  };
  return {
    reads: able.readTextFile === true,
    writes: able.writeTextFile === true,
    read: (path) =>
      ask(path, 'open', '', async (file, cancellationSignal) => {
        const options = { cancellationSignal, stopWaitingOnCancel: true };
        const { content } = await client.request(methods.client.fs.readTextFile, file, options);
        return content;
      }),
    write: (path, content) =>
      ask(path, 'write', ', and may have written it: read the file', async (file, signal) => {
        const options = { cancellationSignal: signal, stopWaitingOnCancel: true };
        await client.request(methods.client.fs.writeTextFile, { ...file, content }, options);
      }),
  };
}
