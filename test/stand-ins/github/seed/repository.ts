/** Puts one demo repository together: items get numbers, states, labels and comments. */
import type { Comment, Issue, Pull, RepositoryData, StateReason } from '../model.ts';
import { converse } from './conversation.ts';
import { filesOf } from './files.ts';
import { DAY, fakeSha, type Item, itemsOf } from './items.ts';
import { labelsFor, milestonesFor, people } from './people.ts';
import { createPrng, type Prng } from './prng.ts';
import { reviewsOf } from './reviews.ts';
import { readScenarios } from './scenario.ts';

/** What distinguishes one demo repository from the other. Times in seconds since the epoch. */
export interface Plan {
  name: 'quay' | 'quay-cli';
  about: string;
  id: number;
  start: number;
  /** Seconds between the starts of two scenarios. */
  pace: number;
  /** How many scenarios have a second pull request. */
  seconds: number;
  /** Comments below each scenario's items, together. */
  comments: number;
  milestones: string[];
}

interface Draft {
  item: Item;
  closed: boolean;
  reason: StateReason | null;
  merged: boolean;
  draft: boolean;
  labels: string[];
  remarks: { author: string; body: string; at: number }[];
}

/**
 * Reports of what a fix made good, which nobody closed: the page of the incident has their boxes
 * ticked, and whoever reads both has something to do.
 */
const LEFT_OPEN: ReadonlySet<string> = new Set([
  'Outage report: customer notifications stopped for 47 minutes on 3 June',
  'A single unresponsive receiver blocks hooks for everybody',
]);

const iso = (seconds: number): string => `${new Date(seconds * 1000).toISOString().slice(0, 19)}Z`;

function fate(item: Item, index: number, prng: Prng): Pick<Draft, 'closed' | 'reason' | 'merged'> {
  const { outcome } = item.scenario;
  const open = { closed: false, reason: null, merged: false };
  const close = (reason: StateReason | null, merged = false) => ({ closed: true, reason, merged });
  if (item.role === 'fix') return outcome === 'open' ? open : close(null, true);
  if (item.role === 'second') {
    if (outcome !== 'open' && prng.chance(60)) return close(null, true);
    return prng.chance(30) ? close(null) : open;
  }
  if (item.role === 'later') return prng.chance(25) ? close('completed') : open;
  if (item.role === 'main') return outcome === 'open' ? open : close('completed');
  if (index === 1 && outcome !== 'open')
    return close(prng.chance(50) ? 'duplicate' : 'not_planned');
  if (outcome === 'open') return prng.chance(20) ? close('not_planned') : open;
  return prng.chance(55) ? close('completed') : open;
}

function labelsOf(item: Item, fated: Pick<Draft, 'closed' | 'reason'>, prng: Prng): string[] {
  const { kind, area, high } = item.scenario;
  const isPull = item.role === 'fix' || item.role === 'second';
  const labels = [isPull ? (kind === 'incident' ? 'bug' : kind) : kind, area];
  if (high && item.role !== 'later') labels.push('priority/high');
  if (fated.reason === 'duplicate') labels.push('duplicate');
  if (fated.reason === 'not_planned') labels.push(prng.chance(50) ? 'wontfix' : 'duplicate');
  if (item.role === 'later' && /document|docs|page|manual/i.test(item.title + item.body)) {
    return [...new Set(['documentation', area, 'good first issue'])];
  }
  if (item.role === 'later' && /again|still|broke|after|since/i.test(item.title)) {
    labels.push('regression');
  }
  if (item.role === 'other' && !fated.closed && prng.chance(20)) labels.push('needs reproduction');
  return [...new Set(labels)];
}

/** Decides what became of every item of a scenario, and lets people talk about it. */
function draftsOf(items: readonly Item[], count: number, prng: Prng): Draft[] {
  const drafts = items.map((item, index): Draft => {
    const fated = fate(item, index, prng);
    const labels = labelsOf(item, fated, prng);
    const draft = item.files.length > 0 && !fated.closed && prng.chance(50);
    return { item, ...fated, draft, labels, remarks: [] };
  });
  const duplicates = new Set(
    drafts.flatMap(({ labels }, index) => (labels.includes('duplicate') ? [index] : [])),
  );
  for (const remark of converse(items, { count, duplicates, people, prng })) {
    const target = drafts[remark.item];
    if (!target) continue;
    const last = target.remarks.at(-1)?.at ?? target.item.created;
    const at = last + 600 + prng.int(DAY);
    target.remarks.push({ author: remark.author, body: remark.body, at });
  }
  return drafts;
}

function pullOf(draft: Draft, closedAt: number | null, plan: Plan, number: number): Pull {
  const { item, merged } = draft;
  const name = `${plan.name}/${number}`;
  return {
    id: plan.id * 1000 + 500_000 + number,
    draft: draft.draft,
    mergedAt: merged && closedAt !== null ? iso(closedAt) : null,
    mergedBy: merged ? (people.maintainers[number % people.maintainers.length] ?? null) : null,
    mergeCommitSha: merged ? fakeSha(`merge ${name}`) : null,
    headRef: `${item.role === 'fix' ? 'fix' : 'chore'}/${item.scenario.key}`,
    headSha: fakeSha(`head ${name}`),
    baseRef: 'main',
    baseSha: fakeSha(`base ${name}`),
    files: item.files,
  };
}

interface Numbered {
  draft: Draft;
  number: number;
}

/** `{main}` and `{fix}` become the numbers of the same scenario's items. */
function resolver(all: readonly Numbered[]) {
  const numbers = new Map(
    all.map(({ draft, number }) => [`${draft.item.scenario.key} ${draft.item.role}`, number]),
  );
  return (text: string, item: Item): string =>
    text.replace(/\{(main|fix)\}/g, (_whole, role: string) => {
      return `#${numbers.get(`${item.scenario.key} ${role}`) ?? 1}`;
    });
}

function issueOf(
  { draft, number }: Numbered,
  plan: Plan,
  resolve: (text: string, item: Item) => string,
  prng: Prng,
): Issue {
  const { item } = draft;
  const last = draft.remarks.at(-1)?.at ?? item.created;
  const leftOpen = LEFT_OPEN.has(item.title);
  // Drawn in any case, so that whatever else is drawn stays as it is.
  const wouldClose = draft.closed ? last + 1800 + prng.int(2 * DAY) : null;
  const closedAt = leftOpen ? null : wouldClose;
  const isPull = item.files.length > 0;
  const helper = people.maintainers[number % people.maintainers.length] ?? item.author;
  const milestone = 1 + prng.int(plan.milestones.length);
  return {
    id: plan.id * 1000 + number,
    number,
    title: item.title,
    body: resolve(item.body, item),
    state: closedAt === null ? 'open' : 'closed',
    stateReason: leftOpen ? null : draft.reason,
    author: item.author,
    assignees: isPull ? [item.author] : prng.chance(45) ? [helper] : [],
    labels: draft.labels,
    milestone: prng.chance(50) ? milestone : null,
    locked: false,
    createdAt: iso(item.created),
    updatedAt: iso(Math.max(last, closedAt ?? 0)),
    closedAt: closedAt === null ? null : iso(closedAt),
    closedBy: closedAt === null ? null : helper,
    pull: isPull ? pullOf(draft, closedAt, plan, number) : null,
  };
}

function commentsOf(
  numbered: readonly Numbered[],
  plan: Plan,
  resolve: (text: string, item: Item) => string,
): Comment[] {
  const rows = numbered.flatMap(({ draft, number }) =>
    draft.remarks.map((remark) => ({ ...remark, number, item: draft.item })),
  );
  rows.sort((a, b) => a.at - b.at || a.number - b.number);
  return rows.map((row, index) => ({
    id: plan.id * 1000 + 100_000 + index,
    issue: row.number,
    author: row.author,
    body: resolve(row.body, row.item),
    createdAt: iso(row.at),
    updatedAt: iso(row.at),
  }));
}

/** Makes one demo repository, the same every time. */
export function demoRepository(plan: Plan): RepositoryData {
  const prng = createPrng(plan.id);
  const scenarios = readScenarios(plan.name);
  const drafts = scenarios.flatMap((scenario, index) => {
    const start = plan.start + index * plan.pace;
    const items = itemsOf(scenario, { start, second: index < plan.seconds, people, prng });
    return draftsOf(items, plan.comments, prng);
  });
  drafts.sort((a, b) => a.item.created - b.item.created);
  const numbered = drafts.map((draft, index) => ({ draft, number: index + 1 }));
  const resolve = resolver(numbered);
  const issues = numbered.map((row) => issueOf(row, plan, resolve, prng));
  const latest =
    issues
      .map(({ updatedAt }) => updatedAt)
      .sort()
      .at(-1) ?? iso(plan.start);
  const areas = [...new Set(scenarios.map(({ area }) => area))].sort();
  return {
    repository: {
      id: plan.id,
      owner: 'harbor',
      name: plan.name,
      description: plan.about,
      private: false,
      language: 'TypeScript',
      topics: ['queue', 'postgres', 'typescript'],
      defaultBranch: 'main',
      writers: [...people.maintainers],
      createdAt: '2023-02-01T09:00:00Z',
      updatedAt: latest,
      pushedAt: latest,
    },
    labels: labelsFor(areas, plan.id * 1000 + 900_000),
    milestones: milestonesFor(plan.milestones, plan.id * 1000 + 990_000),
    issues,
    comments: commentsOf(numbered, plan, resolve),
    reviews: reviewsOf(issues, plan.id * 1000 + 700_000),
    files: filesOf(plan.name, plan.about, scenarios),
  };
}
