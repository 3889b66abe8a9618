/**
 * A mount of one team shows nothing of the others, whatever the replica holds: mounts that are not
 * narrowed fill it, too.
 */
import { type Edit, type Params, type Route, ServiceFailure } from '../../src/mount/index.ts';
import { teamOf } from './store.ts';

/** What tells whether a team is shown. */
interface Shown {
  sync: { isHidden(team: string): boolean };
}

/** @throws ServiceFailure `missing` for a team that is not shown */
export function refuseHidden({ sync }: Shown, team: string): void {
  if (!sync.isHidden(team)) return;
  throw new ServiceFailure('missing', `this mount shows one team, which ${team} is not`);
}

/** A row below a team, with nothing in it for the other teams. */
export function narrowed(route: Route, shown: Shown): Route {
  if (!route.pattern.includes(':team')) return route;
  const hides = (params: Params) =>
    params['team'] !== undefined && shown.sync.isHidden(teamOf(params));
  const { prepare, prefetch, entries, stat, read, edit } = route;
  return {
    ...route,
    ...(prepare === undefined
      ? {}
      : {
          prepare: async (params, ...how) => {
            if (params['team'] !== undefined) refuseHidden(shown, teamOf(params));
            return prepare(params, ...how);
          },
        }),
    ...(prefetch === undefined
      ? {}
      : {
          prefetch: async (params, named) => (hides(params) ? undefined : prefetch(params, named)),
        }),
    ...(entries === undefined
      ? {}
      : { entries: (params) => (hides(params) ? [] : entries(params)) }),
    ...(stat === undefined ? {} : { stat: (params) => (hides(params) ? null : stat(params)) }),
    ...(read === undefined ? {} : { read: (params) => (hides(params) ? null : read(params)) }),
    ...(edit === undefined ? {} : { edit: narrowedEdit(edit, shown) }),
  };
}

function narrowedEdit(edit: Edit, shown: Shown): Edit {
  return {
    ...edit,
    current: (params) => (shown.sync.isHidden(teamOf(params)) ? null : edit.current(params)),
    refresh: async (params) => {
      refuseHidden(shown, teamOf(params));
      return edit.refresh(params);
    },
  };
}
