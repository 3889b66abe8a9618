/** Mounts of a service on one state directory, with a clock that is moved; and how a test reads and writes through them. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ChangeJournal } from '../changes/journal.ts';
import { type FsError, isFsError } from '../errors.ts';
import type { PlannedCall, ProgramOutput } from '../mount/contract/program.ts';
import type { ServiceOptions } from '../mount/service/opening.ts';
import type { ServiceMount } from '../mount/service/service-mount.ts';
import { Replica } from '../replica/replica.ts';

/** A mount with the journal of its writes. */
export type JournalledMount = ServiceMount & { journal: ChangeJournal };

type Kept = Pick<ServiceOptions, 'replica' | 'changes'>;

/** Mounts of one service on a state directory that goes away with the bench. */
export class ServiceBench<Options extends ServiceOptions> {
  readonly directory: string;
  /** What the mounts said on stderr. */
  readonly notices: string[] = [];
  readonly #create: (options: ServiceOptions & Partial<Options>) => ServiceMount;
  readonly #own: Partial<Options>;
  readonly #open: { close(): void }[] = [];
  #offset = 0;
  #stopped: number | null = null;

  /** @param own what every mount of the bench is made with, such as a token and an address */
  constructor(
    service: string,
    create: (options: ServiceOptions & Partial<Options>) => ServiceMount,
    own: Partial<Options>,
  ) {
    this.directory = mkdtempSync(join(tmpdir(), `dirigent-${service}-`));
    this.#create = create;
    this.#own = own;
  }

  /** The mounts' clock: the present, until it is moved. */
  readonly now = (): Date => new Date((this.#stopped ?? Date.now()) + this.#offset);

  /** Moves the clock on. */
  move(ms: number): void {
    this.#offset += ms;
  }

  /** From now on the clock stands unless it is moved: a busy machine is not to use up what is fresh. */
  stopClock(): void {
    this.#stopped = Date.now();
  }

  /** A mount with a replica and a journal of its own, on files that all mounts of the bench share. */
  mount(options: Partial<Options> = {}): JournalledMount {
    const {
      replica = this.replica(join(this.directory, 'replica.sqlite')),
      changes = this.journal(join(this.directory, 'changes.sqlite')),
    } = options;
    const { now, notices } = this;
    const onNotice = (text: string) => notices.push(text);
    const shared = { stage: false, now, onNotice, ...this.#own, ...options };
    return Object.assign(this.#create({ ...shared, replica, changes }), { journal: changes });
  }

  /** A replica and a journal that nobody shares, so that they hold nothing yet. */
  memory(): Kept {
    return { replica: this.replica(':memory:'), changes: this.journal(':memory:') };
  }

  /** Closes what was opened, and removes the directory. */
  end(): void {
    for (const one of this.#open) one.close();
    rmSync(this.directory, { recursive: true });
  }

  /** A replica in a file, closed at the end. */
  protected replica(file: string): Replica {
    const replica = new Replica(file, this.now);
    this.#open.push(replica);
    return replica;
  }

  /** A journal in a file, closed at the end. */
  protected journal(file: string): ChangeJournal {
    const journal = new ChangeJournal(file, { now: this.now });
    this.#open.push(journal);
    return journal;
  }
}

/** A file's text. */
export async function text(mount: ServiceMount, path: string): Promise<string> {
  return Buffer.from(await mount.read(path)).toString();
}

/** Writes a file's text; nothing where the mount takes no writes. */
export async function write(mount: ServiceMount, path: string, content: string): Promise<void> {
  await mount.write?.(path, Buffer.from(content));
}

/** What a write begins with: the directory above is listed, and what is there is read, as an agent would. */
export async function readBefore(mount: ServiceMount, path: string): Promise<string> {
  await mount.readdir(path.slice(0, path.lastIndexOf('/')) || '/');
  const isText = !path.endsWith('/new.md') && mount.removesTree?.(path) !== true;
  return isText ? text(mount, path) : '';
}

/** Writes a file, or (with null) removes it, or the directory. */
export async function carryOut(
  mount: ServiceMount,
  path: string,
  content: string | null,
): Promise<void> {
  if (content !== null) await mount.write?.(path, Buffer.from(content));
  else if (mount.removesTree?.(path) === true) await mount.removeTree?.(path);
  else await mount.unlink?.(path);
}

/** What a program is called with beside its words. */
export interface CallInput {
  stdin?: string;
  /** Ends the call. */
  signal?: AbortSignal;
}

/** What a call gave, its output as text. */
export interface CallOutput extends Omit<ProgramOutput, 'stdout'> {
  stdout: string;
}

/**
 * Plans a call of a program, and makes none.
 * @throws Error where the words are answered without a call (help, or that they do not fit)
 */
export async function planned(
  mount: ServiceMount,
  path: string,
  args: readonly string[] = [],
  { stdin = '' }: CallInput = {},
): Promise<PlannedCall> {
  const plan = await planOf(mount, path, args, stdin);
  if ('exitCode' in plan) throw new Error(`${path} is not called: ${plan.stderr}`);
  return plan;
}

/** Calls a program of a mount, as the shell does once the gate has let it: help and wrong words are answers, too. */
export async function called(
  mount: ServiceMount,
  path: string,
  args: readonly string[] = [],
  { stdin = '', signal = new AbortController().signal }: CallInput = {},
): Promise<CallOutput> {
  const plan = await planOf(mount, path, args, stdin);
  const output = 'exitCode' in plan ? plan : await plan.carryOut(signal);
  return { ...output, stdout: Buffer.from(output.stdout).toString() };
}

async function planOf(mount: ServiceMount, path: string, args: readonly string[], stdin: string) {
  const plan = await mount.plan?.(path, { name: path.slice(1), args, stdin: Buffer.from(stdin) });
  if (plan === null || plan === undefined) throw new Error(`${path} is no program`);
  return plan;
}

/** The names in a directory. */
export async function names(mount: ServiceMount, path: string): Promise<string[]> {
  return (await mount.readdir(path)).map(({ name }) => name);
}

/** The failure of an operation that must fail as a file operation. */
export async function failure(work: Promise<unknown> | undefined): Promise<FsError> {
  try {
    await work;
  } catch (error) {
    if (isFsError(error)) return error;
    throw error;
  }
  throw new Error('it did not fail');
}
