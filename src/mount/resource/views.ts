/** Files that are made of records: which record is in which. */
import type { Resource, View } from './definition.ts';
import { above, ownParam, paramsOf } from './paths.ts';

export type AnyView = View<unknown>;

/** Is its file made of one record, which its path names? */
export function isOfOne({ path, of }: AnyView): boolean {
  return (
    of.path !== undefined && path.startsWith(`${of.path}/`) && paramsOf(path).includes(ownParam(of))
  );
}

/** The groups that a record is in; `['']` where there are none. */
export function groupsOf({ by }: AnyView, value: unknown): readonly string[] {
  const groups = by?.(value) ?? '';
  return typeof groups === 'string' ? [groups] : groups;
}

/** The files of a resource's records, as views of one record each. */
export function filesOf(of: Resource<unknown>): AnyView[] {
  return Object.entries(of.files ?? {}).map(([name, { by, text, json, rows, ...file }]) => {
    const made = text ?? ((one, place) => jsonText(json?.(one, place)));
    return {
      ...file,
      of,
      path: `${of.path}/${name}`,
      ...(by && { by }),
      ...(rows && { rows }),
      text: ([one], place) => (one === undefined ? null : made(one, place)),
    } satisfies AnyView;
  });
}

/** The table of a resource's records, as a view. */
export function tableOf(of: Resource<unknown>): AnyView[] {
  if (of.table === undefined) return [];
  const { name = 'index.tsv', ...table } = of.table;
  const place = of.path === undefined ? (of.at ?? '') : above(of.path);
  return [{ ...table, of, path: `${place}/${name}` }];
}

function jsonText(value: unknown): string | null {
  return value === undefined ? null : `${JSON.stringify(value, null, 2)}\n`;
}
