/** GitHub's times are ISO 8601 in UTC, so their order as text is their order in time. */

/** The latest of some times, '' for none. */
export function latestOf(times: Iterable<string>): string {
  let latest = '';
  for (const time of times) if (time > latest) latest = time;
  return latest;
}
