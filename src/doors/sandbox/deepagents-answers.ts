/** What a backend of `deepagents` answers: files by pages, and failures in its words. */
import { isFsError } from '../../errors.ts';

export interface FileInfo {
  /** A directory's ends with a slash. */
  path: string;
  is_dir?: boolean;
  /** In bytes. */
  size?: number;
  modified_at?: string;
}

export type FileOperationError =
  | 'file_not_found'
  | 'permission_denied'
  | 'is_directory'
  | 'invalid_path';

const ERRORS: Readonly<Record<string, FileOperationError>> = {
  ENOENT: 'file_not_found',
  EACCES: 'permission_denied',
  EPERM: 'permission_denied',
  EROFS: 'permission_denied',
  EISDIR: 'is_directory',
};

/** Text, or the bytes where it is none. */
export interface FileContent {
  content: string | Uint8Array;
  mimeType: string;
}

/** Lines of a file, numbered from 1; without numbers where the page has none, or the file is no text. */
export interface FilePage extends FileContent {
  totalLines?: number;
  startLine?: number;
  endLine?: number;
  /** Lines before the next page; absent on the last one. */
  nextOffset?: number;
}

export function contentOf(bytes: Uint8Array): FileContent {
  return bytes.includes(0)
    ? { content: new Uint8Array(bytes), mimeType: 'application/octet-stream' }
    : { content: Buffer.from(bytes).toString(), mimeType: 'text/plain' };
}

/** @param offset lines before the page @param limit lines of it at most */
export function pageOf(bytes: Uint8Array, offset: number, limit: number): FilePage {
  const { content, mimeType } = contentOf(bytes);
  if (typeof content !== 'string') return { content, mimeType };
  const lines = content.split('\n');
  const totalLines = lines.at(-1) === '' ? lines.length - 1 : lines.length;
  const endLine = Math.min(offset + limit, totalLines);
  const page = { content: lines.slice(offset, offset + limit).join('\n'), mimeType, totalLines };
  if (endLine <= offset) return page;
  const next = endLine < totalLines ? { nextOffset: endLine } : {};
  return { ...page, startLine: offset + 1, endLine, ...next };
}

/** Does work on a file. @returns what it failed of, in one word; null if it did not */
export async function failureOf(work: () => Promise<void>): Promise<FileOperationError | null> {
  try {
    await work();
    return null;
  } catch (error) {
    if (!isFsError(error)) throw error;
    return ERRORS[error.code] ?? 'invalid_path';
  }
}

/** A failure is an answer to a model: its sentence. */
export async function told<T extends object>(
  work: () => Promise<T>,
): Promise<T | { error: string }> {
  try {
    return await work();
  } catch (error) {
    if (!isFsError(error)) throw error;
    return { error: error.reason ?? `${error.path}: ${error.strerror}` };
  }
}
