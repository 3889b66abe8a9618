/** The table of the front's own routes, and what may pass through to the emulator below. */
import type { Route } from '../http.ts';
import { commentRoutes } from './comments.ts';
import { commitRoutes } from './commits.ts';
import { gitRoutes } from './git.ts';
import { graphqlRoutes } from './graphql.ts';
import { issueRoutes } from './issues.ts';
import { labelRoutes, milestoneRoutes } from './labels.ts';
import { objectRoutes } from './objects.ts';
import { ownRoutes } from './own.ts';
import { pullRoutes } from './pulls.ts';
import { repositoryRoutes } from './repos.ts';
import { reviewRoutes } from './reviews.ts';
import { searchRoutes } from './search.ts';
import { uploadRoutes } from './uploads.ts';

/** A route that matched, with the values of its pattern's names. */
export interface Match {
  route: Route;
  params: Record<string, string>;
}

interface Compiled {
  route: Route;
  regex: RegExp;
  names: string[];
}

function compile(route: Route): Compiled {
  const names: string[] = [];
  const source = route.pattern.replace(/\{(\w+)(\+?)\}/g, (_all, name: string, rest: string) => {
    names.push(name);
    return rest === '' ? '([^/]+)' : '(.+)';
  });
  return { route, regex: new RegExp(`^${source}/?$`), names };
}

/**
 * What the front keeps in its own store. A route below these that it does not know must not pass
 * through: the emulator would answer from a store of its own that holds none of it.
 */
const OWNED = [
  /^\/repos\/[^/]+\/[^/]+\/(issues|pulls|labels|milestones|git|contents|commits|branches)(\/|$)/,
  /^\/repos\/[^/]+\/[^/]+\/(tarball|zipball|assignees)(\/|$)/,
  /^\/repos\/[^/]+\/[^/]+$/,
  /^\/(issues|notifications)(\/|$)/,
  /^\/repos\/[^/]+\/[^/]+\/notifications$/,
  /^\/installation\/repositories$/,
  /^\/search\/(issues|code|commits)$/,
];

/** Finds routes. */
export class RouteTable {
  private readonly compiled: Compiled[] = [
    // Before issues: `/issues/comments` would read as the issue "comments".
    ...commentRoutes(),
    ...issueRoutes(),
    ...pullRoutes(),
    ...reviewRoutes(),
    ...labelRoutes(),
    ...milestoneRoutes(),
    ...gitRoutes(),
    ...commitRoutes(),
    ...objectRoutes(),
    ...repositoryRoutes(),
    ...searchRoutes(),
    ...ownRoutes(),
    ...uploadRoutes(),
    ...graphqlRoutes(),
  ].map(compile);

  /** @throws URIError when the path is not properly percent-encoded */
  find(method: string, path: string): Match | null {
    for (const { route, regex, names } of this.compiled) {
      if (route.method !== method) continue;
      const found = regex.exec(path);
      if (!found) continue;
      const values = found.slice(1).map((value) => decodeURIComponent(value));
      return { route, params: Object.fromEntries(names.map((name, i) => [name, values[i] ?? ''])) };
    }
    return null;
  }

  isOwned(path: string): boolean {
    return OWNED.some((pattern) => pattern.test(path));
  }
}
