/** The deployment's rules for paths, told to the model where it meets such a path. */
import { randomBytes } from 'node:crypto';
import type { PathsOfRule } from '../policy/context.ts';
import type { RuleView } from './harness-view.ts';
import type { Transcript } from './transcript.ts';

/** Those of rules for paths, as whoever acts has them with them. */
export const pathsOf = (rules: readonly RuleView[]): PathsOfRule[] =>
  rules.flatMap(({ name, paths }) => (paths === null ? [] : [{ name, paths }]));

/** Bytes of chance in the marks of a rule. */
const MARK_BYTES = 8;

/**
 * What of the rules a turn has been told. A rule is told once, and again when
 * it stands in the model's view no more: after a summary, or with a result that
 * was pruned. Its mark is made by chance, so that no text can pretend to be one
 * that was told.
 */
export class RuleBook {
  readonly #rules: ReadonlyMap<string, RuleView>;
  readonly #view: Transcript['view'];
  /** The marks of those that were told. */
  readonly #told = new Map<string, string>();

  constructor(rules: readonly RuleView[], { view }: Pick<Transcript, 'view'>) {
    this.#rules = new Map(rules.map((rule) => [rule.name, rule]));
    this.#view = view;
  }

  /** What stands below a result of a call that has met paths of these rules; empty where all of it was told. */
  tell(names: readonly string[]): string {
    const rules = names.flatMap((name) => this.#rules.get(name) ?? []);
    if (rules.length === 0) return '';
    const view = JSON.stringify(this.#view().messages);
    return rules
      .filter(({ name }) => !view.includes(this.#told.get(name) ?? ' never told'))
      .map(({ name, path, text }) => {
        const mark = randomBytes(MARK_BYTES).toString('hex');
        this.#told.set(name, mark);
        return `\n\n<rule from="${path}" mark="${mark}">\n${text}\n</rule mark="${mark}">`;
      })
      .join('');
  }
}
