/**
 * Trees and commits that are made first, and a branch that goes on to one of them afterwards.
 * https://docs.github.com/rest/git/trees, https://docs.github.com/rest/git/commits and
 * https://docs.github.com/rest/git/refs
 *
 * Of a new tree's entries only removals are held: others are refused as what the stand-in lacks.
 */
import {
  type Call,
  invalid,
  notFound,
  Refusal,
  type Reply,
  type Route,
  repositoryOf,
  requirePush,
} from '../http.ts';
import { nodeId, type Schemas } from '../render.ts';
import { renderCommit } from '../render-repos.ts';
import type { RepositoryState } from '../store.ts';
import { renderRef } from './git.ts';

const wrong = (resource: string, field: string): Refusal =>
  invalid([{ resource, field, code: 'invalid' }]);

/** "If the value is `null` then the file will be deleted"; "an error if you try to delete a file that does not exist". */
function createTree(call: Call): Reply {
  const repo = repositoryOf(call);
  requirePush(call, repo);
  const { base_tree: base, tree } = call.body;
  const branch = [...repo.branches.values()].find((one) => one.tree().sha === base);
  if (!branch || !Array.isArray(tree)) throw wrong('Tree', 'base_tree');
  const files = new Map(branch.files().map((file) => [file.path, file.data]));
  for (const entry of tree as Record<string, unknown>[]) {
    const path = String(entry['path']);
    const isRemoval = entry['sha'] === null && entry['type'] === 'blob';
    if (!isRemoval || !files.delete(path)) throw wrong('Tree', 'sha');
  }
  const made = branch.drawUp([...files].map(([path, data]) => ({ path, data })));
  repo.trees.set(made.sha, made);
  const api = `${call.url}/repos/${repo.fullName}/git`;
  const body: Schemas['git-tree'] = {
    sha: made.sha,
    url: `${api}/trees/${made.sha}`,
    tree: made.entries.map(({ path, mode, type, sha, size }) => ({
      path,
      mode,
      type,
      sha,
      ...(size === null ? {} : { size }),
      url: `${api}/${type}s/${sha}`,
    })),
    truncated: false,
  };
  return { status: 201, body };
}

function renderGitCommit(
  call: Call,
  repo: RepositoryState,
  {
    sha,
    message,
    tree,
    parents,
  }: { sha: string; message: string; tree: string; parents: string[] },
): Schemas['git-commit'] {
  const author = call.viewer?.login ?? repo.repository.owner;
  const date = call.store.now();
  const { commit, html_url: html } = renderCommit(call, repo, {
    sha,
    message,
    author,
    date,
    parents,
  });
  const person = {
    name: commit.author?.name ?? author,
    email: commit.author?.email ?? '',
    date: commit.author?.date ?? date,
  };
  const api = `${call.url}/repos/${repo.fullName}/git`;
  const page = html.slice(0, html.lastIndexOf('/'));
  return {
    sha,
    node_id: nodeId('C', sha),
    url: `${api}/commits/${sha}`,
    html_url: html,
    author: person,
    committer: person,
    message,
    tree: { sha: tree, url: `${api}/trees/${tree}` },
    parents: parents.map((one) => ({
      sha: one,
      url: `${api}/commits/${one}`,
      html_url: `${page}/${one}`,
    })),
    verification: {
      verified: false,
      reason: 'unsigned',
      signature: null,
      payload: null,
      verified_at: null,
    },
  };
}

/** The head of a branch; the stand-in keeps no older commits. */
function getCommit(call: Call): Reply {
  const repo = repositoryOf(call);
  const sha = call.params['sha'] ?? '';
  const branch = [...repo.branches.values()].find((one) => one.headSha() === sha);
  if (!branch) throw notFound();
  const tree = branch.tree().sha;
  const message = 'Update the tree';
  return { status: 200, body: renderGitCommit(call, repo, { sha, message, tree, parents: [] }) };
}

function createCommit(call: Call): Reply {
  const repo = repositoryOf(call);
  requirePush(call, repo);
  const { message, tree, parents } = call.body;
  if (typeof message !== 'string' || typeof tree !== 'string') {
    throw new Refusal(422, 'Invalid request.\n\n"message", "tree" weren\'t supplied.');
  }
  const made = repo.trees.get(tree);
  if (!made) throw new Refusal(422, 'Tree SHA does not exist');
  const [parent, ...others] = Array.isArray(parents) ? parents.map(String) : [];
  const branch = [...repo.branches.values()].find((one) => one.has(String(parent)));
  if (!branch || parent === undefined || others.length > 0) throw wrong('Commit', 'parents');
  const sha = branch.commitSha(made.sha, parent);
  repo.commits.set(sha, { tree: made, parent });
  const body = renderGitCommit(call, repo, { sha, message, tree, parents: [parent] });
  return { status: 201, body };
}

/** Without `force` it is to be a fast-forward: the commit follows the head of the branch. */
function updateRef(call: Call): Reply {
  const repo = repositoryOf(call);
  requirePush(call, repo);
  const [, name = ''] = /^heads\/(.+)$/.exec(call.params['ref'] ?? '') ?? [];
  const branch = repo.branches.get(name);
  if (!branch) throw new Refusal(422, 'Reference does not exist');
  const commit = repo.commits.get(String(call.body['sha']));
  if (!commit) throw new Refusal(422, 'Object does not exist');
  if (commit.parent !== branch.headSha()) throw new Refusal(422, 'Update is not a fast forward');
  call.store.push(repo, () => branch.goOn(commit.tree.files));
  return { status: 200, body: renderRef(call, repo, name) };
}

/** Routes that make git's objects, and move branches. */
export function objectRoutes(): Route[] {
  const git = '/repos/{owner}/{repo}/git';
  return [
    {
      method: 'POST',
      pattern: `${git}/trees`,
      docs: 'git/trees#create-a-tree',
      handle: createTree,
    },
    {
      method: 'GET',
      pattern: `${git}/commits/{sha}`,
      docs: 'git/commits#get-a-commit-object',
      handle: getCommit,
    },
    {
      method: 'POST',
      pattern: `${git}/commits`,
      docs: 'git/commits#create-a-commit',
      handle: createCommit,
    },
    {
      method: 'PATCH',
      pattern: `${git}/refs/{ref+}`,
      docs: 'git/refs#update-a-reference',
      handle: updateRef,
    },
  ];
}
