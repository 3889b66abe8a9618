/** Tasks that read one service and write to another, or to several; and sets of staged changes. */
import assert from 'node:assert/strict';
import type { Records } from './services.ts';
import { record, type Task } from './task.ts';
import { wrote } from './wrote.ts';

const QUAY = { owner: 'harbor', repo: 'quay' };

/** The name under which the stores have the page of Notion whose title begins so. */
function named(records: Records, title: string): string {
  const found = Object.entries(records).find(
    ([name, fields]) => name.startsWith('notion/') && String(fields['title']).startsWith(title),
  );
  assert(found !== undefined, `no page ${title}`);
  return found[0];
}

export const ACROSS: readonly Task[] = [
  {
    name: "Close the issues that the incident's page calls fixed, and say so in each",
    steps: [
      'cat /mnt/notion/Operations--*/Incidents--*/Customer-notifications-*.md',
      'cd /mnt/github/harbor/quay/issues; grep -P "^(1|4|5|12)\\t" index.tsv',
      `for n in $(sed -n 's/^- \\[x\\].*(harbor.quay#\\([0-9]*\\))/\\1/p' /mnt/notion/Operations--*/Incidents--*/Customer-notifications-*.md); do
  grep -q '^state: open' $n.md || continue
  echo "Fixed, says the page of the incident: Customer notifications stopped for 47 minutes." > $n/comments/new.md &&
  sed -i 's/^state: .*/state: closed/; s/^state_reason: .*/state_reason: completed/' $n.md
done`,
      'grep -P "^(1|4|5|12)\\t" index.tsv | cut -f1,2',
    ],
    check: (result) => {
      const fixed = ['harbor/quay#4', 'harbor/quay#5'];
      const closed = { state: 'closed', stateReason: 'completed' };
      const body =
        'Fixed, says the page of the incident: Customer notifications stopped for 47 minutes.';
      for (const name of fixed) assert.equal(record(result.before, name)['state'], 'open');
      wrote(result, {
        changed: Object.fromEntries(fixed.map((name) => [name, closed])),
        created: fixed.map((name) => [new RegExp(`^${name}/comments/`), { body }] as const),
      });
      assert.equal(result.last.stdout, '12\topen\n5\tclosed\n4\tclosed\n1\tclosed\n');
    },
  },
  {
    name: 'File the follow-up that only the incident page has, and link it from Linear',
    steps: [
      'cat /mnt/linear/teams/INC/issues/INC-1.md; grep -F "[ ]" /mnt/notion/Operations--*/Incidents--*/Customer-*.md',
      'cd /mnt/github/harbor/quay/issues; grep -i "undelivered" -l *.md',
      `printf -- '---\\ntitle: Docs on how to answer a hook quickly\\nlabels: [documentation, area/webhooks]\\n---\\nAn action of the incident of 3 June; see #12.\\n' > new.md`,
      'n=$(basename "$(cat .last)" .md); echo "Its docs are harbor/quay#$n." > /mnt/linear/teams/INC/issues/INC-1/comments/new.md',
    ],
    check: (result) => {
      const made = result.difference.created.find(({ record: name }) => /quay#\d+$/.test(name));
      wrote(result, {
        created: [
          [
            /^harbor\/quay#\d+$/,
            {
              title: 'Docs on how to answer a hook quickly',
              labels: ['documentation', 'area/webhooks'],
            },
          ],
          [/^INC-1\/comments\//, { author: 'mara-lindqvist' }],
        ],
      });
      const comment = result.difference.created.find(({ record: name }) => name.startsWith('INC'));
      assert(String(comment?.fields['body']).includes(`${made?.record}.`));
    },
  },
  {
    name: 'Write the page of the docs that the incident asks for, and tick its box',
    steps: [
      'cd /mnt/github/harbor/quay/files; ls docs docs/troubleshooting; cat docs/troubleshooting/webhook-timeouts.md',
      `cat > docs/answer-a-hook.md <<'END'
# Answer a hook quickly

Take the event, answer 202, work later.
END`,
      `sed -i 's/^- \\[ \\] Docs: /- [x] Docs: /' /mnt/notion/Operations--*/Incidents--*/Customer-notifications-*.md`,
      `grep -h 'Docs: ' /mnt/notion/Operations--*/Incidents--*/Customer-notifications-*.md | cat - docs/answer-a-hook.md`,
    ],
    check: (result) => {
      const incident = named(result.before, 'Customer notifications');
      const { markdown: text } = record(result.before, incident);
      const markdown = String(text).replace('[ ] Docs:', '[x] Docs:');
      const content = '# Answer a hook quickly\n\nTake the event, answer 202, work later.\n';
      wrote(result, {
        changed: { [incident]: { markdown } },
        created: [[/^harbor\/quay:docs\/answer-a-hook\.md$/, { content }]],
      });
      assert.match(result.last.stdout, /^- \[x\] Docs: .*\n# Answer a hook/);
    },
  },
  {
    name: 'A new incident in all three, each pointing at the others',
    steps: [
      'cat /mnt/*/README.md | wc -l',
      'cd /mnt/github/harbor/quay/issues; cat new.md',
      `printf -- '---\\ntitle: Dashboard answers 502 since the upgrade\\nlabels: [bug, area/dashboard, incident]\\nassignees: [priya-raman]\\n---\\nSince 3.4.1.\\n' > new.md; n=$(basename "$(cat .last)" .md)`,
      `cd /mnt/linear/teams/INC/issues; printf -- "---\\ntitle: Dashboard answers 502\\nstate: In Progress\\npriority: urgent\\nlabels: [Severity/sev2]\\nassignee: priya-raman\\n---\\nReported as harbor/quay#$n.\\n" > new.md; l=$(basename "$(cat .last)" .md)`,
      `cd /mnt/notion/Operations--*/Incidents--*; printf -- "---\\ntitle: Dashboard answers 502\\nSeverity: SEV2\\nStatus: Investigating\\nDate: 2026-11-21\\nOwner: [Priya Raman]\\nIssue: harbor/quay#$n\\nAreas: [server]\\n---\\nIn Linear as $l.\\n" > new.md; cat .last`,
      'echo "In Linear as $l; the page: $(basename "$(cat .last)" .md)" > /mnt/github/harbor/quay/issues/$n/comments/new.md',
    ],
    check: (result) => {
      const numberOf = (name: RegExp) =>
        result.difference.created.find((each) => name.test(each.record))?.record;
      const issue = numberOf(/^harbor\/quay#\d+$/);
      const linear = numberOf(/^INC-\d+$/);
      wrote(result, {
        created: [
          [/^harbor\/quay#\d+$/, { state: 'open', assignees: ['priya-raman'] }],
          [/^harbor\/quay#\d+\/comments\//, {}],
          [
            /^INC-\d+$/,
            { state: 'In Progress', priority: 1, labels: ['sev2'], assignee: 'priya-raman' },
          ],
          [
            /^notion\//,
            {
              title: 'Dashboard answers 502',
              markdown: `In Linear as ${linear}.`,
              Severity: 'SEV2',
              Issue: [issue],
              Owner: ['Priya Raman'],
            },
          ],
        ],
      });
      assert.match(String(record(result.after, linear ?? '')['description']), /^Reported as harb/);
    },
  },
  {
    name: 'Somebody renames an issue while it is labelled: both edits stay',
    steps: [
      'cat /mnt/github/harbor/quay/issues/21.md',
      {
        meanwhile: ({ github }) =>
          github.edit({
            op: 'edit-issue',
            ...QUAY,
            number: 21,
            fields: { title: 'How many connections does a replica need?' },
          }),
      },
      `sed -i 's/^labels: \\[/labels: [question, /' /mnt/github/harbor/quay/issues/21.md`,
      'cat /mnt/github/harbor/quay/issues/21.md',
    ],
    check: (result) => {
      wrote(result, {
        changed: {
          'harbor/quay#21': {
            title: 'How many connections does a replica need?',
            labels: ['question', 'incident', 'area/storage', 'priority/high'],
          },
        },
      });
      assert.match(result.last.stdout, /title: How many connections does a replica need\?/);
    },
  },
  {
    name: 'Stage the end of an incident over three services, for somebody to look at',
    mode: 'stage',
    steps: [
      `sed -i 's/^state: .*/state: closed/; s/^state_reason: .*/state_reason: completed/' /mnt/github/harbor/quay/issues/30.md`,
      `sed -i 's/^state: .*/state: Done/' /mnt/linear/teams/PLT/issues/PLT-2.md`,
      `sed -i 's/^Status: .*/Status: Closed/' /mnt/notion/Operations--*/Incidents--*/Replicas-killed-*.md`,
      `grep -h '^state: ' /mnt/github/harbor/quay/issues/30.md /mnt/linear/teams/PLT/issues/PLT-2.md`,
      `cat /session/changes/*/diff.patch | grep '^[+-][A-Za-z]'; cat /session/changes/*/status | grep -c '^state: pending'`,
    ],
    check: (result) => {
      wrote(result, {});
      assert.equal(result.cost.writes, 0);
      assert.equal(result.lines[3]?.stdout, 'state: closed\nstate: Done\n');
      assert.match(result.last.stdout, /\+Status: Closed\n/);
      assert.match(result.last.stdout, /\n3\n$/);
    },
  },
  {
    name: 'Stage a comment and a new state, which the deployer applies',
    mode: 'stage',
    steps: [
      `echo 'The soak test is green.' > /mnt/github/harbor/quay/issues/30/comments/new.md; cat /mnt/github/harbor/quay/issues/30/comments/.last`,
      `sed -i 's/^state: .*/state: In Review/' /mnt/linear/teams/PLT/issues/PLT-2.md`,
      `sed -i 's/^- \\[ \\] The same leak/- [x] The same leak/' /mnt/notion/Operations--*/Incidents--*/Replicas-killed-*.md`,
      'cat /session/changes/*/request.json',
      {
        deployer: async ({ changes }) => {
          const pending = await changes.list();
          assert.equal(pending.length, 3);
          await changes.apply(pending.map(({ id }) => id));
        },
      },
      `grep -h '^state: ' /session/changes/*/status; grep -h '^state: ' /mnt/linear/teams/PLT/issues/PLT-2.md`,
    ],
    check: (result) => {
      const incident = named(result.before, 'Replicas killed');
      const text = String(record(result.before, incident)['markdown']);
      const markdown = text.replace('[ ] The same leak', '[x] The same leak');
      wrote(result, {
        changed: { 'PLT-2': { state: 'In Review' }, [incident]: { markdown } },
        created: [[/^harbor\/quay#30\/comments\//, { body: 'The soak test is green.' }]],
      });
      assert.equal(result.last.stdout, `${'state: applied\n'.repeat(3)}state: In Review\n`);
    },
  },
];
