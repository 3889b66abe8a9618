/**
 * In the worker: who acts, under which policy. The keeper is loaded only when
 * there is more to go by than the modes of the mounts, so that a plain world
 * starts, and runs, without it.
 */
import { existsSync } from 'node:fs';
import type { Change } from '../changes/index.ts';
import type { CommandLine } from '../command-line.ts';
import type { MountTable } from '../namespace/table.ts';
import type { PartSpec } from '../parts/config.ts';
import type { Acting } from '../policy/acting.ts';
import type { ApprovalJournal } from '../policy/approvals.ts';
import { type Author, PERSON } from '../policy/author.ts';
import { type ActingContext, contextOf, NETWORK, originOfCopy, USER } from '../policy/context.ts';
import type { EngineGate, PolicyEngine } from '../policy/engine.ts';
import {
  createModeGate,
  type Gate,
  type GateDecision,
  type GateKeeper,
  type ToolCallFacts,
} from '../policy/gate.ts';
import type { Keeper } from '../policy/keeper.ts';
import type { MarksPlace, UntrustedMarks } from '../policy/marks.ts';
import type { Question, QuestionDraft } from '../policy/question.ts';
import type { QuestionJournal } from '../policy/questions.ts';
import type { ChangeFacts } from '../policy/taint.ts';
import type { JournalStep, PolicySource } from './protocol.ts';

/** What it is made with. */
export interface PolicingOptions {
  table: MountTable;
  policy: PolicySource;
  /** The module of the deployment's hooks, on the host; null without. */
  hooks: string | null;
  /** The deployment's own policy engine; absent without. */
  engine?: PartSpec | undefined;
  commandLine?: CommandLine | undefined;
  session: string;
  /** `changes.sqlite`, or ':memory:'. */
  journal: string;
  marks: MarksPlace;
  onStep(step: JournalStep): void;
  /** How many operations wait for a person now. */
  onParked(waiting: number): void;
  /** Does the text of the mount at a point come from outside? */
  isOutside(point: string): boolean;
  /** May commands ask hosts of the network? What these say comes from outside, too. */
  network: boolean;
  /** A change of a service; null where there is none with that id. */
  change(id: string): Change | null;
  /** The mount point of what changes call a mount. */
  pointOf(mount: string): string;
}

/** The policing of one world. */
export class Policing {
  /** The gate of the mount modes, for as long as nothing else is asked. */
  readonly gate: Gate;
  readonly #options: PolicingOptions;
  #policy: PolicySource;
  #parsed: PolicySource | null = null;
  #keeper: Keeper | null = null;
  #loading: Promise<Keeper> | null = null;
  #approvals: Promise<ApprovalJournal> | undefined;
  #questions: Promise<QuestionJournal> | undefined;
  /** Journals that are open. */
  readonly #opened: { close(): void }[] = [];
  #waiting = 0;
  /** Did files hold text of services when this world began? Then every reader is watched. */
  #marked: boolean | null = null;
  /** Is there a mount whose text comes from outside? */
  #outside: boolean | null = null;
  #marks: UntrustedMarks | null = null;

  constructor(options: PolicingOptions) {
    this.#options = options;
    this.#policy = options.policy;
    this.gate = createModeGate((point) => options.table.at(point)?.access);
  }

  /** What a namespace asks besides the modes; null while there is nothing else. */
  keeperOf(acting: Acting): () => GateKeeper | null {
    let made: { of: Keeper; keeper: GateKeeper } | null = null;
    return () => {
      const keeper = this.#keeper;
      if (keeper === null) return null;
      if (made?.of !== keeper) made = { of: keeper, keeper: keeper.acting(acting) };
      return made.keeper;
    };
  }

  /**
   * Makes ready for someone to act.
   * @throws ConfigError when the policy or the hooks cannot be used: then nothing may be done
   */
  async prepare(context: ActingContext): Promise<void> {
    const { isDefault } = this.#policy;
    const needed =
      !isDefault ||
      this.#options.hooks !== null ||
      this.#options.engine !== undefined ||
      context.actor !== USER ||
      context.filesystem !== 'read-write' ||
      context.plans !== undefined ||
      context.untrustedRead ||
      this.#readsOutside();
    if (!needed && this.#keeper === null && !(await this.#hasMarks())) return;
    this.#loading ??= this.#load();
    this.#keeper ??= await this.#loading;
    this.#keeper.isDefault = isDefault;
    if (!isDefault || context.actor !== USER) await this.#compile(this.#keeper);
    this.#keeper.begin();
  }

  /**
   * Asks about a call of a tool.
   * @throws ConfigError when the policy or the hooks cannot be used
   */
  async permitTool(acting: Acting, tool: ToolCallFacts): Promise<GateDecision> {
    await this.prepare(acting.context);
    const keeper = this.#keeper;
    if (keeper === null) return { decision: 'allow', rule: '', reason: '' };
    return keeper.acting(acting).permitTool(tool);
  }

  /** Somebody has read what a host of the network said. */
  noteNetwork(acting: Acting, url: string): void {
    this.#keeper?.acting(acting).noteRead(NETWORK, `/${url}`);
  }

  /**
   * Puts another policy in force, from the next command on.
   * @throws ConfigError when it is not valid; the one before stays in force
   */
  async use(policy: PolicySource): Promise<void> {
    const { parsePolicy } = await import('../policy/policy.ts');
    parsePolicy(policy.text, policy.file);
    this.#policy = policy;
    // A turn begins: while its model thinks, what will be asked about its first call is loaded.
    this.#loading ??= this.#load();
    // Whoever asks it meets the failure.
    this.#loading.catch(() => undefined);
  }

  /** On whose behalf a mount is changed now. */
  author(): Author {
    return this.#keeper?.author() ?? PERSON;
  }

  /** The approvals, opened when they are first needed. */
  approvals(): Promise<ApprovalJournal> {
    this.#approvals ??= import('../policy/approvals.ts').then(({ ApprovalJournal }) => {
      const journal = new ApprovalJournal(this.#options.journal);
      journal.onStep((approval) => this.#options.onStep({ type: 'approval', approval }));
      this.#opened.push(journal);
      return journal;
    });
    return this.#approvals;
  }

  /** The questions, likewise. */
  questions(): Promise<QuestionJournal> {
    this.#questions ??= import('../policy/questions.ts').then(({ QuestionJournal }) => {
      const journal = new QuestionJournal(this.#options.journal);
      journal.onStep((question) => {
        this.#keeper?.asked(question);
        this.#options.onStep({ type: 'question', question });
      });
      this.#opened.push(journal);
      return journal;
    });
    return this.#questions;
  }

  /** Asks a person, and waits for the answer where somebody is there. */
  async ask({ context, ...acting }: Acting, draft: QuestionDraft): Promise<Question> {
    const { actor, origin, attended } = context;
    await this.prepare(context);
    const { askQuestion } = await import('../policy/questions.ts');
    const asker = { session: this.#options.session, actor, origin };
    return askQuestion(await this.questions(), asker, draft, { attended, ...acting });
  }

  /** Somebody has text of services in view. */
  async note(context: ActingContext): Promise<void> {
    await this.prepare(context);
    this.#keeper?.turn({ context });
  }

  /** The services that what was read came from. */
  originsOf(read: Iterable<string>): string[] {
    return [...read].flatMap((each) => {
      const copied = originOfCopy(each);
      if (copied !== null) return copied;
      return each === NETWORK || this.#options.isOutside(each) ? each : [];
    });
  }

  /** A change of a service has made a step. */
  stepped(change: Change, point: string): void {
    this.#keeper?.stepped(factsOf(change, point));
  }

  close(): void {
    for (const journal of this.#opened) journal.close();
    this.#marks?.close();
  }

  /** Is there anything to read whose text has to be followed? */
  #readsOutside(): boolean {
    const { table, isOutside } = this.#options;
    this.#outside ??=
      this.#options.network || table.attachments.some(({ point }) => isOutside(point));
    return this.#outside;
  }

  async #hasMarks(): Promise<boolean> {
    if (this.#marked === null) {
      const { marks } = this.#options;
      // Most worlds have no such file, and load nothing to find that out.
      this.#marked = existsSync(marks.file) && (await import('../policy/marks.ts')).hasMarks(marks);
    }
    return this.#marked;
  }

  async #load(): Promise<Keeper> {
    const { table, session, hooks, marks, commandLine } = this.#options;
    const [{ UntrustedMarks }, { Taint }] = await Promise.all([
      import('../policy/marks.ts'),
      import('../policy/taint.ts'),
    ]);
    this.#marks = new UntrustedMarks(marks);
    const { Keeper } = await import('../policy/keeper.ts');
    const journal = await this.approvals();
    const loaded =
      hooks === null ? null : await (await import('../policy/hooks.ts')).loadHooks(hooks);
    const engine = await this.#engine();
    return new Keeper({
      modes: this.gate,
      engine,
      mountAt: (point) => {
        if (point === NETWORK) return { kind: 'network', service: false, outside: true };
        const mount = table.at(point)?.mount;
        return (
          mount && {
            kind: mount.kind,
            service: mount.transactional === true,
            outside: this.#options.isOutside(point),
            directory: mount.directory,
          }
        );
      },
      approvals: () => journal,
      session,
      hooks: loaded,
      commandLine,
      taint: new Taint(this.#marks, session, (id) => {
        const change = this.#options.change(id);
        return change === null ? null : factsOf(change, this.#options.pointOf(change.mount));
      }),
      onParked: (_, waits) => {
        this.#waiting += waits ? 1 : -1;
        this.#options.onParked(this.#waiting);
      },
    });
  }

  /** @throws ConfigError where the module cannot be used */
  async #engine(): Promise<EngineGate | null> {
    const { engine } = this.#options;
    if (engine === undefined) return null;
    const [{ EngineGate }, { loadPart }] = await Promise.all([
      import('../policy/engine.ts'),
      import('../parts/load.ts'),
    ]);
    return new EngineGate(await loadPart<PolicyEngine>(engine));
  }

  async #compile(keeper: Keeper): Promise<void> {
    const policy = this.#policy;
    if (this.#parsed === policy) return;
    const { parsePolicy } = await import('../policy/policy.ts');
    const { compilePolicy } = await import('../policy/rules.ts');
    keeper.policy = compilePolicy(parsePolicy(policy.text, policy.file));
    this.#parsed = policy;
  }
}

/** The record as the service had it, and what it said, are the service's words. */
const factsOf = ({ id, base, theirs, error, result }: Change, point: string): ChangeFacts => ({
  id,
  point,
  quotesService: [base, theirs, error, result].some((each) => each !== null),
});

/** Who acts in a namespace that no command has used yet. */
export const nobodyYet = (origin: ActingContext['origin']): Acting => ({
  context: contextOf({ origin }),
});
