/** Where things are in the mount. */
import type { Params, ParamType } from '../../src/mount/index.ts';

export const TEAM = '/teams/:team';
export const ISSUES = `${TEAM}/issues`;

export const PARAMS: Readonly<Record<string, ParamType>> = {
  team: { matches: /^[A-Z][A-Z0-9]{0,15}$/, example: 'ENG' },
  issue: { matches: /^[A-Z][A-Z0-9]{0,15}-[1-9]\d{0,9}$/, example: 'ENG-12' },
  id: {
    matches: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
    example: '3f6c2a10-5b7e-4c1d-9a2f-0d1e2f3a4b5c',
  },
  slug: { matches: /^[0-9a-z]{4,32}$/, example: '1a2b3c4d5e6f' },
  number: { matches: /^[1-9]\d{0,9}$/, example: '12' },
};

/** Of a mount that shows one team: nothing else is a team, or an issue, in its paths. */
export function paramsOf({ team: only }: Params): Readonly<Record<string, ParamType>> {
  if (only === undefined) return PARAMS;
  const team = { matches: new RegExp(`^${only}$`), example: only };
  const issue = { matches: new RegExp(`^${only}-[1-9]\\d{0,9}$`), example: `${only}-12` };
  return { ...PARAMS, team, issue };
}

/** The team's key in an identifier such as `ENG-12`. */
export function teamIn(identifier: string): string {
  return identifier.slice(0, identifier.lastIndexOf('-'));
}

/** Where an issue is in the mount, without `.md`. */
export function pathOf(identifier: string): string {
  return `/teams/${teamIn(identifier)}/issues/${identifier}`;
}
