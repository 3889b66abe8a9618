import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { inProcessWorld } from '../../test/world/in-process.ts';
import { hasGnu } from '../support/against-gnu.ts';

const FILES = { 'f.csv': 'id,name\n1,ann\n2,"b, ""c"""\n', 'q.sql': "select 42;\nselect 'q';\n" };
const MAKE =
  'sqlite3 d.db \'create table t(a int, b text); insert into t values(1,"x"),(2,null)\'; ';

const there = hasGnu('sqlite3');
if (!there) console.warn('skipped: no sqlite3 on this machine to compare with');

describe.skipIf(!there)('the dot commands do what those of sqlite3 do', () => {
  it.each([
    'sqlite3 d.db .tables',
    'sqlite3 d.db "create table long_name(x); create view v as select 1" .tables',
    'sqlite3 d.db .schema; sqlite3 d.db ".schema none"',
    "sqlite3 d.db '.mode csv' 'select * from t'",
    "sqlite3 -csv d.db 'select * from t' '.print done'",
    "printf '.headers on\\n.mode column\\nselect * from t;\\n' | sqlite3 d.db",
    "printf '.headers on\\nselect a,\\n b from t;\\n.print x\\nselect 1\\n;' | sqlite3 d.db",
    "printf '.mode csv\\n.import f.csv u\\nselect * from u;\\n.schema u\\n' | sqlite3 d.db",
    "sqlite3 d.db '.import --csv f.csv v' 'select name from v' .dump",
    "sqlite3 d.db '.import --csv --skip 1 f.csv t' 'select count(*) from t'",
    "sqlite3 d.db .dump; sqlite3 d.db '.dump t'",
    "sqlite3 d.db '.dump' | sqlite3 e.db; sqlite3 e.db 'select * from t'",
    "sqlite3 d.db '.separator ,' '.nullvalue NULL' 'select * from t'",
    "sqlite3 d.db '.mode insert t' 'select * from t'",
    "sqlite3 d.db 'create index i on t(a)' .indexes '.indexes none'",
    "sqlite3 d.db '.read q.sql'; printf '.read q.sql\\n' | sqlite3 :memory:",
    "sqlite3 d.db '.output o' 'select 1' 'select 2'; cat o; sqlite3 d.db '.once o' 'select 3'; cat o",
    "sqlite3 d.db '.mode quote' 'select * from t' '.mode tabs' 'select * from t' '.mode json' 'select * from t'",
    "sqlite3 -cmd '.mode json' d.db 'select * from t'",
    "sqlite3 :memory: 'create table z(x)' 'insert into z values(7)' .tables 'select * from z'",
    "sqlite3 d.db .quit; echo $?; printf '.exit 3\\nselect 1;\\n' | sqlite3 d.db; echo $?",
    "sqlite3 d.db 'select 0.1, 1.5, 2.0/3'",
  ])('%s', async (command) => {
    const root = mkdtempSync(join(tmpdir(), 'sqlite3-'));
    try {
      mkdirSync(root, { recursive: true });
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
      expect({ stdout, exitCode }, stderr).toEqual({ stdout: real.stdout, exitCode: real.status });
    } finally {
      rmSync(root, { recursive: true });
    }
  });
});
