/** Tasks that are refused, each with a sentence that tells the agent how to go on; some then do. */
import assert from 'node:assert/strict';
import { nothingChanged, record, type Task, type TaskResult } from './task.ts';
import { differs } from './wrote.ts';

/** The last line failed, said this, and nothing was sent. */
function refused(result: TaskResult, ...said: RegExp[]): void {
  nothingChanged(result);
  assert.notEqual(result.last.exitCode, 0);
  for (const each of said) assert.match(result.last.stderr, each);
}

export const REFUSED: readonly Task[] = [
  {
    name: 'A label that quay does not have: the nearest is named, and taken',
    steps: [
      'cd /mnt/github/harbor/quay/issues',
      `sed -i 's/^labels: .*/labels: [incidents, area\\/storage]/' 26.md`,
      'cat .error',
      `sed -i 's/^labels: .*/labels: [incident, area\\/storage]/' 26.md`,
    ],
    check: ({ lines: [, wrong, error, right], difference, cost }) => {
      assert.notEqual(wrong?.exitCode, 0);
      assert.match(wrong?.stderr ?? '', /labels: .*"incidents".*nearest: incident\b/);
      assert.match(error?.stdout ?? '', /"incidents"/);
      assert.equal(right?.exitCode, 0, right?.stderr);
      assert.deepEqual(difference.changed, {
        'harbor/quay#26': { labels: ['incident', 'area/storage'] },
      });
      assert.equal(cost.writes, 1);
    },
  },
  {
    name: 'An issue of GitHub is not deleted: the way to close it is named',
    changesNothing: true,
    steps: ['rm /mnt/github/harbor/quay/issues/33.md'],
    check: (result) => refused(result, /Operation not permitted/, /state: closed/),
  },
  {
    name: 'A table of contents is not the place to change a state',
    changesNothing: true,
    steps: [`sed -i 's/^26\\topen/26\\tclosed/' /mnt/github/harbor/quay/issues/index.tsv`],
    check: (result) => refused(result, /Operation not permitted/, /write the record/),
  },
  {
    name: 'A state that Linear does not have: the states of the team are listed',
    changesNothing: true,
    steps: ['cd /mnt/linear/teams/PLT/issues', `sed -i 's/^state: .*/state: Fixed/' PLT-2.md`],
    check: (result) => refused(result, /state: .*"Fixed"/, /Canceled, Done, In Progress/),
  },
  {
    name: 'A new Linear issue with two wrong fields is mended as the refusals say',
    steps: [
      'cd /mnt/linear/teams/PLT/issues; cat new.md',
      `printf -- '---\\ntitle: Alert on delivery lag\\nassignee: mara\\npriority: critical\\n---\\n' > new.md`,
      `printf -- '---\\ntitle: Alert on delivery lag\\nassignee: mara-lindqvist\\npriority: urgent\\n---\\n' > new.md; cat .last`,
    ],
    check: (result) => {
      const [, first, second] = result.lines;
      assert.match(first?.stderr ?? '', /priority: .*urgent, high/);
      assert.match(first?.stderr ?? '', /assignee: .*nearest: mara-lindqvist/);
      assert.equal(second?.exitCode, 0, second?.stderr);
      const fields = { title: 'Alert on delivery lag', assignee: 'mara-lindqvist', priority: 1 };
      differs(result, { created: [[/^PLT-\d+$/, fields]] });
      assert.equal(result.cost.writes, 1);
    },
  },
  {
    name: 'A row of Notion with an option that its database lacks',
    changesNothing: true,
    steps: [
      'cd /mnt/notion/Operations--*/Incidents--*; cat schema.json',
      `sed -i 's/^Status: .*/Status: Resolved/; s/^Severity: .*/Severity: SEV9/' Database-volume-full--*.md`,
    ],
    check: (result) =>
      refused(result, /Status: .*"Resolved".*Actions open/, /Severity: .*"SEV9".*SEV3/),
  },
  {
    name: 'A page of Notion with pages below it does not go to the trash with them',
    changesNothing: true,
    steps: ['rm /mnt/notion/Operations--*.md'],
    check: (result) => refused(result, /Operation not permitted/, /below it/),
  },
  {
    name: 'The title that somebody else has changed meanwhile is not written over',
    steps: [
      'cd /mnt/github/harbor/quay/issues; cat 26.md',
      {
        meanwhile: ({ github }) =>
          github.edit({
            op: 'edit-issue',
            owner: 'harbor',
            repo: 'quay',
            number: 26,
            fields: { title: 'Partition the history by day' },
          }),
      },
      `sed -i 's/^title: .*/title: Partition job_history by month/' 26.md`,
      'cat .error; ls /session/changes/*',
    ],
    check: ({ lines: [, wrong, look], after, difference }) => {
      assert.notEqual(wrong?.exitCode, 0);
      assert.match(wrong?.stderr ?? '', /Stale|changed/i);
      assert.match(look?.stdout ?? '', /theirs\.md/);
      assert.equal(record(after, 'harbor/quay#26')['title'], 'Partition the history by day');
      assert.deepEqual(Object.keys(difference.changed), ['harbor/quay#26']);
    },
  },
];
