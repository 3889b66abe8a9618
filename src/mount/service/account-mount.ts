/**
 * A service mount that finds out whose it is before it asks for anything else. Everything is done
 * by the mount of the account that is known now; where another one turns out to be it, that one
 * goes on, with all that was kept so far.
 */
import type { ChangeJournal } from '../../changes/journal.ts';
import type { FeedEntry } from '../../replica/replica.ts';
import type { Patience } from '../client/patience.ts';
import type { Progress } from '../contract/activity.ts';
import type { Dirent, MountStat, MountUsage, Probe } from '../contract/contract.ts';
import type { PlannedCall, ProgramInput, ProgramOutput } from '../contract/program.ts';
import type { WalkedFile } from '../contract/walked-file.ts';
import type { Heard, Told } from '../contract/webhook.ts';
import { README } from '../reading/extras.ts';
import type { SearchDocument } from '../reading/held-files.ts';
import type { Account } from './account.ts';
import type { TableOfRoutes } from './service-mount.ts';

export interface AccountMountOptions {
  account: Account;
  changes: ChangeJournal;
  /** Of the operations that somebody waits for, whichever mount does them. */
  patience: Patience;
  /** True: writes become pending changes. */
  stage: boolean;
  /** Makes the mount of an account, by its name in the replica and the journal. */
  open(name: string): TableOfRoutes;
}

/** What is there before anything is asked. */
const OWN: ReadonlySet<string> = new Set(['/', `/${README}`]);

export class AccountMount implements TableOfRoutes {
  readonly #options: AccountMountOptions;
  readonly #forget: () => void;
  #mount: TableOfRoutes;
  /** Operations that are under way in it. */
  #under = 0;
  /** Told when none is. */
  #idle: (() => void)[] = [];
  #moving: Promise<void> | null = null;

  constructor(options: AccountMountOptions) {
    this.#options = options;
    this.#mount = options.open(options.account.name);
    // A change that an earlier credential of the account left may be this one's.
    this.#forget = options.account.isKnown
      ? () => undefined
      : options.changes.onUnattached(() => this.#known(() => undefined));
  }

  get kind(): string {
    return this.#mount.kind;
  }

  get name(): string {
    return this.#mount.name;
  }

  get searchable(): boolean {
    return this.#mount.searchable;
  }

  readonly transactional = true;

  hasLinks(path: string): boolean {
    return this.#mount.hasLinks(path);
  }

  canHave(path: string): boolean {
    return this.#mount.canHave(path);
  }

  stamp(): string | null {
    const { account } = this.#options;
    // Whose it is may be found out by the next operation.
    if (account.isMoving || (!account.isKnown && account.hasOthers)) return null;
    return this.#mount.stamp();
  }

  usage(): MountUsage {
    return this.#mount.usage();
  }

  progress(): Progress[] {
    return this.#mount.progress();
  }

  async probe(): Promise<Probe> {
    return this.#known((mount) => mount.probe());
  }

  /** Whose write it was is told by who we are. */
  async hear(events: readonly Told[]): Promise<Heard[]> {
    return events.length === 0 ? [] : this.#known((mount) => mount.hear(events));
  }

  async close(): Promise<void> {
    this.#forget();
    await this.#mount.close();
  }

  within<T>(ms: number, operation: () => Promise<T>): Promise<T> {
    return this.#options.patience.within(ms, operation);
  }

  costly(path: string): boolean {
    return this.#mount.costly(path);
  }

  // --- reading

  async lstat(path: string): Promise<MountStat> {
    return OWN.has(path) ? this.#mount.lstat(path) : this.#settled((mount) => mount.lstat(path));
  }

  async readdir(path: string): Promise<Dirent[]> {
    return this.#settled((mount) => mount.readdir(path));
  }

  async read(path: string): Promise<Uint8Array> {
    return OWN.has(path) ? this.#mount.read(path) : this.#settled((mount) => mount.read(path));
  }

  async readlink(path: string): Promise<string> {
    return this.#settled((mount) => mount.readlink(path));
  }

  async prefetch(path: string): Promise<void> {
    return this.#settled((mount) => mount.prefetch(path));
  }

  coverage(path: string): string | null {
    return this.#mount.coverage(path);
  }

  heldSince(path: string): number | null {
    return this.#mount.heldSince(path);
  }

  walk(path: string): Iterable<WalkedFile> | null {
    // Another mount may have found out meanwhile whose both are: whatever waits goes on with that.
    const { account } = this.#options;
    return account.isMoving ? null : this.#mount.walk(path);
  }

  async plan(path: string, input: ProgramInput): Promise<PlannedCall | ProgramOutput | null> {
    const planned = await this.#writing((mount) => mount.plan(path, input));
    if (planned === null || 'exitCode' in planned) return planned;
    return {
      ...planned,
      carryOut: (signal) => this.#within(() => planned.carryOut(signal)),
    };
  }

  // --- writing

  async write(path: string, data: Uint8Array): Promise<void> {
    await this.#writing((mount) => mount.write(path, data));
  }

  async append(path: string, data: Uint8Array): Promise<void> {
    await this.#writing((mount) => mount.append(path, data));
  }

  async unlink(path: string): Promise<void> {
    await this.#writing((mount) => mount.unlink(path));
  }

  removesTree(path: string): boolean {
    return this.#mount.removesTree(path);
  }

  async removeTree(path: string): Promise<void> {
    await this.#writing((mount) => mount.removeTree(path));
  }

  async mkdir(path: string): Promise<void> {
    await this.#settled((mount) => mount.mkdir(path));
  }

  async rename(from: string, to: string): Promise<void> {
    await this.#settled((mount) => mount.rename(from, to));
  }

  // --- searching

  documents(): Iterable<SearchDocument> {
    return this.#mount.documents();
  }

  document(path: string): SearchDocument | null {
    return this.#mount.document(path);
  }

  isDocument(path: string): boolean {
    return this.#mount.isDocument(path);
  }

  otherFiles(path: string): Iterable<WalkedFile> {
    return this.#mount.otherFiles(path);
  }

  revision(): number | null {
    return this.#mount.revision();
  }

  feed(afterSeq: number): FeedEntry[] {
    return this.#mount.feed(afterSeq);
  }

  // --- within

  /** What is staged waits for days, and is to be found by whatever credential the account has then. */
  #writing<T>(run: (mount: TableOfRoutes) => Promise<T>): Promise<T> {
    return this.#options.stage ? this.#known(run) : this.#settled(run);
  }

  /** In the mount of whoever we are, asked only where there is a choice. */
  async #settled<T>(run: (mount: TableOfRoutes) => T | Promise<T>): Promise<T> {
    const { account } = this.#options;
    if (!account.isKnown && account.hasOthers) await account.settle();
    return this.#within(run);
  }

  /** In the mount of whoever we are, as far as that can be told now. */
  async #known<T>(run: (mount: TableOfRoutes) => T | Promise<T>): Promise<T> {
    await this.#options.account.settle();
    return this.#within(run);
  }

  async #within<T>(run: (mount: TableOfRoutes) => T | Promise<T>): Promise<T> {
    while (this.#options.account.isMoving) await this.#moved();
    this.#under += 1;
    try {
      return await run(this.#mount);
    } finally {
      this.#under -= 1;
      if (this.#under === 0) for (const tell of this.#idle.splice(0)) tell();
    }
  }

  #moved(): Promise<void> {
    this.#moving ??= this.#move().finally(() => {
      this.#moving = null;
    });
    return this.#moving;
  }

  /** What a write that is under way brings would be lost, and read as it was before. */
  async #move(): Promise<void> {
    const { account, open } = this.#options;
    if (this.#under > 0) {
      await new Promise<void>((resolve) => {
        this.#idle.push(resolve);
      });
    }
    account.takeName();
    const former = this.#mount;
    this.#mount = open(account.name);
    this.#forget();
    await former.close();
  }
}
