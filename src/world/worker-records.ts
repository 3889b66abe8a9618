/**
 * What a worker writes into the memory that both threads share, as it happens: operations on memory
 * mounts, steps of changes, and what the command prints. It is here even when the worker is ended.
 */
import type { Change } from '../changes/index.ts';
import { inSlices } from '../slices.ts';
import type { Job, JobResult } from './job.ts';
import type { LineNews } from './line/protocol.ts';
import type { Mirrors } from './mirrors.ts';
import { OutboxReader } from './outbox.ts';
import { joined } from './printed.ts';

/** Reads it, and keeps what belongs to the command that runs. */
export class WorkerRecords {
  readonly #mirrors: Mirrors;
  readonly #onChange: (change: Change, point: string) => void;
  readonly #onLine: (line: number, news: LineNews) => void;
  /** What became of each change that was told since the command began, by id. */
  readonly #changes = new Map<string, { change: Change; point: string }>();
  readonly #live = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
  #onOutput: Job['onOutput'];
  #outbox = new OutboxReader();
  #isReading = false;

  /**
   * @param mirrors follow the operations on memory mounts
   * @param onChange told of every step of a change, and of the point of its mount
   * @param onLine told what is done on lines
   */
  constructor(
    mirrors: Mirrors,
    onChange: (change: Change, point: string) => void,
    onLine: (line: number, news: LineNews) => void,
  ) {
    this.#mirrors = mirrors;
    this.#onChange = onChange;
    this.#onLine = onLine;
  }

  /** A command begins: what the one before it printed and changed is forgotten. */
  begin(onOutput: Job['onOutput']): void {
    this.#live.stdout.length = 0;
    this.#live.stderr.length = 0;
    this.#changes.clear();
    this.#onOutput = onOutput;
  }

  /** The worker goes on in this piece of memory. */
  add(segment: Parameters<OutboxReader['add']>[0]): void {
    this.#outbox.add(segment);
    this.read();
  }

  /** Takes in what is new. Whoever is told of it, and has it read again, is told of the rest after that. */
  read(): void {
    if (this.#isReading) return;
    this.#isReading = true;
    try {
      this.#readAll();
    } finally {
      this.#isReading = false;
    }
  }

  #readAll(): void {
    for (const record of this.#outbox.read()) {
      if (record.kind === 'memory') {
        this.#mirrors.apply(record.point, record.change);
      } else if (record.kind === 'change') {
        const { change, point, job } = record;
        // What a job writes beside a command is not the command's.
        if (job === undefined) this.#changes.set(change.id, { change, point });
        this.#onChange(change, point);
      } else if (record.kind === 'line') {
        this.#onLine(record.line, record.news);
      } else {
        this.#live[record.kind].push(record.bytes);
        this.#onOutput?.(record.kind, Buffer.from(record.bytes));
      }
    }
  }

  /** Takes in the last of a worker that has ended; the next one begins with memory of its own. */
  end(): void {
    this.read();
    this.#outbox = new OutboxReader();
  }

  /** The changes that the command made, each as it was last heard of. */
  get writes(): JobResult['writes'] {
    return [...this.#changes.values()];
  }

  /** All that the command printed, copied out of the shared memory, and what is added to its stderr. */
  async printed(more: string): Promise<Pick<JobResult, 'stdout' | 'stderr'>> {
    const { stdout, stderr } = this.#live;
    return {
      stdout: await inSlices(joined(stdout.splice(0))),
      stderr: await inSlices(joined([...stderr.splice(0), Buffer.from(more)])),
    };
  }
}
