/** The switchable faults that are on, and which of them a request meets. */

interface AnyFault {
  kind: string;
  times?: number | undefined;
  skip: number;
}

interface RestMatcher {
  method?: string | undefined;
  path?: string | undefined;
}

interface GraphqlMatcher {
  operation?: string | undefined;
  field?: string | undefined;
}

/** A fault that says how late an answer is, or by how much listings lag, in ms. */
type Timed = { kind: 'slow' | 'lag'; ms: number };

/** What a request meets: at most one fault that decides the answer, and the delays around it. */
export interface Meeting<Fault> {
  /** The first fault that replaces or breaks the answer, or null. */
  breaking: Exclude<Fault, Timed> | null;
  /** ms to wait. */
  delay: number;
  /** ms by which listings lag. */
  lag: number;
}

class Faults<Fault extends AnyFault, Request> {
  readonly #matches: (fault: Fault, request: Request) => boolean;
  #active: { fault: Fault; skip: number; left: number }[] = [];

  constructor(matches: (fault: Fault, request: Request) => boolean) {
    this.#matches = matches;
  }

  add(fault: Fault): void {
    const left = fault.times ?? Number.POSITIVE_INFINITY;
    this.#active.push({ fault, skip: fault.skip, left });
  }

  clear(): void {
    this.#active = [];
  }

  /** Takes the faults that a request meets; each of them counts it. */
  meet(request: Request): Meeting<Fault> {
    const meeting: Meeting<Fault> = { breaking: null, delay: 0, lag: 0 };
    for (const entry of this.#active) {
      const { fault } = entry;
      if (!this.#matches(fault, request)) continue;
      if (entry.skip > 0) {
        entry.skip -= 1;
        continue;
      }
      if (isTimed(fault)) {
        if (fault.kind === 'slow') meeting.delay += fault.ms;
        else meeting.lag = Math.max(meeting.lag, fault.ms);
      } else if (meeting.breaking === null) {
        meeting.breaking = fault as Exclude<Fault, Timed>;
      } else continue;
      entry.left -= 1;
    }
    this.#active = this.#active.filter(({ left }) => left > 0);
    return meeting;
  }
}

function isTimed(fault: AnyFault): fault is AnyFault & Timed {
  return fault.kind === 'slow' || fault.kind === 'lag';
}

/** The faults of a REST service. Of a request's paths any may match. */
export function restFaults<Fault extends AnyFault & RestMatcher>() {
  type Request = { method: string; paths: readonly string[] };
  return new Faults<Fault, Request>((fault, { method, paths }) => {
    if (fault.method !== undefined && fault.method.toUpperCase() !== method) return false;
    if (fault.path === undefined) return true;
    const wanted = new RegExp(fault.path);
    return paths.some((path) => wanted.test(path));
  });
}

/** The faults of a GraphQL service. */
export function graphqlFaults<Fault extends AnyFault & GraphqlMatcher>() {
  type Request = { operation: string; fields: readonly string[] };
  return new Faults<Fault, Request>((fault, { operation, fields }) => {
    if (fault.operation !== undefined && fault.operation !== operation) return false;
    return fault.field === undefined || fields.includes(fault.field);
  });
}
