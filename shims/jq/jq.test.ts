import { describe, expect, it } from 'vitest';
import { FsError } from '../../src/errors.ts';
import { doubleShell } from '../support/double-shell.ts';
import { jqShims } from './index.ts';

const files = {
  '/data/a.json': '{"a":1}\n',
  '/data/b.json': '{"b":[1,2]}\n',
  '/data/bad.json': '{"a":\n',
  '/data/text': 'one\ntwo\n',
  '/data/prog.jq': '# a comment\n.a + 1\n',
  '/data/lib/m.jq': 'def twice: . * 2;\n',
  '/data/lib/d.json': '{"k":"v"}\n',
};
const shell = doubleShell([jqShims], files);

/** A command, its stdout, and its status if that is not 0. */
type Row = readonly [command: string, stdout: string, status?: number];

const rows = (name: string, list: readonly Row[]): void => {
  for (const [command, stdout, status = 0] of list) {
    it(`${name}: ${command}`, async () => {
      const ran = await shell.run(command);
      expect([ran.stdout, ran.exitCode]).toEqual([stdout, status]);
      expect(ran.stderr === '').toBe(status === 0 || command.includes('-e'));
    });
  }
};

describe('jq', () => {
  rows('assignment, deletion and grouping change what they name', [
    [`echo '{}' | jq -c '.a.b=1'`, '{"a":{"b":1}}\n'],
    [`echo '{"a":1,"b":2,"c":3}' | jq -c 'del(.a,.b)'`, '{"c":3}\n'],
    [`echo '["z","a","z"]' | jq -c 'unique'`, '["a","z"]\n'],
    [`echo '["a\\"b",1,null]' | jq -r '@csv'`, '"a""b",1,\n'],
    [`jq -nc '"aa" | [match("a";"g").offset]'`, '[0,1]\n'],
    [`jq -nc '[{"k":2},{"k":1}] | group_by(.k)'`, '[[{"k":1}],[{"k":2}]]\n'],
  ]);

  rows('words behind --args are no files, but for the program', [
    [`jq -nc --args '$ARGS.positional' a.json b`, '["a.json","b"]\n'],
    [`jq -c '[.a, $ARGS.positional]' a.json --args b.json`, '[1,["b.json"]]\n'],
    [`jq -c --jsonargs '[.a, $ARGS.positional]' 1 '{"x":2}' < a.json`, '[1,[1,{"x":2}]]\n'],
    [`jq -c --arg x b.json '[.a, $x]' a.json`, '[1,"b.json"]\n'],
    [`jq -c -- .a a.json`, '1\n'],
  ]);

  rows('every key is a key', [
    [
      `echo '{"__proto__":{"a":1},"constructor":2}' | jq -c .`,
      '{"__proto__":{"a":1},"constructor":2}\n',
    ],
  ]);

  rows('numbers keep the digits that they were written with', [
    [`echo 100000000000000000000000001 | jq .`, '100000000000000000000000001\n'],
  ]);

  rows('options', [
    [`jq -r .a a.json`, '1\n'],
    [`jq -cs . a.json b.json`, '[{"a":1},{"b":[1,2]}]\n'],
    [`jq -R . text`, '"one"\n"two"\n'],
    [`jq -Rs . text`, '"one\\ntwo\\n"\n'],
    [`jq -j '.a, .a' a.json`, '11'],
    [`jq -nac '"é"'`, '"\\u00e9"\n'],
    [`jq -Sc . <<< '{"b":1,"a":2}'`, '{"a":2,"b":1}\n'],
    [`jq -nc --arg x 1 --argjson y '{"z":2}' '[$x,$y]'`, '["1",{"z":2}]\n'],
    [`jq -nc --slurpfile x a.json --rawfile y text '[$x,$y]'`, '[[{"a":1}],"one\\ntwo\\n"]\n'],
    [`jq -nc '$ARGS' --args a b`, '{"positional":["a","b"],"named":{}}\n'],
    [`jq -nc '$ARGS.positional' --jsonargs 1 '{}'`, '[1,{}]\n'],
    [`jq --tab . a.json`, '{\n\t"a": 1\n}\n'],
    [`jq --indent 1 . a.json`, '{\n "a": 1\n}\n'],
    [`jq -f prog.jq a.json`, '2\n'],
    [`jq -c --stream . a.json`, '[["a"],1]\n[["a"]]\n'],
    [`jq --seq -n 1`, '\x1e1\n'],
    [`jq -nC 1`, '\x1b[0;39m1\x1b[0m\n'],
    [`jq -V`, 'jq-1.8.2\n'],
  ]);

  rows('files are those of the namespace', [
    [`jq -c . a.json b.json`, '{"a":1}\n{"b":[1,2]}\n'],
    [`jq -nc '[inputs | input_filename]' a.json b.json`, '["a.json","b.json"]\n'],
    [`jq -nc 'input' a.json none`, '{"a":1}\n'],
    [
      `jq -L lib -nc 'import "m" as m; import "d" as $d; [(2 | m::twice), $d::d]'`,
      '[4,[{"k":"v"}]]\n',
    ],
    [`jq -c . < a.json`, '{"a":1}\n'],
    [`jq -n '"é"' | wc -c`, '5\n'],
  ]);

  rows('the environment has what is exported, and nothing of the host', [
    [`x=1; export y=2; jq -nc '[env.x, $ENV.y, env.LOGNAME]'`, '[null,"2",null]\n'],
  ]);

  rows('dates go by the time zone of the shell', [
    [`jq -n '"2024-03-10T02:30:00Z" | fromdate'`, '1710037800\n'],
    [`jq -nc '"10 Mar 2024 5PM" | strptime("%d %b %Y %I%p")'`, '[2024,2,10,17,0,0,0,69]\n'],
    [`jq -nc '"Wed 2024-03-10" | strptime("%a %Y-%m-%d")'`, '[2024,2,10,0,0,0,3,69]\n'],
    [`TZ=America/New_York jq -nc '1e9 | localtime'`, '[2001,8,8,21,46,40,6,250]\n'],
    [`jq -n '0 | strftime("%Z %z"), (gmtime | strftime("%H %Z"))'`, '"UTC +0000"\n"00 UTC"\n'],
    [`TZ=America/New_York jq -n '0, 1e9 | strflocaltime("%H %Z")'`, '"19 EST"\n"21 EDT"\n'],
    [`TZ=Asia/Kathmandu jq -n '0 | localtime | strftime("%H")'`, '"05"\n'],
  ]);

  rows('exit statuses', [
    [`jq -e .a <<< '{"a":null}'`, 'null\n', 1],
    [`jq -e empty <<< 1`, '', 4],
    [`jq . none`, '', 2],
    [`jq . bad.json`, '', 5],
    [`jq '.[' a.json`, '', 3],
    [`jq '.a.b' a.json`, '', 5],
    [`jq -n '"bye\\n" | halt_error(7)'`, '', 7],
    [`jq --nonsense . a.json`, '', 2],
    [`jq -n --slurpfile x /etc/passwd '$x'`, '', 2],
    [`jq -n 'def f: f + 1; f'`, '', 134],
  ]);

  it('says what went wrong in its own words', async () => {
    expect((await shell.run('jq . none')).stderr).toBe(
      'jq: error: Could not open file none: No such file or directory\n',
    );
    expect((await shell.run(`jq -n 'def f: f + 1; f'`)).stderr).toBe(
      'jq: error: cannot allocate memory\n',
    );
  });

  it('a file that is refused is refused, with the reason', async () => {
    const refusing = doubleShell([jqShims], files);
    const read = refusing.fs.readFileBuffer.bind(refusing.fs);
    refusing.fs.readFileBuffer = async (path) => {
      if (path !== '/data/b.json') return read(path);
      throw new FsError('EACCES', { op: 'open', path, reason: 'a rule says no' });
    };
    const ran = await refusing.run('jq -c . a.json b.json');
    expect(ran).toEqual({
      stdout: '{"a":1}\n',
      stderr:
        'jq: error: Could not open file b.json: Permission denied\ndirigent: a rule says no\n',
      exitCode: 2,
    });
  });

  it('no run leaves anything to the next', async () => {
    await shell.run(`jq -n '[range(2e4)] | length, halt'`);
    await shell.run(`jq -n 'reduce range(2e4) as $i (null; [.])'`);
    expect((await shell.run('jq -c . a.json')).stdout).toBe('{"a":1}\n');
  });
});
