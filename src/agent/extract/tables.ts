/** Questions that count or list: which tables they are about, and which rows of these are meant. */
import { quoted } from '../../shell/quote.ts';
import { existing, inScope } from './references.ts';
import { folded, isForm, tellingWords, wordsOf } from './words.ts';

/** A `.tsv` of the world, as {@link surveyCommand} tells of it. */
export interface Table {
  path: string;
  /** Rows, without the header. */
  rows: number;
  columns: readonly Column[];
}

export interface Column {
  name: string;
  /** Its different values; none where there are too many to be a kind of thing. */
  values: readonly string[];
}

/** Rows that are meant: those with one of the values in the column; '' is an empty field. */
export interface Condition {
  column: string;
  values: readonly string[];
  /** The values are beginnings: of dates. */
  prefix: boolean;
}

/** What is to be counted or listed. */
export interface Query {
  /** With the conditions for each of them. */
  tables: readonly { table: Table; conditions: readonly Condition[] }[];
  /** Tables of the same kind whose columns say nothing of what is asked. */
  others: readonly Table[];
  /** Words of the question that no column knows. */
  unknown: readonly string[];
}

/** Columns with more values than this are told by their name alone. */
const KINDS = 120;
const PATTERNS = ['*', '*/*', '*/*/*', '*/*/*/*'].map((depth) => `/mnt/${depth}/index.tsv`);
const TABLES = ['/mnt/*/*.tsv', '/mnt/*/*/*.tsv', '/mnt/*/*/*/*.tsv', ...PATTERNS];

/** For each column a line: its name, and its values behind tabs. */
const COLUMNS = `NR==1 {n=NF; for (i=1;i<=n;i++) name[i]=$i; next}
{for (i=1;i<=n;i++) {k=split($i, part, ","); for (j=1;j<=k;j++) if (!((i,part[j]) in seen)) {seen[i,part[j]]=1; if (count[i]++ < ${KINDS}) values[i]=values[i] "\\t" part[j]}}}
END {print "=", NR ? NR-1 : 0; for (i=1;i<=n;i++) print name[i] (count[i] > ${KINDS} ? "" : values[i])}`;

/** Prints the paths of the tables in reach, a line each. Nothing is fetched for it but names. */
export const pathsCommand = (): string => `{ ${existing(TABLES)}; } | sort -u`;

/** Tables that a question is not about are not fetched, and of a large account not all that it may be about. */
const MOST_TABLES = 24;

/** Of the paths those whose rows the question names, in the part of the world that it names. */
export function candidates(question: string, paths: readonly string[]): string[] {
  const words = wordsOf(question);
  const named = paths.filter((path) => names(words, kindOf({ path })));
  return inScope(named, question).slice(0, MOST_TABLES);
}

/** Prints of each table `@ PATH`, `= ROWS`, and a line a column. */
export function surveyCommand(paths: readonly string[]): string {
  return `for t in ${paths.map(quoted).join(' ')}; do echo "@ $t"; awk -F '\\t' ${quoted(COLUMNS)} "$t"; done`;
}

export function tablesOf(output: string): Table[] {
  const blocks = output.split(/^@ /m).slice(1);
  return blocks.flatMap((block) => {
    const [path = '', rows = '', ...columns] = block.trimEnd().split('\n');
    if (!/^= \d+$/.test(rows) || !path.startsWith('/')) return [];
    return [
      {
        path,
        rows: Number(rows.slice(2)),
        columns: columns.map((line) => {
          const [name = '', ...values] = line.split('\t');
          return { name, values };
        }),
      },
    ];
  });
}

/** What people call the things of a directory. */
const ALSO: Readonly<Record<string, readonly string[]>> = {
  issues: ['ticket'],
  pulls: ['pull request', 'pr', 'merge request'],
  users: ['person', 'people', 'member', 'colleague'],
  cycles: ['sprint'],
};

/** What the rows of a table are: `issues`, `incidents`. */
export function kindOf({ path }: Pick<Table, 'path'>): string {
  const [directory = '', file = ''] = path.split('/').slice(-2);
  const name = file === 'index.tsv' ? directory.replace(/--[0-9a-f]+$/, '') : file.slice(0, -4);
  return folded(name);
}

/** Does the question name what the rows of a table are? */
function names(words: readonly string[], kind: string): boolean {
  return [kind, ...(ALSO[kind] ?? [])].some((name) => holds(words, wordsOf(name)));
}

/** Do the words hold the others, one after the other, in whatever form? */
function holds(words: readonly string[], part: readonly string[]): boolean {
  if (part.length === 0) return false;
  return words.some((_, at) => part.every((word, next) => isForm(words[at + next] ?? '', word)));
}

/** Which rows of the tables are meant. */
export function queryOf(question: string, tables: readonly Table[]): Query {
  const withConditions = tables.map((table) => ({ table, ...conditionsOf(question, table) }));
  const most = Math.max(0, ...withConditions.map(({ known }) => known.length));
  const best = withConditions.filter(({ known }) => known.length === most);
  const ofTables = new Set(
    best.flatMap(({ table, known }) => [
      ...known,
      ...wordsOf(table.path.replaceAll('/', ' ').replace(/--[0-9a-f]+/g, '')),
      ...[kindOf(table), ...(ALSO[kindOf(table)] ?? [])].flatMap(wordsOf),
      ...table.columns.flatMap(({ name }) => wordsOf(name.replaceAll('_', ' '))),
    ]),
  );
  return {
    tables: best.map(({ table, conditions }) => ({ table, conditions })),
    others: withConditions.filter((each) => !best.includes(each)).map(({ table }) => table),
    unknown: tellingWords(question).filter(
      (word) => !ASKING.has(word) && ![...ofTables].some((known) => isForm(word, known)),
    ),
  };
}

/**
 * The row that a question names by its title, where it asks for one of its
 * columns; as a condition. null where no row is named, or none more than others.
 */
export function rowNamed(question: string, table: Table): Condition | null {
  const words = wordsOf(question).filter((word) => !names([word], kindOf(table)));
  const asked = table.columns.some(
    ({ name }) => !TITLE.test(name) && isAskedFor(wordsOf(name.replaceAll('_', ' ')), words),
  );
  const title = table.columns.find(({ name }) => TITLE.test(name));
  if (!asked || title === undefined) return null;
  const named = title.values
    .map((value) => ({ value, parts: wordsOf(value) }))
    .filter(({ parts }) => parts.every((part) => words.some((word) => isForm(word, part))))
    .sort((a, b) => b.parts.length - a.parts.length);
  const [best, next] = named;
  if (best === undefined || next?.parts.length === best.parts.length) return null;
  return { column: title.name, values: [best.value], prefix: false };
}

const TITLE = /^(?:title|name|tag)$/i;

const isAskedFor = (column: readonly string[], words: readonly string[]): boolean =>
  column.every((part) => words.some((word) => isForm(word, part)));

/** Verbs that go with a column and are no value of it. */
const ASKING: ReadonlySet<string> = new Set(
  'labelled labeled tagged assigned owned owns own lead leads led marked priority state team repository repo'.split(
    ' ',
  ),
);

const PERSON = /^(?:assignees?|owner|lead|author|creator|name|display_name)$/i;
const MONTHS =
  'january february march april may june july august september october november december';
const DATE = /^\d{4}-\d\d/;

/** What the question says of the rows, by the values that a table has, and the words that said it. */
function conditionsOf(
  question: string,
  table: Table,
): { conditions: Condition[]; known: string[] } {
  const words = wordsOf(question);
  const conditions: Condition[] = [];
  const known: string[] = [];
  for (const { name, values } of table.columns) {
    const said = values.filter((value) => isSaid(value, words, name));
    if (said.length > 0) conditions.push({ column: name, values: said, prefix: false });
    for (const value of said) known.push(...wordsOf(value), ...wordsOf(value).flatMap(partsOf));
    if (said.length > 0 || !PERSON.test(name)) continue;
    if (words.includes('unassigned') || words.includes('nobody')) {
      conditions.push({ column: name, values: [''], prefix: false });
      known.push('unassigned', 'nobody');
    }
  }
  const month = monthOf(words);
  const dated = month && dateColumn(words, table);
  if (month && dated) {
    conditions.push({ column: dated.name, values: [month.prefix], prefix: true });
    known.push(...month.words);
  }
  return { conditions, known };
}

function isSaid(value: string, words: readonly string[], column: string): boolean {
  const parts = wordsOf(value);
  if (value.length < 2 || parts.length === 0 || DATE.test(value) || /^\d+$/.test(value))
    return false;
  if (holds(words, parts)) return true;
  if (!PERSON.test(column)) return false;
  // People are called by one of their names.
  return parts
    .flatMap(partsOf)
    .some((part) => part.length > 2 && words.some((word) => word === part || word === `${part}s`));
}

const partsOf = (word: string): string[] => word.split(/[._-]/);

function monthOf(words: readonly string[]): { prefix: string; words: string[] } | null {
  const year = words.find((word) => /^20\d\d(?:-\d\d)?$/.test(word));
  if (year === undefined) return null;
  const month = MONTHS.split(' ').findIndex((name) => words.includes(name));
  if (month === -1) return { prefix: year, words: [year] };
  const name = MONTHS.split(' ')[month] ?? '';
  return { prefix: `${year}-${String(month + 1).padStart(2, '0')}`, words: [year, name] };
}

/** The column of dates that the question names, or else the only one. */
function dateColumn(words: readonly string[], { columns }: Table): Column | undefined {
  const dated = columns.filter(({ name }) =>
    /date|due|updated|created|published|edited|starts|ends|completed|target/i.test(name),
  );
  const named = dated.find(({ name }) =>
    wordsOf(name.replaceAll('_', ' ')).some((part) => words.some((word) => isForm(word, part))),
  );
  return named ?? (dated.length === 1 ? dated[0] : undefined);
}

/** So many rows are shown; all are counted. */
const SHOWN = 30;

/** Prints the rows that are meant, each with its line, and then `= COUNT`. */
export function selectCommand({ path, columns }: Table, conditions: readonly Condition[]): string {
  const tests = conditions.map(({ column, values, prefix }) => {
    const field = `$${columns.findIndex(({ name }) => name === column) + 1}`;
    const any = values.map((value) => {
      if (prefix) return `index(${field}, ${literal(value)}) == 1`;
      if (value === '') return `${field} == ""`;
      return `index("," ${field} ",", ${literal(`,${value},`)})`;
    });
    return `(${any.join(' || ')})`;
  });
  const program = `NR > 1${tests.map((test) => ` && ${test}`).join('')} {if (n++ < ${SHOWN}) print NR ":" $0} END {print "= " n+0}`;
  return `awk -F '\\t' ${quoted(program)} ${quoted(path)}`;
}

/** A string of awk. */
const literal = (text: string): string => `"${text.replace(/[\\"]/g, '\\$&')}"`;

/** What {@link selectCommand} printed; null where it failed. */
export function rowsOf(
  output: string,
): { count: number; rows: { line: number; cells: string[] }[] } | null {
  const count = /^= (\d+)$/m.exec(output)?.[1];
  if (count === undefined) return null;
  const rows = [...output.matchAll(/^(\d+):(.*)$/gm)].map(([, line, text = '']) => ({
    line: Number(line),
    cells: text.split('\t'),
  }));
  return { count: Number(count), rows };
}
