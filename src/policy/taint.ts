/** What a turn has read of services, and how that follows what the turn writes. */
import { childOf, isWithin, nameOf, parentOf } from '../paths.ts';
import type { ReadWhat } from './gate.ts';
import { HOST, type Marked, type Spot, type UntrustedMarks } from './marks.ts';

/** What is known of the mount that something is done in. */
export interface TaintMount {
  point: string;
  kind: string;
  /** Its text comes from outside. */
  outside: boolean;
  /** The directory of the host that its files are in, if any. */
  directory?: string | undefined;
}

/** What a turn has read so far. */
export interface TurnTaint {
  untrustedRead: boolean;
  /** Services whose text it has read. */
  origins: Set<string>;
}

/** What is known of a change of a service: whether the service's own words are in it. */
export interface ChangeFacts {
  id: string;
  /** Of its mount. */
  point: string;
  /** The record as the service had it, what the service answered: anything of it. */
  quotesService: boolean;
}

/** Where the sessions are: their logs hold what was read in them. */
const SESSION = '/session';
const PAST = '/session/past';
const CHANGES = '/session/changes';
const APPROVALS = '/session/approvals';
/** A plan is a question, too: which of the two it is does not matter to its label. */
const QUESTIONS = ['/session/questions', '/session/plans'];
/** Its files may come back as they were: from a snapshot. */
const WORKSPACE = '/workspace';

/** Follows the text of services through the files of one world. */
export class Taint {
  readonly #marks: UntrustedMarks;
  readonly #session: string;
  readonly #change: (id: string) => ChangeFacts | null;

  /** @param change what is known of a change by its id; null where there is none */
  constructor(
    marks: UntrustedMarks,
    session: string,
    change: (id: string) => ChangeFacts | null = () => null,
  ) {
    this.#marks = marks;
    this.#session = session;
    this.#change = change;
  }

  refresh(): void {
    this.#marks.refresh();
  }

  /** Text of services has come into a turn, by whatever way: from now on the log holds it, too. */
  note(turn: TurnTaint, origins: readonly string[]): void {
    const known = turn.origins.size;
    for (const origin of origins) turn.origins.add(origin);
    turn.untrustedRead = true;
    if (turn.origins.size > known) this.#markLog(origins);
  }

  /**
   * Something of a mount was read.
   * @returns what the text, or the names, came from: nothing where it is no service's
   */
  read(mount: TaintMount, path: string, what: ReadWhat, turn: TurnTaint): readonly string[] {
    const origins = mount.outside ? [mount.point] : this.#originsOf(mount, path, what);
    if (origins.length > 0) this.note(turn, origins);
    return origins;
  }

  /** Something of a mount was changed, by the method of that name. */
  changed(
    mount: TaintMount,
    method: string,
    path: string,
    other: string | undefined,
    turn: TurnTaint,
  ): void {
    if (mount.outside) return;
    const spot = this.#spot(mount, path);
    switch (method) {
      case 'rename':
        if (other === undefined) return;
        this.#marks.move(spot, this.#spot(mount, other));
        return this.made(mount, other, turn);
      case 'link':
        if (other !== undefined) this.#marks.link(this.#spot(mount, other), spot);
        return this.made(mount, path, turn);
      case 'symlink':
        this.#each(mount, path, (each) => this.#marks.remove(each));
        if (turn.untrustedRead) this.#mark(mount, path, 'text', originsOf(turn));
        return this.made(mount, path, turn);
      case 'mkdir':
        this.#each(mount, path, (each) => this.#marks.remove(each));
        return this.made(mount, path, turn);
      case 'unlink':
      case 'rmdir':
        return this.#each(mount, path, (each) => this.#marks.remove(each));
      case 'write':
      case 'append':
        if (turn.untrustedRead) this.#mark(mount, path, 'text', originsOf(turn));
        else if (method === 'write')
          this.#each(mount, path, (each) => this.#marks.clean(each, 'text'));
        return;
      default:
        return;
    }
  }

  /** A name was given. */
  made(mount: TaintMount, path: string, turn: TurnTaint): void {
    if (mount.outside) return;
    if (turn.untrustedRead) this.#mark(mount, path, 'name', originsOf(turn));
    else this.#each(mount, path, (each) => this.#marks.clean(each, 'name'));
  }

  /**
   * A person was asked about operations of a turn: the request says what would be
   * written, and what is there.
   * @param quoted services and paths whose text stands in the patch
   */
  filed(id: string, quoted: readonly [TaintMount, string][], turn: TurnTaint): void {
    const origins = new Set(turn.untrustedRead ? originsOf(turn) : []);
    for (const [mount, path] of quoted)
      for (const origin of mount.outside ? [mount.point] : this.#originsOf(mount, path, 'text'))
        origins.add(origin);
    this.#markView(`${APPROVALS}/${id}.md`, [...origins]);
  }

  /** A person was asked a question, by whoever had read text of these services: its words may be theirs. */
  asked(id: string, origins: readonly string[]): void {
    for (const view of QUESTIONS) this.#markView(`${view}/${id}.md`, origins);
  }

  /** A change of a service has made a step, on behalf of a turn; null where that is not known. */
  stepped({ id, point, quotesService }: ChangeFacts, turn: TurnTaint | null): void {
    if (turn?.untrustedRead === true) this.#markView(`${CHANGES}/${id}`, originsOf(turn));
    // Each step is an entry of the log.
    const origins = this.#marks.textOf({ scope: '', path: `${CHANGES}/${id}` });
    this.#markLog(quotesService ? [point, ...origins] : origins);
  }

  #originsOf(mount: TaintMount, path: string, what: ReadWhat): readonly string[] {
    const { kind, point } = mount;
    switch (kind) {
      case 'session':
        return this.#ofLog(path, what === 'tree');
      case 'changes':
        return this.#ofChange(path);
      case 'schedule':
        return what === 'text'
          ? this.#ofSchedule(point, path)
          : this.#ofFiles(mount, point, 'tree');
      case 'harness': {
        // What is wrong with the files, and a command for each of them, is made of the files.
        const made = /^\/\.(?:errors|bin)(?:\/|$)/.test(path.slice(point.length));
        return made ? this.#ofFiles(mount, point, 'tree') : this.#ofFiles(mount, path, what);
      }
      default:
        return this.#ofFiles(mount, path, what);
    }
  }

  #ofFiles(mount: TaintMount, path: string, what: ReadWhat): readonly string[] {
    if (this.#marks.isEmpty) return [];
    const found = this.#spots(mount, path).flatMap((spot) => {
      if (what === 'tree') return this.#marks.within(spot);
      if (what === 'names') return this.#marks.namesIn(spot);
      return what === 'text' ? this.#marks.textOf(spot) : this.#marks.nameOf(spot);
    });
    const above = what === 'path' && path !== mount.point ? parentOf(path) : null;
    return above === null ? found : [...found, ...this.#ofFiles(mount, above, what)];
  }

  /** Any log of the past may be meant: which of them have sub-agents is not known here. */
  #ofLog(path: string, whole: boolean): readonly string[] {
    const past = { scope: '', path: PAST };
    if (isWithin(PAST, path) || (whole && isWithin(path, PAST))) return this.#marks.within(past);
    return isWithin(SESSION, path) ? this.#marks.textOf(this.#log) : [];
  }

  #ofChange(path: string): readonly string[] {
    const [id = ''] = path.slice(CHANGES.length + 1).split('/');
    // Ids are no text.
    if (id === '') return [];
    const written = this.#marks.textOf({ scope: '', path: `${CHANGES}/${id}` });
    const change = this.#change(id);
    return change?.quotesService === true ? [change.point, ...written] : written;
  }

  /** What was begun, or done, lies under other names than what was written. */
  #ofSchedule(point: string, path: string): readonly string[] {
    const inside = path.slice(point.length + 1);
    const name = inside.replace(/^(?:running\/|done\/[\d-]+T\d+Z-)/, '');
    const view = inside === name ? name : viewOf(name);
    return this.#marks.textOf({ scope: '', path: childOf(point, view) });
  }

  #mark(mount: TaintMount, path: string, what: Marked, origins: readonly string[]): void {
    this.#marks.mark(this.#spot(mount, path), what, origins);
    if (mount.kind !== 'schedule' || what !== 'text') return;
    // It stays with what comes of it, whatever is scheduled later under the same name.
    const view = childOf(mount.point, viewOf(nameOf(path)));
    this.#marks.mark({ scope: '', path: view }, what, origins);
  }

  #markView(path: string, origins: readonly string[]): void {
    if (origins.length === 0) return;
    this.#marks.mark({ scope: '', path }, 'text', origins);
    this.#markLog(origins);
  }

  #markLog(origins: readonly string[]): void {
    if (origins.length > 0) this.#marks.mark(this.#log, 'text', origins);
  }

  get #log(): Spot {
    return { scope: '', path: `${PAST}/${this.#session}` };
  }

  /** Where a path is marked. */
  #spot({ kind, point, directory }: TaintMount, path: string): Spot {
    const returns = isWithin(WORKSPACE, path);
    if (kind === 'memory') return { scope: this.#session, path, returns };
    if (directory === undefined) return { scope: '', path, returns };
    const inside = point === '/' ? path : path.slice(point.length);
    const at = `${directory === '/' ? '' : directory}${inside}`;
    return { scope: HOST, path: at === '' ? '/' : at, returns };
  }

  /** Where it may be marked: an earlier version went by mount points. */
  #spots(mount: TaintMount, path: string): Spot[] {
    const spot = this.#spot(mount, path);
    return spot.scope === HOST ? [spot, { scope: '', path }] : [spot];
  }

  #each(mount: TaintMount, path: string, work: (spot: Spot) => void): void {
    if (!this.#marks.isEmpty) for (const spot of this.#spots(mount, path)) work(spot);
  }
}

/** Where the mark of a scheduled prompt stays that was begun, or is done; no file has that name. */
const viewOf = (name: string): string => `done/${name}`;

/** Of a turn that began with such text in view, it may not be known from where. */
const originsOf = ({ origins }: TurnTaint): string[] =>
  origins.size === 0 ? ['an earlier turn'] : [...origins];
