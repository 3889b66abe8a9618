/** Who said what below an issue: the scenario's own conversation first, templates with its facts next. */
import { environment, type Item, type People } from './items.ts';
import type { Prng } from './prng.ts';
import { type RemarkKind, readRemarks, type Scenario } from './scenario.ts';

/** A comment before it has an id. `item` is an index into the scenario's items. */
export interface Remark {
  item: number;
  author: string;
  body: string;
}

function firstSentence(text: string): string {
  return /^.*?[.?!](?=\s|$)/.exec(text.replaceAll('\n', ' '))?.[0] ?? text;
}

function fill(template: string, item: Item, scenario: Scenario, prng: Prng): string {
  const { version, platform } = environment(prng);
  const values: Record<string, string> = {
    version,
    platform,
    'cause?': prng.chance(40) ? `My guess: ${scenario.cause}.` : '',
    cause: scenario.cause,
    workaround: scenario.workaround,
    path: scenario.fix.path,
    fixtitle: scenario.fix.title,
    maintitle: scenario.reports[0]?.title ?? '',
    area: scenario.area,
    quote: firstSentence(item.body),
    evidence: scenario.evidence.at(-1) ?? '',
    often: prng.pick([
      'about once a day',
      'every hour under load',
      'every week',
      'with each deploy',
      'in one of ten runs',
    ]),
    minutes: String(3 + prng.int(44)),
  };
  return template.replace(/\{([\w?]+)\}/g, (whole, name: string) => values[name] ?? whole).trim();
}

/** Which templates fit an item: a bug is bisected, an idea is weighed, a fix is confirmed. */
function kindsOf(item: Item, duplicate: boolean): RemarkKind[] {
  if (item.role === 'fix' || item.role === 'second') return ['pull'];
  if (duplicate) return ['duplicate'];
  const { kind, outcome } = item.scenario;
  const defect = kind === 'bug' || kind === 'incident';
  const solved: RemarkKind[] = outcome === 'open' || item.role === 'later' ? [] : ['solved'];
  return ['issue', defect ? 'defect' : 'idea', ...solved];
}

function takeTemplate(templates: string[], used: Set<string>, prng: Prng, item: Item): string {
  const isMain = item.role === 'main';
  const free = templates.filter((t) => !used.has(t) && !(isMain && t.includes('{main}')));
  const chosen = prng.pick(free.length > 0 ? free : templates);
  used.add(chosen);
  return chosen;
}

/**
 * `count` remarks below the items of one scenario, in the order in which they were said.
 * @param duplicates indexes of the items that are closed as duplicates: one remark each
 */
export function converse(
  items: readonly Item[],
  options: { count: number; duplicates: ReadonlySet<number>; people: People; prng: Prng },
): Remark[] {
  const { count, duplicates, people, prng } = options;
  const scenario = items[0]?.scenario;
  if (!scenario) return [];
  const remarks: Remark[] = [];
  const everyone = [...people.maintainers, ...people.reporters];
  const targets = items.map((_item, index) => index).filter((index) => !duplicates.has(index));
  let previous = '';
  const speaker = (from: readonly string[]): string => {
    const others = from.filter((login) => login !== previous);
    previous = prng.pick(others);
    return previous;
  };
  // Two thirds of the hand-written conversation stay on the main issue, where they answer each other.
  const talk = scenario.talk.slice(0, count);
  const onMain = Math.ceil((talk.length * 2) / 3);
  talk.forEach((body, index) => {
    const item = index < onMain ? 0 : (targets[1 + (index % (targets.length - 1))] ?? 0);
    remarks.push({ item, author: speaker(everyone), body });
  });
  const templates = readRemarks();
  const used = new Set<string>();
  const add = (index: number): void => {
    const item = items[index];
    if (!item || remarks.length >= count) return;
    const kinds = kindsOf(item, duplicates.has(index));
    const template = takeTemplate(kinds.flatMap(templates), used, prng, item);
    const author = speaker(kinds.includes('issue') ? everyone : people.maintainers);
    remarks.push({ item: index, author, body: fill(template, item, scenario, prng) });
  };
  for (const index of duplicates) add(index);
  while (remarks.length < count) add(prng.pick(targets));
  return remarks;
}
