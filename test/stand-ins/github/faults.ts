/** The switchable faults that are on, and which of them a request meets. */
import type { Fault } from './control.ts';

/** What a request meets: at most one fault that decides the answer, and the delays around it. */
export interface Meeting {
  /** The first fault that replaces or breaks the answer, or null. */
  breaking: Exclude<Fault, { kind: 'slow' | 'lag' }> | null;
  /** ms to wait before anything else. */
  delay: number;
  /** ms by which listings lag. */
  lag: number;
}

interface Active {
  fault: Fault;
  path: RegExp | null;
  left: number;
}

/** The list of active faults. */
export class Faults {
  private active: Active[] = [];

  /** @throws SyntaxError when `path` is no regular expression */
  add(fault: Fault): void {
    const path = fault.path === undefined ? null : new RegExp(fault.path);
    this.active.push({ fault, path, left: fault.times ?? Number.POSITIVE_INFINITY });
  }

  clear(): void {
    this.active = [];
  }

  /** Takes the faults that a request meets; each of them counts it. `paths`: any may match. */
  meet(method: string, paths: readonly string[]): Meeting {
    const meeting: Meeting = { breaking: null, delay: 0, lag: 0 };
    for (const entry of this.active) {
      const { fault, path } = entry;
      if (fault.method !== undefined && fault.method.toUpperCase() !== method) continue;
      if (path !== null && !paths.some((candidate) => path.test(candidate))) continue;
      if (fault.kind === 'slow') meeting.delay += fault.ms;
      else if (fault.kind === 'lag') meeting.lag = Math.max(meeting.lag, fault.ms);
      else if (meeting.breaking === null) meeting.breaking = fault;
      else continue;
      entry.left -= 1;
    }
    this.active = this.active.filter((entry) => entry.left > 0);
    return meeting;
  }
}
