import { expect, test } from 'vitest';
import { inProcessWorld } from '../../test/world/in-process.ts';
import { tokens } from './tokens.ts';

test('the tokens joined are the program again, and only code is code', () => {
  const program = '/int(/ { print "int(\\"" int(x) / 2 / int(3) } # int(';
  const list = tokens(program);
  expect(list.map(({ text }) => text).join('')).toBe(program);
  expect(list.filter(({ kind, text }) => kind === 'word' && text === 'int')).toHaveLength(2);
  expect(list.filter(({ kind }) => kind === 'regex').map(({ text }) => text)).toEqual(['/int(/']);
});

test.each(['awk \'BEGIN{RS=""} {print}\'', "awk -v RS= '{print}'", "awk -vRS=';' '{print}'"])(
  'records other than lines are refused, not read as lines: %s',
  async (script) => {
    const world = await inProcessWorld({ roots: ['/work'], files: {}, cwd: '/work' });
    const { stdout, stderr, exitCode } = await world.run(`echo a | ${script}`);
    expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 2 });
    expect(stderr).toContain('RS');
  },
);

test('RS as the newline that it is anyway is no refusal', async () => {
  const world = await inProcessWorld({ roots: ['/work'], files: {}, cwd: '/work' });
  const result = await world.run(
    'echo a | awk -v \'RS=\\n\' \'BEGIN{RS="\\n"} RS=="\\n" {print NR $1}\'',
  );
  expect(result.stdout).toBe('1a\n');
});
