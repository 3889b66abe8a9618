/** How tool reads its input and hands it on: over a directory of tools in memory. */
import { expect, test } from 'vitest';
import { inProcessWorld } from '../../test/world/in-process.ts';

const SHOW = `# ---
# description: Shows its input
# input:
#   type: object
#   additionalProperties: false
#   properties:
#     text: { type: string }
#     count: { type: integer }
#     deep: { type: object }
#     list: { type: array }
#     loud: { type: boolean }
#     any: {}
#     none: { type: 'null' }
#     camelCase: { type: string }
# ---
echo "[$text|$count|$deep|$list|$loud|$any|$none|$camelCase]"; cat
`;
const STRICT = `# ---
# description: Wants a name
# input:
#   type: object
#   required: [who, age]
#   properties:
#     who: { type: string }
#     age: { type: integer }
# ---
exit 7
`;

const FREE = `# ---
# description: Takes anything
# input:
#   type: object
# ---
cat
`;

const files = {
  '/harness/tools/free.sh': FREE,
  '/harness/tools/show.sh': SHOW,
  '/harness/tools/strict.sh': STRICT,
  '/harness/tools/_part.sh': 'no tool\n',
  '/harness/tools/.hidden.sh': 'no tool\n',
  '/harness/tools/notes.md': 'no tool\n',
  '/harness/other.sh': SHOW,
};
const shell = await inProcessWorld({ roots: ['/harness', '/data'], files, cwd: '/data' });

const EMPTY = '[|||||||]\n{}\n';

test.each<[command: string, stdout: string]>([
  ['tool show', EMPTY],
  ["tool show '{}'", EMPTY],
  ['tool show --text 42', '[42|||||||]\n{"text":"42"}\n'],
  ['tool show --count 42', '[|42||||||]\n{"count":42}\n'],
  ['tool show --count=42 --text=', '[|42||||||]\n{"text":"","count":42}\n'],
  ['tool show --text=a=b', '[a=b|||||||]\n{"text":"a=b"}\n'],
  ["tool show --text=$'a\\nb'", '[a\nb|||||||]\n{"text":"a\\nb"}\n'],
  ['tool show --loud', '[||||true|||]\n{"loud":true}\n'],
  ['tool show --loud --text x', '[x||||true|||]\n{"text":"x","loud":true}\n'],
  ['tool show --loud=false', '[||||false|||]\n{"loud":false}\n'],
  [`tool show --deep '{"a":[1]}'`, '[||{"a":[1]}|||||]\n{"deep":{"a":[1]}}\n'],
  [`tool show --list '[1,"b"]'`, '[|||[1,"b"]||||]\n{"list":[1,"b"]}\n'],
  ['tool show --any 5', '[|||||5||]\n{"any":"5"}\n'],
  [`tool show '{"any":5,"none":null}'`, '[|||||5||]\n{"any":5,"none":null}\n'],
  ['tool free --x 1 --y=true', '{"x":"1","y":"true"}\n'],
  ['tool show --camelCase x', '[|||||||]\n{"camelCase":"x"}\n'],
])(
  '%s: fields are of the type that the header has, and variables in lower case',
  async (command, stdout) => {
    expect(await shell.run(command)).toEqual({ stdout, stderr: '', exitCode: 0 });
  },
);

test.each<[command: string, message: string]>([
  ['tool none', 'none: there is no /harness/tools/none.sh; "tool" lists the tools'],
  ['tool ../other', '../other: there is no /harness/tools/../other.sh; "tool" lists the tools'],
  ['tool show text', 'show: "text" should be --KEY VALUE, or one JSON object'],
  ['tool show --text a b', 'show: "b" should be --KEY VALUE, or one JSON object'],
  ['tool show --text', 'show: --text takes a value'],
  ['tool show -t a', 'show: "-t" should be --KEY VALUE, or one JSON object'],
  [`tool show '{}' x y`, 'show: one JSON object is taken (unexpected "x")'],
  ["tool show '{'", 'show: its input is no JSON: '],
  ['tool show --count x', 'show: count: '],
  ['tool show --toString 1', 'show: the input: '],
  ['tool strict', 'strict: who: '],
  ['tool strict --who x', 'strict: age: '],
])('%s is refused, and says why', async (command, message) => {
  const { stdout, stderr, exitCode } = await shell.run(command);
  expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 2 });
  expect(stderr.slice(0, message.length + 6)).toBe(`tool: ${message}`);
});

test('a refusal names each fault, and the input that there should be', async () => {
  const { stderr } = await shell.run('tool strict');
  expect(stderr).toMatch(
    /who: [^;]*; age: [^;]*; its input is \{"type":"object","required":\["who","age"\]/,
  );
});

test('the status is that of the script', async () => {
  expect((await shell.run('tool strict --who x --age 3')).exitCode).toBe(7);
});

test('the list has the scripts that are tools, and those that could be', async () => {
  expect(await shell.run('tool')).toEqual({
    stdout: 'free\tTakes anything\nshow\tShows its input\nstrict\tWants a name\n',
    stderr: '',
    exitCode: 0,
  });
  const bare = await inProcessWorld({ roots: ['/data'], cwd: '/data' });
  expect(await bare.run('tool')).toEqual({
    stdout: '',
    stderr: '',
    exitCode: 0,
  });
});

test.each([
  ['--help', 0],
  ['--nope', 2],
  ['-h', 2],
])('tool %s tells its use with status %i', async (option, status) => {
  const { stdout, stderr, exitCode } = await shell.run(`tool ${option}`);
  expect([stdout.slice(0, 11), stderr, exitCode]).toEqual(['usage: tool', '', status]);
});
