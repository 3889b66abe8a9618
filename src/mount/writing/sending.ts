/**
 * The one moment of a write that cannot be taken back: the request goes out
 * once, and what no answer told is asked for.
 */
import type { Change, ServiceRequest } from '../../changes/change.ts';
import type { ChangeJournal } from '../../changes/journal.ts';
import { ServiceFailure } from '../client/failure.ts';
import { type Parsed, type RecordType, readRecord, same, valuesOf } from '../record/record.ts';
import type { Create, Edit, Outcome, RemoveTree, Replace } from '../table/route.ts';
import type { Match } from '../table/table.ts';

export interface SendingOptions {
  /** What sentences call the service. */
  title: string;
  journal: ChangeJournal;
  now: () => Date;
}

export class Sending {
  readonly #options: SendingOptions;

  constructor(options: SendingOptions) {
    this.#options = options;
  }

  /** Sends once. From here on the change is unknown until an answer says otherwise. */
  async send(
    change: Change,
    match: Match,
    request: ServiceRequest,
    send: () => Promise<Outcome>,
    again = false,
  ): Promise<void> {
    const { journal, now, title } = this.#options;
    const sentAt = now().getTime();
    journal.update(change.id, { state: 'unknown', request, sentAt, error: null });
    try {
      this.applied(change, await send());
    } catch (error) {
      if (!(error instanceof ServiceFailure)) throw error;
      if (!error.uncertain && !again) {
        // Refused or never sent: certain, so the change goes back to what it was.
        journal.update(change.id, { state: change.state, sentAt: null });
        throw error;
      }
      const made = await this.#settleQuietly(change, match, request, sentAt);
      if (made === true) return;
      const { create, replace } = match.route;
      const repeatable =
        replace !== undefined || (change.op === 'create' && create?.repeatable === true);
      if (made === false && repeatable && !again) {
        return this.send(change, match, request, send, true);
      }
      throw new ServiceFailure(
        error.kind,
        `${error.message}; ${title} did not say whether the change was made: it is kept as unknown in /session/changes/${change.id}/ and is not sent again by itself; look before you write it again`,
        { cause: error },
      );
    }
  }

  /** Whether asking showed that the change was made; null when asking failed, too. */
  async #settleQuietly(
    change: Change,
    match: Match,
    request: ServiceRequest,
    sentAt: number,
  ): Promise<boolean | null> {
    try {
      return await this.settle(change, match, request, sentAt);
    } catch (error) {
      // The caller reports the first failure; that asking failed too adds nothing to do.
      if (error instanceof ServiceFailure) return null;
      throw error;
    }
  }

  /** Asks what came of a request that went out; true, and noted, where it was carried out. */
  async settle(
    change: Change,
    { route, params }: Match,
    request: ServiceRequest,
    sentAt: number,
  ): Promise<boolean> {
    let outcome: Outcome | null = null;
    if (route.removeTree?.made(request) === true) {
      outcome = await removed(change, route.removeTree, params);
    } else if (route.replace !== undefined) {
      outcome = await replaced(change, request, { route, params });
    } else if (change.op === 'create' && route.create !== undefined) {
      outcome = await route.create.find(params, request, sentAt);
    } else if (change.op === 'delete' && route.remove !== undefined) {
      if (await route.remove.gone(params)) outcome = { path: change.path };
    } else if (route.edit !== undefined) {
      outcome = await this.#settledEdit(change, route.edit, params);
    }
    if (outcome !== null) this.applied(change, outcome);
    return outcome !== null;
  }

  async #settledEdit(change: Change, edit: Edit, params: Match['params']): Promise<Outcome | null> {
    const { journal } = this.#options;
    const { base, mine } = journal.get(change.id) ?? change;
    await edit.refresh(params);
    const theirs = edit.current(params) ?? edit.settled?.(params) ?? null;
    if (theirs === null || base === null || mine === null) return null;
    const { values } = wantedOf(recordOf(edit, { params }), base, mine);
    const wanted = Object.entries(edit.normal?.(params, values) ?? values);
    const made = wanted.every(([name, value]) => same(value, theirs.values[name]));
    return made ? { path: change.path } : null;
  }

  /** Notes that a change went through. */
  applied(change: Change, outcome: Outcome): void {
    this.#options.journal.update(change.id, { state: 'applied', result: outcome, error: null });
  }
}

/** After a lost answer: is what the request was to make there? Throws ServiceFailure. */
async function replaced(
  change: Change,
  request: ServiceRequest,
  { params, route }: Match,
): Promise<Outcome | null> {
  const { replace } = route;
  if (replace === undefined) return null;
  const theirs = await replace.refresh(params);
  if (theirs !== wantedVersion(replace, request)) return null;
  replace.keep(params, replace.contentOf(request));
  return { path: change.path };
}

/** After a lost answer: is nothing below it any more? Throws ServiceFailure. */
async function removed(
  { path }: Change,
  tree: RemoveTree,
  params: Match['params'],
): Promise<Outcome | null> {
  if ((await tree.refresh(params)).files.size > 0) return null;
  tree.keep(params);
  return { path };
}

/** The version that there is once a request was carried out; null for a removal. */
export function wantedVersion(replace: Replace, request: ServiceRequest): string | null {
  const bytes = replace.contentOf(request);
  return bytes === null ? null : replace.versionOf(bytes);
}

/** The type of the record that a row writes. */
export function recordOf({ record }: Edit | Create, { params }: Pick<Match, 'params'>): RecordType {
  return typeof record === 'function' ? record(params) : record;
}

/** The fields that a text gives and that differ from what was read, and what is wrong with it. */
export function wantedOf(record: RecordType, base: string, text: string): Parsed {
  const before = valuesOf(record, base);
  const { values, problems } = readRecord(record, text, before);
  const differ = Object.entries(values).filter(([name, value]) => !same(value, before[name]));
  return { values: Object.fromEntries(differ), problems };
}
