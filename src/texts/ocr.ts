/** Text off pictures, by a program of the deployer's: the picture on its stdin, the text on its stdout. */
import { spawn } from 'node:child_process';
import { DocumentFault } from './fault.ts';
import { LONGEST_CONVERSION, LONGEST_TEXT } from './limits.ts';

/** A program of the host, found before anything runs. */
export interface OcrProgram {
  file: string;
  /** `{extension}` stands for that of the document: `png`, `pdf`. */
  args: readonly string[];
  /** Where it is run. */
  directory: string;
  /** Its PATH: all of the environment that it gets. */
  path: string;
}

/**
 * Reads the pages of a picture, or of a document of pictures: form feeds are between them.
 * @throws DocumentFault with what the program said, or that it took too long
 */
export async function readPictures(
  { file, args, directory, path }: OcrProgram,
  bytes: Uint8Array,
  extension: string,
): Promise<string[]> {
  const child = spawn(
    file,
    args.map((each) => each.replaceAll('{extension}', extension)),
    {
      cwd: directory,
      env: { PATH: path },
      stdio: ['pipe', 'pipe', 'pipe'],
      timeout: LONGEST_CONVERSION,
      killSignal: 'SIGKILL',
    },
  );
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let text = '';
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
    if (text.length <= LONGEST_TEXT) return;
    child.kill('SIGKILL');
    reject(failure('gives more text than is read of one'));
  });
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    said = `${said}${chunk}`.slice(0, 1_000);
  });
  // Whoever knows enough reads no further.
  child.stdin.on('error', () => undefined).end(bytes);
  child.on('error', (error) => reject(failure(`cannot be run: ${error.message}`)));
  child.on('close', (status, signal) => {
    if (status === 0) resolve(text);
    else if (signal !== null) reject(failure(`was ended by ${signal}`));
    else reject(failure(`failed: ${said.trim().split('\n')[0] || `status ${status}`}`));
  });
  const pages = (await promise).split('\f').map((page) => page.trim());
  while (pages.length > 1 && pages.at(-1) === '') pages.pop();
  return pages;
}

const failure = (what: string): DocumentFault =>
  new DocumentFault('EIO', `is a picture, and the program that reads them ${what}`);
