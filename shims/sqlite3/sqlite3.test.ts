import { expect, it } from 'vitest';
import { inProcessWorld } from '../../test/world/in-process.ts';
import { readRows } from './csv.ts';
import { isComplete } from './schema.ts';
import { inColumns, withShortNumbers } from './state.ts';

it('rows of CSV keep separators, quotes and newlines within quotes', () => {
  expect(readRows('a,"b, ""c""\nd"\r\n1,\n', ',', true)).toEqual([
    ['a', 'b, "c"\nd'],
    ['1', ''],
  ]);
  expect(readRows('"a"|b', '|', false)).toEqual([['"a"', 'b']]);
});

it('a statement is complete at its own semicolon alone', () => {
  expect(isComplete("select ';' -- ;\n")).toBe(false);
  expect(isComplete("select ';'; -- ;\n")).toBe(true);
  expect(isComplete('create trigger t after insert on a begin select 1;')).toBe(false);
  expect(isComplete('create trigger t after insert on a begin select 1; end;')).toBe(true);
});

it('names stand in columns, downwards first', () => {
  expect(inColumns(['a', 'bb', 'c'])).toBe('a   bb  c \n');
  expect(inColumns([])).toBe('');
});

it('fractions have 15 digits, and texts keep theirs', () => {
  expect(withShortNumbers('0.10000000000000001|x')).toBe('0.1|x');
  expect(withShortNumbers('0.66666666666666663')).toBe('0.666666666666667');
  expect(withShortNumbers('v0.10000000000000001 1.123456789012')).toBe(
    'v0.10000000000000001 1.123456789012',
  );
});

it('an unknown dot command is told', async () => {
  const world = await inProcessWorld({ roots: ['/data'], cwd: '/data' });
  expect((await world.run("sqlite3 :memory: '.bogus'")).stderr).toContain('"bogus"');
});
