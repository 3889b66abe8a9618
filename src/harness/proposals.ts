/**
 * Proposals: files under `/harness/proposals`, each the whole text that a file
 * of the harness is to have. An agent wrote them, so nothing of them is trusted:
 * not their names, and not that they are files.
 */
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { basename, dirname } from 'node:path';
import { ConfinedDirectory } from '../disk/confined.ts';
import { ConfigError, isFsError } from '../errors.ts';
import { filePatch } from '../patch.ts';
import type { HarnessError } from './fault.ts';
import { errorOf, readPart } from './load.ts';
import { readInHarness } from './read.ts';
import type { HarnessDirectories } from './source.ts';

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
  // What is below a directory that is exchanged meanwhile is not there any more.
  const visit = (place: ConfinedDirectory, path: string): void => {
    for (const entry of place.list(`/${path}`) ?? []) {
      const inner = path === '' ? entry.name : `${path}/${entry.name}`;
      if (entry.isDirectory()) visit(place, inner);
      else if (!entry.isFile())
        errors.push({ path: inner, message: 'it is no regular file, and cannot be a proposal' });
      else {
        try {
          proposals.push(read(directories, place, inner));
        } catch (error) {
          // One that vanished, or is too large, keeps nobody from seeing the others.
          errors.push(errorOf(inner, error));
        }
      }
    }
  };
  if (fs.existsSync(directories.proposals))
    ConfinedDirectory.within(directories.proposals, (place) => visit(place, ''));
  return { proposals, errors };
}

/** One proposal. @throws ConfigError where there is none */
export function findProposal(directories: ProposalDirectories, path: string): Proposal {
  checkPath(path);
  return within(directories, path, (place) => read(directories, place, path));
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
      'the proposal, or the file that it would replace, is not what was shown any more; look at its diff again, and accept it then',
    );
  if (own === null) {
    throw new ConfigError(
      path,
      'there is no harness to put it in: make the directory "harness" in the deployment, or name one in harness.directory',
    );
  }
  if (proposal.error !== null)
    throw new ConfigError(path, `the harness would be broken by it: ${proposal.error}`);
  ConfinedDirectory.within(own, (harness) => {
    const directory = directoryFor(harness, path);
    // As a whole or not at all; a link in its place is replaced, not followed.
    harness.put(`${directory}/${basename(path)}`, Buffer.from(proposal.after), 0o644);
  });
  // What has been proposed meanwhile is another proposal, and stays.
  ConfinedDirectory.within(directories.proposals, (place) => {
    const now = place.read(`/${path}`);
    if (now !== null && Buffer.from(proposal.after).equals(now)) place.remove(`/${path}`);
  });
}

/** The directory of the harness that a proposal goes to, without a final slash. @throws ConfigError */
function directoryFor(harness: ConfinedDirectory, path: string): string {
  const named = dirname(`/${path}`);
  try {
    const found = harness.resolve(named);
    if (found === null) harness.makeDirectories(named);
    return (found ?? named).replace(/\/$/, '');
  } catch (cause) {
    if (!isFsError(cause, 'EACCES')) throw cause;
    const why = 'its directory is a link that leads out of the harness';
    throw new ConfigError(path, why, cause);
  }
}

/** Removes a proposal, and the directories that it leaves empty. @throws ConfigError */
export function rejectProposal(directories: ProposalDirectories, path: string): void {
  checkPath(path);
  within(directories, path, (place) => place.remove(`/${path}`));
}

/** Runs a call on the directory of the proposals, in which there is one of this path. @throws ConfigError */
function within<T>(
  { proposals }: ProposalDirectories,
  path: string,
  call: (place: ConfinedDirectory) => T,
): T {
  if (!fs.existsSync(proposals)) throw unknown(path);
  return ConfinedDirectory.within(proposals, (place) => {
    refuseLinks(place, path);
    return call(place);
  });
}

function read(
  { own, defaults }: ProposalDirectories,
  place: ConfinedDirectory,
  path: string,
): Proposal {
  const stat = place.stat(`/${path}`);
  if (stat === null) throw unknown(path);
  if (!stat.isFile()) throw new ConfigError(path, 'it is no regular file');
  const bytes = place.read(`/${path}`, LARGEST);
  if (bytes === null) throw unknown(path);
  const after = textIn(path, bytes);
  const before = textOf(own, path) ?? textOf(defaults, path);
  const patch = filePatch(path, before ?? '', after);
  const digest = createHash('sha256')
    .update(JSON.stringify([path, before, after]))
    .digest('hex');
  return { path, before, after, digest, patch, error: faultOf(path, after) };
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
function faultOf(path: string, text: string): string | null {
  const read = () => Buffer.from(text);
  try {
    readPart({ path, file: path, stamp: '', mtimeMs: 0, outside: false, origins: [], read });
    return null;
  } catch (error) {
    return errorOf(path, error).message;
  }
}

/** What a file of the harness says now; a link that leads out of it stands for nothing. */
function textOf(root: string | null, path: string): string | null {
  try {
    const bytes = root === null ? null : readInHarness(root, path);
    return bytes === null ? null : Buffer.from(bytes).toString('utf8');
  } catch (error) {
    if (isFsError(error, 'EACCES')) return null;
    throw error;
  }
}

function checkPath(path: string): void {
  const names = path.split('/');
  if (names.some((name) => name === '' || name === '.' || name === '..' || name.includes('\0')))
    throw new ConfigError(path, 'it should be a path relative to /harness, such as AGENTS.md');
}

/** A directory of proposals that is a link leads to what is no proposal. @throws ConfigError */
function refuseLinks(place: ConfinedDirectory, path: string): void {
  let at = '';
  for (const name of path.split('/')) {
    at = `${at}/${name}`;
    const stat = place.stat(at);
    if (stat === null) throw unknown(path);
    if (stat.isSymbolicLink())
      throw new ConfigError(path, 'it is a link, or lies behind one, and cannot be a proposal');
  }
}

function unknown(path: string): ConfigError {
  return new ConfigError(path, 'there is no such proposal');
}
