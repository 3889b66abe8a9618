/** What reviewers said of the merged pull requests of the demo world. Nothing here is drawn. */
import type { Issue, LineComment, Pull, Review } from '../model.ts';
import { people } from './people.ts';

/** Every third merged pull request was sent back once. */
const SENT_BACK = 3;
const HOUR_MS = 3_600_000;

const iso = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`;

/** @param firstId ids are counted from here */
export function reviewsOf(issues: readonly Issue[], firstId: number): Review[] {
  let id = firstId;
  return issues.flatMap(({ number, author, pull, closedAt }): Review[] => {
    if (!pull || pull.mergedAt === null || closedAt === null) return [];
    const others = people.maintainers.filter((login) => login !== author);
    const reviewer = others[number % others.length] ?? 'ghost';
    const common = { pull: number, author: reviewer, commit: pull.headSha };
    const merged = Date.parse(closedAt);
    const sentBack: Review = {
      ...common,
      id: id++,
      state: 'CHANGES_REQUESTED',
      body: 'The cause is right and so is the fix. One thing before this goes in, see below.',
      submittedAt: iso(merged - 3 * HOUR_MS),
      lines: [askWhy(pull, id++, iso(merged - 3 * HOUR_MS))],
    };
    const approval: Review = {
      ...common,
      id: id++,
      state: 'APPROVED',
      body: number % SENT_BACK === 0 ? 'Thanks, that is clear now.' : '',
      submittedAt: iso(merged - HOUR_MS),
      lines: [],
    };
    return number % SENT_BACK === 0 ? [sentBack, approval] : [approval];
  });
}

/** A comment on the first line that the change adds. */
function askWhy({ files }: Pull, id: number, createdAt: string): LineComment {
  const [file] = files;
  const lines = (file?.patch ?? '').split('\n');
  const start = Number(/^@@ -\S+ \+(\d+)/.exec(lines[0] ?? '')?.[1] ?? 1);
  const added = lines.slice(1).findIndex((line) => line.startsWith('+'));
  const before = lines.slice(1, 1 + Math.max(added, 0)).filter((line) => !line.startsWith('-'));
  return {
    id,
    path: file?.path ?? '',
    line: start + before.length,
    startLine: null,
    body: 'This says what it does; could it say why, so that nobody takes it out again?',
    createdAt,
  };
}
