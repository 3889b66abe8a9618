/** What a question asks for, by its form, and the commands that follow from it. */
import { describe, expect, test } from 'vitest';
import { changeAsked, editingCommand, makesRecord, makingCommand } from './changes.ts';
import { fieldsFor, frontmatterOf } from './fields.ts';
import { inScope, referencesOf } from './references.ts';
import { candidates, queryOf, rowNamed, rowsOf, selectCommand, tablesOf } from './tables.ts';

describe('a reference', () => {
  test.for([
    ['What of issue 12?', [['12', 'issues']]],
    ['Is #7 done?', [['7', 'issues,pulls']]],
    [
      'pull request 72 and PR #73',
      [
        ['72', 'pulls'],
        ['73', 'pulls'],
      ],
    ],
    [
      'quay#4 or PLT-12',
      [
        ['4', 'issues,pulls'],
        ['PLT-12', 'issues'],
      ],
    ],
    ['the 12 issues of 2024', []],
  ] as const)('is found in "%s"', ([question, found]) => {
    const all = referencesOf(question).map(({ name, collections }) => [name, collections.join()]);
    expect(all).toEqual(found);
  });

  test('means the record in the part of the world that the question names', () => {
    const paths = ['/mnt/github/o/quay/issues/1.md', '/mnt/github/o/quay-cli/issues/1.md'];
    expect(inScope(paths, 'issue 1 of quay-cli')).toEqual([paths[1]]);
    expect(inScope(paths, 'issue 1 of quay')).toEqual([paths[0]]);
    expect(inScope(paths, 'issue 1')).toEqual(paths);
  });
});

describe('a request to change something', () => {
  test.for([
    ['Close issue 12', 'close'],
    ['please could you assign #3 to ada', 'assign'],
    ['Open an issue about fish', 'open'],
    ['Open issues of quay?', null],
    ['How do I close an issue?', null],
    ['Which label is new?', null],
  ] as const)('"%s" is told from a question', ([text, verb]) => {
    expect(changeAsked(text)).toBe(verb);
  });

  const { fields } = frontmatterOf(['---', 'state: open', 'labels: [bug]', 'assignees: []', '---']);
  test.for([
    ['Close issue 1', "sed -i 's/^state: .*/state: closed/' '/m/issues/1.md'"],
    ['Assign issue 1 to ada', "sed -i 's/^assignees: .*/assignees: [ada]/' '/m/issues/1.md'"],
    [
      'Add the label area/api to #1',
      "sed -i 's/^labels: .*/labels: [bug, area\\/api]/' '/m/issues/1.md'",
    ],
    ['Remove the label bug from #1', "sed -i 's/^labels: .*/labels: []/' '/m/issues/1.md'"],
    [
      'Comment on #1 that it is done',
      "printf '%s\\n' 'it is done' > '/m/issues/1/comments/new.md'",
    ],
    ['Delete issue 1', "rm '/m/issues/1.md'"],
  ] as const)('"%s" has its command', ([text, command]) => {
    expect(editingCommand('/m/issues/1.md', fields, changeAsked(text) ?? '', text)).toBe(command);
  });

  test('a new record is written to new.md, whatever is in its title', () => {
    const text = "Create an issue about Ada's fish; rm -rf /";
    expect(makesRecord('create', text)).toBe(true);
    expect(makingCommand('/m/issues', text)).toBe(
      "printf '%s\\n' '---' 'title: Ada'\\''s fish; rm -rf /' '---' '' 'TEXT' > '/m/issues/new.md'",
    );
  });
});

test('the fields of a record that are quoted are those asked for, and the usual ones otherwise', () => {
  const { fields } = frontmatterOf(
    '---\ntitle: x\nSeverity: SEV1\nOwner: Ada\nTier: 2\nstate: open\n---'.split('\n'),
  );
  const names = (question: string) => fieldsFor(question, fields).map(({ name }) => name);
  expect(names('Who owns it?')).toEqual(['Owner']);
  expect(names('What tier has it?')).toEqual(['Tier']);
  expect(names('Why is it late?')).toEqual(['Severity', 'Owner', 'state']);
});

describe('a table', () => {
  const [table] = tablesOf(
    '@ /mnt/s/issues/index.tsv\n= 3\nnumber\t1\t2\t3\nstate\topen\tclosed\ntitle\tFirst\tThe second\tThird\nlabels\tbug\tgood first issue\t\nassignee\tada-l\t\nupdated\t2024-05-01T00:00:00Z\n',
  );
  if (table === undefined) throw new Error('the table was not read');
  const conditionsOf = (question: string) => queryOf(question, [table]);

  test('is chosen by what its rows are called', () => {
    const paths = [table.path, '/mnt/s/pulls/index.tsv', '/mnt/s/users.tsv'];
    expect(candidates('How many issues are open?', paths)).toEqual([table.path]);
    expect(candidates('How many pull requests?', paths)).toEqual([paths[1]]);
    expect(candidates('Which people are there?', paths)).toEqual([paths[2]]);
    expect(candidates('Why is it late?', paths)).toEqual([]);
  });

  test('is asked for the rows whose values the question says', () => {
    const query = conditionsOf('How many open bugs are assigned to Ada in May 2024 as issues?');
    expect(query.unknown).toEqual([]);
    expect(query.tables[0]?.conditions).toEqual([
      { column: 'state', values: ['open'], prefix: false },
      { column: 'labels', values: ['bug'], prefix: false },
      { column: 'assignee', values: ['ada-l'], prefix: false },
      { column: 'updated', values: ['2024-05'], prefix: true },
    ]);
    expect(selectCommand(table, query.tables[0]?.conditions ?? [])).toContain(
      'NR > 1 && (index("," $2 ",", ",open,")) && (index("," $4 ",", ",bug,"))',
    );
  });

  test('is not asked for what no column says', () => {
    expect(conditionsOf('How many issues mention giraffes?').unknown).toEqual([
      'mention',
      'giraffes',
    ]);
  });

  test('gives the row that a question names by its title', () => {
    expect(rowNamed('What state has the second issue?', table)).toEqual({
      column: 'title',
      values: ['The second'],
      prefix: false,
    });
    expect(rowNamed('What state has the issue?', table)).toBeNull();
  });

  test('its rows are counted by awk, and a failure is no count of 0', () => {
    expect(rowsOf('2:1\topen\n= 40')).toEqual({
      count: 40,
      rows: [{ line: 2, cells: ['1', 'open'] }],
    });
    expect(rowsOf('[exit status 2]')).toBeNull();
  });
});
