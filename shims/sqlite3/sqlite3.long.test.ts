import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { inProcessWorld } from '../../test/world/in-process.ts';
import { hasGnu } from '../support/against-gnu.ts';

const FILES = {
  'f.csv': 'id,name\n1,ann\n2,"b, ""c"""\n',
  'ragged.csv': '1,2,3\n4\n5,6,7,8\n',
  'p.txt': 'a|"b c"|d\n1|2|3\n',
  'q.sql': "select 42;\nselect 'q';\n",
  'bad.sql': 'select 1;\nselect * from nowhere;\nselect 2;\n',
};
const MAKE = `sqlite3 d.db 'create table t(a int, b text); insert into t values(1,"x"),(2,null)'; `;
const KINDS = `select 1 a, 'x
y' bb, null c, 0.1 d, x'4142' e, 2.0/3 f, 'it''s' g, 'quote \\"q\\"' h, -5 i, 1e300 j, 'tab	tab' k, 'ü€' l`;
const TALL = `select 1 a, 'l1
l2' b union all select 2, 'one'`;

const there = hasGnu('sqlite3');
if (!there) console.warn('skipped: no sqlite3 on this machine to compare with');

const COMMANDS = [
  'sqlite3 d.db .tables',
  'sqlite3 d.db "create table long_name(x); create view v as select 1" .tables',
  'sqlite3 d.db .schema; sqlite3 d.db ".schema none"',
  'sqlite3 d.db "create view v as select a as x, b from t; create table s(id integer primary key autoincrement); create index i on t(a); create trigger g after insert on t begin select 1; end" .schema',
  'sqlite3 d.db "create table \'odd name\'(\'a b\' text)" ".schema odd%" ".schema --nosys"',
  "sqlite3 d.db '.mode csv' 'select * from t'",
  "sqlite3 -csv d.db 'select * from t' '.print done'",
  "printf '.headers on\\n.mode column\\nselect * from t;\\n' | sqlite3 d.db",
  "printf '.headers on\\nselect a,\\n b from t;\\n.print x\\nselect 1\\n;' | sqlite3 d.db",
  "printf '.mode csv\\n.import f.csv u\\nselect * from u;\\n.schema u\\n' | sqlite3 d.db",
  "sqlite3 d.db '.import --csv f.csv v' 'select name from v' .dump",
  "sqlite3 d.db '.import --csv --skip 1 f.csv t' 'select count(*) from t'",
  "sqlite3 d.db 'create table r(a,b,c)' '.mode csv' '.import ragged.csv r' 'select * from r'",
  "sqlite3 d.db '.import p.txt p' 'select * from p' '.schema p'",
  "sqlite3 d.db .dump; sqlite3 d.db '.dump t'",
  "sqlite3 d.db '.dump' | sqlite3 e.db; sqlite3 e.db 'select * from t'",
  `sqlite3 d.db "insert into t values(0.1, 'two
lines'), (null, x'00ff')" "create table s(id integer primary key autoincrement); insert into s default values; create view v as select 1; create index i on t(a)" .dump`,
  "sqlite3 d.db '.separator ,' '.nullvalue NULL' 'select * from t'",
  "sqlite3 d.db '.mode insert t' 'select * from t'",
  "sqlite3 d.db '.mode insert' 'select * from t' '.headers on' '.mode insert odd-name' 'select * from t'",
  "sqlite3 d.db 'create index i on t(a)' .indexes '.indexes none'",
  "sqlite3 d.db '.read q.sql'; printf '.read q.sql\\n' | sqlite3 :memory:",
  "sqlite3 d.db '.output o' 'select 1' 'select 2'; cat o; sqlite3 d.db '.once o' 'select 3'; cat o",
  "sqlite3 d.db '.mode quote' 'select * from t' '.mode tabs' 'select * from t' '.mode json' 'select * from t'",
  "sqlite3 -cmd '.mode json' d.db 'select * from t'",
  "sqlite3 :memory: 'create table z(x)' 'insert into z values(7)' .tables 'select * from z'",
  "sqlite3 d.db .quit; echo $?; printf '.exit 3\\nselect 1;\\n' | sqlite3 d.db; echo $?",
  "sqlite3 -json d.db 'select 0.1, 19.99, 3.14, 2.5, 1e300, 1e-300, 123456.789, -0.3, 1e22, 7.0, 99999999999.5, 5e-324'",
  "sqlite3 d.db 'select 0.1, 1.5, 2.0/3, 1e15, 1e16, 100.0, 1e-5, sqrt(2), 9223372036854775807, 1e999'",
  ...['list', 'csv', 'json', 'line', 'html', 'quote', 'tabs', 'ascii'].flatMap((mode) => [
    `sqlite3 -${mode} d.db "${KINDS}" "select 1 where 0"`,
    `sqlite3 -header d.db ".mode ${mode}" "${KINDS}" "select a, b from t"`,
  ]),
  ...['box', 'column', 'table', 'markdown'].flatMap((mode) => [
    `sqlite3 -${mode} d.db "${TALL}"`,
    `sqlite3 d.db ".mode ${mode}" "${TALL}" "select 1 where 0" "select 'ü€', 1.5 as really_long_name"`,
    `sqlite3 d.db ".mode ${mode} --wrap 10" "select 'some words that are longer than ten' a"`,
    `sqlite3 d.db ".mode ${mode} --quote" "select 'x', null, 1.5"`,
    `sqlite3 d.db ".mode ${mode}" ".width 5 -6" "select 'x' a, 'y' b"`,
  ]),
  "sqlite3 d.db '.mode tcl' 'select * from t' '.mode qbox' 'select * from t'",
  "sqlite3 d.db '.headers on' 'select * from t where 0' '.mode column' 'select * from t where 0'",
  "sqlite3 d.db 'explain query plan select * from t join t u on t.a=u.a order by 1' | head -2",
  `sqlite3 d.db 'select * from t where b="x"'`,
  "sqlite3 d.db 'select * from nowhere'; echo $?",
  "sqlite3 d.db 'create table k(a primary key); insert into k values(1),(1)'; echo $?",
  "sqlite3 d.db 'selec 1' 'select 2'; echo $?",
  'sqlite3 d.db < bad.sql; echo $?; sqlite3 -bail d.db < bad.sql; echo $?',
  "printf 'select 1;\\nselec 2;\\nselect 3;\\n' | sqlite3; echo $?",
  "printf '.read bad.sql\\nselect 9;\\n' | sqlite3; echo $?",
  'sqlite3 d.db ".read nofile"; echo $?',
  'sqlite3 nodir/x.db "select 1"; echo $?',
  "sqlite3 d.db 'attach \"e.db\" as e; create table e.z(a); insert into e.z values(5)'; sqlite3 e.db 'select * from z'",
  "sqlite3 d.db \"vacuum into 'v.db'\"; sqlite3 v.db 'select * from t'",
  "sqlite3 d.db '.backup b.db'; sqlite3 b.db 'select * from t'; sqlite3 x.db '.restore b.db' .dump",
  "sqlite3 d.db 'begin; delete from t;' 'select count(*) from t'; sqlite3 d.db 'select count(*) from t'",
  "sqlite3 d.db 'select changes(), total_changes()' '.changes on' 'delete from t'",
  "sqlite3 d.db '.parameter set :x 5' 'select :x, typeof(:x), @y'",
  "sqlite3 d.db 'create virtual table f using fts5(body)' \"insert into f values('the quick fox'),('lazy dog')\" \"select body from f where f match 'quick'\"",
  "sqlite3 d.db 'create virtual table r using rtree(id,x0,x1)' 'insert into r values(1,0,5)' 'select id from r where x1>4'",
  `sqlite3 d.db "select json_extract('{\\"a\\":[1,2]}','$.a[1]'), json_group_array(a) from t" "select * from json_each('[1,2]')" | cut -d'|' -f1-3`,
  `sqlite3 d.db "select 'abc' regexp '^a.c$', 'abc' regexp 'x'" "select hex(sha3('a')), length(readfile('f.csv'))" "select writefile('w', 'text')"; cat w`,
  "sqlite3 d.db \"select date('2024-02-29', '+1 year'), strftime('%Y-%j', '2024-03-01'), julianday('2000-01-01')\"",
  "sqlite3 d.db 'select row_number() over (order by a desc), a from t' 'select a, count(*) from t group by a having a > 1'",
  "sqlite3 d.db 'with recursive c(n) as (select 1 union all select n+1 from c where n<5) select group_concat(n) from c'",
  "sqlite3 d.db 'select value from generate_series(1,10,3)' 'select sum(value), count(*) from generate_series(1,100)' 'select a, value from t join generate_series(1, t.a)'",
  "sqlite3 d.db 'pragma table_info(t)' 'pragma user_version=7' 'pragma user_version' 'pragma integrity_check' 'pragma page_size' 'pragma foreign_keys'",
  "sqlite3 -separator ' : ' -nullvalue - d.db 'select * from t'; sqlite3 -newline ';' d.db 'select a from t'",
  "sqlite3 d.db '.show' | grep -v filename; sqlite3 d.db '.mode box' '.show' | grep mode",
  'sqlite3 -nosuch d.db 2>/dev/null; echo $?',
  "printf '# comment\\n-- another\\nselect 1; -- end\\n/* c */ select 2;\\n' | sqlite3",
  "printf 'select 1\\ngo\\nselect 2\\n/\\n' | sqlite3",
  "sqlite3 d.db '.echo on' 'select 1'; printf '.echo on\\nselect 1;\\n.print x\\n' | sqlite3",
  "sqlite3 d.db '.system echo hi' '.output |cat -n' 'select 1'",
  "sqlite3 -json d.db 'select 1 a' | jq -c .; sqlite3 -readonly d.db 'insert into t values(1,1)'; echo $?",
  "echo 'select 5' | sqlite3; sqlite3 :memory: 'select 6'; sqlite3 '' 'select 7'",
];

describe.skipIf(!there)('sqlite3 does what that of the machine does', () => {
  it.each(COMMANDS)('%s', async (command) => {
    const root = mkdtempSync(join(tmpdir(), 'sqlite3-'));
    try {
      for (const [name, text] of Object.entries(FILES)) writeFileSync(join(root, name), text);
      const real = spawnSync('bash', ['-c', MAKE + command], {
        cwd: root,
        input: '',
        encoding: 'utf8',
      });
      const files = Object.fromEntries(
        Object.entries(FILES).map(([name, text]) => [`/data/${name}`, text]),
      );
      const world = await inProcessWorld({ roots: ['/data'], files, cwd: '/data' });
      const { stdout, exitCode, stderr } = await world.run(MAKE + command);
      expect({ stdout, exitCode, stderr }).toEqual({
        stdout: real.stdout,
        exitCode: real.status,
        stderr: real.stderr,
      });
    } finally {
      rmSync(root, { recursive: true });
    }
  });
});
