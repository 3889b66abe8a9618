/** Repositories and accounts. https://docs.github.com/rest/repos/repos and …/users/users */
import {
  type Call,
  notFound,
  paged,
  Refusal,
  type Reply,
  type Route,
  repositoryOf,
  signedIn,
  sorted,
} from '../http.ts';
import type { Account } from '../model.ts';
import { renderAccount, type Schemas } from '../render.ts';
import { renderFullRepository, renderRepository } from '../render-repos.ts';
import type { RepositoryState } from '../store.ts';

function visible(call: Call): RepositoryState[] {
  const login = call.viewer?.login ?? '';
  return [...call.store.repositories.values()].filter(
    ({ repository }) => !repository.private || repository.writers.includes(login),
  );
}

function page(call: Call, repos: RepositoryState[]): Reply {
  const items = sorted(
    repos,
    (repo) => repo.fullName,
    (repo) => repo.repository.id,
    'asc',
  );
  const viewer = call.viewer?.login ?? null;
  return paged(call, items, (repo) => renderRepository(call, repo, viewer));
}

/**
 * The person who is signed in. The token of an app's installation belongs to nobody
 * (actions/create-github-app-token 258, PyGithub/PyGithub 2372).
 */
function user(call: Call): Account {
  const account = signedIn(call);
  if (account.type === 'Bot') throw new Refusal(403, 'Resource not accessible by integration');
  return account;
}

/** https://docs.github.com/rest/apps/installations#list-repositories-accessible-to-the-app-installation */
function installed(call: Call): Reply {
  const { login, type } = signedIn(call);
  if (type !== 'Bot') {
    throw new Refusal(
      403,
      'You must authenticate with an installation access token in order to list repositories for an installation.',
    );
  }
  const repos = visible(call).filter(({ repository }) => repository.writers.includes(login));
  const { body, ...reply } = page(call, repos);
  return {
    ...reply,
    body: { total_count: repos.length, repository_selection: 'selected', repositories: body },
  };
}

/** Repositories the viewer owns, collaborates on, or has through an organisation. */
function mine(call: Call): Reply {
  const { login } = user(call);
  const has = ({ repository }: RepositoryState): boolean =>
    repository.owner === login || repository.writers.includes(login);
  return page(call, visible(call).filter(has));
}

/** `/users/{login}/repos` answers for an organization too; `/orgs/…` answers for nothing else. */
function ownedBy(call: Call, type: Account['type']): Reply {
  const account = call.store.account(call.params['login'] ?? '');
  if (!account || (type === 'Organization' && account.type !== 'Organization')) throw notFound();
  return page(
    call,
    visible(call).filter(({ repository }) => repository.owner === account.login),
  );
}

function get(call: Call): Reply {
  const repo = repositoryOf(call);
  return {
    status: 200,
    body: renderFullRepository(call, repo, call.viewer?.login ?? null),
    lastModified: repo.repository.updatedAt,
  };
}

function languages(call: Call): Reply {
  const { language } = repositoryOf(call).repository;
  return { status: 200, body: language === null ? {} : { [language]: 48_211 } };
}

function viewer(call: Call): Reply {
  const account = user(call);
  const repos = visible(call).filter(({ repository }) => repository.owner === account.login);
  const body: Schemas['public-user'] = {
    ...renderAccount(call, account.login),
    ...profile(account, repos.length),
  };
  return { status: 200, body, lastModified: account.createdAt };
}

function profile(account: Account, repositories: number) {
  return {
    name: account.name,
    company: null,
    blog: '',
    location: null,
    email: null,
    hireable: null,
    bio: account.bio,
    twitter_username: null,
    public_repos: repositories,
    public_gists: 0,
    followers: 0,
    following: 0,
    created_at: account.createdAt,
    updated_at: account.createdAt,
  };
}

function userNamed(call: Call): Reply {
  const account = call.store.account(call.params['login'] ?? '');
  if (!account) throw notFound();
  const owned = visible(call).filter(({ repository }) => repository.owner === account.login);
  const body = { ...renderAccount(call, account.login), ...profile(account, owned.length) };
  return { status: 200, body, lastModified: account.createdAt };
}

const isOrganization = (type: Account['type']): boolean => type === 'Organization';

function organizations(call: Call): Reply {
  const { login } = signedIn(call);
  const owners = visible(call)
    .filter(({ repository }) => repository.writers.includes(login))
    .map(({ repository }) => call.store.account(repository.owner))
    .filter((account) => account !== undefined && isOrganization(account.type));
  const unique = [...new Set(owners)].filter((account) => account !== undefined);
  return paged(call, unique, (account) => ({
    login: account.login,
    id: account.id,
    url: `${call.url}/orgs/${account.login}`,
    repos_url: `${call.url}/orgs/${account.login}/repos`,
    avatar_url: `${call.url}/avatars/u/${account.id}?v=4`,
    description: account.bio,
  }));
}

/** Routes for repositories, users and the viewer. */
export function repositoryRoutes(): Route[] {
  const repo = '/repos/{owner}/{repo}';
  const docs = 'repos/repos';
  return [
    {
      method: 'GET',
      pattern: '/user',
      docs: 'users/users#get-the-authenticated-user',
      handle: viewer,
    },
    {
      method: 'GET',
      pattern: '/user/repos',
      docs: `${docs}#list-repositories-for-the-authenticated-user`,
      handle: mine,
    },
    {
      method: 'GET',
      pattern: '/installation/repositories',
      docs: 'apps/installations#list-repositories-accessible-to-the-app-installation',
      handle: installed,
    },
    {
      method: 'GET',
      pattern: '/user/orgs',
      docs: 'orgs/orgs#list-organizations-for-the-authenticated-user',
      handle: organizations,
    },
    { method: 'GET', pattern: '/users/{login}', docs: 'users/users#get-a-user', handle: userNamed },
    {
      method: 'GET',
      pattern: '/users/{login}/repos',
      docs: `${docs}#list-repositories-for-a-user`,
      handle: (call) => ownedBy(call, 'User'),
    },
    {
      method: 'GET',
      pattern: '/orgs/{login}/repos',
      docs: `${docs}#list-organization-repositories`,
      handle: (call) => ownedBy(call, 'Organization'),
    },
    { method: 'GET', pattern: repo, docs: `${docs}#get-a-repository`, handle: get },
    {
      method: 'GET',
      pattern: `${repo}/languages`,
      docs: `${docs}#list-repository-languages`,
      handle: languages,
    },
  ];
}
