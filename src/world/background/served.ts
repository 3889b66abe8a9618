/**
 * In the worker of a world: what background jobs ask of it. Each has a namespace over the same mounts,
 * behind the same gate, in the name of whoever started it, for as long as the job runs.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { FsError } from '../../errors.ts';
import type { Namespace } from '../../namespace/namespace.ts';
import type { Acting } from '../../policy/acting.ts';
import { type ActingContext, NETWORK } from '../../policy/context.ts';
import type { Assembly } from '../assembly.ts';
import type { WireError } from '../fs-call.ts';
import { refusalsOf } from '../refusals.ts';
import type { CallTraffic, Traffic } from '../traffic.ts';
import { wire } from '../wire-errors.ts';
import type { JobAsk } from './asks.ts';
import type { JobAnswer, JobMount } from './protocol.ts';

/** What a job has in this worker. */
interface Served {
  acting: Acting & { read: Set<string> };
  fs: Namespace;
  /** What it runs beside one another: each has errors and held writes of its own. */
  strands: Map<number, <T>(work: () => T) => T>;
  ended: AbortController;
  traffic: CallTraffic;
  /** That mounts have sent for it since it was answered last. */
  requests: number;
}

/** Answers the jobs of one worker. */
export class ServedJobs {
  readonly #world: Assembly;
  readonly #traffic: Traffic;
  readonly #jobs = new Map<number, Served>();
  /** The job in whose name something is done. */
  readonly #current = new AsyncLocalStorage<number>();

  /** @param traffic watches what the mounts send */
  constructor(world: Assembly, traffic: Traffic) {
    this.#world = world;
    this.#traffic = traffic;
  }

  /** The job on whose behalf the caller acts; undefined for what is no job's. */
  current(): number | undefined {
    return this.#current.getStore();
  }

  /** Answers a job. What fails is part of the answer. @param signal nobody waits for it any more */
  async answer(
    job: number,
    context: ActingContext,
    strand: number,
    ask: JobAsk,
    signal: AbortSignal,
  ): Promise<JobAnswer> {
    const { policing } = this.#world;
    await policing.prepare(context);
    const served = this.#of(job, context);
    served.acting.context = context;
    return this.#current.run(job, () =>
      this.#strandOf(served, strand)(() => this.#answer(served, ask, signal)),
    );
  }

  /** A job has ended: nothing that it waits for is done any more. */
  end(job: number): void {
    const served = this.#jobs.get(job);
    served?.ended.abort();
    served?.traffic.end();
    this.#jobs.delete(job);
  }

  #of(job: number, context: ActingContext): Served {
    const known = this.#jobs.get(job);
    if (known !== undefined) return known;
    const ended = new AbortController();
    const traffic = this.#traffic.begin(({ kind }) => {
      if (kind === 'request') served.requests += 1;
    });
    const acting = {
      context,
      signal: ended.signal,
      read: new Set<string>(),
      watch: traffic,
      aside: true,
    };
    const fs = this.#world.fsFor(acting);
    const served: Served = { acting, ended, fs, traffic, strands: new Map(), requests: 0 };
    this.#jobs.set(job, served);
    return served;
  }

  #strandOf({ strands, fs }: Served, strand: number): <T>(work: () => T) => T {
    if (strand === 0) return (work) => work();
    let enter = strands.get(strand);
    if (enter === undefined) {
      enter = fs.separately(() => AsyncLocalStorage.snapshot());
      strands.set(strand, enter);
    }
    return enter;
  }

  async #answer(served: Served, ask: JobAsk, signal: AbortSignal): Promise<JobAnswer> {
    const { fs, acting } = served;
    const mark = fs.errorMark();
    let outcome: JobAnswer['outcome'];
    try {
      outcome = { value: await this.#do(served, ask, signal) };
    } catch (error) {
      outcome = { error: wire(error) };
    }
    const errors = fs.errorsSince(mark);
    const endless = fs.endlessRead();
    // It is known in the job's thread from here on.
    fs.enough();
    const { requests } = served;
    served.requests = 0;
    return {
      outcome,
      faults: errors.map((error) => wire(error) as WireError),
      endless,
      held: fs.heldMark(),
      ...this.#costly(fs, ask, outcome),
      changed: fs.takeChanges(),
      refused: refusalsOf(errors),
      requests,
      origins: this.#world.policing.originsOf(acting.read),
    };
  }

  async #do({ fs, acting }: Served, ask: JobAsk, signal: AbortSignal): Promise<unknown> {
    const { policing } = this.#world;
    switch (ask.on) {
      case 'fs': {
        // The port carries plain data; the method's own types were checked in the job's thread.
        const call = fs[ask.method] as (...args: unknown[]) => Promise<unknown>;
        const args = ask.method === 'call' ? [...ask.args, signal] : ask.args;
        const value = await call.apply(fs, args);
        return ask.method === 'prefetch' ? (value as readonly FsError[]).map(wire) : value;
      }
      case 'search': {
        const search = this.#world.searchAs(fs);
        const call = search[ask.method] as (...args: unknown[]) => Promise<{ trouble?: unknown }>;
        const found = await call.apply(search, ask.args);
        if (!Array.isArray(found.trouble)) return found;
        return { ...found, trouble: found.trouble.map(wire) };
      }
      case 'mounts':
        return this.#mounts();
      case 'permit':
        return policing.permitTool(acting, ask.call);
      case 'heard':
        acting.read.add(NETWORK);
        return policing.noteNetwork(acting, ask.url);
      case 'read':
        for (const point of ask.points) acting.read.add(point);
        return policing.note({
          ...acting.context,
          untrustedRead: true,
          untrustedFrom: policing.originsOf(acting.read),
        });
    }
  }

  #mounts(): JobMount[] {
    return this.#world.table.attachments.map(({ point, mount, access, searchable }) => ({
      point,
      kind: mount.kind,
      mode: access.mode,
      capacity: mount.capacity?.() ?? null,
      searchable,
    }));
  }

  /** A listing says which of its files a walk leaves out. */
  #costly(
    fs: Namespace,
    ask: JobAsk,
    outcome: JobAnswer['outcome'],
  ): Pick<JobAnswer, 'costly'> | undefined {
    if (ask.on !== 'fs' || 'error' in outcome || !ask.method.startsWith('readdir')) return;
    const directory = String(ask.args[0]).replace(/\/+$/, '');
    const names = (outcome.value as (string | { name: string })[]).map((each) =>
      typeof each === 'string' ? each : each.name,
    );
    const costly = names.filter((name) => fs.costly(`${directory}/${name}`));
    return costly.length === 0 ? undefined : { costly };
  }
}
