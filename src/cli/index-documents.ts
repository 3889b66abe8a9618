/** `dirigent index`: brings the index of the search in step with what is mounted, and shows how far it is. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import type { IndexState } from '../search/contract.ts';
import { quoted } from '../shell/quote.ts';
import { type VisibleText, visible, visibleLines, visibleMessage } from '../visible.ts';
import type { Synced } from '../world/sync.ts';
import type { World } from '../world/world.ts';
import type { Installation } from './installation.ts';
import { openWorld } from './open-world.ts';
import type { IndexArguments } from './options.ts';
import type { Output } from './output.ts';
import { NO_STATUS_LINE, statusLine } from './status-line.ts';
import { progressLine } from './sync.ts';

/** What the command `index --json` prints. */
type State = IndexState;

const EVERY_MS = 500;
const BAR = 24;

/** Runs `dirigent index`, and gives its exit status. What it has indexed when it is interrupted is kept. */
export async function runIndex(
  options: IndexArguments,
  output: Output,
  installation: Installation,
  worker: Worker,
): Promise<number> {
  const world = await openWorld(options, installation, worker, output);
  const terminal = output.errIsTerminal;
  const progress = new Progress();
  let shown = '';
  const say = async (line: VisibleText): Promise<void> => {
    if (terminal && line.toString() !== shown) await output.err(statusLine(line));
    shown = line.toString();
  };
  // The services first: however long that takes, it is what one came to wait for.
  const { synced } = await world.sync(
    options.path,
    (made) => void say(progressLine(made, Date.now())),
  );
  for (;;) {
    const { state, stderr } = await stateOf(world, options.path);
    const { sentences } = state ?? {};
    const over = state?.pending === 0 && (sentences === undefined || sentences.pending === 0);
    if (state === null || over || (state.pending === 0 && sentences?.gaveUp === true)) {
      if (terminal && shown !== '') await output.err(NO_STATUS_LINE);
      if (state === null) await output.err(visibleLines(stderr));
      else {
        state.failed = failuresOf(synced, state);
        if (options.json) await output.json(state);
        else await output.out(summary(options.path, state));
        for (const { path, error } of state.failed) {
          await output.err(visible`dirigent: ${path}: ${visibleMessage(error)}\n`);
        }
        const trouble = sentences?.gaveUp === true ? sentences.trouble : null;
        if (trouble !== null) await output.err(visible`index: ${visibleMessage(trouble)}\n`);
      }
      // The index puts itself in order when it has all, so that it is opened quickly.
      if (over) await world.exec(`index --wait ${quoted(options.path)}`);
      await world.close();
      return over && state.failed?.length === 0 ? 0 : 1;
    }
    await say(progress.line(state, Date.now()));
    await delay(EVERY_MS);
  }
}

async function stateOf(
  world: World,
  path: string,
): Promise<{ state: State | null; stderr: string }> {
  const { stdout, stderr, exitCode } = await world.exec(`index --json ${quoted(path)}`);
  // The command's own output, one object a line. Its status is 2, too, where vectors could not be made.
  const told = exitCode === 0 || stdout !== '';
  return { state: told ? (JSON.parse(stdout) as State) : null, stderr };
}

/** What could not be fetched or looked at, each path once. */
function failuresOf(
  synced: readonly Synced[],
  { failed = [] }: State,
): NonNullable<State['failed']> {
  const errors = new Map(failed.map(({ path, error }) => [path, error]));
  for (const { path, error } of synced) if (error !== undefined) errors.set(path, error);
  return [...errors].map(([path, error]) => ({ path, error }));
}

function summary(path: string, { documents, chunks, sentences }: State): VisibleText {
  const number = (value: number): string => value.toLocaleString('en');
  const count = (value: number, what: string): string =>
    `${number(value)} ${what}${value === 1 ? '' : 's'}`;
  const indexed = visible`${path}: ${count(documents, 'document')} in ${count(chunks, 'chunk')} indexed\n`;
  if (sentences === undefined) return indexed;
  const { model, vectors, refused, pending, tokens } = sentences;
  const missing = pending === 0 ? '' : `, ${number(pending)} missing`;
  const taken = refused === 0 ? '' : `, ${number(refused)} not taken by the model`;
  const cost = tokens === 0 ? '' : `, ${count(tokens, 'token')} so far`;
  return visible`${indexed}${count(vectors, 'vector')} of ${model}${missing}${taken}${cost}\n`;
}

/** What is shown while it works: first the documents, then the vectors of their passages. */
class Progress {
  #phase = '';
  #begun = 0;
  #first = 0;

  /** @param now ms */
  line({ pending, sentences }: State, now: number): VisibleText {
    if (pending > 0 || sentences === undefined) return this.#bar('indexing', pending, pending, now);
    const { holdsUntil, trouble, vectors } = sentences;
    const bar = this.#bar('vectors', sentences.pending, vectors + sentences.pending, now);
    if (trouble === null) return bar;
    const seconds = Math.ceil((Date.parse(holdsUntil ?? '') - now) / 1_000);
    return visible`${bar}; ${seconds > 0 ? `tried again in ${seconds} s` : 'trying again'}: ${trouble}`;
  }

  #bar(what: string, pending: number, all: number, now: number): VisibleText {
    if (what !== this.#phase) {
      this.#phase = what;
      this.#begun = now;
      this.#first = pending;
    }
    const made = { what, pending, all: Math.max(all, this.#first) };
    return barLine(made, this.#first, now - this.#begun);
  }
}

/**
 * `indexing [######------] 1,204/4,000, about 12 s left`.
 * @param first how many were pending when it began
 * @param elapsed ms since then
 */
function barLine(
  { what, pending, all }: { what: string; pending: number; all: number },
  first: number,
  elapsed: number,
): VisibleText {
  const done = all - pending;
  const filled = Math.floor((BAR * done) / all);
  const bar = '#'.repeat(filled) + '-'.repeat(BAR - filled);
  const since = first - pending;
  const seconds = Math.ceil(((elapsed / since) * pending) / 1_000);
  const left = since <= 0 ? '' : `, about ${seconds} s left`;
  return visible`${what} [${bar}] ${done.toLocaleString('en')}/${all.toLocaleString('en')}${left}`;
}
