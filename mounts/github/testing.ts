/** A stand-in seeded with so many issues and comments, and a mount on it: for the tests of this folder. */
import { credential } from '../../test/credentials/tokens.ts';
import { ServiceBench } from '../../test/services/testing.ts';
import {
  type GithubStandIn,
  type Issue,
  type RepositoryData,
  type SeedData,
  startGithubStandIn,
} from '../../test/stand-ins/github/index.ts';
import { createGithubMount, type GithubMountOptions } from './index.ts';

export { failure, text, write } from '../../test/services/testing.ts';

export const TOKEN = credential('ghp_', 'github');
/** Of an app's installation, where the seed is {@link withApp}. */
export const APP = TOKEN.replace(/^ghp_/, 'ghs_');
export const REPO = '/octo/hello';

/** How much there is: issues and pull requests together, every `pullEvery`-th one a pull request. */
export interface SeedSize {
  issues: number;
  commentsEach: number;
  pullEvery?: number;
}

const START = Date.parse('2025-01-01T00:00:00Z');

/** ISO 8601 with whole seconds, so many minutes after the start of 2025. */
function minute(n: number): string {
  return new Date(START + n * 60_000).toISOString().replace('.000Z', 'Z');
}

export function seed({ issues, commentsEach, pullEvery = 0 }: SeedSize): SeedData {
  const account = (id: number, login: string, name: string | null = null) => ({
    id,
    login,
    type: 'User' as const,
    name,
    bio: null,
    createdAt: minute(0),
  });
  return {
    accounts: [account(1, 'octo'), account(2, 'mara', 'M. Ohlsén')],
    tokens: { [TOKEN]: 'mara' },
    repositories: [repository(issues, commentsEach, pullEvery)],
  };
}

/** The same with an app that is installed in the repository. */
export function withApp(size: SeedSize): SeedData {
  const data = seed(size);
  const login = 'helper[bot]';
  data.accounts.push({
    id: 9,
    login,
    type: 'Bot',
    name: null,
    bio: null,
    createdAt: minute(0),
  });
  data.tokens[APP] = login;
  for (const { repository } of data.repositories) repository.writers.push(login);
  return data;
}

function repository(count: number, commentsEach: number, pullEvery: number): RepositoryData {
  const numbers = Array.from({ length: count }, (_, index) => index + 1);
  const label = (id: number, name: string) => ({ id, name, color: 'd73a4a', description: null });
  return {
    repository: {
      id: 10,
      owner: 'octo',
      name: 'hello',
      description: 'A repository to greet with',
      private: false,
      language: null,
      topics: [],
      defaultBranch: 'main',
      writers: ['mara', 'octo'],
      createdAt: minute(0),
      updatedAt: minute(1),
      pushedAt: minute(1),
    },
    labels: [label(21, 'bug'), label(22, 'docs'), label(23, 'help wanted')],
    milestones: [
      {
        id: 31,
        number: 1,
        title: 'v1.0',
        description: null,
        state: 'open',
        creator: 'octo',
        createdAt: minute(0),
        updatedAt: minute(0),
        closedAt: null,
        dueOn: null,
      },
    ],
    issues: numbers.map((n) => issue(n, pullEvery > 0 && n % pullEvery === 0)),
    comments: numbers.flatMap((n) =>
      Array.from({ length: commentsEach }, (_, index) => ({
        id: 10_000 + n * 100 + index,
        issue: n,
        author: 'octo',
        body: `Comment ${index} on ${n}: the frobnicator squeaks`,
        createdAt: minute(n),
        updatedAt: minute(n),
      })),
    ),
    reviews: [],
    files: [],
  };
}

function issue(n: number, isPull: boolean): Issue {
  return {
    id: 1000 + n,
    number: n,
    title: `Number ${n} is broken`,
    body: `Body of ${n}\n\nwith two paragraphs`,
    state: 'open',
    stateReason: null,
    author: 'octo',
    assignees: [],
    labels: n % 2 === 0 ? ['bug'] : [],
    milestone: null,
    locked: false,
    createdAt: minute(n),
    updatedAt: minute(n),
    closedAt: null,
    closedBy: null,
    pull: isPull
      ? {
          id: 5000 + n,
          draft: false,
          mergedAt: null,
          mergedBy: null,
          mergeCommitSha: null,
          headRef: `fix-${n}`,
          headSha: 'a'.repeat(40),
          baseRef: 'main',
          baseSha: 'b'.repeat(40),
          files: [{ path: 'src/a.ts', status: 'modified', patch: '@@ -1 +1 @@\n-a\n+b' }],
        }
      : null,
  };
}

/** A stand-in of its own, and mounts on it. */
export class Bench extends ServiceBench<GithubMountOptions> implements AsyncDisposable {
  readonly github: GithubStandIn;

  constructor(github: GithubStandIn) {
    super('github', createGithubMount, {
      token: TOKEN,
      baseUrl: github.url,
      repository: 'octo/hello',
      writeGapMs: 0,
    });
    this.github = github;
  }

  static async start(size: SeedSize): Promise<Bench> {
    return new Bench(await startGithubStandIn({ seed: seed(size) }));
  }

  /** Method, path and status of what was asked since the last call. */
  async asked(): Promise<string[]> {
    const rows = await this.github.requests();
    await this.github.resetRequests();
    return rows.map(({ method, url, status }) => `${method} ${url} ${status}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.github.close();
    this.end();
  }
}
