import { expect, it } from 'vitest';
import { inProcessWorld } from '../../test/world/in-process.ts';
import { inColumns } from './dots.ts';
import { readRows } from './import.ts';
import { exactReal } from './numbers.ts';
import { quotedOnOneLine } from './quoting.ts';

const COMMAS = { column: ',', row: '\n', hasQuotes: true };

it('rows of CSV keep separators, quotes and newlines within quotes', () => {
  expect(readRows('a,"b, ""c""\nd"\r\n1,\n', COMMAS)).toEqual([
    ['a', 'b, "c"\nd'],
    ['1', ''],
  ]);
  expect(readRows('"a"|b', { column: '|', row: '\n', hasQuotes: false })).toEqual([['"a"', 'b']]);
});

it('names stand in columns, downwards first', () => {
  expect(inColumns(['a', 'bb', 'c'])).toBe('a   bb  c \n');
  expect(inColumns([])).toBe('');
});

it('a fraction has 20 digits and a point', () => {
  expect([0.1, 1, 100, 1e20, 1e-7, -1.5e300, Infinity].map(exactReal)).toEqual([
    '0.10000000000000000555',
    '1.0',
    '100.0',
    '1.0e+20',
    '9.9999999999999995472e-08',
    '-1.5000000000000000071e+300',
    '1e999',
  ]);
});

it('a text on one line is the same text again', () => {
  expect(quotedOnOneLine("it's")).toBe("'it''s'");
  expect(quotedOnOneLine('a\nb')).toBe("replace('a\\nb','\\n',char(10))");
  expect(quotedOnOneLine('a\\n\nb')).toBe("replace('a\\n\\012b','\\012',char(10))");
});

it('an unknown dot command is told', async () => {
  const world = await inProcessWorld({ roots: ['/data'], cwd: '/data' });
  expect((await world.run("sqlite3 :memory: '.bogus'")).stderr).toContain('"bogus"');
});

it('a database that another command wrote meanwhile is not overwritten', async () => {
  const world = await inProcessWorld({ roots: ['/data'], cwd: '/data' });
  await world.run("sqlite3 d.db 'create table t(a)'");
  const { stderr, exitCode } = await world.run(
    `printf '.system sqlite3 d.db "insert into t values(1)"\\ninsert into t values(2);\\n' | sqlite3 d.db`,
  );
  expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 });
  expect((await world.run("sqlite3 d.db 'select * from t'")).stdout).toBe('1\n2\n');
  const late = await world.run(
    `printf 'insert into t values(3);\\nselect writefile("d.db", "other");\\n' | sqlite3 d.db`,
  );
  expect(late.exitCode).toBe(1);
  expect(late.stderr).toContain('database is locked');
  expect((await world.run('cat d.db')).stdout).toBe('other');
});

it('what cannot be stored is an error, and no success', async () => {
  const world = await inProcessWorld({ roots: ['/data'], cwd: '/data' });
  const refused = await world.run("sqlite3 /bin/x.db 'create table t(a)'");
  expect(refused.exitCode).not.toBe(0);
  expect(refused.stderr).toContain('/bin/x.db');
});

it('a database with changes in a log beside it is not read without them', async () => {
  const files = { '/data/d.db': 'x', '/data/d.db-wal': 'changes' };
  const world = await inProcessWorld({ roots: ['/data'], cwd: '/data', files });
  const { stderr, exitCode } = await world.run("sqlite3 d.db 'select 1 from t'");
  expect(exitCode).toBe(1);
  expect(stderr).toContain('d.db-wal');
});

it('a query without end is ended by the deadline of its command', async () => {
  const world = await inProcessWorld({ roots: ['/data'], cwd: '/data' });
  const endless =
    'with recursive t(n) as (select 1 union all select n+1 from t) select max(n) from t';
  expect((await world.run(`timeout 1 sqlite3 :memory: '${endless}'`)).exitCode).toBe(124);
});

it('a series goes from its start to its stop by its step, whichever of them are given', async () => {
  const world = await inProcessWorld({ roots: ['/data'], cwd: '/data' });
  const values: [question: string, answer: string][] = [
    ['generate_series(1, 10, 3)', '1,4,7,10'],
    ['generate_series(10, 1, -4)', '10,6,2'],
    ['generate_series(3, 1)', ''],
    ['generate_series(7, 9) where rowid = 2', '8'],
    ['generate_series where start = 2 and stop = 4', '2,3,4'],
    ['generate_series where stop = 6 and step = 3 and start = 0', '0,3,6'],
    ['(select value from generate_series(5) limit 2)', '5,6'],
    ['(select 2 a union select 3) t join generate_series(1, t.a)', '1,2,1,2,3'],
  ];
  const asked = values.map(([from]) => `"select ifnull(group_concat(value), '') from ${from}"`);
  const { stdout, stderr } = await world.run(`sqlite3 :memory: ${asked.join(' ')}`);
  expect(stderr).toBe('');
  expect(stdout.split('\n').slice(0, -1)).toEqual(values.map(([, answer]) => answer));
});

it('as many run at once, each started by another, after others have ended', async () => {
  const world = await inProcessWorld({ roots: ['/data'], cwd: '/data' });
  await world.run(
    `echo 'echo $1; sqlite3 :memory: ".system sh again.sh $(($1 + 1))"' > again.sh; sqlite3 :memory: '' ''; sqlite3 :memory: .quit`,
  );
  const { stdout, stderr } = await world.run('sh again.sh 1');
  expect(stdout).toBe('1\n2\n3\n4\n5\n6\n7\n8\n9\n');
  expect(stderr).toContain('Resource temporarily unavailable: 8 are running');
});

it.each([
  ['select nope from t', 'nope'],
  [`select ${'a, '.repeat(20)}nope from t`, 'nope'],
  [`select ${'ä, '.repeat(40)}1 nope nope2`, 'nope2'],
  [`select '${'é'.repeat(60)}', nope, ${'1, '.repeat(60)} 2 from t`, 'nope'],
])('what is wrong is marked below its place, early or late in a line: %#', async (sql, wrong) => {
  const world = await inProcessWorld({ roots: ['/data'], cwd: '/data' });
  const { stderr, exitCode } = await world.run(
    `sqlite3 :memory: 'create table t(a)' "${sql.replaceAll('"', '\\"')}"`,
  );
  expect(exitCode).toBe(1);
  const [, shown = '', mark = ''] = stderr.split('\n');
  const at = mark.startsWith(' ') && mark.includes('---^') ? mark.indexOf('^') : mark.search(/\S/);
  // The mark counts bytes, as sqlite3's does.
  expect(Buffer.from(shown).subarray(at).toString()).toMatch(new RegExp(`^${wrong}\\b`, 'u'));
  expect(Buffer.from(shown).length).toBeLessThanOrEqual(80);
});

it.each([
  ['.quit', 0],
  ["'.exit 3'", 3],
  ['.bogus', 1],
  ["'.print x'", 0],
  ["'select 1' .bogus 'select 2'", 1],
])('a dot command as an argument ends it with its status: %s', async (args, status) => {
  const world = await inProcessWorld({ roots: ['/data'], cwd: '/data' });
  expect((await world.run(`sqlite3 :memory: ${args}`)).exitCode).toBe(status);
});

it('how long each statement took is told between .timer on and off', async () => {
  const world = await inProcessWorld({ roots: ['/data'], cwd: '/data' });
  const { stdout } = await world.run(
    "printf '%s\\n' '.timer on' 'select 1;' '.timer off' 'select 2;' | sqlite3 :memory:",
  );
  expect(stdout).toMatch(/^1\nRun Time: real \d+\.\d{3} user \d+\.\d{6} sys \d+\.\d{6}\n2\n$/);
});
