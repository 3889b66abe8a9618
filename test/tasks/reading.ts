/** Tasks that change nothing: count, find, cross-reference, search. Answers are compared with the stores. */
import assert from 'node:assert/strict';
import type { Fields, Records } from './services.ts';
import { allWell, nothingChanged, record, rows, type Task, type TaskResult } from './task.ts';

const QUAY = /^harbor\/quay#\d+$/;

/** Records whose name and fields are as asked. */
function pick(records: Records, name: RegExp, test: (fields: Fields) => boolean = () => true) {
  return Object.entries(records)
    .filter(([key, fields]) => name.test(key) && test(fields))
    .map(([key, fields]) => ({ key, fields }));
}

const isOpenIssue = (fields: Fields) => fields['state'] === 'open' && fields['isPull'] === false;
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const hasLabel = (fields: Fields, label: string) => listOf(fields['labels']).includes(label);

/** Everything went well, nothing was changed, and the last line printed these lines, in any order. */
function printed(result: TaskResult, expected: readonly string[]): void {
  allWell(result);
  nothingChanged(result);
  assert(expected.length > 0, 'the story has nothing to find');
  assert.deepEqual(rows(result.last.stdout).sort(), [...expected].sort());
}

/** A search by meaning found one of these among its first lines, at a path that can be read. */
function found(result: TaskResult, wanted: RegExp, within: number): void {
  nothingChanged(result);
  const [search, read] = result.lines.slice(-2);
  assert(search !== undefined && read !== undefined);
  assert.equal(search.exitCode, 0, search.stderr);
  const first = rows(search.stdout).slice(0, within);
  assert(
    first.some((line) => wanted.test(line)),
    `nothing of ${wanted} in\n${first.join('\n')}`,
  );
  assert.equal(read.exitCode, 0, read.stderr);
  assert(read.stdout.startsWith('---\n'), read.stdout);
}

const openActions = (records: Records): string[] =>
  pick(records, /^notion\//, (fields) => 'Severity' in fields).flatMap(({ fields }) =>
    rows(String(fields['markdown'])).filter((line) => line.startsWith('- [ ]')),
  );

const TASKS: readonly Task[] = [
  {
    name: 'How many issues of quay are open, and how many of them has nobody?',
    steps: [
      'cd /mnt/github/harbor/quay/issues',
      'head -3 index.tsv',
      `awk -F'\\t' '$2 == "open"' index.tsv | wc -l; awk -F'\\t' '$2 == "open" && $5 == ""' index.tsv | wc -l`,
    ],
    check: (result) => {
      const open = pick(result.before, QUAY, isOpenIssue);
      const nobodys = open.filter(({ fields }) => listOf(fields['assignees']).length === 0);
      printed(result, [String(open.length), String(nobodys.length)]);
    },
  },
  {
    name: 'Which incidents of quay that are open come before anything else?',
    steps: [
      'cat /mnt/github/harbor/quay/labels.tsv',
      `awk -F'\\t' '$2 == "open" && $4 ~ /incident/ && $4 ~ /priority.high/ { print "#" $1, $3 }' /mnt/github/harbor/quay/issues/index.tsv`,
    ],
    check: (result) =>
      printed(
        result,
        pick(
          result.before,
          QUAY,
          (fields) =>
            isOpenIssue(fields) &&
            hasLabel(fields, 'incident') &&
            hasLabel(fields, 'priority/high'),
        ).map(({ key, fields }) => `#${key.split('#')[1]} ${String(fields['title'])}`),
      ),
  },
  {
    name: 'Who wrote in the thread of issue 1, and how often?',
    steps: [
      'cd /mnt/github/harbor/quay/issues',
      'cat 1/thread.md',
      `grep '^author: ' -h 1/comments/*.md | sed 's/author: //' | sort | uniq -c | awk '{ print $2, $1 }'`,
    ],
    check: (result) => {
      const counts = new Map<string, number>();
      for (const { fields } of pick(result.before, /^harbor\/quay#1\/comments\//)) {
        const author = String(fields['author']);
        counts.set(author, (counts.get(author) ?? 0) + 1);
        assert(result.lines[1]?.stdout.includes(`## ${author}, `));
      }
      printed(
        result,
        [...counts].map(([author, count]) => `${author} ${count}`),
      );
    },
  },
  {
    name: 'What did the fix of the webhook outage change, and is it in the changelog?',
    steps: [
      'cd /mnt/github/harbor/quay/pulls',
      `sed -n 's/^title: //p' 3.md; grep -c '^diff' 3.diff`,
      'cut -f1,3,4 3/files.tsv | tail -n +2',
      `grep -cF 'Cap outbound webhook connections per host' ../files/CHANGELOG.md`,
    ],
    check: (result) => {
      printed(result, ['1']);
      const title = String(record(result.before, 'harbor/quay#3')['title']);
      assert.equal(result.lines[1]?.stdout, `${title}\n2\n`);
      assert.match(result.lines[2]?.stdout ?? '', /^src\/webhooks\/pool\.ts\t\d+\t\d+$/m);
    },
  },
  {
    name: 'How much work is in progress on the platform team, by person?',
    steps: [
      'cd /mnt/linear/teams/PLT',
      'cat states.tsv; head -2 issues/index.tsv',
      `awk -F'\\t' '$2 == "In Progress" { print $5 }' issues/index.tsv | sort | uniq -c | awk '{ print $2, $1 }'`,
    ],
    check: (result) => {
      const counts = new Map<unknown, number>();
      for (const { fields } of pick(result.before, /^PLT-\d+$/)) {
        if (fields['state'] !== 'In Progress' || fields['archived'] === true) continue;
        counts.set(fields['assignee'], (counts.get(fields['assignee']) ?? 0) + 1);
      }
      printed(
        result,
        [...counts].map(([person, count]) => `${String(person)} ${count}`),
      );
    },
  },
  {
    name: 'How many points are in the cycle "Hardening"?',
    steps: [
      'cd /mnt/linear/teams/PLT/issues',
      'cat ../cycles/index.tsv',
      `grep -l '^cycle: Hardening$' *.md | xargs sed -n 's/^estimate: //p' | awk '{ sum += $1 } END { print sum }'`,
    ],
    check: (result) => {
      const points = pick(result.before, /^PLT-\d+$/, ({ cycle }) => cycle === 'Hardening');
      const sum = points.reduce((total, { fields }) => total + Number(fields['estimate']), 0);
      printed(result, [String(sum)]);
    },
  },
  {
    name: 'Which actions of our incidents are still open?',
    steps: [
      'cd /mnt/notion; cat index.tsv',
      'cd Operations--*/Incidents--*; ls',
      `grep -h '^- \\[ \\]' *.md`,
    ],
    check: (result) => printed(result, openActions(result.before)),
  },
  {
    name: 'Who owns the services of the first tier?',
    steps: [
      'cd /mnt/notion/Operations--*/Services--*; head -1 index.tsv',
      `awk -F'\\t' '$3 == "Tier 1" { print $2 ": " $4 }' index.tsv`,
    ],
    check: (result) =>
      printed(
        result,
        pick(result.before, /^notion\//, (fields) => fields['Tier'] === 'Tier 1').map(
          ({ fields }) => `${String(fields['title'])}: ${listOf(fields['Owner']).join()}`,
        ),
      ),
  },
  {
    name: 'Search all three: one slow receiver held up the notifications of everybody',
    steps: [
      `grep "one slow customer holds up everyone else's notifications" /mnt | head`,
      `cat "$(grep "one slow customer holds up everyone else's notifications" /mnt 2>/dev/null | head -1 | cut -d: -f1)"`,
    ],
    check: (result) => found(result, /quay\/issues\/[145]\.md|INC-1\.md|Customer-notifications/, 5),
  },
  {
    name: 'Search from where one stands: an incident about a full disk',
    steps: [
      'cd /mnt/linear/teams/INC',
      'grep "disk is full"',
      'cat "$(grep "disk is full" 2>/dev/null | grep -o "issues/INC-[0-9]*" | head -1).md"',
    ],
    check: (result) => found(result, /issues\/INC-4/, 5),
  },
  {
    name: 'Is every GitHub issue that an incident in Linear was reported as closed?',
    steps: [
      'cd /mnt/linear/teams/INC/issues; cat INC-1.md',
      `for f in INC-*.md; do n=$(sed -n 's/^Reported as harbor.quay#\\([0-9]*\\);.*/\\1/p' "$f"); echo "\${f%.md} #$n $(sed -n 's/^state: //p' /mnt/github/harbor/quay/issues/$n.md)"; done`,
    ],
    check: (result) =>
      printed(
        result,
        pick(result.before, /^INC-\d+$/).map(({ key, fields }) => {
          const number = /#(\d+)/.exec(String(fields['description']))?.[1];
          const { state } = record(result.before, `harbor/quay#${number}`);
          return `${key} #${number} ${String(state)}`;
        }),
      ),
  },
  {
    name: 'Where is issue 30 spoken of, in all three services?',
    steps: [
      'grep -rlE "quay#30([^0-9]|$)" /mnt/linear/teams /mnt/notion/Operations--*',
      'head -8 /mnt/github/harbor/quay/issues/30.md',
      'grep -rlE "quay#30([^0-9]|$)" /mnt/linear/teams /mnt/notion/Operations--* | wc -l',
    ],
    check: (result) => {
      const where = Object.entries(result.before).filter(([, fields]) =>
        ['title', 'description', 'body', 'markdown'].some((name) =>
          /quay#30(\D|$)/.test(String(fields[name])),
        ),
      );
      printed(result, [String(where.filter(([key]) => !key.startsWith('harbor/')).length)]);
      assert.match(result.lines[0]?.stdout ?? '', /PLT-2\.md\n/);
    },
  },
  {
    name: 'Who, on GitHub and in Linear, has what the incident pages leave open?',
    steps: [
      'cd /mnt/notion/Operations--*/Incidents--*',
      `for n in $(grep -h '^- \\[ \\]' *.md | sed -n 's/.*quay#\\([0-9]*\\).*/\\1/p' | sort -un); do github=$(sed -n 's/^assignees: //p' /mnt/github/harbor/quay/issues/$n.md); linear=$(grep -lE "quay#$n([^0-9]|$)" /mnt/linear/teams/PLT/issues/PLT-?.md | xargs -r sed -n 's/^assignee: //p'); echo "#$n $github $linear"; done`,
    ],
    check: (result) => {
      const numbers = new Set(openActions(result.before).map((line) => /#(\d+)/.exec(line)?.[1]));
      const expected = [...numbers].map((number) => {
        const assignees = listOf(record(result.before, `harbor/quay#${number}`)['assignees']);
        const issue = pick(result.before, /^PLT-\d$/, ({ description }) =>
          new RegExp(`quay#${number}(\\D|$)`).test(String(description)),
        )[0];
        return `#${number} [${assignees.join(', ')}] ${String(issue?.fields['assignee'] ?? '')}`;
      });
      printed(result, expected);
    },
  },
];

export const READING = TASKS.map((task): Task => ({ ...task, changesNothing: true }));
