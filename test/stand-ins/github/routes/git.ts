/**
 * Files: contents, trees, blobs, branches, commits and tarballs of the default branch's head. The
 * stand-in keeps one version of the files; every ref it knows names that version.
 * https://docs.github.com/rest/repos/contents and https://docs.github.com/rest/git
 */

import { type TreeEntry, tarball } from '../git.ts';
import {
  type Call,
  notFound,
  paged,
  Refusal,
  type Reply,
  type Route,
  repositoryOf,
} from '../http.ts';
import { nodeId, type Schemas } from '../render.ts';
import { renderCommit } from '../render-repos.ts';
import type { RepositoryState } from '../store.ts';

/** Files from 1 to 100 MB have no `content`, larger ones are refused. */
const INLINE_LIMIT = 1024 * 1024;

/** @throws Refusal 404 for a ref that is neither the default branch nor its head */
function checkRef(repo: RepositoryState, ref: string | null): void {
  if (ref === null || ref === '') return;
  const branch = repo.repository.defaultBranch;
  const known = [branch, `heads/${branch}`, `refs/heads/${branch}`, 'HEAD', repo.headSha()];
  if (!known.includes(ref)) throw new Refusal(404, `No commit found for the ref ${ref}`);
}

/** Base64 in lines of 60 characters, as the service breaks them. */
function base64(content: Buffer): string {
  return content.toString('base64').replace(/(.{60})/g, '$1\n') + (content.length > 0 ? '\n' : '');
}

function entryUrls(call: Call, repo: RepositoryState, entry: TreeEntry) {
  const api = `${call.url}/repos/${repo.fullName}`;
  const { defaultBranch } = repo.repository;
  const path = encodeURI(entry.path);
  const url = `${api}/contents/${path}?ref=${defaultBranch}`;
  const git = `${api}/git/${entry.type}s/${entry.sha}`;
  const html = `${call.url}/${repo.fullName}/${entry.type}/${defaultBranch}/${path}`;
  const raw = `${call.url}/__raw/${repo.fullName}/${defaultBranch}/${path}`;
  return {
    url,
    html_url: html,
    git_url: git,
    download_url: entry.type === 'blob' ? raw : null,
    _links: { self: url, git, html },
  };
}

function directory(call: Call, repo: RepositoryState, path: string): Schemas['content-directory'] {
  const prefix = path === '' ? '' : `${path}/`;
  const inside = repo
    .tree()
    .entries.filter((e) => e.path.startsWith(prefix) && !e.path.slice(prefix.length).includes('/'));
  if (inside.length === 0 && path !== '') throw notFound();
  return inside.map((entry) => ({
    name: entry.path.slice(prefix.length),
    path: entry.path,
    sha: entry.sha,
    size: entry.size ?? 0,
    ...entryUrls(call, repo, entry),
    type: entry.type === 'tree' ? 'dir' : 'file',
  }));
}

function fileBody(
  call: Call,
  repo: RepositoryState,
  entry: TreeEntry,
  content: Buffer,
): Schemas['content-file'] {
  const large = content.length > INLINE_LIMIT;
  return {
    name: entry.path.split('/').at(-1) ?? entry.path,
    path: entry.path,
    sha: entry.sha,
    size: content.length,
    ...entryUrls(call, repo, entry),
    type: 'file',
    content: large ? '' : base64(content),
    encoding: large ? 'none' : 'base64',
  };
}

const isRaw = (call: Call): boolean => /application\/vnd\.github(\.v3)?\.raw/.test(call.accept);

const rawReply = (data: Buffer): Reply => ({
  status: 200,
  bytes: { data, contentType: 'application/vnd.github.raw+json; charset=utf-8' },
});

function contents(call: Call): Reply {
  const repo = repositoryOf(call);
  checkRef(repo, call.query.get('ref'));
  const path = (call.params['path'] ?? '').replace(/\/+$/, '');
  const text = repo.fileContent(path);
  const entry = repo.tree().entries.find((candidate) => candidate.path === path);
  if (text === undefined || !entry) return { status: 200, body: directory(call, repo, path) };
  const content = Buffer.from(text);
  const lastModified = repo.repository.pushedAt;
  if (isRaw(call)) return { ...rawReply(content), lastModified };
  return { status: 200, body: fileBody(call, repo, entry, content), lastModified };
}

/** `recursive` with any value lists every level, as documented. */
function tree(call: Call): Reply {
  const repo = repositoryOf(call);
  const name = decodeURIComponent(call.params['sha'] ?? '');
  const { sha, entries } = repo.tree();
  const folder = entries.find((entry) => entry.type === 'tree' && entry.sha === name);
  if (!folder && name !== sha) checkRef(repo, name);
  const prefix = folder ? `${folder.path}/` : '';
  const deep = call.query.has('recursive');
  const api = `${call.url}/repos/${repo.fullName}/git`;
  const below = entries
    .filter((entry) => entry.path.startsWith(prefix))
    .map((entry) => ({ ...entry, path: entry.path.slice(prefix.length) }))
    .filter((entry) => deep || !entry.path.includes('/'));
  const body: Schemas['git-tree'] = {
    sha: folder?.sha ?? sha,
    url: `${api}/trees/${folder?.sha ?? sha}`,
    tree: below.map(({ path, mode, type, sha: entrySha, size }) => ({
      path,
      mode,
      type,
      sha: entrySha,
      ...(size === null ? {} : { size }),
      url: `${api}/${type}s/${entrySha}`,
    })),
    truncated: false,
  };
  return { status: 200, body };
}

function blob(call: Call): Reply {
  const repo = repositoryOf(call);
  const sha = call.params['sha'] ?? '';
  const entry = repo.tree().entries.find((e) => e.type === 'blob' && e.sha === sha);
  if (!entry) throw notFound();
  const content = Buffer.from(repo.fileContent(entry.path) ?? '');
  if (isRaw(call)) return rawReply(content);
  const body: Schemas['blob'] = {
    sha,
    node_id: nodeId('B', sha),
    size: content.length,
    url: `${call.url}/repos/${repo.fullName}/git/blobs/${sha}`,
    content: base64(content),
    encoding: 'base64',
  };
  return { status: 200, body };
}

function headCommit(call: Call, repo: RepositoryState): Schemas['commit'] {
  return renderCommit(call, repo, {
    sha: repo.headSha(),
    message: 'Update the tree',
    author: repo.repository.writers[0] ?? repo.repository.owner,
    date: repo.repository.pushedAt,
    parents: [],
  });
}

function branches(call: Call): Reply {
  const repo = repositoryOf(call);
  const sha = repo.headSha();
  const url = `${call.url}/repos/${repo.fullName}/commits/${sha}`;
  const rows: Schemas['short-branch'][] = [
    { name: repo.repository.defaultBranch, commit: { sha, url }, protected: false },
  ];
  return paged(call, rows, (row) => row, repo);
}

function branch(call: Call): Reply {
  const repo = repositoryOf(call);
  const name = call.params['branch'] ?? '';
  if (name !== repo.repository.defaultBranch) throw new Refusal(404, 'Branch not found');
  const self = `${call.url}/repos/${repo.fullName}/branches/${name}`;
  const body: Schemas['branch-with-protection'] = {
    name,
    commit: headCommit(call, repo),
    _links: { self, html: `${call.url}/${repo.fullName}/tree/${name}` },
    protected: false,
    protection: { enabled: false },
    protection_url: `${self}/protection`,
  };
  return { status: 200, body };
}

function reference(call: Call): Reply {
  const repo = repositoryOf(call);
  const ref = `heads/${repo.repository.defaultBranch}`;
  if (call.params['ref'] !== ref) throw notFound();
  const api = `${call.url}/repos/${repo.fullName}/git`;
  const sha = repo.headSha();
  const body: Schemas['git-ref'] = {
    ref: `refs/${ref}`,
    node_id: nodeId('REF', `${repo.fullName}${ref}`),
    url: `${api}/refs/${ref}`,
    object: { sha, type: 'commit', url: `${api}/commits/${sha}` },
  };
  return { status: 200, body };
}

function commit(call: Call): Reply {
  const repo = repositoryOf(call);
  checkRef(repo, call.params['ref'] ?? '');
  // The media type `sha` gives the bare name, the cheapest question whether anything was pushed:
  // https://docs.github.com/rest/commits/commits#get-a-commit
  if (/application\/vnd\.github(\.v3)?\.sha/.test(call.accept)) {
    const contentType = 'application/vnd.github.v3.sha; charset=utf-8';
    return { status: 200, bytes: { data: Buffer.from(repo.headSha()), contentType } };
  }
  return { status: 200, body: headCommit(call, repo), lastModified: repo.repository.pushedAt };
}

function archive(call: Call): Reply {
  const repo = repositoryOf(call);
  checkRef(repo, call.params['ref'] ?? null);
  const location = `${call.url}/__codeload/${repo.fullName}/legacy.tar.gz/${repo.headSha()}`;
  return { status: 302, headers: { location } };
}

/** What the redirect of an archive points to: another host in reality, the same one here. */
function codeload(call: Call): Reply {
  const repo = repositoryOf(call);
  const { owner, name, pushedAt } = repo.repository;
  const top = `${owner}-${name}-${repo.headSha().slice(0, 7)}`;
  const data = tarball(repo.fileList(), top, Date.parse(pushedAt) / 1000);
  const headers = { 'content-disposition': `attachment; filename=${top}.tar.gz` };
  return { status: 200, bytes: { data, contentType: 'application/x-gzip' }, headers };
}

function raw(call: Call): Reply {
  const text = repositoryOf(call).fileContent(call.params['path'] ?? '');
  if (text === undefined) throw notFound();
  return {
    status: 200,
    bytes: { data: Buffer.from(text), contentType: 'text/plain; charset=utf-8' },
  };
}

/** Routes for files and git objects. */
export function gitRoutes(): Route[] {
  const base = '/repos/{owner}/{repo}';
  const get = (pattern: string, docs: string, handle: (call: Call) => Reply): Route => ({
    method: 'GET',
    pattern,
    docs,
    handle,
  });
  return [
    get(`${base}/contents`, 'repos/contents#get-repository-content', contents),
    get(`${base}/contents/{path+}`, 'repos/contents#get-repository-content', contents),
    get(`${base}/git/trees/{sha+}`, 'git/trees#get-a-tree', tree),
    get(`${base}/git/blobs/{sha}`, 'git/blobs#get-a-blob', blob),
    get(`${base}/git/ref/{ref+}`, 'git/refs#get-a-reference', reference),
    get(`${base}/branches`, 'branches/branches#list-branches', branches),
    get(`${base}/branches/{branch+}`, 'branches/branches#get-a-branch', branch),
    get(`${base}/commits/{ref+}`, 'commits/commits#get-a-commit', commit),
    get(`${base}/tarball`, 'repos/contents#download-a-repository-archive-tar', archive),
    get(`${base}/tarball/{ref+}`, 'repos/contents#download-a-repository-archive-tar', archive),
    get('/__codeload/{owner}/{repo}/legacy.tar.gz/{ref+}', '', codeload),
    get('/__raw/{owner}/{repo}/{ref}/{path+}', '', raw),
  ];
}
