/**
 * The emulator below the front, in the same process: it answers what the front does not keep itself
 * (teams, organisations, releases, hooks, checks, search for repositories and users …). It starts
 * with the first request that needs it, since loading it takes longer than all the rest.
 */
import type { Emulator } from 'emulate';
import type { SeedData } from './model.ts';

/** An answer from below, with the emulator's own address replaced by the front's. */
export interface PassedReply {
  status: number;
  data: Buffer;
  headers: Record<string, string>;
}

const KEPT_HEADERS = ['content-type', 'link', 'location'];

function emulatorSeed(seed: SeedData) {
  const people = seed.accounts.filter((account) => account.type === 'User');
  const organizations = seed.accounts.filter((account) => account.type === 'Organization');
  const scopes = ['repo', 'user', 'admin:org', 'admin:repo_hook'];
  const tokens = Object.entries(seed.tokens).map(([token, login]) => [token, { login, scopes }]);
  return {
    tokens: Object.fromEntries(tokens) as Record<string, { login: string; scopes: string[] }>,
    github: {
      users: people.map(({ login, name, bio }) => ({ login, name: name ?? login, bio: bio ?? '' })),
      orgs: organizations.map(({ login, name, bio }) => ({
        login,
        name: name ?? login,
        description: bio ?? '',
      })),
      repos: seed.repositories.map(({ repository }) => ({
        owner: repository.owner,
        name: repository.name,
        description: repository.description ?? '',
        private: repository.private,
        language: repository.language ?? 'TypeScript',
        topics: repository.topics,
        default_branch: repository.defaultBranch,
      })),
    },
  };
}

async function start(seed: SeedData): Promise<Emulator> {
  const { createEmulator } = await import('emulate');
  return createEmulator({ service: 'github', port: 0, seed: emulatorSeed(seed) });
}

/** The emulator, started when it is first asked. */
export class Upstream {
  private readonly seed: SeedData;
  private emulator: Promise<Emulator> | null = null;

  constructor(seed: SeedData) {
    this.seed = seed;
  }

  /**
   * Passes a request on.
   * @param path path and query
   * @param front the address to put in place of the emulator's in the answer
   */
  async pass(
    request: { method: string; path: string; authorization: string | undefined; body: string },
    front: string,
  ): Promise<PassedReply> {
    this.emulator ??= start(this.seed);
    const { url } = await this.emulator;
    const response = await fetch(url + request.path, {
      method: request.method,
      redirect: 'manual',
      headers: {
        'content-type': 'application/json',
        ...(request.authorization ? { authorization: request.authorization } : {}),
      },
      ...(request.body === '' ? {} : { body: request.body }),
    });
    const headers: Record<string, string> = {};
    for (const name of KEPT_HEADERS) {
      const value = response.headers.get(name);
      if (value !== null) headers[name] = value.replaceAll(url, front);
    }
    const text = (await response.text()).replaceAll(url, front);
    return { status: response.status, data: Buffer.from(text), headers };
  }

  /** Ends the emulator, if it was started. */
  close(): void {
    void this.emulator?.then((emulator) => emulator.close());
    this.emulator = null;
  }
}
