/** The names of the collections that records are in, and those that lead to records, which are held under keys that stay. */
import type { ServiceStore } from '../table/service-store.ts';
import type { Resource } from './definition.ts';

type AnyResource = Resource<unknown>;

/** Keys that are numbers, in their order. */
export const BY_NUMBERS = new Intl.Collator('en', { numeric: true });

/** The collection that records of a resource are in, by what stands for the parameters of its place. */
export function bucketName(id: string, keys: readonly string[]): string {
  return [id, ...keys.map((key) => encodeURIComponent(key))].join('/');
}

/** What stands for those parameters. */
export function keysOf(bucket: string): string[] {
  return bucket
    .split('/')
    .slice(1)
    .map((key) => decodeURIComponent(key));
}

/** The collection that the names of another's records are in. */
export function namesOf(bucket: string): string {
  return `names of ${bucket}`;
}

/** What a record of a resource is called. */
export function nameOf(of: AnyResource, value: unknown): string {
  const listed = of.of ?? of;
  return (of.name ?? listed.name ?? of.key).call(of, value);
}

/** What a record's file is called: its name, with the ending that the files of its resource have. */
export function fileOf(of: AnyResource, value: unknown): string {
  return nameOf(of, value) + (/:\w+([^/]*)$/.exec(of.path ?? '')?.[1] ?? '');
}

/** Are records of a resource called otherwise than they are held? */
export function isNamed(of: AnyResource): boolean {
  return (of.of ?? of).name !== undefined;
}

/** The key that a name leads to; null where it leads to none. */
export function keyOf({ replica, mount }: ServiceStore, bucket: string, name: string) {
  return (replica.get(mount, namesOf(bucket), name)?.value as string | undefined) ?? null;
}

/** Keeps the names of a record that changed, came (`before` is absent) or went (`now` is null). */
export function putNames(
  store: ServiceStore,
  of: AnyResource,
  bucket: string,
  key: string,
  { before, now }: { before: unknown; now: unknown },
): void {
  const { replica, mount } = store;
  const into = namesOf(bucket);
  const allOf = (value: unknown): string[] =>
    value === undefined || value === null
      ? []
      : [...(of.formerNames?.(value) ?? []), nameOf(of, value)];
  const names = new Set(allOf(now));
  for (const old of allOf(before)) {
    if (!names.has(old) && keyOf(store, bucket, old) === key) replica.remove(mount, into, old);
  }
  for (const name of names) {
    // The name that another has now is no longer that of the one that had it.
    const other = keyOf(store, bucket, name);
    const isCurrent = name === nameOf(of, now);
    if (other !== null && other !== key && !isCurrent) continue;
    replica.upsert(mount, into, { key: name, updatedAt: '', size: 1, path: null, value: key });
  }
}
