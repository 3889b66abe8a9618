/**
 * Proposals: files under `/harness/proposals`, each the whole text that a file
 * of the harness is to have. An agent wrote them, so nothing of them is trusted:
 * not their names, and not that they are files.
 */
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { dirname, join } from 'node:path';
import { ConfigError } from '../errors.ts';
import { filePatch } from '../patch.ts';
import { errorOf, type HarnessError, readPart } from './load.ts';
import { type HarnessDirectories, isAbsent } from './source.ts';

/** A proposal for one file. */
export interface Proposal {
  /** Relative to /harness. */
  path: string;
  /** What the file says now; null where there is none. */
  before: string | null;
  after: string;
  /** Tells what is shown, the text before and after, from anything else. SHA-256, in hexadecimal. */
  digest: string;
  patch: string;
  /** What would be wrong with the file. */
  error: string | null;
}

/** Where proposals are, beside the harness that they are for. */
export interface ProposalDirectories extends HarnessDirectories {
  proposals: string;
}

/** Larger ones are no text for a person to read. Bytes. */
const LARGEST = 1024 * 1024;

/** All proposals, by path, and what in the directory is none. */
export function listProposals(directories: ProposalDirectories): {
  proposals: Proposal[];
  errors: HarnessError[];
} {
  const proposals: Proposal[] = [];
  const errors: HarnessError[] = [];
  const visit = (path: string): void => {
    for (const entry of entries(join(directories.proposals, path))) {
      const inner = path === '' ? entry.name : `${path}/${entry.name}`;
      if (entry.isDirectory()) visit(inner);
      else if (!entry.isFile())
        errors.push({ path: inner, message: 'it is no regular file, and cannot be a proposal' });
      else {
        try {
          proposals.push(read(directories, inner));
        } catch (error) {
          // One that vanished, or is too large, keeps nobody from seeing the others.
          errors.push(errorOf(inner, error));
        }
      }
    }
  };
  visit('');
  return { proposals, errors };
}

/** One proposal. @throws ConfigError where there is none */
export function findProposal(directories: ProposalDirectories, path: string): Proposal {
  checkPath(path);
  try {
    refuseLinks(directories.proposals, path);
    return read(directories, path);
  } catch (error) {
    if (isAbsent(error)) throw unknown(path);
    throw error;
  }
}

/**
 * Puts a proposal in its place, and removes it.
 * @param digest of the proposal as it was shown
 * @throws ConfigError where it is another one by now, where it would break the harness, or there
 *   is no place for it
 */
export function acceptProposal(
  directories: ProposalDirectories,
  path: string,
  digest: string,
): void {
  const { own } = directories;
  const proposal = findProposal(directories, path);
  if (proposal.digest !== digest)
    throw new ConfigError(
      path,
      'the proposal, or the file that it would replace, is not what was shown any more; look at it with "dirigent harness diff", and accept it then',
    );
  if (own === null) {
    throw new ConfigError(
      path,
      'there is no harness to put it in: make the directory "harness" in the deployment, or name one in harness.directory',
    );
  }
  if (proposal.error !== null)
    throw new ConfigError(path, `the harness would be broken by it: ${proposal.error}`);
  const target = join(own, path);
  fs.mkdirSync(dirname(target), { recursive: true });
  const root = fs.realpathSync(own);
  if (!`${fs.realpathSync(dirname(target))}/`.startsWith(`${root}/`))
    throw new ConfigError(path, 'its directory is a link that leads out of the harness');
  // As a whole or not at all; a link in its place is replaced, not followed.
  const temporary = join(dirname(target), `.${process.pid}.proposal`);
  fs.writeFileSync(temporary, proposal.after, { flag: 'wx', mode: 0o644 });
  fs.renameSync(temporary, target);
  // What has been proposed meanwhile is another proposal, and stays.
  if (stillSays(join(directories.proposals, path), proposal.after))
    rejectProposal(directories, path);
}

function stillSays(file: string, text: string): boolean {
  try {
    return fs.readFileSync(file).equals(Buffer.from(text));
  } catch (error) {
    if (isAbsent(error)) return false;
    throw error;
  }
}

/** Removes a proposal, and the directories that it leaves empty. @throws ConfigError */
export function rejectProposal(directories: ProposalDirectories, path: string): void {
  const { proposals } = directories;
  checkPath(path);
  const file = join(proposals, path);
  try {
    refuseLinks(proposals, path);
    fs.unlinkSync(file);
  } catch (error) {
    if (isAbsent(error)) throw unknown(path);
    throw error;
  }
  for (let up = dirname(file); up !== proposals && entries(up).length === 0; up = dirname(up))
    fs.rmdirSync(up);
}

function read(directories: ProposalDirectories, path: string): Proposal {
  const { own, defaults, proposals } = directories;
  const file = join(proposals, path);
  const stat = fs.lstatSync(file);
  if (!stat.isFile()) throw new ConfigError(path, 'it is no regular file');
  if (stat.size > LARGEST) throw new ConfigError(path, `it is larger than ${LARGEST} bytes`);
  const after = textIn(path, fs.readFileSync(file));
  const before = textOf(own, path) ?? textOf(defaults, path);
  const patch = filePatch(path, before ?? '', after);
  const digest = createHash('sha256')
    .update(JSON.stringify([path, before, after]))
    .digest('hex');
  return { path, before, after, digest, patch, error: faultOf(path, file, after) };
}

function textIn(path: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    if (cause instanceof TypeError) throw new ConfigError(path, 'it is no UTF-8 text', cause);
    throw cause;
  }
}

/** What would be wrong with the harness's file. */
function faultOf(path: string, file: string, text: string): string | null {
  try {
    readPart({ path, file, stamp: '', mtimeMs: 0, outside: false, origins: [] }, undefined, text);
    return null;
  } catch (error) {
    return errorOf(path, error).message;
  }
}

function textOf(root: string | null, path: string): string | null {
  if (root === null) return null;
  try {
    return fs.readFileSync(join(root, path), 'utf8');
  } catch (error) {
    if (isAbsent(error)) return null;
    throw error;
  }
}

function entries(directory: string): fs.Dirent[] {
  try {
    return fs
      .readdirSync(directory, { withFileTypes: true })
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    if (isAbsent(error)) return [];
    throw error;
  }
}

function checkPath(path: string): void {
  const names = path.split('/');
  if (names.some((name) => name === '' || name === '.' || name === '..' || name.includes('\0')))
    throw new ConfigError(path, 'it should be a path relative to /harness, such as AGENTS.md');
}

/** A directory of proposals that is a link leads to what is no proposal. */
function refuseLinks(root: string, path: string): void {
  let at = root;
  for (const name of path.split('/')) {
    at = join(at, name);
    if (fs.lstatSync(at).isSymbolicLink())
      throw new ConfigError(path, 'it is a link, or lies behind one, and cannot be a proposal');
  }
}

function unknown(path: string): ConfigError {
  return new ConfigError(path, 'there is no such proposal; "dirigent harness diff" shows them all');
}
