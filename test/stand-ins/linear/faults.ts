/** The switchable faults that are on, and which of them a request meets. */
import type { Fault } from './control.ts';

type Breaking = Exclude<Fault, { kind: 'slow' | 'lag' }>;

/** What a request meets: at most one fault that decides the answer, and the delays around it. */
export interface Meeting {
  breaking: Breaking | null;
  /** ms to wait before the answer. */
  delay: number;
  /** ms by which listings lag. */
  lag: number;
}

export class Faults {
  #active: { fault: Fault; skip: number; left: number }[] = [];

  add(fault: Fault): void {
    this.#active.push({ fault, skip: fault.skip, left: fault.times ?? Number.POSITIVE_INFINITY });
  }

  clear(): void {
    this.#active = [];
  }

  /** Takes the faults that a request meets; each of them counts it. */
  meet(operation: string, fields: readonly string[]): Meeting {
    const meeting: Meeting = { breaking: null, delay: 0, lag: 0 };
    for (const entry of this.#active) {
      const { fault } = entry;
      if (fault.operation !== undefined && fault.operation !== operation) continue;
      if (fault.field !== undefined && !fields.includes(fault.field)) continue;
      if (entry.skip > 0) {
        entry.skip -= 1;
        continue;
      }
      if (fault.kind === 'slow') meeting.delay += fault.ms;
      else if (fault.kind === 'lag') meeting.lag = Math.max(meeting.lag, fault.ms);
      else if (meeting.breaking === null) meeting.breaking = fault;
      else continue;
      entry.left -= 1;
    }
    this.#active = this.#active.filter(({ left }) => left > 0);
    return meeting;
  }
}
