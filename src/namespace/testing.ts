/** What tests of this room share: a namespace over mounts, and a keeper that tells what it was asked. */
import { FsError } from '../errors.ts';
import type { Mount } from '../mount/contract/contract.ts';
import {
  type Access,
  type AskedOperation,
  createModeGate,
  type GateDecision,
  type GateKeeper,
  type GateRequest,
  type HookOutcome,
  type Proposal,
  type ReadWhat,
} from '../policy/gate.ts';
import { Namespace, type NamespaceOptions } from './namespace.ts';
import { MountTable } from './table.ts';

const ALLOW: GateDecision = { decision: 'allow', rule: '', reason: '' };

/** Allows everything, and notes in words what it was asked and told. */
export class ToldKeeper implements GateKeeper {
  /** What was told since they were taken last. */
  #told: string[] = [];
  watchesReads = false;
  hooked = false;
  judged = false;
  readonly byModesAlone = false;
  readonly actingAs = 'a test';
  /** What is not allowed, by `operation path`. */
  readonly decisions: Record<string, GateDecision['decision']> = {};
  /** What an engine says of it, likewise. */
  readonly verdicts: Record<string, GateDecision['decision']> = {};
  /** What a hook answers, by `before operation path` and `after operation path`. */
  readonly outcomes: Record<string, HookOutcome> = {};
  /** What a person answers. */
  answer: GateDecision['decision'] = 'allow';
  /** What the person saw. */
  preview = '';

  take(): string[] {
    return this.#told.splice(0);
  }

  decide({ op, path }: GateRequest): GateDecision {
    return decision(this.decisions[`${op} ${path}`] ?? 'allow', 'policy');
  }

  async judge({ op, path }: GateRequest, decided: GateDecision): Promise<GateDecision> {
    const verdict = this.verdicts[`${op} ${path}`];
    return verdict === undefined ? decided : decision(verdict, 'engine');
  }

  noteRead(mount: string, path: string, what: ReadWhat = 'text'): void {
    this.#told.push(`read ${what} of ${path} in ${mount}`);
  }

  noteSaid(mount: string, path: string): void {
    this.#told.push(`said of ${path} in ${mount}`);
  }

  noteChange(mount: string, method: string, path: string, other?: string): void {
    this.#told.push(`${method} ${path}${other === undefined ? '' : ` and ${other}`} in ${mount}`);
  }

  noteMade(mount: string, path: string): void {
    this.#told.push(`made ${path} in ${mount}`);
  }

  during<T>(work: () => T): T {
    this.#told.push('on behalf');
    return work();
  }

  reserve(mount: string): void {
    this.#told.push(`begun in ${mount}`);
  }

  settle(): void {
    this.#told.push('settled');
  }

  before(operation: AskedOperation, data?: Uint8Array): Promise<HookOutcome> {
    return this.#hook('before', operation, data);
  }

  after(operation: AskedOperation, data?: Uint8Array): Promise<HookOutcome> {
    return this.#hook('after', operation, data);
  }

  async ask(
    asked: readonly (AskedOperation & Pick<GateDecision, 'rule' | 'reason'>)[],
    proposal: Proposal,
  ): Promise<GateDecision> {
    await proposal.digest();
    this.preview = await proposal.preview();
    this.#told.push(`asked about ${asked.map(({ op, path }) => `${op} ${path}`).join(', ')}`);
    return decision(this.answer, 'person');
  }

  async #hook(when: string, { op, path }: AskedOperation, data?: Uint8Array): Promise<HookOutcome> {
    const shown = data === undefined ? '' : ` ${JSON.stringify(Buffer.from(data).toString())}`;
    this.#told.push(`${when} ${op} ${path}${shown}`);
    return this.outcomes[`${when} ${op} ${path}`] ?? { pass: true };
  }
}

const decision = (made: GateDecision['decision'], rule: string): GateDecision =>
  made === 'allow' ? ALLOW : { decision: made, rule, reason: `${rule} said so` };

type Row = readonly [point: string, mount: Mount, access?: Access];

/** A namespace over mounts, in which a keeper decides if one is given. */
export function namespaceOf(
  rows: readonly Row[],
  keeper: GateKeeper | null = null,
  options: Partial<NamespaceOptions> = {},
): Namespace {
  const table = new MountTable();
  for (const [point, mount, access] of rows)
    table.attach({ point, mount, access: access ?? { mode: 'rw' }, searchable: false });
  const gate = createModeGate((point) => table.at(point)?.access);
  return new Namespace({
    table,
    gate,
    origin: 'shell',
    timeoutMs: 5_000,
    keeper: () => keeper,
    ...options,
  });
}

/** The failure of an operation that must fail. */
export async function failureOf(operation: Promise<unknown>): Promise<FsError> {
  const error = await operation.then(
    () => new Error('it succeeded, and should have failed'),
    (thrown: unknown) => thrown,
  );
  if (error instanceof FsError) return error;
  throw error;
}
