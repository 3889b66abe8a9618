/**
 * The keeper of a world's gate. It decides (mode of the mount ∩ filesystem of
 * the agent ∩ policy), asks the hooks, and has a person asked where the policy
 * says so. It fails closed: what throws, takes too long or is not answered is a
 * refusal.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Acting } from './acting.ts';
import type { Approval } from './approval.ts';
import { askPerson, type RuledOperation } from './asking.ts';
import { type Author, authorOf, PERSON } from './author.ts';
import { type ActingContext, copiedFrom, metRule, readFile, USER } from './context.ts';
import type { EngineGate } from './engine.ts';
import type {
  AskedOperation,
  GateDecision,
  GateKeeper,
  GateRequest,
  HookOutcome,
  Operation,
  Proposal,
  ReadWhat,
  ToolCallFacts,
} from './gate.ts';
import { runHook } from './hooks.ts';
import type { KeeperOptions } from './keeper-options.ts';
import { PathRules } from './path-rules.ts';
import { byPlan, byPlanOfTool } from './plan.ts';
import type { Question } from './question.ts';
import { rightAt } from './rights.ts';
import type { CompiledPolicy, Facts } from './rules.ts';
import type { ChangeFacts, TaintMount, TurnTaint } from './taint.ts';
import { type Turn, Turns } from './turns.ts';

/** What stands for a mount where a tool is called. */
const TOOLS = 'tools';
/** Files whose reading is told, of one call. */
const MOST_FILES_TOLD = 64;
const ALLOW: GateDecision = { decision: 'allow', rule: '', reason: '' };
/** One a world; each namespace asks it through an {@link ActingKeeper}. */
export class Keeper {
  readonly options: KeeperOptions;
  /** null until it is needed: a person without a policy is bound by the mount modes alone. */
  policy: CompiledPolicy | null = null;
  /** The policy is the package's own: it does not concern the person at the shell. */
  isDefault = false;
  readonly turns: Turns;
  readonly #writing = new AsyncLocalStorage<ActingContext>();

  constructor(options: KeeperOptions) {
    this.options = options;
    this.turns = new Turns(options.now);
  }

  /** What a turn has read and changed so far. */
  turn(acting: Acting): Turn {
    const { untrustedRead, untrustedFrom = [] } = acting.context;
    const turn = this.turns.of(acting.context);
    if (untrustedRead) turn.untrustedRead = true;
    if (untrustedFrom.length > 0) this.note(turn, untrustedFrom);
    return turn;
  }

  /** Text of services has come into a turn. */
  note(turn: Turn, origins: readonly string[]): void {
    turn.untrustedRead = true;
    const fresh = origins.filter((origin) => !turn.origins.has(origin));
    if (fresh.length === 0) return;
    if (this.options.taint) this.options.taint.note(turn, fresh);
    else for (const origin of fresh) turn.origins.add(origin);
  }

  /** Runs what changes a mount on somebody's behalf. */
  writing<T>(context: ActingContext, work: () => T): T {
    return this.#writing.run(context, work);
  }

  /** On whose behalf a mount is changed now; the person in charge where nobody else is known. */
  author(): Author {
    const context = this.#writing.getStore();
    return context === undefined ? PERSON : authorOf(context);
  }

  /** A change of a service has made a step. */
  stepped(change: ChangeFacts): void {
    const context = this.#writing.getStore();
    this.options.taint?.stepped(change, context === undefined ? null : this.turns.of(context));
  }

  /** A question was put to a person. */
  asked({ id, untrusted }: Pick<Question, 'id' | 'untrusted'>): void {
    this.options.taint?.asked(id, untrusted);
  }

  /** The mount at a point, as the taint knows it. */
  taintMount(point: string): TaintMount | null {
    const mount = this.options.mountAt(point);
    return mount === undefined ? null : { point, ...mount };
  }

  /** A command begins. */
  begin(): void {
    this.options.taint?.refresh();
  }

  /** The keeper of one namespace. */
  acting(acting: Acting): ActingKeeper {
    return new ActingKeeper(this, acting);
  }
}

/** The gate, hooks and approvals for whoever acts at the moment. */
export class ActingKeeper implements GateKeeper {
  readonly #keeper: Keeper;
  readonly #acting: Acting;
  /** Paths that a person has allowed to be written with just this content, which is to be done now. */
  readonly #vouched = new Set<string>();
  /** What was allowed, and is not done yet. */
  #filesTold = 0;
  #rules: PathRules | null = null;
  readonly #reserved: { mount: string; turn: Turn }[] = [];

  constructor(keeper: Keeper, acting: Acting) {
    this.#keeper = keeper;
    this.#acting = acting;
  }

  /** Must a read be asked about, or be seen by a hook? */
  get watchesReads(): boolean {
    const { policy, options } = this.#keeper;
    return (
      options.hooks !== null ||
      this.judged ||
      (policy?.restrictsReads === true && this.#concerned())
    );
  }

  get hooked(): boolean {
    return this.#keeper.options.hooks !== null;
  }

  get judged(): boolean {
    return this.#keeper.options.engine != null;
  }

  get byModesAlone(): boolean {
    const { filesystem, plans = [] } = this.#acting.context;
    const isFree = filesystem === 'read-write' && plans.length === 0;
    return isFree && !this.hooked && !this.judged && !this.#concerned();
  }

  get actingAs(): string {
    return JSON.stringify(this.#acting.context);
  }

  /** Asks the engine; what is stricter holds. */
  async judge(request: GateRequest, decided: GateDecision): Promise<GateDecision> {
    const { engine } = this.#keeper.options;
    // A person in charge is asked, and does not ask.
    if (engine == null || decided.decision === 'deny' || request.origin === 'host') return decided;
    return this.#judged(engine, this.#factsOf(request), decided);
  }

  async #judged(engine: EngineGate, facts: Facts, decided: GateDecision): Promise<GateDecision> {
    const { context } = this.#acting;
    const { session } = this.#keeper.options;
    const verdict = await engine.decide({
      ...facts,
      onBehalfOf: context.onBehalfOf ?? [],
      untrustedFrom: [...this.#keeper.turn(this.#acting).origins].sort(),
      session,
      attended: context.attended,
    });
    if (SEVERITY[verdict.decision] <= SEVERITY[decided.decision]) return decided;
    if (verdict.decision !== 'ask' || this.#keeper.policy?.approval !== 'never') return verdict;
    const reason = `${verdict.reason}; with "approval: never" that is a refusal`;
    return { ...verdict, decision: 'deny', reason };
  }

  /** Mode of the mount ∩ filesystem of the agent ∩ policy, with whatever throws as a refusal. */
  decide(request: GateRequest): GateDecision {
    try {
      return this.#decide(request);
    } catch (error) {
      return gateFailed(error);
    }
  }

  /** Something of a mount was read: the turn is marked, if the text is not to be trusted. */
  noteRead(point: string, path: string, what: ReadWhat = 'text'): void {
    const { read } = this.#acting;
    read?.add(point);
    this.#meet(path, what === 'tree');
    if (what === 'text') this.#tellFile(path);
    const mount = this.#keeper.taintMount(point);
    if (mount === null) return;
    const turn = this.#keeper.turn(this.#acting);
    if (mount.outside) turn.untrustedRead = true;
    const origins = this.#keeper.options.taint?.read(mount, path, what, turn) ?? [];
    for (const origin of origins) if (origin !== point) read?.add(copiedFrom(origin));
  }

  noteSaid(point: string, path: string): void {
    if (this.#keeper.taintMount(point)?.outside === true) this.noteRead(point, path);
  }

  /** Something of a mount was changed. */
  noteChange(point: string, method: string, path: string, other?: string): void {
    const { context } = this.#acting;
    const index = this.#reserved.findIndex((each) => each.mount === point);
    for (const { mount, turn } of this.#reserved.splice(index, index === -1 ? 0 : 1))
      turn.changes.release(mount);
    this.#keeper.turns.noteChange(context, point);
    for (const each of other === undefined ? [path] : [path, other]) this.#meet(each, false);
    const mount = this.#keeper.taintMount(point);
    if (mount === null) return;
    this.#keeper.options.taint?.changed(mount, method, path, other, this.#by(mount, path));
  }

  reserve(mount: string): void {
    const turn = this.#keeper.turn(this.#acting);
    turn.changes.reserve(mount);
    this.#reserved.push({ mount, turn });
  }

  settle(): void {
    for (const { mount, turn } of this.#reserved.splice(0)) turn.changes.release(mount);
  }

  noteMade(point: string, path: string): void {
    const mount = this.#keeper.taintMount(point);
    if (mount === null) return;
    this.#keeper.options.taint?.made(mount, path, this.#by(mount, path));
  }

  #tellFile(path: string): void {
    const { read, context } = this.#acting;
    if (context.tellsFiles !== true || read === undefined || !path.startsWith('/mnt/')) return;
    if (this.#filesTold >= MOST_FILES_TOLD) return;
    this.#filesTold += 1;
    read.add(readFile(path));
  }

  /** An operation has met a path: the deployment may have a rule for it. */
  #meet(path: string, whole: boolean): void {
    const { read, context } = this.#acting;
    if (context.rules === undefined || context.rules.length === 0 || read === undefined) return;
    if (this.#rules?.of !== context.rules) this.#rules = new PathRules(context.rules);
    for (const name of this.#rules.meet(path, whole)) read.add(metRule(name));
  }

  /** Whose text it is that is written: what a person has read and let into the harness is theirs. */
  #by({ kind }: TaintMount, path: string): TurnTaint {
    if (kind === HARNESS && this.#vouched.has(path)) return NOTHING_READ;
    return this.#keeper.turn(this.#acting);
  }

  /** A person was shown what is about to be done. */
  #vouch({ operations }: Approval): void {
    for (const { path } of operations) this.#vouched.add(path);
  }

  during<T>(work: () => T): T {
    return this.#keeper.writing(this.#acting.context, work);
  }

  /** Asks about a call of a tool: hooks, then the policy, then a person. */
  async permitTool(tool: ToolCallFacts): Promise<GateDecision> {
    const operation = { op: 'tool', path: tool.name, mount: TOOLS } as const;
    const hooked = await this.before(operation, Buffer.from(tool.input));
    if (!hooked.pass) return refuse('hook before', hooked.reason);
    const { data } = hooked;
    if (data !== undefined && Buffer.compare(data, Buffer.from(tool.input)) !== 0)
      return refuse(
        'hook before',
        'a hook put other data in the place of its input, which a call of a tool cannot have; block the call instead',
      );
    const { engine } = this.#keeper.options;
    const byPolicy = this.#decideTool(tool);
    const decision =
      engine == null || byPolicy.decision === 'deny'
        ? byPolicy
        : await this.#judged(engine, this.#factsOfTool(tool), byPolicy);
    if (decision.decision !== 'ask') return decision;
    const { rule, reason } = decision;
    return this.ask([{ ...operation, rule, reason }], {
      digest: async () => tool.input,
      preview: async () => `${tool.name} ${tool.input}`,
    });
  }

  #decideTool(tool: ToolCallFacts): GateDecision {
    const unplanned = byPlanOfTool(this.#acting.context.plans ?? [], tool);
    if (unplanned !== null) return unplanned;
    if (!this.#concerned()) return ALLOW;
    const { policy } = this.#keeper;
    if (policy === null) return refuse('no policy', 'no policy was loaded, which refuses');
    try {
      return this.#strictest(policy, this.#factsOfTool(tool));
    } catch (error) {
      return gateFailed(error);
    }
  }

  #factsOfTool({ input: _, ...tool }: ToolCallFacts): Facts {
    const { origin, actor } = this.#acting.context;
    const { untrustedRead } = this.#keeper.turn(this.#acting);
    return {
      op: 'tool',
      path: '',
      mount: TOOLS,
      kind: TOOLS,
      tool,
      origin,
      actor,
      service: false,
      untrustedRead,
      changes: 0,
    };
  }

  /** Asks the hooks before an operation; the data that it gives back is what is to be written. */
  before(operation: AskedOperation, data?: Uint8Array): Promise<HookOutcome> {
    return this.#hook('before', operation, data);
  }

  /** Tells the hooks after an operation; what they give back is what is to be seen. */
  after(operation: AskedOperation, data?: Uint8Array): Promise<HookOutcome> {
    return this.#hook('after', operation, data);
  }

  /**
   * Has a person asked, once for all of the operations. An earlier answer for
   * the path or a prefix is enough.
   */
  async ask(asked: readonly RuledOperation[], proposal: Proposal): Promise<GateDecision> {
    const { answered, ...decision } = await askPerson(this.#keeper, this.#acting, asked, proposal);
    if (answered !== undefined) this.#vouch(answered);
    return decision;
  }

  #decide(request: GateRequest): GateDecision {
    const { options, policy } = this.#keeper;
    const byMode = options.modes(request);
    if (byMode.decision !== 'allow') return byMode;
    if (request.op !== 'read') this.#vouched.delete(request.path);
    const { context } = this.#acting;
    const { op, call } = request;
    const reads = op === 'read' || call?.effect === 'reads';
    if (!reads && context.filesystem !== 'read-write') {
      const refused = byRights(request, context);
      if (refused !== null) return refused;
    }
    const unplanned = byPlan(context.plans ?? [], request);
    if (unplanned !== null) return unplanned;
    if (!this.#concerned()) return ALLOW;
    if (policy === null) return refuse('no policy', 'no policy was loaded, which refuses');
    return this.#strictest(policy, this.#factsOf(request));
  }

  #factsOf({ op, path, mount, call }: GateRequest): Facts {
    const { context } = this.#acting;
    const { mountAt } = this.#keeper.options;
    const { kind, service } = mountAt(mount) ?? { kind: 'unknown', service: false };
    return {
      op,
      path,
      mount,
      kind,
      origin: context.origin,
      actor: context.actor,
      service,
      untrustedRead: this.#keeper.turn(this.#acting).untrustedRead,
      changes: this.#keeper.turns.changes(context, mount),
      ...(call === undefined ? {} : { call }),
    };
  }

  /** What the policy says to whoever acts, and to those on whose behalf that is. */
  #strictest(policy: CompiledPolicy, facts: Facts): GateDecision {
    let strictest = policy.decide(facts);
    for (const actor of this.#acting.context.onBehalfOf ?? []) {
      const decision = policy.decide({ ...facts, actor });
      if (SEVERITY[decision.decision] > SEVERITY[strictest.decision]) strictest = decision;
    }
    return strictest;
  }

  /** Does the policy concern whoever acts? */
  #concerned(): boolean {
    const { isDefault } = this.#keeper;
    const { actor } = this.#acting.context;
    return !isDefault || actor !== USER;
  }

  async #hook(
    when: 'before' | 'after',
    operation: AskedOperation,
    data: Uint8Array | undefined,
  ): Promise<HookOutcome> {
    const { hooks } = this.#keeper.options;
    if (hooks === null) return { pass: true };
    const { actor, origin } = this.#acting.context;
    return runHook(hooks[when]?.bind(hooks), {
      ...operation,
      actor,
      origin,
      ...(data === undefined ? {} : { data }),
    });
  }
}

const SEVERITY = { allow: 0, ask: 1, deny: 2 } as const;

/** The agent's own limit. */
function byRights({ op, path }: GateRequest, context: ActingContext): GateDecision | null {
  if (SCRATCH.some((scratch) => path === scratch || path.startsWith(`${scratch}/`))) return null;
  const right = rightAt(context.filesystem, path);
  if (right === 'read-write' || (right === 'append' && APPENDING.has(op))) return null;
  const rule = `filesystem of agent ${context.actor}`;
  return refuse(rule, `${rule}: ${path} is ${right} for it, so ${op} is not allowed`);
}

/** The kind of the mount whose files give orders. */
const HARNESS = 'harness';
const NOTHING_READ: TurnTaint = { untrustedRead: false, origins: new Set() };

/** In memory, or meant to be written by anyone: no agent needs a right for it. */
const SCRATCH = ['/tmp', '/dev', '/harness/proposals'];
const APPENDING: ReadonlySet<Operation> = new Set<Operation>(['create', 'append', 'mkdir']);

function refuse(rule: string, reason: string): GateDecision {
  return { decision: 'deny', rule, reason };
}

function gateFailed(error: unknown): GateDecision {
  const what = error instanceof Error ? error.message : String(error);
  return refuse('the gate failed', `the gate failed, which refuses: ${what}`);
}
