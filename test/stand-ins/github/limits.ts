/**
 * The primary rate limit, counted as the service counts it: per token and hour, 5,000 for a user,
 * 60 without a token, 30 a minute for search; conditional requests answered 304 are free for who is
 * signed in. https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api
 */

/** A window: `reset` in seconds since the epoch. */
export interface Window {
  resource: 'core' | 'search';
  limit: number;
  used: number;
  reset: number;
}

const HOUR = 3600;
const MINUTE = 60;

/** Counts requests per viewer and resource. */
export class RateLimits {
  private readonly windows = new Map<string, Window>();
  private readonly clock: () => number;
  private signedInLimit = 5000;
  /** Searches a minute of who is signed in. */
  searches = 30;

  /** @param clock ms since the epoch */
  constructor(clock: () => number) {
    this.clock = clock;
  }

  /** The window of `viewer` (a login, or null without a token), begun anew when it has run out. */
  window(viewer: string | null, resource: Window['resource']): Window {
    const key = `${viewer ?? ''} ${resource}`;
    const now = Math.floor(this.clock() / 1000);
    const found = this.windows.get(key);
    if (found && found.reset > now) return found;
    const core = viewer === null ? 60 : this.signedInLimit;
    const search = viewer === null ? 10 : this.searches;
    const fresh: Window = {
      resource,
      limit: resource === 'core' ? core : search,
      used: 0,
      reset: now + (resource === 'core' ? HOUR : MINUTE),
    };
    this.windows.set(key, fresh);
    return fresh;
  }

  /** Sets the hourly limit of everyone signed in, what is left of it, and when it ends. */
  set(limit: number, remaining: number, resetInSeconds: number, viewers: Iterable<string>): void {
    this.signedInLimit = limit;
    const reset = Math.floor(this.clock() / 1000) + resetInSeconds;
    for (const viewer of viewers) {
      const used = Math.max(0, limit - remaining);
      this.windows.set(`${viewer} core`, { resource: 'core', limit, used, reset });
    }
  }
}

/** The `x-ratelimit-*` headers of a window. */
export function rateHeaders(window: Window): Record<string, string> {
  return {
    'x-ratelimit-limit': String(window.limit),
    'x-ratelimit-remaining': String(Math.max(0, window.limit - window.used)),
    'x-ratelimit-reset': String(window.reset),
    'x-ratelimit-used': String(window.used),
    'x-ratelimit-resource': window.resource,
  };
}
