/** Removing a directory below `files/`: one commit, made of a tree without its files. */
import { z } from 'zod';
import {
  type Outcome,
  type Params,
  type RemoveTree,
  ServiceFailure,
  type ServiceRequest,
} from '../../src/mount/index.ts';
import { type CommitParts, pullOf } from './commits.ts';
import { expectShape } from './schemas.ts';
import { type RepoName, repoOf, repoUrl } from './store.ts';

/** GitHub takes no larger trees in one request. */
const MOST_FILES = 100_000;

const commitSchema = z.looseObject({
  sha: z.string(),
  html_url: z.string().optional(),
  tree: z.looseObject({ sha: z.string() }),
});
const treeSchema = z.looseObject({
  truncated: z.boolean(),
  tree: z.array(z.looseObject({ path: z.string(), type: z.string(), sha: z.string() })),
});
const madeSchema = z.looseObject({ sha: z.string(), html_url: z.string().optional() });

/** The commit that the new one follows, and its tree. */
interface Head {
  commit: string;
  tree: string;
}

export function treeRemove(parts: CommitParts): RemoveTree {
  const { files } = parts;
  const held = (params: Params): Map<string, string> =>
    new Map(files.below(params).map(({ key, entry }) => [key, entry.sha]));
  const keep = (params: Params) => {
    for (const path of held(params).keys()) files.wrote({ ...params, path }, null);
  };
  return {
    files: held,
    refresh: (params) => below(parts, params),
    request: (params, paths, onto) => requests(parts, params, [...paths], onto as Head | null),
    made: ({ url }) => url.endsWith('/git/trees'),
    // 409: "conflict"; 422: the commit does not follow the head of the branch any more.
    overtaken: ({ status }) => status === 409 || status === 422,
    keep,
    send: async (params, request) => {
      const outcome = await commit(parts, params, request);
      keep(params);
      return outcome;
    },
  };
}

/** The files below a directory of the branch that the commit goes to, and what the commit will follow. */
async function below({ client, branches }: CommitParts, params: Params) {
  const name = repoOf(params);
  const head = await branches.head(name, await branches.base(name));
  if (head === null) return { files: new Map<string, string>(), onto: null };
  const answer = await client.get(`${repoUrl(name)}/git/commits/${head}`);
  const { sha, tree } = expectShape(commitSchema, answer.data, 'the head of the branch');
  const { data } = await client.get(`${repoUrl(name)}/git/trees/${tree.sha}?recursive=1`);
  const all = expectShape(treeSchema, data, 'the tree of the branch');
  if (all.truncated) {
    throw new ServiceFailure(
      'protocol',
      'GitHub lists this tree in part only: use a clone instead',
    );
  }
  const rows = all.tree.filter(
    ({ path, type }) => type !== 'tree' && path.startsWith(`${params['path']}/`),
  );
  const onto: Head = { commit: sha, tree: tree.sha };
  return { files: new Map(rows.map((row) => [row.path, row.sha])), onto };
}

/** Three requests: the tree, the commit, and the branch that goes on to it; each needs the one before. */
function requests(
  { branches, files }: CommitParts,
  params: Params,
  paths: readonly string[],
  onto: Head | null,
): ServiceRequest {
  const name = repoOf(params);
  if (paths.length > MOST_FILES) {
    throw new ServiceFailure('invalid', `${paths.length} files are too many for one request`);
  }
  const submodule = files.below(params).find(({ entry }) => entry.type === 'commit');
  if (submodule !== undefined) {
    throw new ServiceFailure(
      'invalid',
      `${submodule.key} below it is a submodule, a commit of another repository: remove it in a clone`,
    );
  }
  const pull = branches.pullRequest(name);
  const git = `${repoUrl(name)}/git`;
  const branch = branches.target(name).split('/').map(encodeURIComponent).join('/');
  const tree = paths.map((path) => ({ path, mode: '100644', type: 'blob', sha: null }));
  return {
    method: 'POST',
    url: `${git}/trees`,
    body: { ...(onto === null ? {} : { base_tree: onto.tree }), tree },
    next: {
      method: 'POST',
      url: `${git}/commits`,
      body: {
        message: `Delete ${params['path']}/`,
        ...(onto === null ? {} : { parents: [onto.commit] }),
      },
      next: {
        method: 'PATCH',
        url: `${git}/refs/heads/${branch}`,
        body: { force: false },
        ...(pull === null ? {} : { next: pull }),
      },
    },
  };
}

async function commit(
  parts: CommitParts,
  params: Params,
  request: ServiceRequest,
): Promise<Outcome> {
  const { client, branches } = parts;
  const name: RepoName = repoOf(params);
  await branches.ensure(name);
  const tree = expectShape(madeSchema, (await client.send(request)).data, 'the tree');
  const second = withField(request.next, { tree: tree.sha });
  const made = expectShape(madeSchema, (await client.send(second)).data, 'the commit');
  await client.send(withField(second.next, { sha: made.sha }));
  const path = `/${name.owner}/${name.repo}/files/${params['path']}`;
  const url = (await pullOf(parts, name)) ?? made.html_url;
  return { path, ...(url === undefined ? {} : { url }) };
}

function withField(
  request: ServiceRequest | undefined,
  field: Readonly<Record<string, string>>,
): ServiceRequest {
  if (request === undefined) throw new Error('a request of the removal is missing');
  return { ...request, body: { ...(request.body as object), ...field } };
}
