/**
 * Writing files: one commit on a branch, guarded by the name of the blob that is replaced, and new
 * branches. https://docs.github.com/rest/repos/contents and https://docs.github.com/rest/git/refs
 */
import type { Branch } from '../branch.ts';
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
import type { Schemas } from '../render.ts';
import { renderCommit } from '../render-repos.ts';
import type { RepositoryState } from '../store.ts';
import { fileBody, renderRef } from './git.ts';

interface Target {
  repo: RepositoryState;
  branch: Branch;
  path: string;
  message: string;
  /** Name of the blob that is there now; null for none. */
  blob: string | null;
  author: string;
}

function targetOf(call: Call): Target {
  const repo = repositoryOf(call);
  const author = requirePush(call, repo).login;
  const { message, branch: name } = call.body;
  if (typeof message !== 'string') {
    throw new Refusal(422, 'Invalid request.\n\n"message" wasn\'t supplied.');
  }
  const wanted = typeof name === 'string' ? name : repo.repository.defaultBranch;
  const branch = repo.branches.get(wanted);
  if (!branch) throw new Refusal(404, `Branch ${wanted} not found`);
  const path = call.params['path'] ?? '';
  const found = branch.tree().entries.find((entry) => entry.path === path);
  if (found?.type === 'tree')
    throw invalid([{ resource: 'Commit', field: 'path', code: 'invalid' }]);
  return { repo, branch, path, message, blob: found?.sha ?? null, author };
}

/** "Required if you are updating a file": 422 without it, 409 with another than the one there. */
function checkSha({ path, blob }: Target, sha: unknown): void {
  if (blob !== null && typeof sha !== 'string') {
    throw new Refusal(422, 'Invalid request.\n\n"sha" wasn\'t supplied.');
  }
  if (typeof sha === 'string' && sha !== blob) {
    throw new Refusal(409, `${path} does not match ${sha}`);
  }
}

function answer(call: Call, target: Target, data: Buffer | null): Reply {
  const { repo, branch, path, message, author, blob } = target;
  const parent = branch.headSha();
  const sha = call.store.commit(repo, branch, path, data);
  const { commit, ...rest } = renderCommit(call, repo, {
    sha,
    message,
    author,
    date: call.store.now(),
    parents: [parent],
  });
  const entry = branch.tree().entries.find((one) => one.path === path);
  const content = data && entry ? fileBody(call, repo, entry, data) : null;
  const body: Schemas['file-commit'] = {
    content: content as Schemas['file-commit']['content'],
    commit: {
      sha,
      node_id: rest.node_id,
      url: rest.url,
      html_url: rest.html_url,
      author: commit.author ?? {},
      committer: commit.committer ?? {},
      message,
      tree: commit.tree,
      parents: [{ sha: parent }],
    },
  };
  return { status: blob === null ? 201 : 200, body };
}

function put(call: Call): Reply {
  const target = targetOf(call);
  const { content, sha } = call.body;
  if (typeof content !== 'string' || /[^A-Za-z0-9+/=\s]/.test(content)) {
    throw new Refusal(422, 'content is not valid Base64');
  }
  checkSha(target, sha);
  return answer(call, target, Buffer.from(content, 'base64'));
}

function remove(call: Call): Reply {
  const target = targetOf(call);
  if (target.blob === null) throw notFound();
  checkSha(target, call.body['sha']);
  return answer(call, target, null);
}

/** A branch that starts at the head of another: the stand-in keeps no older commits. */
function createRef(call: Call): Reply {
  const repo = repositoryOf(call);
  requirePush(call, repo);
  const { ref, sha } = call.body;
  const [, name] = /^refs\/heads\/(.+)$/.exec(typeof ref === 'string' ? ref : '') ?? [];
  if (name === undefined) throw new Refusal(422, 'Reference name must start with refs/heads/');
  if (repo.branches.has(name)) throw new Refusal(422, 'Reference already exists');
  const start = [...repo.branches.values()].find((branch) => branch.headSha() === sha);
  if (!start) throw new Refusal(422, 'Object does not exist');
  repo.branches.set(name, start.fork());
  return { status: 201, body: renderRef(call, repo, name) };
}

/** Routes that write files and branches. */
export function commitRoutes(): Route[] {
  const file = '/repos/{owner}/{repo}/contents/{path+}';
  const docs = 'repos/contents';
  return [
    {
      method: 'PUT',
      pattern: file,
      docs: `${docs}#create-or-update-file-contents`,
      handle: put,
    },
    { method: 'DELETE', pattern: file, docs: `${docs}#delete-a-file`, handle: remove },
    {
      method: 'POST',
      pattern: '/repos/{owner}/{repo}/git/refs',
      docs: 'git/refs#create-a-reference',
      handle: createRef,
    },
  ];
}
