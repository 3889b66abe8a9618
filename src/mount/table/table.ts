/** A table of routes, compiled: finding the row of a path, and the rows below a directory. */
import { ConfigError } from '../../errors.ts';
import type { Dirent } from '../contract/contract.ts';
import type { Params, ParamType, Route } from './route.ts';

interface Segment {
  /** The literal text, or what stands before and after the parameter. */
  before: string;
  after: string;
  param: string | null;
  type: ParamType | null;
  /** `:name+`: one path segment or more, each of the type, joined by `/`. */
  rest: boolean;
}

interface Row {
  route: Route;
  segments: readonly Segment[];
}

/** A path's route and parameters. */
export interface Match {
  route: Route;
  params: Params;
}

/** A child of a directory in the table. */
export interface Child {
  route: Route;
  /** The name itself, where the last segment has no parameter. */
  literal: string | null;
  /** Around the parameter's value otherwise. */
  before: string;
  after: string;
}

/** A service's table. Making one fails when two of its rows can stand for one path. */
export class RouteTable {
  readonly #rows: readonly Row[];
  readonly #byDepth = new Map<number, Row[]>();
  /** Rows with a rest parameter, which have no depth of their own. */
  readonly #nested: Row[] = [];
  readonly #children = new Map<Route, Child[]>();
  readonly #rootChildren: Child[];
  /** Rows that stand for links. */
  readonly #links: readonly Row[];

  /** @throws ConfigError on a collision, an unknown parameter, or a row without a directory above it. */
  constructor(routes: readonly Route[], params: Readonly<Record<string, ParamType>>) {
    this.#rows = routes.map((route) => ({ route, segments: compile(route.pattern, params) }));
    for (const row of this.#rows) {
      for (const other of this.#nested) refuseNestedCollision(row, other);
      const nested = row.segments.some(({ rest }) => rest);
      const rows = nested ? this.#nested : (this.#byDepth.get(row.segments.length) ?? []);
      if (!nested) for (const other of rows) refuseCollision(row, other);
      rows.push(row);
      if (!nested) this.#byDepth.set(row.segments.length, rows);
    }
    this.#rootChildren = this.#childrenAt([]);
    this.#links = this.#rows.filter(({ route }) => route.target !== undefined);
    for (const row of this.#rows) {
      this.#refuseOrphan(row);
      if (row.route.type === 'directory' || row.route.typeOf !== undefined) {
        this.#children.set(row.route, this.#childrenAt(row.segments));
      }
    }
  }

  get routes(): readonly Route[] {
    return this.#rows.map((row) => row.route);
  }

  match(path: string): Match | null {
    const parts = split(path);
    for (const row of [...(this.#byDepth.get(parts.length) ?? []), ...this.#nested]) {
      const params = matchAll(row.segments, parts);
      if (params !== null) return { route: row.route, params };
    }
    return null;
  }

  /** The name under which a record is made in a directory, '' for the root: `new.md`; null where none is. */
  newIn(directory: string): string | null {
    const above = directory === '' ? null : (this.match(directory)?.route ?? undefined);
    if (above === undefined) return null;
    return this.children(above).find(({ route }) => route.create !== undefined)?.literal ?? null;
  }

  /** Does a row of links stand for a path, or for one above it? */
  hasLinks(path: string): boolean {
    if (this.#links.length === 0) return false;
    const parts = split(path);
    return this.#links.some(({ segments }) => isAtOrBelow(parts, segments));
  }

  /** The rows right below a directory; null stands for the root. */
  children(route: Route | null): readonly Child[] {
    return route === null ? this.#rootChildren : (this.#children.get(route) ?? []);
  }

  /** Rows at or below a path, with the parameters that the path fixes; of a rest parameter, its beginning. */
  under(path: string): Match[] {
    const parts = split(path);
    const found: Match[] = [];
    for (const { route, segments } of this.#rows) {
      const params = matchBeginning(segments, parts);
      if (params !== null) found.push({ route, params });
    }
    return found;
  }

  /** The same without those that no listing below the path leads to. */
  shownUnder(path: string): Match[] {
    const parts = split(path);
    const hides = this.#rows.filter(({ route }) => route.hidden === true);
    const isBelowHidden = (row: Row): boolean =>
      hides.some(
        ({ segments }) => startsWith(row.segments, segments) && !isAtOrBelow(parts, segments),
      );
    return this.#rows.flatMap((row) => {
      const params = matchBeginning(row.segments, parts);
      if (params === null || row.route.hidden === true || isBelowHidden(row)) return [];
      return [{ route: row.route, params }];
    });
  }

  #childrenAt(prefix: readonly Segment[]): Child[] {
    return this.#rows
      .filter(({ segments }) => isBelow(segments, prefix))
      .map(({ route, segments }) => {
        const last = segments[segments.length - 1] as Segment;
        return {
          route,
          literal: last.param === null ? last.before : null,
          before: last.before,
          after: last.after,
        };
      });
  }

  #refuseOrphan({ route, segments }: Row): void {
    const above = segments.slice(0, -1);
    if (above.length === 0) return;
    const parent = this.#rows.find(
      (row) =>
        row.route.type === 'directory' &&
        row.segments.length === above.length &&
        row.segments.every((segment, index) => sameSegment(segment, above[index])),
    );
    if (parent === undefined) {
      throw new ConfigError(route.pattern, 'has no directory above it in the table');
    }
  }
}

/** Does a walk that begins at a path begin at the row, or at the directory that the row is in? */
export function isNamedBy(path: string, { pattern }: Route): boolean {
  return split(path).length >= split(pattern).length - 1;
}

/** The names that a row with a parameter gives in a listing, as the replica has them. */
export function namesOf({ route, before, after }: Child, params: Params): Dirent[] {
  return [...(route.entries?.(params) ?? [])].map(({ name, type }) => ({
    name: `${before}${name}${after}`,
    type: route.target === undefined ? (type ?? route.type) : 'symlink',
  }));
}

/** File or directory: what a match stands for, as far as the replica knows. */
export function typeOf({ route, params }: Match): Route['type'] {
  return route.typeOf?.(params) ?? route.type;
}

/** Would reading it now cost a request of its own? */
export function isCostly({ route, params }: Match): boolean {
  return typeof route.costly === 'function' ? route.costly(params) : route.costly === true;
}

function split(path: string): string[] {
  return path.split('/').filter((part) => part !== '');
}

function compile(pattern: string, params: Readonly<Record<string, ParamType>>): Segment[] {
  return split(pattern).map((part) => {
    const found = /^([^:]*):([a-z_]+)(\+?)(.*)$/.exec(part);
    if (found === null) return { before: part, after: '', param: null, type: null, rest: false };
    const [, before = '', param = '', plus = '', after = ''] = found;
    const type = params[param];
    if (type === undefined) throw new ConfigError(pattern, `parameter :${param} has no type`);
    return { before, after, param, type, rest: plus !== '' };
  });
}

function matchAll(segments: readonly Segment[], parts: readonly string[]): Params | null {
  // What a rest parameter takes beyond its one segment.
  const extra = parts.length - segments.length;
  if (extra < 0 || (extra > 0 && !segments.some(({ rest }) => rest))) return null;
  const params: Record<string, string> = {};
  let index = 0;
  for (const segment of segments) {
    const whole = segment.rest ? parts.slice(index, index + extra) : [];
    index += whole.length;
    const value = matchOne(segment, parts[index++] ?? '');
    const fits = whole.every((part) => segment.type?.matches.test(part));
    if (value === null || !fits) return null;
    if (segment.param !== null) params[segment.param] = [...whole, value].join('/');
  }
  return params;
}

/** The parameters of a path that a row is at or below; null when it is neither. */
function matchBeginning(segments: readonly Segment[], parts: readonly string[]): Params | null {
  const at = segments.findIndex(({ rest }) => rest);
  if (at < 0 || parts.length <= at) {
    return segments.length < parts.length ? null : matchAll(segments.slice(0, parts.length), parts);
  }
  const whole = matchAll(segments, parts);
  if (whole !== null) return whole;
  const open = segments.slice(0, at + 1).map((one) => (one.rest ? { ...one, after: '' } : one));
  for (let more = 0; at + 1 + more <= segments.length; more++) {
    const params = matchAll([...open, ...segments.slice(at + 1, at + 1 + more)], parts);
    if (params !== null) return params;
  }
  return null;
}

/** Is a row right below a directory? Below a rest parameter are its own rows again. */
function isBelow(segments: readonly Segment[], prefix: readonly Segment[]): boolean {
  const last = prefix.at(-1);
  const own = segments.at(-1);
  if (last?.rest === true && own?.rest === true && segments.length === prefix.length) {
    return prefix.slice(0, -1).every((segment, index) => sameSegment(segment, segments[index]));
  }
  return (
    segments.length === prefix.length + 1 &&
    prefix.every((segment, index) => sameSegment(segment, segments[index]))
  );
}

function matchOne({ before, after, type }: Segment, part: string): string | null {
  if (type === null) return part === before ? '' : null;
  if (part.length <= before.length + after.length) return null;
  if (!part.startsWith(before) || !part.endsWith(after)) return null;
  const value = part.slice(before.length, part.length - after.length);
  return type.matches.test(value) ? value : null;
}

function startsWith(segments: readonly Segment[], prefix: readonly Segment[]): boolean {
  return (
    segments.length > prefix.length &&
    prefix.every((segment, index) => sameSegment(segment, segments[index]))
  );
}

/** Does a row stand for a path or for a directory above it? */
function isAtOrBelow(parts: readonly string[], segments: readonly Segment[]): boolean {
  return parts.some((_, index) => matchAll(segments, parts.slice(0, index + 1)) !== null);
}

function sameSegment(a: Segment, b: Segment | undefined): boolean {
  return a.before === b?.before && a.after === b.after && a.param === b.param && a.rest === b.rest;
}

/** Tried on paths that a rest parameter takes one and two segments of. */
function refuseNestedCollision(a: Row, b: Row): void {
  for (const [one, other] of [
    [a, b],
    [b, a],
  ] as const) {
    for (const times of [1, 2]) {
      if (matchAll(one.segments, exampleOf(other.segments, times)) === null) continue;
      throw new ConfigError(
        a.route.pattern,
        `collides with ${b.route.pattern}: one path, two rows`,
      );
    }
  }
}

function exampleOf(segments: readonly Segment[], times: number): string[] {
  return segments.flatMap((segment) => {
    const more = segment.rest
      ? Array.from({ length: times - 1 }, () => segment.type?.example ?? '')
      : [];
    return [...more, example(segment)];
  });
}

function refuseCollision(a: Row, b: Row): void {
  const collide = a.segments.every((segment, index) => overlap(segment, b.segments[index]));
  if (collide) {
    throw new ConfigError(a.route.pattern, `collides with ${b.route.pattern}: one path, two rows`);
  }
}

/** Can one name match both? Decided by trying each side's example on the other. */
function overlap(a: Segment, b: Segment | undefined): boolean {
  if (b === undefined) return false;
  return matchOne(a, example(b)) !== null || matchOne(b, example(a)) !== null;
}

function example({ before, after, type }: Segment): string {
  return `${before}${type?.example ?? ''}${after}`;
}
