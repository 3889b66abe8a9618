/**
 * Whose mount it is. What the replica and the journal keep belongs to a service, its host and an
 * account: who the credential is. That is asked of the service once, and remembered by a digest of
 * the credential; until it is known, what is kept is kept under that digest, and nobody else sees it.
 *
 * It is asked when it matters: where another credential has been here before, which may be the same
 * account's, and before something is staged, which is to outlive the credential. A first listing
 * by the only one costs no request more for it; that one is asked behind the reads.
 */
import { createHash } from 'node:crypto';
import type { ChangeJournal } from '../../changes/journal.ts';
import type { Replica } from '../../replica/replica.ts';
import { type FailureKind, ServiceFailure } from '../client/failure.ts';

/** So long is a failure to be told remembered, in ms: whatever waits for it fails with it. */
const FAILED_MS = 2_000;
/** What a service may call an account, to be a part of a name; anything else becomes a digest. */
const PLAIN = /^[\w.,:+-]{1,80}$/;
/** Hexadecimal digits of a digest in a name. */
const DIGITS = 24;

/** Failures that pass: who we are is asked again. After any other the digest has to do. */
const PASSING: ReadonlySet<FailureKind> = new Set([
  'auth',
  'limited',
  'server',
  'network',
  'timeout',
]);

export interface AccountOptions {
  /** The service with its host, where it is not the service's own: `tracker git.example.com`. */
  service: string;
  token: string | undefined;
  replica: Replica;
  changes: ChangeJournal;
  now: () => Date;
  /**
   * Asks who the credential is. Absent: it is known by its digest alone.
   * @param credential the digest, for where one account has credentials of different reach
   */
  ask?: ((credential: string) => Promise<string>) | undefined;
}

export class Account {
  readonly #options: AccountOptions;
  readonly #credential: string;
  /** Names of before it was known whose mount it is. */
  readonly #former: readonly string[];
  #name: string;
  /** The name that the account turned out to have; nothing goes by it before {@link takeName}. */
  #next: string | null = null;
  #known: boolean;
  #isUntold = false;
  #asking: Promise<void> | null = null;
  #failed: { at: number; failure: ServiceFailure } | null = null;

  constructor(options: AccountOptions) {
    this.#options = options;
    const { service, token, replica, ask } = options;
    this.#credential = digest([service, token ?? null]);
    const entered = replica.accounts.enter(service, this.#credential);
    const own = `${service} @~${this.#credential}`;
    // Before accounts were told apart, a service and its host were the whole name. What was kept
    // then is the first one's that comes; the name itself is left to whoever has no credential.
    const isHeir = entered[0] === this.#credential && !entered.includes(digest([service, null]));
    this.#former = isHeir ? [own, service] : [own];
    const account = replica.accounts.of(service, this.#credential);
    this.#known = token === undefined || ask === undefined || account !== null;
    this.#name = token === undefined ? service : account === null ? own : nameOf(service, account);
    this.#takeOver();
  }

  /** The mount's name in the replica, the journal and the feed. */
  get name(): string {
    return this.#name;
  }

  /** Is it the one whom the service calls so? What follows a `+` is what a credential of theirs reaches. */
  is(id: string): boolean {
    const name = nameOf(this.#options.service, id);
    return this.#name === name || this.#name.startsWith(`${name}+`);
  }

  /** Is it known now whose mount it is, and does what is kept still go by the name of before? */
  get isMoving(): boolean {
    return this.isKnown && this.#next !== null && this.#next !== this.#name;
  }

  /** Has all that is kept go by the account's name, to be called while nothing is under way under the former one. */
  takeName(): void {
    if (this.#next === null) return;
    this.#name = this.#next;
    this.#takeOver();
  }

  /** Is it settled whose mount it is? By another mount of the credential, too, here or elsewhere. */
  get isKnown(): boolean {
    if (this.#known) return true;
    const { replica, service } = this.#options;
    const account = replica.accounts.of(service, this.#credential);
    if (account !== null) this.#is(account);
    return this.#known;
  }

  /** Has another credential been here that may be the same account's? */
  get hasOthers(): boolean {
    const { replica, service } = this.#options;
    return replica.accounts.enter(service, this.#credential).length > 1;
  }

  /** Why the service could not be asked just now who we are; null where it was not asked, or has answered. */
  failure(): ServiceFailure | null {
    const failed = this.#failed;
    if (failed === null || this.#now() - failed.at >= FAILED_MS) return null;
    return failed.failure;
  }

  /** Asks who we are, unless it is known or has just failed: see {@link failure}. */
  async settle(): Promise<void> {
    // Of a limit the client itself knows until when, and asks nothing.
    const kind = this.failure()?.kind ?? 'limited';
    if (this.#known || kind !== 'limited') return;
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = null;
    });
    await this.#asking;
  }

  /** The same behind the reads, which meet none of its failures. */
  async learn(): Promise<void> {
    if (this.isKnown || this.#isUntold) return;
    try {
      this.#is(await this.#told());
    } catch (error) {
      if (!(error instanceof ServiceFailure)) throw error;
      this.#isUntold = !PASSING.has(error.kind);
    }
  }

  /** The account, as the service says, now or when it was asked first. Throws ServiceFailure. */
  async #told(): Promise<string> {
    const { ask, replica, service } = this.#options;
    // Another mount, or another process, may have asked meanwhile.
    const known = replica.accounts.of(service, this.#credential);
    if (known !== null) return known;
    const account = plain((await ask?.(this.#credential)) ?? '');
    replica.accounts.remember(service, this.#credential, account);
    return account;
  }

  async #ask(): Promise<void> {
    try {
      this.#is(await this.#told());
    } catch (error) {
      if (!(error instanceof ServiceFailure)) throw error;
      if (PASSING.has(error.kind)) {
        this.#failed = { at: this.#now(), failure: error };
        return;
      }
      // A service that does not tell: until another start, the digest is the account.
    }
    this.#failed = null;
    this.#known = true;
  }

  #is(account: string): void {
    this.#next = nameOf(this.#options.service, account);
    this.#failed = null;
    this.#known = true;
  }

  /** What was kept for this credential before is the account's. */
  #takeOver(): void {
    const { service, replica } = this.#options;
    // Another credential of the account may have been in use when it became known.
    const others = replica.accounts.sameAs(service, this.#credential);
    const former = new Set([...this.#former, ...others.map((one) => `${service} @~${one}`)]);
    for (const name of former) this.#adopt(name);
  }

  #adopt(former: string): void {
    const { replica, changes } = this.#options;
    if (former === this.#name) return;
    if (replica.holdsAny(former)) replica.adopt(former, this.#name);
    changes.adopt(former, this.#name);
  }

  #now(): number {
    return this.#options.now().getTime();
  }
}

function nameOf(service: string, account: string): string {
  return `${service} @${account}`;
}

function plain(account: string): string {
  return PLAIN.test(account) ? account : `~${digest([account])}`;
}

function digest(parts: readonly (string | null)[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, DIGITS);
}
