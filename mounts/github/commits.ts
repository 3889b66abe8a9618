/** Editing `files/PATH`: one commit on a branch, onto the blob that was read. */
import { z } from 'zod';
import {
  type Freshness,
  type Outcome,
  type Params,
  type Replace,
  ServiceFailure,
  type ServiceRequest,
} from '../../src/mount/index.ts';
import type { GithubBranches } from './branches.ts';
import type { GithubClient } from './client.ts';
import { pointedSize } from './contents.ts';
import type { GithubFiles } from './files.ts';
import { gitName } from './git-names.ts';
import { expectShape } from './schemas.ts';
import { contentsUrl, type GithubStore, type RepoName, repoOf } from './store.ts';

/** What GitHub takes through a browser; more belongs into a clone. Bytes. */
const LARGEST = 25 * 1024 * 1024;

/** What the contents API says of a path. */
export const currentSchema = z.looseObject({ type: z.string(), sha: z.string() });
const commitSchema = z.looseObject({
  commit: z.looseObject({ html_url: z.string().optional() }),
});
const bodySchema = z.looseObject({ content: z.string().optional() });

const SUBMODULE =
  'it is a submodule, a commit of another repository: add, move or remove it in a clone';
const POINTER =
  'it is a pointer of Git LFS, which keeps the file apart: what is written here would go into Git itself; use a clone with git-lfs';

export interface CommitParts {
  client: GithubClient;
  files: GithubFiles;
  branches: GithubBranches;
  store: GithubStore;
  freshness: Freshness;
}

/** How a file is written. */
export function fileReplace(parts: CommitParts): Replace {
  const { branches } = parts;
  return {
    refresh: (params) => currentBlob(parts, params),
    versionOf: gitName,
    check: (params, bytes) => {
      const names = (params['path'] ?? '').split('/');
      if (names.includes('.git')) return 'Git keeps nothing below a directory named .git';
      if (parts.files.isSubmodule(params)) return SUBMODULE;
      if (bytes !== null && parts.files.pointedSize(params) !== null && pointedSize(bytes) === null)
        return POINTER;
      if (bytes === null || bytes.length <= LARGEST) return null;
      return `${bytes.length} bytes are more than the ${LARGEST} that GitHub takes: clone the repository instead`;
    },
    request: (params, bytes, base) => {
      const name = repoOf(params);
      const verb = bytes === null ? 'Delete' : base === null ? 'Create' : 'Update';
      const pull = branches.pullRequest(name);
      return {
        method: bytes === null ? 'DELETE' : 'PUT',
        url: contentsUrl(name, params['path'] ?? ''),
        body: {
          message: `${verb} ${params['path']}`,
          branch: branches.target(name),
          ...(base === null ? {} : { sha: base }),
          ...(bytes === null ? {} : { content: Buffer.from(bytes).toString('base64') }),
        },
        ...(pull === null ? {} : { next: pull }),
      };
    },
    keep: (params, bytes) => parts.files.wrote(params, bytes),
    contentOf: ({ body }) => {
      const { content } = bodySchema.parse(body);
      return content === undefined ? null : Buffer.from(content, 'base64');
    },
    send: (params, request) => commit(parts, params, request),
  };
}

/** The name of the blob that is there now, on the branch that the commit goes to. */
async function currentBlob(
  { client, branches }: CommitParts,
  params: Params,
): Promise<string | null> {
  const name = repoOf(params);
  const ref = encodeURIComponent(await branches.base(name));
  const url = `${contentsUrl(name, params['path'] ?? '')}?ref=${ref}`;
  try {
    // In this form a file of more than a megabyte is no error, and a directory is an object, too.
    const { data } = await client.get(url, null, 'application/vnd.github.object+json');
    const found = expectShape(currentSchema, data, params['path'] ?? '');
    if (found.type === 'file') return found.sha;
    throw new ServiceFailure(
      'invalid',
      `GitHub has a ${found.type} there, which is not written as a file`,
    );
  } catch (error) {
    if (error instanceof ServiceFailure && error.absent) return null;
    throw error;
  }
}

async function commit(
  parts: CommitParts,
  params: Params,
  request: ServiceRequest,
): Promise<Outcome> {
  const { client, files, branches } = parts;
  const name = repoOf(params);
  await branches.ensure(name);
  const { data } = await client.send(request);
  const content = bodySchema.parse(request.body).content;
  files.wrote(params, content === undefined ? null : Buffer.from(content, 'base64'));
  const made = expectShape(commitSchema, data, 'the commit that was made');
  const path = `/${name.owner}/${name.repo}/files/${params['path']}`;
  const url = (await pullOf(parts, name)) ?? made.commit.html_url;
  return { path, ...(url === undefined ? {} : { url }) };
}

/** The commit is made whatever becomes of the pull request: that it is missing is said, not thrown. */
export async function pullOf(
  { branches, freshness }: CommitParts,
  name: RepoName,
): Promise<string | null> {
  try {
    return await branches.ensurePull(name);
  } catch (error) {
    if (!(error instanceof ServiceFailure)) throw error;
    freshness.notice(
      `the commit is on ${branches.target(name)}, but its pull request was not opened: ${error.message}; the next write below files/ tries again`,
    );
    return null;
  }
}
