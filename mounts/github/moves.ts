/**
 * What GitHub redirects: a repository that has another name now, which is the same one, and an issue
 * that was transferred, which is another repository's. A name and an owner may change, an id does not.
 */
import { z } from 'zod';
import { type Redirect, ServiceFailure } from '../../src/mount/index.ts';

/** So long is remembered which repository has a name, in ms. */
const KNOWN_MS = 60_000;

/** What a path names: a repository, by its name or by its id, and what of it. */
interface Place {
  /** `octo/hello`; null where the path has the id. */
  name: string | null;
  id: number | null;
  /** `/issues/12`, '' for the repository itself. */
  rest: string;
}

const repositorySchema = z.looseObject({ id: z.number().int(), full_name: z.string() });
const issueSchema = z.looseObject({ number: z.number().int(), repository_url: z.string() });

type Repository = z.infer<typeof repositorySchema>;

export interface MovesOptions {
  /** Without a slash at its end; a path of GitHub Enterprise's has `/api/v3` before all. */
  baseUrl: string;
  fetch(url: string, init: RequestInit): Promise<Response>;
  now: () => Date;
}

export class Moves {
  readonly #options: MovesOptions;
  readonly #known = new Map<string, { at: number; repository: Promise<Repository | null> }>();
  /** By the name in lower case that was asked for: the one that the repository has now. */
  readonly #renamed = new Map<string, string>();

  constructor(options: MovesOptions) {
    this.#options = options;
  }

  /** Is that the same repository, as far as its redirects told? Names are OWNER/REPO. */
  isSame(asked: string, named: string): boolean {
    const [one, other] = [asked.toLowerCase(), named.toLowerCase()];
    return one === other || this.#renamed.get(one) === other;
  }

  /**
   * Lets a redirect through that leads to the same thing of the same repository.
   * @throws ServiceFailure `gone` where it leads to another: nothing was sent there
   */
  async check({ status, from, to, request }: Redirect): Promise<void> {
    const [asked, led] = [this.#placeOf(from), this.#placeOf(to)];
    // No repository's: a list of an owner who has another name now, or the address of an archive.
    if (asked === null || (led === null && isRead(request))) return;
    if (led !== null && asked.rest === led.rest) {
      // The repository itself is where its name leads.
      if (asked.rest === '' && isRead(request)) return;
      if (await this.#areSame(asked, led, request)) return;
    }
    const text = `${thingOf(asked)} was transferred to ${await this.#target(to, led, request)}`;
    throw new ServiceFailure('gone', `${text}: nothing was sent there`, { status, unsent: true });
  }

  async #areSame(asked: Place, led: Place, request: RequestInit): Promise<boolean> {
    const [one, other] = await Promise.all([
      this.#repository(asked, request),
      this.#repository(led, request),
    ]);
    if (one === null || other === null || one.id !== other.id) return false;
    if (asked.name !== null) {
      this.#renamed.set(asked.name.toLowerCase(), one.full_name.toLowerCase());
    }
    return true;
  }

  /** Which repository that is; null where GitHub shows none. */
  #repository({ name, id }: Place, request: RequestInit): Promise<Repository | null> {
    const path = name === null ? `/repositories/${id}` : `/repos/${name}`;
    const at = this.#options.now().getTime();
    const known = this.#known.get(path);
    if (known !== undefined && at - known.at < KNOWN_MS) return known.repository;
    const repository = this.#ask(path, repositorySchema, request);
    this.#known.set(path, { at, repository });
    // A question that failed says nothing.
    repository.catch(() => this.#known.delete(path));
    return repository;
  }

  /** Where an issue is now: `octo/other#3`. */
  async #target(to: URL, led: Place | null, request: RequestInit): Promise<string> {
    const number = numberOf(led);
    if (led === null) return `${to.pathname}, which is no repository's`;
    const repository = await this.#repository(led, request);
    if (repository === null) return 'a repository that the token may not see';
    if (number === null) return repository.full_name;
    const url = `/repositories/${repository.id}/issues/${number}`;
    const issue = await this.#ask(url, issueSchema, request);
    const name = /\/repos\/([^/]+\/[^/]+)$/.exec(issue?.repository_url ?? '')?.[1];
    return `${name ?? repository.full_name}#${issue?.number ?? number}`;
  }

  async #ask<T extends z.ZodType>(
    path: string,
    schema: T,
    { headers }: RequestInit,
  ): Promise<z.infer<T> | null> {
    const { baseUrl, fetch } = this.#options;
    const own = new Headers(headers);
    for (const name of ['if-none-match', 'content-type', 'content-length']) own.delete(name);
    const answer = await fetch(`${baseUrl}${path}`, { headers: own });
    if (answer.status === 404 || answer.status === 451) return null;
    if (!answer.ok) {
      const text = `GitHub answered ${answer.status} to where a redirect leads: nothing was sent there; try again later`;
      throw new ServiceFailure('server', text, { status: answer.status, unsent: true });
    }
    return schema.safeParse(await answer.json()).data ?? null;
  }

  #placeOf({ pathname }: URL): Place | null {
    const base = new URL(this.#options.baseUrl).pathname.replace(/\/$/, '');
    const path = pathname.startsWith(base) ? pathname.slice(base.length) : pathname;
    const found = /^\/(?:repos\/([^/]+\/[^/]+)|repositories\/(\d+))(\/.*)?$/.exec(path);
    if (found === null) return null;
    const [, name, id, rest = ''] = found;
    return { name: name ?? null, id: id === undefined ? null : Number(id), rest };
  }
}

function isRead({ method = 'GET' }: RequestInit): boolean {
  return ['GET', 'HEAD'].includes(method.toUpperCase());
}

function numberOf(place: Place | null): string | null {
  return /^\/(?:issues|pulls)\/(\d+)(?:\/|$)/.exec(place?.rest ?? '')?.[1] ?? null;
}

function thingOf(place: Place): string {
  const number = numberOf(place);
  const repository = place.name ?? `repository ${place.id}`;
  return number === null ? `${repository}${place.rest}` : `${repository}#${number}`;
}
