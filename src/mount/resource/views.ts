/** Files that are made of records: which record is in which. */
import type { View } from './definition.ts';
import { ownParam, paramsOf } from './paths.ts';

export type AnyView = View<unknown>;

/** Is its file made of one record, which its path names? */
export function isOfOne({ path, of }: AnyView): boolean {
  return path.startsWith(`${of.path}/`) && paramsOf(path).includes(ownParam(of));
}

/** The groups that a record is in; `['']` where there are none. */
export function groupsOf({ by }: AnyView, value: unknown): readonly string[] {
  const groups = by?.(value) ?? '';
  return typeof groups === 'string' ? [groups] : groups;
}
