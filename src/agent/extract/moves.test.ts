/** What the extractive model does next, of each kind of question, by what its commands printed. */
import { expect, test } from 'vitest';
import { type Move, nextMove } from './moves.ts';

type Prompt = Parameters<typeof nextMove>[0];

const said = (text: string): Prompt[number] => ({
  role: 'assistant',
  content: [{ type: 'text', text }],
});

const asked = (text: string): Prompt[number] => ({
  role: 'user',
  content: [{ type: 'text', text }],
});

/** The results of one step's commands. */
const printed = (outputs: readonly string[]): Prompt[number] => ({
  role: 'tool',
  content: outputs.map((value, index) => ({
    type: 'tool-result',
    toolCallId: `${index}`,
    toolName: 'bash',
    output: { type: 'text', value },
  })),
});

/** What comes after a question, and what each step's commands printed. */
const after = (question: string, ...steps: string[][]): Move =>
  nextMove([asked(question), ...steps.map(printed)], ['bash']);

function commands(move: Move): string[] {
  expect(move).toHaveProperty('calls');
  return 'calls' in move
    ? move.calls.map(({ input }) => (input as { command: string }).command)
    : [];
}

/** An answer without what the model says of itself. */
function answer(move: Move): string {
  expect(move).toHaveProperty('say');
  return 'say' in move ? move.say.replace(/\n\n\(I am builtin\/extract[^)]*\)$/, '') : '';
}

const RECORD =
  '---\ntitle: Login fails\nstate: open\nassignees: [ada]\n---\n\nIt fails since May.\n';
const ISSUE = '/mnt/tracker/quay/issues/12.md';
const INDEX = '/mnt/tracker/issues/index.tsv';
const SURVEY = `@ ${INDEX}\n= 3\nnumber\ntitle\tLogin fails\tSlow search\nstate\topen\tclosed\nassignee\t\tada\tbob\ncreated_at\n`;

test('a model without a shell says what it is, and so does an answer; but once in a conversation', () => {
  const what = nextMove([asked('Which issues are open?')], []);
  expect(answer(what)).toContain('which is no language model');
  const first = after('close it');
  expect('say' in first && first.say).toContain('(I am builtin/extract');
  const again = nextMove(
    [asked('close it'), said('say' in first ? first.say : ''), asked('close it')],
    ['bash'],
  );
  expect('say' in again && again.say).not.toContain('builtin/extract');
  const other = nextMove([asked('close it'), said('Yes.'), asked('close it')], ['bash']);
  expect('say' in other && other.say).toContain('(I am builtin/extract');
});

test('only what was printed since the last question counts', () => {
  const earlier = [asked('What is in #7?'), printed([ISSUE]), printed([RECORD]), said('It.')];
  expect(commands(nextMove([...earlier, asked('What is in #7?')], ['bash']))).toEqual(
    commands(after('What is in #7?')),
  );
});

test('what is asked to be changed is not changed: the commands that would do it are told, for each record that is meant', () => {
  expect(commands(after('Close #12'))[0]).toContain('/mnt/*/*/issues/12.md');
  expect(commands(after('Close #12', [`${ISSUE}\n/mnt/b/issues/12.md\n`]))).toEqual([
    `sed -n '1,80p' '${ISSUE}'`,
    `sed -n '1,80p' '/mnt/b/issues/12.md'`,
  ]);
  const both = answer(after('Close #12', [`${ISSUE}\n/mnt/b/issues/12.md\n`], [RECORD, RECORD]));
  expect(both).toContain('I change nothing. Each of these would do it, in its place');
  expect(both).toContain(
    `\n\n    sed -i 's/^state: .*/state: closed/' '${ISSUE}'\n    sed -i 's/^state: .*/state: closed/' '/mnt/b/issues/12.md'`,
  );
  const one = answer(after('Close #12', [ISSUE], [RECORD]));
  expect(one).toContain('I change nothing. This would do it; with --dry-run');
});

test('what is to be changed and is nowhere, or is not named, is declined with where to read on', () => {
  const readme = 'I change nothing. The README.md of each mount says what can be written, and how.';
  expect(answer(after('Close it'))).toBe(readme);
  expect(answer(after('Close #12', ['']))).toBe(readme);
});

test('a record to be made is a command in each collection that takes one, at most five', () => {
  const [command] = commands(after('Create an issue about slow logins'));
  expect(command).toContain('/mnt/*/issues/new.md');
  expect(command).toContain('/mnt/*/*/issues/new.md');
  const places = Array.from({ length: 7 }, (_, at) => `/mnt/p${at}/issues/new.md`);
  const told = answer(after('Create an issue about slow logins', [places.join('\n')]));
  expect(told.match(/\n {4}printf .*/g)).toHaveLength(5);
  expect(told).toContain("> '/mnt/p4/issues/new.md'");
  expect(told).toContain("'title: slow logins'");
});

test('a question about a record is answered with its fields and its text, each with its place', () => {
  expect(commands(after('Who is assigned to #12?'))[0]).toContain('/mnt/*/issues/12.md');
  expect(commands(after('Who is assigned to #12?', [ISSUE]))).toEqual([
    `sed -n '1,80p' '${ISSUE}'`,
  ]);
  expect(answer(after('Who is assigned to #12?', [ISSUE], [RECORD]))).toBe(
    `title: Login fails\n> assignees: [ada]\n— ${ISSUE}:4\n> It fails since May.\n— ${ISSUE}:7`,
  );
});

test('a record that is nowhere is searched for', () => {
  const [search] = commands(after('Who is assigned to #12?', ['']));
  expect(search).toContain("grep 'Who is assigned to #12?'");
  expect(search).toContain('/mnt/* /memory');
});

test('a question that begins with a dash is no option of the search', () => {
  const [search] = commands(after('-v of   #12,\nwhat is it?', ['']));
  expect(search).toContain("grep ' -v of #12, what is it?'");
});

test('a question that counts is answered by the tables whose rows it names, and by its conditions', () => {
  const question = 'How many issues are open?';
  const [listing] = commands(after(question));
  expect(listing).toContain('/mnt/*/*/index.tsv');
  const [survey] = commands(after(question, [`${INDEX}\n/mnt/tracker/users/index.tsv\n`]));
  expect(survey).toContain(`for t in '${INDEX}'; do`);
  const [select] = commands(after(question, [INDEX], [SURVEY]));
  expect(select).toContain('index("," $3 ",", ",open,")');
  const rows =
    '2:12\tLogin fails\topen\tada\t2026-05-01\n4:9\tSlow search\topen\t\t2026-05-02\n= 2\n';
  expect(answer(after(question, [INDEX], [SURVEY], [rows]))).toBe(
    `2 of the 3 issues in ${INDEX} have state open:\n> 12 | Login fails | open | ada | 2026-05-01\n> 9 | Slow search | open | 2026-05-02\n— ${INDEX}:2,4`,
  );
});

test('one row says what its cells are; more than are shown are counted; none, and a table that cannot be read, are said', () => {
  const question = 'How many issues are open?';
  const count = (output: string): string => answer(after(question, [INDEX], [SURVEY], [output]));
  expect(count('2:12\tLogin fails\topen\t\t\n= 1\n')).toContain(
    '> number: 12 | title: Login fails | state: open\n— ',
  );
  expect(count('2:12\tLogin fails\topen\t\t\n= 40\n')).toContain(`— ${INDEX}:2\n(and 39 more)`);
  expect(count('= 0\n')).toBe(`0 of the 3 issues in ${INDEX} have state open.`);
  expect(count('awk: no')).toBe(`${INDEX} could not be read.`);
});

test('rows of several tables are summed up where they are counted, not where they are listed', () => {
  const other = INDEX.replace('tracker', 'desk');
  const both = [`${INDEX}\n${other}\n`];
  const survey = [`${SURVEY}${SURVEY.replace(INDEX, other)}`];
  const rows = ['2:1\ta\topen\t\t\n= 1\n', '2:1\tb\topen\t\t\n= 2\n'];
  const counted = answer(after('How many issues are open?', both, survey, rows));
  expect(counted).toMatch(/^3 in all\.\n\n1 of the 3/);
  const listed = answer(after('Which issues are open?', both, survey, rows));
  expect(listed).toMatch(/^1 of the 3/);
  expect(listed).not.toContain('in all');
});

test('tables that say nothing of what is asked are named as left out', () => {
  const other = '/mnt/desk/issues/index.tsv';
  const survey = `${SURVEY}@ ${other}\n= 9\nnumber\n`;
  const told = answer(after('Which issues are open?', [`${INDEX}\n${other}`], [survey], ['= 0\n']));
  expect(told).toMatch(new RegExp(`\\n\\nNot among them, since no column says it: ${other}$`));
});

test('a beginning of a date and an empty field are said as such', () => {
  const rows = ['= 0\n'];
  const dated = after('How many issues were created in May 2026?', [INDEX], [SURVEY], rows);
  expect(answer(dated)).toBe(
    `0 of the 3 issues in ${INDEX} have created_at beginning with 2026-05.`,
  );
  const nobody = after('Which issues are unassigned?', [INDEX], [SURVEY], rows);
  expect(answer(nobody)).toBe(`0 of the 3 issues in ${INDEX} have assignee (empty).`);
  const several = after('How many issues are open or closed?', [INDEX], [SURVEY], rows);
  expect(answer(several)).toContain('have state open or closed.');
});

test('what no column knows is not counted, and the columns are told; a list of it is searched for', () => {
  const told = answer(after('How many issues are purple?', [INDEX], [SURVEY]));
  expect(told).toBe(
    `I cannot count that: no column says "purple". These are the tables and their columns:\n\n- ${INDEX}: number, title, state, assignee, created_at`,
  );
  expect(commands(after('Which issues are purple?', [INDEX], [SURVEY]))[0]).toContain('grep ');
  expect(commands(after('Are the open issues nice?', [INDEX], [SURVEY]))[0]).toContain('grep ');
});

test('a row that is named by its title is selected alone', () => {
  const [select] = commands(
    after('What is the state of the issue Slow search?', [INDEX], [SURVEY]),
  );
  expect(select).toContain('",Slow search,"');
  expect(select).not.toContain('NR > 1 && (index("," $3');
});

test('any other question is searched for, read about around each place, and answered in quotations', () => {
  const question = 'Why does the login fail?';
  expect(commands(after(question, ['']))[0]).toContain(`grep '${question}'`);
  const hits = `${ISSUE}:7:It fails since May.\n/mnt/notes/login.md:30:The login may fail at night.\n`;
  expect(commands(after(question, [''], [hits])).sort()).toEqual([
    `sed -n '1,40p' '${ISSUE}'`,
    `sed -n '27,33p' '/mnt/notes/login.md'`,
  ]);
  const read = ['a\nb\nc\nThe login may fail at night.\ne\n', RECORD];
  expect(answer(after(question, [''], [hits], read))).toContain(
    'These places fit best; I quote, and conclude nothing.\n\n',
  );
});

test('a record and its comments are one place, and so are equal lines; the places with the most words come first', () => {
  const question = 'Why does the login fail?';
  const hits = [
    '/mnt/a/1.md:30:nothing of it',
    '/mnt/a/1/comments/2.md:31:a login',
    '/mnt/b/1.md:30:nothing of it',
    '/mnt/c/1.md:32:the login will fail',
  ].join('\n');
  expect(commands(after(question, [''], [hits]))).toEqual([
    `sed -n '29,35p' '/mnt/c/1.md'`,
    `sed -n '27,33p' '/mnt/a/1.md'`,
  ]);
  const many = Array.from({ length: 8 }, (_, at) => `/mnt/m/${at}.md:1:login ${at}`).join('\n');
  expect(commands(after(question, [''], [many]))).toHaveLength(5);
});

test('where nothing fits, what the search said is passed on; where too little does, what is lacking', () => {
  const question = 'Why does the login fail?';
  const none = `I found nothing about "${question}" in /mnt and /memory.`;
  expect(answer(after(question, [''], ['']))).toBe(none);
  expect(answer(after(question, [''], ['grep: no index yet\n']))).toBe(
    `${none}\n\nThe search said:\n> grep: no index yet`,
  );
  const far = answer(after(question, [''], ['/mnt/a.md:1:the login'], ['the login\n']));
  expect(far).toBe(`${none} No place that fits has: fail.`);
});

test('what is to be counted, and only a text speaks of, is not counted; a record with a field of it is quoted', () => {
  const question = 'How many seats has the Lyon office?';
  const hits = ['/mnt/offices/lyon.md:5:The Lyon office has seats.'];
  const text = 'The Lyon office has many seats.\n';
  expect(answer(after(question, [''], hits, [text]))).toBe(
    'I cannot count that: no table has it, and no record as a field.',
  );
  const field = `---\nseats: 40\n---\n\nThe Lyon office.\n`;
  expect(answer(after(question, [''], hits, [field]))).toContain(
    '> seats: 40\n— /mnt/offices/lyon.md:2',
  );
});
