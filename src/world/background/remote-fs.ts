/**
 * In the thread of a background job: the file system of its shell. Every operation is done by the one
 * namespace of the world, and what a command asks without waiting is known from the answers.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { DefenseInDepthBox, unsafeBytesFromLatin1 } from 'just-bash';
import { type FsError, isFsError } from '../../errors.ts';
import type { ProgramInput, ProgramOutput } from '../../mount/contract/program.ts';
import { decodeText } from '../../namespace/encoding.ts';
import { Faults } from '../../namespace/faults.ts';
import { isSearchable, type SearchablePoint } from '../../namespace/searchable.ts';
import { Strands } from '../../namespace/strands.ts';
import type { DirentEntry, DocumentFs, DoorFs, NamespaceFs } from '../../namespace/types.ts';
import { childOf, NOWHERE, resolvePath } from '../../paths.ts';
import type { ErrorOnTheWire } from '../fs-call.ts';
import { revive } from '../wire-errors.ts';
import type { JobAsk, JobFsMethod } from './asks.ts';
import type { JobAnswer } from './protocol.ts';

/** Asks the world. @param strand which of the jobs beside one another asks; 0 for the first */
export type AskWorld = (ask: JobAsk, strand: number, signal?: AbortSignal) => Promise<JobAnswer>;

type Encoding = Parameters<NamespaceFs['readFile']>[1];

/** The root file system, as a job has it. */
export class RemoteFs implements DocumentFs, DoorFs {
  readonly #ask: AskWorld;
  readonly #searchable: readonly SearchablePoint[];
  readonly #strands = new Strands();
  readonly #numbers = new AsyncLocalStorage<number>();
  readonly #faults = new Faults(this.#strands);
  readonly #costly = new Set<string>();
  #held = 0;
  #strand = 0;

  constructor(ask: AskWorld, searchable: readonly SearchablePoint[]) {
    this.#ask = ask;
    this.#searchable = searchable;
  }

  // --- what is asked of the world

  readFileBuffer = (path: string) => this.#do<Uint8Array>('readFileBuffer', path);
  writeFile: NamespaceFs['writeFile'] = (...args) => this.#do('writeFile', ...args);
  appendFile: NamespaceFs['appendFile'] = (...args) => this.#do('appendFile', ...args);
  exists: NamespaceFs['exists'] = (path) => this.#do('exists', path);
  stat: NamespaceFs['stat'] = (path) => this.#do('stat', path);
  lstat: NamespaceFs['lstat'] = (path) => this.#do('lstat', path);
  inspect: DoorFs['inspect'] = (path) => this.#do('inspect', path);
  locate: DoorFs['locate'] = (path) => this.#do('locate', path);
  stamp: DoorFs['stamp'] = (point) => this.#do('stamp', point);
  mkdir: NamespaceFs['mkdir'] = (...args) => this.#do('mkdir', ...args);
  readlink: NamespaceFs['readlink'] = (path) => this.#do('readlink', path);
  realpath: NamespaceFs['realpath'] = (path) => this.#do('realpath', path);
  rm: NamespaceFs['rm'] = (...args) => this.#do('rm', ...args);
  cp: NamespaceFs['cp'] = (...args) => this.#do('cp', ...args);
  mv: NamespaceFs['mv'] = (...args) => this.#do('mv', ...args);
  chmod: NamespaceFs['chmod'] = (...args) => this.#do('chmod', ...args);
  utimes: NamespaceFs['utimes'] = (...args) => this.#do('utimes', ...args);
  symlink: NamespaceFs['symlink'] = (...args) => this.#do('symlink', ...args);
  link: NamespaceFs['link'] = (...args) => this.#do('link', ...args);
  checkRemoval: NamespaceFs['checkRemoval'] = (path) => this.#do('checkRemoval', path);
  documentText: DocumentFs['documentText'] = (path) => this.#do('documentText', path);
  flush: NamespaceFs['flush'] = (since = 0) => this.#do('flush', since);

  async readFile(path: string, options?: Encoding): Promise<string> {
    return decodeText(await this.readFileBuffer(path), options);
  }

  async readFileBytes(path: string) {
    return unsafeBytesFromLatin1(decodeText(await this.readFileBuffer(path), 'latin1'));
  }

  readdir(path: string): Promise<string[]> {
    return this.#list<string[]>('readdir', path);
  }

  readdirWithFileTypes(path: string): Promise<DirentEntry[]> {
    return this.#list<DirentEntry[]>('readdirWithFileTypes', path);
  }

  async prefetch(path: string): Promise<readonly FsError[]> {
    const failures = await this.#do<ErrorOnTheWire[]>('prefetch', path);
    return failures.map((each) => revive(each) as FsError);
  }

  async call(
    path: string,
    input: ProgramInput,
    signal: AbortSignal,
  ): Promise<ProgramOutput | null> {
    const answer = await this.#answer({ on: 'fs', method: 'call', args: [path, input] }, signal);
    return answer.value as ProgramOutput | null;
  }

  // --- what is known here

  /** A walk in one go is of one thread: here directories are listed one by one. */
  walk(): null {
    return null;
  }

  resolvePath(base: string, path: string): string {
    return path === '' ? NOWHERE : resolvePath(base, path);
  }

  getAllPaths(): string[] {
    return [];
  }

  searchable(path: string): boolean {
    return isSearchable(this.#searchable, resolvePath('/', path));
  }

  /** A walk asks about what it has listed. */
  costly(path: string): boolean {
    return this.#costly.has(resolvePath('/', path));
  }

  separately<T>(run: () => T): T {
    this.#strand += 1;
    return this.#numbers.run(this.#strand, () => this.#strands.begin(run));
  }

  errorMark(): number {
    return this.#faults.mark();
  }

  errorsSince(mark: number): readonly FsError[] {
    return this.#faults.since(mark);
  }

  heldMark(): number {
    return this.#held;
  }

  endlessRead(): string | null {
    return this.#faults.endless();
  }

  noteEndless(command: string): void {
    this.#faults.recordEndless(command);
  }

  enough(): void {
    this.#faults.enough();
  }

  // --- asking

  async #do<T>(method: JobFsMethod, ...args: unknown[]): Promise<T> {
    return (await this.#answer({ on: 'fs', method, args })).value as T;
  }

  async #list<T>(method: 'readdir' | 'readdirWithFileTypes', path: string): Promise<T> {
    const { value, costly } = await this.#answer({ on: 'fs', method, args: [path] });
    for (const name of costly) this.#costly.add(childOf(resolvePath('/', path), name));
    return value as T;
  }

  /** Asks, and takes in what came of it besides: in the strand of whoever asks. */
  async #answer(
    ask: JobAsk,
    signal?: AbortSignal,
  ): Promise<{ value: unknown; costly: readonly string[] }> {
    const strand = this.#numbers.getStore() ?? 0;
    // A command asks from inside the script's sandbox.
    const answer = await DefenseInDepthBox.runTrustedAsync(() => this.#ask(ask, strand, signal));
    const faults = answer.faults.map((fault) => revive(fault) as FsError);
    for (const fault of faults) this.#faults.record(fault);
    if (answer.endless !== null) this.#faults.recordEndless(answer.endless);
    this.#held = Math.max(this.#held, answer.held);
    const { outcome, costly = [] } = answer;
    if ('error' in outcome) {
      const failure = revive(outcome.error);
      // What is thrown and what is kept are one failure, which is told once.
      throw faults.find((fault) => isSame(fault, failure)) ?? failure;
    }
    return { value: outcome.value, costly };
  }
}

const isSame = (fault: FsError, failure: Error): boolean =>
  isFsError(failure, fault.code) &&
  failure.path === fault.path &&
  failure.op === fault.op &&
  failure.reason === fault.reason;
