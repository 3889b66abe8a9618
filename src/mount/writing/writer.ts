/**
 * A write on its way: schema of the record, limits of the service, base
 * version, change, request. What fails before the request has sent nothing.
 */
import type { Change, ServiceRequest } from '../../changes/change.ts';
import { type ChangeExecutor, type ChangeJournal, not } from '../../changes/journal.ts';
import { type Errno, FsError, sentenceOf } from '../../errors.ts';
import { ServiceFailure } from '../client/failure.ts';
import type { PlannedCall, ProgramInput, ProgramOutput } from '../contract/program.ts';
import { FrontmatterError } from '../record/frontmatter.ts';
import {
  mergeFields,
  type Parsed,
  type Problem,
  RecordError,
  type RecordType,
  readRecord,
  renderRecord,
  type Values,
  valuesOf,
} from '../record/record.ts';
import type { Create, Edit, Service } from '../table/route.ts';
import type { Match, RouteTable } from '../table/table.ts';
import { Calling } from './calling.ts';
import { TreeRemoval } from './removing-trees.ts';
import { isSameWish, listOf, type Original, Replacing } from './replacing.ts';
import { recordOf, Sending, wantedOf } from './sending.ts';
import { type Ready, Together } from './together.ts';

/** A text as it was read, and of which version it was. */
export interface Base {
  text: string;
  version: string;
}

export interface WriterOptions {
  /** The mount's name in the journal. */
  name: string;
  /** What sentences call the service. */
  title: string;
  table: RouteTable;
  journal: ChangeJournal;
  stage: boolean;
  now: () => Date;
  /** Carries out several requests in one go: see {@link Service.together}. */
  together?: Service['together'] | undefined;
}

type Way = 'edit' | 'create' | 'remove' | 'replace' | 'removeTree' | 'program';
type Kind<K extends Way> = NonNullable<Match['route'][K]>;

export class Writer implements ChangeExecutor {
  readonly #options: WriterOptions;
  readonly #sending: Sending;
  readonly #replacing: Replacing;
  readonly #trees: TreeRemoval;
  readonly #calling: Calling;
  /** The last change made by writing to a path here: what `.last` tells. */
  readonly #last = new Map<string, string>();
  /** Present where several changes go through as one or not at all. */
  readonly applyTogether?: (changes: readonly Change[]) => Promise<void>;

  constructor(options: WriterOptions) {
    this.#options = options;
    this.#sending = new Sending(options);
    this.#replacing = new Replacing({ ...options, sending: this.#sending });
    this.#trees = new TreeRemoval({ ...options, sending: this.#sending });
    this.#calling = new Calling({
      ...options,
      sending: this.#sending,
      guard: (change, work) => this.#guard(change, work),
    });
    if (options.together !== undefined) {
      const together = new Together({
        ...options,
        sending: this.#sending,
        ready: (change) => this.#ready(change, this.#matched(change)),
        guard: (change, work) => this.#guard(change, work),
        carryOut: options.together,
      });
      this.applyTogether = (changes) => together.apply(changes);
    }
    options.journal.attach(options.name, this);
  }

  /** The latest change that came of writing to a path, here or, before that, anywhere. */
  last(path: string): Change | null {
    const { journal, name } = this.#options;
    const id = this.#last.get(path);
    return id === undefined ? journal.latest(name, path) : journal.get(id);
  }

  /** Writes the whole text of a record; `base` is what was read of it, if it was. */
  async edit(path: string, match: Match, text: string, base: Base | null): Promise<void> {
    const { journal, name, stage } = this.#options;
    const edit = need(match, 'edit');
    await journal.lock(name, path, async () => {
      const staged = journal.pending(name, path);
      const from =
        staged === null ? (base ?? (await this.#read(path, match, edit))) : baseOf(staged);
      const change = journal.begin({
        mount: name,
        path,
        op: 'update',
        base: from.text,
        baseVersion: from.version,
        mine: text,
      });
      await this.#guard(change, async () => {
        const parsed = wantedOf(recordOf(edit, match), from.text, text);
        const wanted = await this.#checked(edit, match, parsed);
        if (Object.keys(wanted).length === 0) return this.#nothing(change, staged);
        if (!stage) {
          await this.#sendEdit(change, () => this.#readyEdit(change, match, edit, from, wanted));
          return journal.replace(listOf(staged), change.id);
        }
        if ((await held(edit, match)) === null) throw this.#gone(path, match);
        const request = await edit.request(match.params, wanted);
        if (staged !== null && isSameWish(staged, { ...change, request }))
          return journal.forget(change.id);
        journal.stage(change.id, request, listOf(staged));
      });
    });
  }

  /** Makes a record from the text written to a `new.md`. */
  async create(path: string, match: Match, text: string): Promise<void> {
    const { journal, name, stage } = this.#options;
    const create = need(match, 'create');
    const change = journal.begin({ mount: name, path, op: 'create', mine: text });
    this.#last.set(path, change.id);
    await this.#guard(change, async () => {
      const parsed = readRecord(recordOf(create, match), text, null);
      const values = await this.#checked(create, match, parsed);
      const request = await create.request(match.params, values, change.idempotencyKey);
      if (stage) return journal.stage(change.id, request, []);
      journal.update(change.id, { request });
      await this.#send(change, readyCreate(match, create, request));
    });
  }

  /** Removes a record upstream, for good. */
  async remove(path: string, match: Match, base: Base | null): Promise<void> {
    const { journal, name, stage } = this.#options;
    const remove = need(match, 'remove');
    await journal.lock(name, path, async () => {
      const staged = listOf(journal.pending(name, path));
      const change = journal.begin({
        mount: name,
        path,
        op: 'delete',
        base: base?.text ?? null,
        baseVersion: base?.version ?? null,
      });
      const request = remove.request(match.params);
      if (stage) return journal.stage(change.id, request, staged);
      journal.replace(staged, change.id);
      journal.update(change.id, { request });
      await this.#guard(change, () => this.#send(change, readyRemove(change, match, request)));
    });
  }

  /** Makes a file's content these bytes, or removes it with null, over what was read of it. */
  async replace(
    path: string,
    match: Match,
    bytes: Uint8Array | null,
    original: () => Promise<Original | null>,
  ): Promise<void> {
    const { journal, name } = this.#options;
    const replace = need(match, 'replace');
    await journal.lock(name, path, async () => {
      const { change, staged } = this.#replacing.begin(path, bytes, await original());
      await this.#guard(change, () => this.#replacing.write(change, match, replace, bytes, staged));
    });
  }

  /** Removes a directory of files with all that is below it, as one change. */
  async removeTree(path: string, match: Match): Promise<void> {
    const tree = need(match, 'removeTree');
    const { journal, name } = this.#options;
    await journal.lock(name, path, async () => {
      const change = this.#trees.begin(path, match, tree);
      if (change === null) return;
      await this.#guard(change, () => this.#trees.remove(change, match, tree));
    });
  }

  /** What a call of a program would send. @throws FsError */
  plan(path: string, match: Match, input: ProgramInput): PlannedCall | ProgramOutput {
    return this.#calling.plan(path, match, need(match, 'program'), input);
  }

  async apply(change: Change): Promise<void> {
    const { journal, name } = this.#options;
    const match = this.#matched(change);
    await journal.lock(name, change.path, async () => {
      // Another process may have been first, or have staged something else in its place.
      const now = journal.get(change.id) ?? change;
      if (now.state !== 'pending')
        throw new FsError('ESTALE', {
          path: change.path,
          op: 'write',
          reason: `${not('pending', now)}; nothing was sent`,
        });
      await this.#guard(change, async () => {
        const { replace, removeTree } = match.route;
        const tree = change.request !== null && removeTree?.made(change.request) === true;
        if (tree) return this.#trees.commit(change, match, removeTree);
        if (change.op === 'call')
          return this.#calling.commit(change, match, need(match, 'program'));
        if (replace !== undefined) return this.#replacing.commit(change, match, replace);
        return this.#sendEdit(change, () => this.#ready(change, match));
      });
    });
  }

  #matched({ path }: Change): Match {
    const match = this.#options.table.match(path);
    if (match === null) throw new FsError('ENOENT', { path, op: 'write' });
    return match;
  }

  /** Checks a staged change of a record once more, against what is there now. */
  async #ready(change: Change, match: Match): Promise<Ready> {
    if (change.op === 'delete') {
      return readyRemove(change, match, need(match, 'remove').request(match.params));
    }
    if (change.op === 'create') {
      const create = need(match, 'create');
      const parsed = readRecord(recordOf(create, match), change.mine ?? '', null);
      const values = await this.#checked(create, match, parsed);
      const request = await create.request(match.params, values, change.idempotencyKey);
      return readyCreate(match, create, request);
    }
    const edit = need(match, 'edit');
    const base = baseOf(change);
    const parsed = wantedOf(recordOf(edit, match), base.text, change.mine ?? '');
    const wanted = await this.#checked(edit, match, parsed);
    return this.#readyEdit(change, match, edit, base, wanted);
  }

  async settle(change: Change): Promise<void> {
    const { table } = this.#options;
    const match = table.match(change.path);
    if (match === null || change.request === null || change.sentAt === null) return;
    try {
      await this.#sending.settle(change, match, change.request, change.sentAt);
    } catch (error) {
      if (error instanceof ServiceFailure) throw error.at(change.path, 'write');
      throw error;
    }
  }

  async #read(path: string, match: Match, edit: Edit): Promise<Base> {
    const found = await held(edit, match).catch((error: unknown) => {
      throw error instanceof ServiceFailure ? error.at(path, 'open') : error;
    });
    if (found === null) {
      throw new FsError('ENOENT', {
        path,
        op: 'open',
        reason: this.#whereMade(path),
      });
    }
    return { text: renderRecord(recordOf(edit, match), found.values), version: found.version };
  }

  /** Why there can be no record of that name, and where one is made. */
  #whereMade(path: string): string {
    const { title, table } = this.#options;
    const made = table.newIn(path.slice(0, path.lastIndexOf('/')));
    return made === null
      ? `nothing is made here: ${title} has no such record`
      : `${title} chooses the names of new records: write to ${made} in this directory to make one`;
  }

  /**
   * The values, as the service will show them.
   *
   * @throws RecordError naming every field that its type or the service refuses, at once.
   */
  async #checked(
    rules: Edit | Create,
    match: Match,
    { values, problems }: Parsed,
  ): Promise<Values> {
    const { params } = match;
    const wanted = 'find' in rules ? given(recordOf(rules, match), values) : values;
    const more =
      Object.keys(wanted).length === 0 ? [] : await this.#refusals(rules, match, wanted, problems);
    if (problems.length + more.length > 0) throw new RecordError([...problems, ...more]);
    return rules.normal?.(params, wanted) ?? wanted;
  }

  /** What the service would refuse. Where it cannot be asked, what is known to be wrong is said. */
  async #refusals(
    rules: Edit | Create,
    { params }: Match,
    values: Values,
    known: readonly Problem[],
  ): Promise<Problem[]> {
    try {
      return (await rules.check?.(params, values)) ?? [];
    } catch (error) {
      if (error instanceof ServiceFailure && known.length > 0) return [];
      throw error;
    }
  }

  /**
   * Sends what is made ready. Where the service has another version by then, which it can say, that is
   * read, and what was to be written is merged with it once more.
   */
  async #sendEdit(change: Change, ready: () => Promise<Ready>): Promise<void> {
    try {
      await this.#send(change, await ready());
    } catch (error) {
      const isStale = error instanceof ServiceFailure && error.kind === 'stale';
      if (!isStale || change.op !== 'update') throw error;
      await this.#send(change, await ready());
    }
  }

  /** Sends what was checked; nothing where nothing differs. */
  async #send(change: Change, { match, request, send }: Ready): Promise<void> {
    if (request === null) return this.#sending.applied(change, { path: change.path });
    await this.#sending.send(change, match, request, send);
  }

  async #readyEdit(
    change: Change,
    match: Match,
    edit: Edit,
    base: Base,
    wanted: Values,
  ): Promise<Ready> {
    const { journal, title } = this.#options;
    const { path } = change;
    await edit.refresh(match.params);
    const theirs = edit.current(match.params);
    if (theirs === null) throw this.#gone(path, match);
    const { delta, conflicts } = mergeFields(
      valuesOf(recordOf(edit, match), base.text),
      wanted,
      theirs.values,
    );
    if (conflicts.length > 0) {
      journal.update(change.id, { theirs: renderRecord(recordOf(edit, match), theirs.values) });
      throw new FsError('ESTALE', {
        path,
        op: 'write',
        reason: `${conflicts.join(', ')} changed on ${title} since it was read, and here too: nothing was sent; base.md, mine.md and theirs.md are in /session/changes/${change.id}/; read the file again and write it again`,
      });
    }
    const isSame = Object.keys(delta).length === 0;
    const request = isSame ? null : await edit.request(match.params, delta);
    const send = async () => (request === null ? { path } : edit.send(match.params, request));
    return { match, request, send };
  }

  #gone(path: string, { route, params }: Match): FsError {
    const why = route.elsewhere?.(params) ?? null;
    const reason = `it is gone from ${this.#options.title}${why === null ? '' : `: ${why}`}`;
    return new FsError('ENOENT', { path, op: 'write', reason });
  }

  /** A write that changes nothing leaves no change; over a staged one, it takes that back. */
  #nothing(change: Change, staged: Change | null): void {
    const { journal } = this.#options;
    if (staged !== null) journal.update(staged.id, { state: 'dropped' });
    journal.forget(change.id);
  }

  /** Ends the change when the work fails, and makes the failure one of the path's. */
  async #guard(change: Change, work: () => Promise<void>): Promise<void> {
    const { journal } = this.#options;
    try {
      await work();
    } catch (error) {
      const failure = this.#failure(change, error);
      if (failure === null) throw error;
      const now = journal.get(change.id) ?? change;
      const waits = now.state === 'unknown' || (now.state === 'pending' && mayWait(error));
      const state =
        failure.code === 'ESTALE' ? 'conflict' : waits ? now.state : this.#refused(change, error);
      journal.update(change.id, { state, error: sentenceOf(failure) });
      throw failure;
    }
  }

  /** A staged text stays when what was to replace it is wrong. */
  #refused(change: Change, error: unknown): Change['state'] {
    return change.state === 'pending' && error instanceof RecordError ? 'pending' : 'failed';
  }

  #failure(change: Change, error: unknown): FsError | null {
    if (error instanceof FsError) return error;
    if (error instanceof ServiceFailure) return error.at(change.path, 'write');
    if (error instanceof RecordError || error instanceof FrontmatterError) {
      return refusal('EINVAL', change, `${error.message}; nothing was sent`, error);
    }
    return null;
  }
}

function readyCreate(match: Match, create: Create, request: ServiceRequest): Ready {
  return { match, request, send: () => create.send(match.params, request) };
}

function readyRemove({ path }: Change, match: Match, request: ServiceRequest): Ready {
  const send = async () => {
    await need(match, 'remove').send(match.params, request);
    return { path };
  };
  return { match, request, send };
}

/** The record as it is held, asked for where it is not; null where there is none. */
async function held(edit: Edit, { params }: Match): Promise<ReturnType<Edit['current']>> {
  const found = edit.current(params);
  if (found !== null) return found;
  await edit.refresh(params);
  return edit.current(params);
}

function refusal(code: Errno, { path }: Change, reason: string, cause: unknown): FsError {
  return new FsError(code, { path, op: 'write', rule: 'schema of the record', reason, cause });
}

/** Nothing was sent and a later attempt may do: a staged change goes on waiting. */
function mayWait(error: unknown): boolean {
  return (
    error instanceof ServiceFailure &&
    ['limited', 'server', 'network', 'timeout', 'protocol', 'auth'].includes(error.kind)
  );
}

function need<K extends Way>(match: Match, kind: K): Kind<K> {
  const found = match.route[kind];
  if (found === undefined) throw new Error(`${match.route.pattern} has no ${kind}`);
  return found as Kind<K>;
}

function baseOf(change: Change): Base {
  return { text: change.base ?? '', version: change.baseVersion ?? '' };
}

/** Without what a template shows and nobody filled in. */
function given({ form }: RecordType, values: Values): Values {
  // In JSON an empty text is one that somebody wrote: its template has null.
  const isNothing = (value: unknown): boolean =>
    value === null ||
    (form !== 'json' && (value === '' || (Array.isArray(value) && value.length === 0)));
  return Object.fromEntries(Object.entries(values).filter(([, value]) => !isNothing(value)));
}
