/** Runs rows of the table through one front end, and holds each against what it promises. */
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { ApprovalJournal } from '../../src/policy/approvals.ts';
import { SessionFile } from '../../src/session/file.ts';
import { sessionPlace } from '../../src/session/place.ts';
import { temporaryDirectory } from '../world/harness.ts';
import { type Act, type Attempt, type FileOperation, scriptOf } from './attempt.ts';
import type { Column, Door, Outcome } from './columns.ts';
import { ASKING, keptOf, makeDeployment, SECRET } from './deployment.ts';
import { viewOf } from './views.ts';

/** A row with its number in the whole table, which names its directory. */
export interface Row {
  attempt: Attempt;
  index: number;
}

/** How often a twin is tried that did not end in its time. */
const TRIES = 4;
const OVERDUE = /stopped after \d+ s/;

/** Is there a way to do this in a front end? */
const isExpressible = (door: Door, act: Act): boolean =>
  typeof act === 'string' ? door.run !== undefined : door.lacks?.includes(act.op) !== true;

/** One front end under attack. */
export class Siege {
  readonly #column: Column;
  readonly #deployment = temporaryDirectory();
  #door: Door | null = null;

  constructor(column: Column) {
    this.#column = column;
  }

  /** Runs the twins and then the attempts. Gives how many rows this front end has a way for. */
  async run(rows: readonly Row[]): Promise<number> {
    makeDeployment(this.#deployment);
    this.#door = await this.#column.open(this.#deployment);
    try {
      const labels = this.#door.labels !== false;
      const told = rows.filter(({ attempt }) => labels && attempt.class === 'label');
      const others = rows.filter(({ attempt }) => attempt.class !== 'label');
      // Before anything of a service was read, since what follows such a reading is rightly labelled.
      await this.#labels(told, true);
      if (told.length > 0) await this.#reopen();
      let done = 0;
      for (const row of others) done += (await this.#both(row)) ? 1 : 0;
      done += await this.#labels(told, false);
      return done;
    } finally {
      await this.#door.close();
    }
  }

  /** A session of its own, begun anew over the same state. */
  async #reopen(): Promise<void> {
    await this.#door?.close();
    this.#door = await this.#column.open(this.#deployment);
  }

  async #both(row: Row): Promise<boolean> {
    const { attempt } = row;
    const acts = [attempt.act, attempt.twin, attempt.ask].filter((act) => act !== undefined);
    if (!acts.every((act) => isExpressible(this.#opened, act))) return false;
    await this.#twin(row);
    await this.#attempt(row);
    return true;
  }

  async #twin({ attempt, index }: Row): Promise<void> {
    const { name, given, ask, twin, after } = attempt;
    const what = this.#named(name, 'the twin');
    given?.(this.#deployment);
    if (ask !== undefined) await this.#allowed(ask, `t${index}`, what);
    let outcome = await this.#do(twin, `t${index}`);
    // The first command after a kill starts a worker: on a busy machine that alone may take its time.
    for (let tries = 1; tries < TRIES && OVERDUE.test(outcome.text); tries++)
      outcome = await this.#do(twin, `t${index}`);
    expect.soft(outcome.failed, `${what}: ${outcome.text}`).toBe(false);
    if (after !== undefined) await this.#do(after, `t${index}`);
  }

  async #attempt({ attempt, index }: Row): Promise<void> {
    const { name, given, ask, act, shown = [] } = attempt;
    const what = this.#named(name);
    given?.(this.#deployment);
    if (ask !== undefined) await this.#allowed(ask, `a${index}`, what);
    const before = keptOf(this.#deployment);
    const outcome = await this.#do(act, `a${index}`);
    this.#hold(attempt, outcome, what);
    expect.soft(keptOf(this.#deployment), `${what} changed what is kept`).toBe(before);
    for (const command of shown) {
      const view = await viewOf(this.#deployment, command);
      expect.soft(view.hidden, `${what}: dirigent ${command} shows ${view.text}`).toEqual([]);
      expect.soft(view.text, `${what}: dirigent ${command} tells no secret`).not.toContain(SECRET);
    }
  }

  /** Rows of two acts: all first acts are done before any second one, which may be in a later session. */
  async #labels(rows: readonly Row[], twins: boolean): Promise<number> {
    const doable = rows.filter(({ attempt }) =>
      [attempt.act, attempt.next?.act, attempt.twin, attempt.twinNext].every(
        (act) => act === undefined || isExpressible(this.#opened, act),
      ),
    );
    const prefix = twins ? 't' : 'a';
    const held = ({ attempt }: Row, outcome: Outcome): void => {
      const what = this.#named(attempt.name, twins ? 'the twin' : '');
      if (!twins) return this.#hold(attempt, outcome, what);
      expect.soft(outcome.failed, `${what}: ${outcome.text}`).toBe(false);
      expect.soft(outcome.origins, `${what}: ${outcome.text}`).toEqual([]);
    };
    for (const where of ['call', 'session'] as const) {
      const these = doable.filter(({ attempt }) => (attempt.next?.in ?? 'call') === where);
      for (const row of these) {
        const { attempt, index } = row;
        const outcome = await this.#do(twins ? attempt.twin : attempt.act, `${prefix}${index}`);
        if (attempt.next === undefined) held(row, outcome);
        else if (where === 'call') held(row, await this.#next(row, twins));
      }
      if (where === 'call' || these.length === 0) continue;
      await this.#reopen();
      for (const row of these) held(row, await this.#next(row, twins));
    }
    return doable.length;
  }

  async #next({ attempt, index }: Row, twins: boolean): Promise<Outcome> {
    const act = twins ? (attempt.twinNext ?? attempt.next?.act) : attempt.next?.act;
    return this.#do(act ?? 'false', `${twins ? 't' : 'a'}${index}`);
  }

  #hold({ holds }: Attempt, outcome: Outcome, what: string): void {
    const { failed, text, origins, waits } = outcome;
    const told = `${what}: ${text}`;
    if (waits)
      expect
        .soft(ASKING, `${told}, which is to be refused`)
        .toContain('rule' in holds && holds.rule);
    expect.soft(text, `${what} tells a secret`).not.toContain(SECRET);
    if ('from' in holds) {
      expect.soft(origins, told).toContain(holds.from);
    } else if ('harmless' in holds) {
      expect.soft(failed, told).toBe(false);
      if (holds.prints !== undefined) expect.soft(text, told).toMatch(holds.prints);
      if (holds.lacks !== undefined) expect.soft(text, told).not.toMatch(holds.lacks);
    } else {
      expect.soft(failed, told).toBe(true);
      if ('fails' in holds) expect.soft(text, told).toMatch(holds.fails);
      else if ('bounded' in holds) expect.soft(text, told).toMatch(holds.bounded);
      else this.#refused(holds, outcome, told);
    }
  }

  /** In words to whoever asked; where the messages were hidden, in the log. */
  #refused(
    { refused, rule, errno = 'EACCES' }: Extract<Attempt['holds'], { refused: string }>,
    { text }: Outcome,
    told: string,
  ): void {
    const words = {
      EACCES: 'Permission denied',
      EPERM: 'Operation not permitted',
      EINVAL: 'Invalid argument',
    };
    const logged = JSON.stringify(this.#lastEnds());
    const known = `${text}\n${logged}`;
    expect.soft(known, told).toContain(refused);
    expect.soft(known, `${told}, which names no rule`).toContain(rule);
    expect.soft(known, told).toMatch(new RegExp(`${words[errno]}|"code":"${errno}"`));
  }

  /** What is refused first, with a request, which a person then allows once. */
  async #allowed(ask: Act, directory: string, what: string): Promise<void> {
    const asked = await this.#do(ask, directory);
    expect.soft(asked.failed, `${what}, asking: ${asked.text}`).toBe(true);
    const journal = new ApprovalJournal(join(this.#deployment, '.dirigent', 'changes.sqlite'));
    try {
      const request = journal.list('pending').at(-1);
      expect.soft(asked.text, `${what}, asking`).toContain(request?.id ?? 'a request');
      if (request !== undefined) journal.answer(request.id, { decision: 'allow', by: 'a person' });
    } finally {
      journal.close();
    }
  }

  async #do(act: Act, directory: string): Promise<Outcome> {
    const door = this.#opened;
    const own = `/workspace/${directory}`;
    const onHost = join(this.#deployment, 'workspace', directory);
    if (!existsSync(onHost)) {
      mkdirSync(onHost, { recursive: true });
      writeFileSync(join(onHost, 'f'), 'a\n');
    }
    if (typeof act !== 'string') {
      const outcome = await door.file?.(inDirectory(act, own));
      if (outcome !== undefined && outcome !== null) return outcome;
    }
    if (door.run === undefined) throw new Error('it has no way to do this');
    return door.run(`cd ${own}; ${scriptOf(act)}`);
  }

  get #opened(): Door {
    if (this.#door === null) throw new Error('it is not open');
    return this.#door;
  }

  #named(name: string, twin = ''): string {
    return `${this.#column.name}, ${name}${twin === '' ? '' : `, ${twin}`}`;
  }

  /** The ends of the last command, of the last background job and of the last call, as the log of the newest session has them. */
  #lastEnds(): unknown[] {
    const place = sessionPlace(join(this.#deployment, '.dirigent'));
    if (!existsSync(place.files)) return [];
    const id = readdirSync(place.files).sort().at(-1);
    if (id === undefined || !existsSync(join(place.files, id, 'log.jsonl'))) return [];
    const file = new SessionFile(place, id).refresh();
    try {
      const entries = [...file.own()];
      const command = entries.findLast(({ type }) => type === 'bash_end');
      const jobs = new Set(entries.filter(({ job }) => job !== undefined).map(({ id }) => id));
      const job = entries.findLast((entry) => jobs.has(String(entry['start'])));
      const call = entries.findLast((entry) => entry['name'] === 'turn/call-end');
      return [command?.['refused'], job?.['refused'], call?.['data']];
    } finally {
      file.close();
    }
  }
}

/** `@` stands for the row's own directory. */
function inDirectory(operation: FileOperation, directory: string): FileOperation {
  const resolve = (path: string): string => path.replace(/^@/, directory);
  return 'to' in operation
    ? { ...operation, path: resolve(operation.path), to: resolve(operation.to) }
    : { ...operation, path: resolve(operation.path) };
}
