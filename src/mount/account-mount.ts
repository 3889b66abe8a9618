/**
 * A service mount that finds out whose it is before it asks for anything else. Everything is done
 * by the mount of the account that is known now; where another one turns out to be it, that one
 * goes on, with all that was kept so far.
 */
import type { ChangeJournal } from '../changes/journal.ts';
import type { FeedEntry } from '../replica/replica.ts';
import type { Account } from './account.ts';
import type { Progress } from './activity.ts';
import type { Dirent, MountStat, MountUsage, Probe } from './contract.ts';
import { README } from './extras.ts';
import type { SearchDocument } from './holding.ts';
import type { Patience } from './patience.ts';
import type { TableOfRoutes } from './service.ts';
import type { WalkedFile } from './walked-file.ts';

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

  constructor(options: AccountMountOptions) {
    this.#options = options;
    this.#mount = options.open(options.account.name);
    // A change that an earlier credential of the account left may be this one's.
    this.#forget = options.account.isKnown
      ? () => undefined
      : options.changes.onUnattached(() => this.#known().then(() => undefined));
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

  usage(): MountUsage {
    return this.#mount.usage();
  }

  progress(): Progress[] {
    return this.#mount.progress();
  }

  async probe(): Promise<Probe> {
    return (await this.#known()).probe();
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
    return (await this.#reading(path)).lstat(path);
  }

  async readdir(path: string): Promise<Dirent[]> {
    return (await this.#settled()).readdir(path);
  }

  async read(path: string): Promise<Uint8Array> {
    return (await this.#reading(path)).read(path);
  }

  async readlink(path: string): Promise<string> {
    return (await this.#settled()).readlink(path);
  }

  async prefetch(path: string): Promise<void> {
    return (await this.#settled()).prefetch(path);
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
    return account.isKnown && account.name !== this.#mount.name ? null : this.#mount.walk(path);
  }

  // --- writing

  async write(path: string, data: Uint8Array): Promise<void> {
    await (await this.#writing()).write(path, data);
  }

  async append(path: string, data: Uint8Array): Promise<void> {
    await (await this.#writing()).append(path, data);
  }

  async unlink(path: string): Promise<void> {
    await (await this.#writing()).unlink(path);
  }

  removesTree(path: string): boolean {
    return this.#mount.removesTree(path);
  }

  async removeTree(path: string): Promise<void> {
    await (await this.#writing()).removeTree(path);
  }

  async mkdir(path: string): Promise<void> {
    await (await this.#settled()).mkdir(path);
  }

  async rename(from: string, to: string): Promise<void> {
    await (await this.#settled()).rename(from, to);
  }

  // --- searching

  documents(): Iterable<SearchDocument> {
    return this.#mount.documents();
  }

  document(path: string): SearchDocument | null {
    return this.#mount.document(path);
  }

  feed(afterSeq: number): FeedEntry[] {
    return this.#mount.feed(afterSeq);
  }

  // --- within

  #reading(path: string): Promise<TableOfRoutes> {
    return OWN.has(path) ? Promise.resolve(this.#mount) : this.#settled();
  }

  /** What is staged waits for days, and is to be found by whatever credential the account has then. */
  #writing(): Promise<TableOfRoutes> {
    return this.#options.stage ? this.#known() : this.#settled();
  }

  /** The mount of whoever we are, asked only where there is a choice. */
  async #settled(): Promise<TableOfRoutes> {
    const { account } = this.#options;
    return account.isKnown || !account.hasOthers ? this.#current() : this.#known();
  }

  /** The mount of whoever we are, as far as that can be told now. */
  async #known(): Promise<TableOfRoutes> {
    await this.#options.account.settle();
    return this.#current();
  }

  async #current(): Promise<TableOfRoutes> {
    const { account, open } = this.#options;
    if (this.#mount.name === account.name) return this.#mount;
    const former = this.#mount;
    this.#mount = open(account.name);
    this.#forget();
    await former.close();
    return this.#mount;
  }
}
