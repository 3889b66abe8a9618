/** A subject of trials, of a mount's module and a stand-in that knows nothing of faults. */
import type { MountModule } from '../mount/service/module.ts';
import type { ServiceOptions } from '../mount/service/opening.ts';
import type { ServiceMount } from '../mount/service/service-mount.ts';
import { ServiceBench } from './bench.ts';
import { FaultLine, type PassedRequest } from './fault-line.ts';
import type { Subject, TestedWrite } from './subject.ts';

/** A stand-in of the service, listening on loopback. */
export interface StandIn<Held> {
  /** What the mount is to have as its `baseUrl`, with the path if there is one. */
  readonly url: string;
  /** What it holds now. */
  held(): Held | Promise<Held>;
  /** Someone else makes a record with this title: for {@link hostileNames}. */
  add?(title: string): void | Promise<void>;
  /** Someone else removes `places.record`: for {@link removals}. */
  removeRecord?(): void | Promise<void>;
  /** Ends it. */
  close(): void | Promise<void>;
}

/** What a subject is made of. */
export interface SubjectParts<Held> {
  name: string;
  /** The mount's module, as a config would name its file: `new URL('./index.ts', import.meta.url)`. */
  module: URL;
  /** Starts the stand-in with the same data each time. */
  start(): StandIn<Held> | Promise<StandIn<Held>>;
  /** A directory that lists records, and one of these. */
  places: { list: string; record: string };
  writes: readonly TestedWrite<Held>[];
  token?: string;
  options?: Readonly<Record<string, unknown>>;
  /** Does a request change something? All but GET and HEAD by default. */
  isWrite?(request: PassedRequest): boolean;
}

/**
 * Puts a line that can be disturbed between the mount and its stand-in.
 * @throws Error where the module makes no mount of a service
 */
export async function testSubject<Held>(parts: SubjectParts<Held>): Promise<Subject<Held>> {
  const { name, module, places, writes, token, options = {}, isWrite = isNoReading } = parts;
  const { default: open } = (await import(module.href)) as { default: MountModule };
  let standIn = await parts.start();
  const { origin, pathname } = new URL(standIn.url);
  const line = await FaultLine.open(origin);
  const baseUrl = `${line.url}${pathname}`.replace(/\/$/, '');
  let told = 0;
  const begin = async (): Promise<void> => {
    await standIn.close();
    standIn = await parts.start();
    line.target = new URL(standIn.url).origin;
    line.clearFaults();
    told = line.rows.length;
  };
  const create = (given: ServiceOptions): ServiceMount => {
    const { background = false, point = '/mnt/it', replica, changes, stage, onNotice } = given;
    const own = { replica, changes, stage, onNotice, background, point, options, baseUrl };
    const made = open({ ...given, ...own, ...(token === undefined ? {} : { token }) } as never);
    if ('documents' in made && 'feed' in made) return made as ServiceMount;
    throw new Error(
      `${module.href} should make, at once, what openResourceMount or openServiceMount gives`,
    );
  };
  return {
    name,
    places,
    writes,
    opener: { module: module.href, baseUrl, token, options },
    bench: async () => {
      await begin();
      const bench = new ServiceBench<ServiceOptions>(name, create, {});
      return Object.assign(bench, { [Symbol.dispose]: () => bench.end() });
    },
    fault: async (fault) => {
      if (fault.kind === 'lag') throw new Error('a line cannot make a listing lag');
      line.fault(fault);
    },
    clearFaults: async () => line.clearFaults(),
    asked: async () => {
      const rows = line.rows.slice(told);
      told += rows.length;
      return rows.map((row) => ({
        write: isWrite(row),
        status: row.status,
        what: `${row.method} ${row.url}`,
      }));
    },
    held: async () => standIn.held(),
    ...(standIn.add === undefined
      ? {}
      : { add: async (title: string) => void (await standIn.add?.(title)) }),
    ...(standIn.removeRecord === undefined
      ? {}
      : { removeRecord: async () => void (await standIn.removeRecord?.()) }),
    [Symbol.asyncDispose]: async () => {
      await line[Symbol.asyncDispose]();
      await standIn.close();
    },
  };
}

const isNoReading = ({ method }: PassedRequest): boolean => method !== 'GET' && method !== 'HEAD';
