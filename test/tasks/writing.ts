/** Tasks that write to one service. */
import assert from 'node:assert/strict';
import { record, type Task, type TaskResult } from './task.ts';
import { wrote } from './wrote.ts';

/** The name under which the stores have the page of Notion with this title. */
function page({ before }: TaskResult, title: string): string {
  const found = Object.keys(before).find(
    (name) => name.startsWith('notion/') && before[name]?.['title'] === title,
  );
  assert(found !== undefined, `no page ${title}`);
  return found;
}

/** A page's text and blocks after an edit of some of its lines, the other blocks being the same ones. */
function edited(result: TaskResult, title: string, edit: (text: string) => string) {
  const name = page(result, title);
  const old = record(result.before, name);
  const now = record(result.after, name);
  const markdown = edit(String(old['markdown']));
  assert.notEqual(markdown, old['markdown']);
  const kept = (old['blocks'] as string[]).filter((id) => (now['blocks'] as string[]).includes(id));
  return { name, markdown, now, kept: kept.length, had: (old['blocks'] as string[]).length };
}

const GITHUB: readonly Task[] = [
  {
    name: 'Give issue 58 to Jonas, and put it before everything else',
    steps: [
      'cd /mnt/github/harbor/quay; cat labels.tsv issues/58.md',
      `sed -i 's/^assignees: .*/assignees: [jonas-weber]/; s/^labels: \\[/labels: [priority\\/high, /' issues/58.md`,
      'head -8 issues/58.md',
    ],
    check: (result) =>
      wrote(result, {
        changed: {
          'harbor/quay#58': {
            labels: ['priority/high', 'incident', 'area/server'],
            assignees: ['jonas-weber'],
          },
        },
      }),
  },
  {
    name: 'Close issue 38 as not planned, and say why',
    steps: [
      'cd /mnt/github/harbor/quay/issues; cat 38/thread.md',
      `echo 'PgBouncer is covered by the guide of 3.4.' > 38/comments/new.md`,
      `sed -i 's/^state: .*/state: closed/; s/^state_reason: .*/state_reason: not_planned/' 38.md`,
      'grep -P "^38\\t" index.tsv',
    ],
    check: (result) => {
      wrote(result, {
        changed: { 'harbor/quay#38': { state: 'closed', stateReason: 'not_planned' } },
        created: [
          [/^harbor\/quay#38\/comments\//, { body: 'PgBouncer is covered by the guide of 3.4.' }],
        ],
      });
      assert.match(result.last.stdout, /^38\tclosed\t/);
    },
  },
  {
    name: 'File a bug in quay-cli from the template, then add a detail',
    steps: [
      'cd /mnt/github/harbor/quay-cli/issues; cat new.md',
      `cat > new.md <<'END'
---
title: quayctl tail ends without a word after an hour
labels: [bug, area/network]
assignees: [adaeze-o]
milestone: "1.9"
---
After 60 minutes the stream is closed and the exit status is 0.
END`,
      'cat .last',
      `new=$(cat .last); echo 'Seen behind HAProxy with its default timeout.' > "\${new%.md}/comments/new.md"`,
      'cat "${new%.md}/thread.md"',
    ],
    check: (result) => {
      wrote(result, {
        created: [
          [
            /^harbor\/quay-cli#\d+$/,
            {
              title: 'quayctl tail ends without a word after an hour',
              labels: ['bug', 'area/network'],
              assignees: ['adaeze-o'],
              milestone: '1.9',
            },
          ],
          [
            /^harbor\/quay-cli#\d+\/comments\/\d+$/,
            { body: 'Seen behind HAProxy with its default timeout.' },
          ],
        ],
      });
      assert.match(result.last.stdout, /HAProxy/);
    },
  },
  {
    name: 'Mend a typing error in the comment just written, and take another one back',
    steps: [
      'cd /mnt/github/harbor/quay/issues/50/comments; ls',
      `echo 'Fixed in teh next release.' > new.md; mine=$(cat .last)`,
      `echo 'Please ignore.' > new.md; other=$(cat .last)`,
      `sed -i 's/teh/the/' "$mine"; rm "$other"; ls`,
    ],
    check: (result) =>
      wrote(result, {
        created: [[/^harbor\/quay#50\/comments\//, { body: 'Fixed in the next release.' }]],
      }),
  },
  {
    name: 'Plan every open issue about signing in that has no milestone for 3.4',
    steps: [
      'cd /mnt/github/harbor/quay; cat milestones/index.tsv',
      `cd issues; for n in $(awk -F'\\t' '$2 == "open" && $4 ~ /area.auth/ { print $1 }' index.tsv); do grep -q '^milestone: null' $n.md && sed -i 's/^milestone: .*/milestone: "3.4"/' $n.md && echo $n; done; true`,
    ],
    check: (result) => {
      const open = Object.entries(result.before).filter(
        ([name, { state, isPull, milestone, labels }]) =>
          /^harbor\/quay#\d+$/.test(name) &&
          state === 'open' &&
          isPull === false &&
          milestone === null &&
          (labels as string[]).includes('area/auth'),
      );
      assert(open.length > 1);
      wrote(result, {
        changed: Object.fromEntries(open.map(([name]) => [name, { milestone: '3.4' }])),
      });
    },
  },
];

const LINEAR: readonly Task[] = [
  {
    name: 'PLT-6 is ready for review: move it, hand it to Inès, and say so',
    steps: [
      'cd /mnt/linear/teams/PLT; cat states.tsv ../../users.tsv',
      `sed -i 's/^state: .*/state: In Review/; s/^assignee: .*/assignee: ines-moreau/' issues/PLT-6.md`,
      `echo 'Ready for review; the gauge is in.' > issues/PLT-6/comments/new.md`,
      'cat issues/PLT-6/thread.md',
    ],
    check: (result) => {
      wrote(result, {
        changed: { 'PLT-6': { state: 'In Review', assignee: 'ines-moreau' } },
        created: [[/^PLT-6\/comments\//, { author: 'mara-lindqvist' }]],
      });
      assert.match(result.last.stdout, /the gauge is in/);
    },
  },
  {
    name: 'Make a part of PLT-1 out of its first action',
    steps: [
      'cd /mnt/linear/teams/PLT/issues; cat PLT-1.md new.md',
      `printf -- '---\\ntitle: Alert on the age of the oldest undelivered event\\nstate: Todo\\npriority: high\\nlabels: [Follow-up, webhooks]\\nassignee: mara-lindqvist\\nproject: Webhooks that cannot block each other\\ncycle: Hardening\\nparent: PLT-1\\nestimate: 2\\n---\\nAbove 120 s somebody is called.\\n' > new.md`,
      'cat "$(cat .last)"',
    ],
    check: (result) =>
      wrote(result, {
        created: [
          [
            /^PLT-\d+$/,
            {
              title: 'Alert on the age of the oldest undelivered event',
              state: 'Todo',
              priority: 2,
              estimate: 2,
              labels: ['Follow-up', 'webhooks'],
              assignee: 'mara-lindqvist',
              project: 'Webhooks that cannot block each other',
              cycle: 'Hardening',
              parent: 'PLT-1',
              archived: false,
            },
          ],
        ],
      }),
  },
  {
    name: 'Archive what the platform team has canceled',
    steps: [
      'cd /mnt/linear/teams/PLT/issues',
      `for i in $(awk -F'\\t' '$2 == "Canceled" { print $1 }' index.tsv); do sed -i 's/^archived: .*/archived: true/' $i.md; done`,
      `awk -F'\\t' '$2 == "Canceled"' index.tsv | wc -l`,
    ],
    check: (result) => {
      const canceled = Object.entries(result.before).filter(
        ([name, { state }]) => /^PLT-\d+$/.test(name) && state === 'Canceled',
      );
      assert(canceled.length > 1);
      wrote(result, {
        changed: Object.fromEntries(canceled.map(([name]) => [name, { archived: true }])),
      });
      assert.equal(result.last.stdout.trim(), '0');
    },
  },
  {
    name: 'Put off what is overdue and in progress in storage to the end of the year',
    steps: [
      'cd /mnt/linear/teams/PLT/issues',
      `for f in $(grep -l '^state: In Progress' $(grep -l '^labels: .*storage' PLT-*.md)); do sed -i 's/^due_date: .*/due_date: 2026-12-31/' $f; done; grep -H '^due_date: 2026' PLT-*.md`,
    ],
    check: (result) => {
      wrote(result, {
        changed: { 'PLT-4': { dueDate: '2026-12-31' }, 'PLT-5': { dueDate: '2026-12-31' } },
      });
    },
  },
];

const NOTION: readonly Task[] = [
  {
    name: 'Tick a box of the release checklist, and add one',
    steps: [
      'cd /mnt/notion/Operations--*/; ls; cat Release-checklist--*.md',
      `sed -i 's/^- \\[ \\] Images/- [x] Images/' Release-checklist--*.md`,
      `echo '- [ ] Certificates are valid for 30 days' >> Release-checklist--*.md`,
      'tail -5 Release-checklist--*.md',
    ],
    check: (result) => {
      const { name, markdown, now, kept, had } = edited(
        result,
        'Release checklist',
        (text) =>
          `${text.replace('[ ] Images', '[x] Images')}\n- [ ] Certificates are valid for 30 days`,
      );
      wrote(result, { changed: { [name]: { markdown, blocks: now['blocks'] } } });
      assert(kept >= had - 1, 'lines that were not edited are the blocks that they were');
    },
  },
  {
    name: 'Adaeze takes over webhooks on the page On call, whose bookmark stays',
    steps: [
      'cat /mnt/notion/Operations--*/On-call--*.md',
      `sed -i 's/Webhooks and scheduling: Mara Lindqvist/Webhooks and scheduling: Adaeze Okafor/' /mnt/notion/Operations--*/On-call--*.md`,
    ],
    check: (result) => {
      const { name, markdown, kept, had } = edited(result, 'On call', (text) =>
        text.replace('scheduling: Mara Lindqvist', 'scheduling: Adaeze Okafor'),
      );
      assert.match(markdown, /<unknown .*bookmark/);
      wrote(result, { changed: { [name]: { markdown } } });
      assert.equal(kept, had, 'a line that is reworded stays the block that it was');
    },
  },
  {
    name: 'Write a threat model below the page on tenant isolation',
    steps: [
      'cd /mnt/notion/Design--*/; ls; cat Tenant-isolation--*.md',
      'place=$(echo Tenant-isolation--*.md); cd /mnt/notion/Design--*/${place%.md}; cat new.md',
      `printf -- '---\\ntitle: Threat model\\n---\\n## Assets\\n- tokens\\n- payloads\\n' > new.md`,
      'cat "$(cat .last)"; ls ..',
    ],
    check: (result) => {
      const parent = page(result, 'Tenant isolation');
      const now = record(result.after, parent);
      const { markdown, blocks } = now;
      assert.match(String(markdown), /Threat model/);
      wrote(result, {
        changed: { [parent]: { markdown, blocks } },
        created: [
          [/^notion\//, { title: 'Threat model', markdown: '## Assets\n- tokens\n- payloads' }],
        ],
      });
    },
  },
  {
    name: 'The incident of the full volume is over: close and publish its row',
    steps: [
      'cd /mnt/notion/Operations--*/Incidents--*; cat schema.json',
      `sed -i 's/^Status: .*/Status: Closed/; s/^Published: .*/Published: true/' Database-volume-full--*.md`,
      'grep -F "Database volume full" index.tsv',
    ],
    check: (result) => {
      wrote(result, {
        changed: { [page(result, 'Database volume full')]: { Status: 'Closed', Published: true } },
      });
      assert.match(result.last.stdout, /\tClosed\t.*\ttrue\t/);
    },
  },
];

export const WRITING: readonly Task[] = [...GITHUB, ...LINEAR, ...NOTION];
