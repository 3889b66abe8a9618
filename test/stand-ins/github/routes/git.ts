/**
 * Files: contents, trees, blobs, branches, commits and tarballs of the heads of branches. The
 * stand-in keeps the head of each branch, and no history.
 * https://docs.github.com/rest/repos/contents and https://docs.github.com/rest/git
 */

import { createHash } from 'node:crypto';
import type { Branch } from '../branch.ts';
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

/** The branch that a ref names, the default one for none. @throws Refusal 404 for one that is not there */
function branchAt(repo: RepositoryState, ref: string | null): Branch {
  if (ref === null || ref === '' || ref === 'HEAD') return repo.main;
  const named = repo.branches.get(ref.replace(/^(refs\/)?heads\//, ''));
  const found = named ?? [...repo.branches.values()].find((branch) => branch.headSha() === ref);
  if (!found) throw new Refusal(404, `No commit found for the ref ${ref}`);
  return found;
}

/** Base64 in lines of 60 characters, as the service breaks them. */
function base64(content: Buffer): string {
  return content.toString('base64').replace(/(.{60})/g, '$1\n') + (content.length > 0 ? '\n' : '');
}

function entryUrls(call: Call, repo: RepositoryState, entry: TreeEntry) {
  const api = `${call.url}/repos/${repo.fullName}`;
  const { defaultBranch } = repo.repository;
  const path = encodeURI(entry.path);
  const kind = entry.type === 'commit' ? 'tree' : entry.type;
  const url = `${api}/contents/${path}?ref=${defaultBranch}`;
  const git = `${api}/git/${kind}s/${entry.sha}`;
  const html = `${call.url}/${repo.fullName}/${kind}/${defaultBranch}/${path}`;
  const raw = `${call.url}/__raw/${repo.fullName}/${defaultBranch}/${path}`;
  return {
    url,
    html_url: html,
    git_url: git,
    download_url: entry.type === 'blob' ? raw : null,
    _links: { self: url, git, html },
  };
}

function directory(
  call: Call,
  repo: RepositoryState,
  branch: Branch,
  path: string,
): Schemas['content-directory'] {
  const prefix = path === '' ? '' : `${path}/`;
  const inside = branch
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

export function fileBody(
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

/** https://docs.github.com/rest/repos/contents#get-repository-content: "If the content is a submodule". */
function submoduleBody(
  call: Call,
  repo: RepositoryState,
  branch: Branch,
  entry: TreeEntry,
): Schemas['content-submodule'] {
  const rows = branch.file('.gitmodules')?.toString().split('[submodule ') ?? [];
  const own = rows.find((row) => new RegExp(`^\\s*path = ${entry.path}$`, 'm').test(row));
  const [, url = null] = /^\s*url = (.+)$/m.exec(own ?? '') ?? [];
  return {
    name: entry.path.split('/').at(-1) ?? entry.path,
    path: entry.path,
    sha: entry.sha,
    size: 0,
    ...entryUrls(call, repo, entry),
    type: 'submodule',
    submodule_git_url: url ?? '',
  };
}

function contents(call: Call): Reply {
  const repo = repositoryOf(call);
  const branch = branchAt(repo, call.query.get('ref'));
  const path = (call.params['path'] ?? '').replace(/\/+$/, '');
  const content = branch.file(path);
  const entry = branch.tree().entries.find((candidate) => candidate.path === path);
  if (entry?.type === 'commit') {
    return { status: 200, body: submoduleBody(call, repo, branch, entry) };
  }
  if (content === undefined || !entry) {
    return { status: 200, body: directory(call, repo, branch, path) };
  }
  const lastModified = repo.repository.pushedAt;
  if (isRaw(call)) return { ...rawReply(content), lastModified };
  return { status: 200, body: fileBody(call, repo, entry, content), lastModified };
}

/** `recursive` with any value lists every level, as documented. */
function tree(call: Call): Reply {
  const repo = repositoryOf(call);
  const name = decodeURIComponent(call.params['sha'] ?? '');
  const tops = [...repo.branches.values()].map((branch) => branch.tree());
  const folders = tops.flatMap(({ entries }) => entries);
  const folder = folders.find((entry) => entry.type === 'tree' && entry.sha === name);
  const holder = tops.find((top) => top.sha === name || (folder && top.entries.includes(folder)));
  const { sha, entries } = holder ?? branchAt(repo, name).tree();
  const prefix = folder ? `${folder.path}/` : '';
  const deep = call.query.has('recursive');
  const api = `${call.url}/repos/${repo.fullName}/git`;
  const below = entries
    .filter((entry) => entry.path.startsWith(prefix))
    .map((entry) => ({ ...entry, path: entry.path.slice(prefix.length) }))
    .filter((entry) => deep || !entry.path.includes('/'));
  const rows = below.map(({ path, mode, type, sha: entrySha, size }) => ({
    path,
    mode,
    type,
    sha: entrySha,
    ...(size === null ? {} : { size }),
    ...(type === 'commit' ? {} : { url: `${api}/${type}s/${entrySha}` }),
  }));
  const { given } = call.store;
  let bytes = 0;
  const fitting = rows.findIndex((row, index) => {
    bytes += JSON.stringify(row).length + 1;
    const most = deep ? given.treeEntries : given.directoryEntries;
    return index >= most || bytes > given.treeBytes;
  });
  const body: Schemas['git-tree'] = {
    sha: folder?.sha ?? sha,
    url: `${api}/trees/${folder?.sha ?? sha}`,
    tree: fitting === -1 ? rows : rows.slice(0, fitting),
    truncated: fitting !== -1,
  };
  return { status: 200, body };
}

function blob(call: Call): Reply {
  const repo = repositoryOf(call);
  const sha = call.params['sha'] ?? '';
  const [content] = [...repo.branches.values()].flatMap((branch) => branch.blob(sha) ?? []);
  if (content === undefined) throw notFound();
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

function headCommit(call: Call, repo: RepositoryState, branch: Branch): Schemas['commit'] {
  return renderCommit(call, repo, {
    sha: branch.headSha(),
    message: 'Update the tree',
    author: repo.repository.writers[0] ?? repo.repository.owner,
    date: repo.repository.pushedAt,
    parents: [],
  });
}

function branches(call: Call): Reply {
  const repo = repositoryOf(call);
  const rows = [...repo.branches].map(([name, branch]): Schemas['short-branch'] => {
    const sha = branch.headSha();
    const url = `${call.url}/repos/${repo.fullName}/commits/${sha}`;
    return { name, commit: { sha, url }, protected: false };
  });
  return paged(call, rows, (row) => row, repo);
}

function branch(call: Call): Reply {
  const repo = repositoryOf(call);
  const name = call.params['branch'] ?? '';
  const found = repo.branches.get(name);
  if (!found) throw new Refusal(404, 'Branch not found');
  const self = `${call.url}/repos/${repo.fullName}/branches/${name}`;
  const body: Schemas['branch-with-protection'] = {
    name,
    commit: headCommit(call, repo, found),
    _links: { self, html: `${call.url}/${repo.fullName}/tree/${name}` },
    protected: false,
    protection: { enabled: false },
    protection_url: `${self}/protection`,
  };
  return { status: 200, body };
}

/** A branch as a reference. */
export function renderRef(call: Call, repo: RepositoryState, name: string): Schemas['git-ref'] {
  const ref = `heads/${name}`;
  const api = `${call.url}/repos/${repo.fullName}/git`;
  const sha = branchAt(repo, name).headSha();
  return {
    ref: `refs/${ref}`,
    node_id: nodeId('REF', `${repo.fullName}${ref}`),
    url: `${api}/refs/${ref}`,
    object: { sha, type: 'commit', url: `${api}/commits/${sha}` },
  };
}

function reference(call: Call): Reply {
  const repo = repositoryOf(call);
  const [, name] = /^heads\/(.+)$/.exec(call.params['ref'] ?? '') ?? [];
  if (name === undefined || !repo.branches.has(name)) throw notFound();
  return { status: 200, body: renderRef(call, repo, name) };
}

function commit(call: Call): Reply {
  const repo = repositoryOf(call);
  const at = branchAt(repo, call.params['ref'] ?? '');
  // The media type `sha` gives the bare name, the cheapest question whether anything was pushed:
  // https://docs.github.com/rest/commits/commits#get-a-commit
  if (/application\/vnd\.github(\.v3)?\.sha/.test(call.accept)) {
    const contentType = 'application/vnd.github.v3.sha; charset=utf-8';
    return { status: 200, bytes: { data: Buffer.from(at.headSha()), contentType } };
  }
  return { status: 200, body: headCommit(call, repo, at), lastModified: repo.repository.pushedAt };
}

function archive(call: Call): Reply {
  const repo = repositoryOf(call);
  const at = branchAt(repo, call.params['ref'] ?? null);
  const { port } = new URL(call.url);
  const unreachable = call.store.given.archives === 'unreachable';
  const host = unreachable ? 'http://localhost:1' : `http://localhost:${port}`;
  const token = repo.repository.private ? `?token=${archiveToken(repo)}` : '';
  const path = `/__codeload/${repo.fullName}/legacy.tar.gz/${at.headSha()}${token}`;
  return { status: 302, headers: { location: `${host}${path}` } };
}

/** The address of a private archive has a token of its own in it, for some minutes. */
function archiveToken(repo: RepositoryState): string {
  return createHash('sha1').update(`archive ${repo.repository.id}`).digest('hex').toUpperCase();
}

/** What the redirect of an archive points to: another origin, which no token of a caller may reach. */
function codeload(call: Call): Reply {
  if (call.viewer !== null) throw new Refusal(400, 'a token was sent to the host of archives');
  const { owner: of = '', repo: called = '' } = call.params;
  const repo = call.store.repository(of, called);
  const { archives } = call.store.given;
  const token = call.query.get('token');
  if (!repo || archives === 'missing') throw notFound();
  if (repo.repository.private && token !== archiveToken(repo)) throw notFound();
  const { owner, name, pushedAt } = repo.repository;
  const at = branchAt(repo, call.params['ref'] ?? null);
  const top = `${owner}-${name}-${at.headSha().slice(0, 7)}`;
  const other = archives === 'of-another-commit';
  const files = other
    ? at.files().map(({ path, data }) => ({ path, data: Buffer.concat([data, Buffer.from('x')]) }))
    : at.files();
  const all = tarball(files, top, Date.parse(pushedAt) / 1000);
  const data = archives === 'cut' ? all.subarray(0, Math.floor(all.length / 2)) : all;
  const headers = { 'content-disposition': `attachment; filename=${top}.tar.gz` };
  return { status: 200, bytes: { data, contentType: 'application/x-gzip' }, headers };
}

function raw(call: Call): Reply {
  const data = repositoryOf(call).main.file(call.params['path'] ?? '');
  if (data === undefined) throw notFound();
  return {
    status: 200,
    bytes: { data, contentType: 'text/plain; charset=utf-8' },
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
