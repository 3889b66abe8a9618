/** The arguments of the commands that put an agent to work, or open a door to others. */
import { describe, expect, test } from 'vitest';
import { parsed, refusal, WORLD } from './testing.ts';

const AGENT = {
  ...WORLD,
  agent: undefined,
  model: undefined,
  session: undefined,
  latest: false,
  server: undefined,
  plan: false,
};
const RUN = { action: 'run', ...AGENT, prompt: undefined, cite: false };
const CHAT = { action: 'chat', ...AGENT };
const MCP = {
  action: 'mcp',
  ...WORLD,
  agent: undefined,
  session: undefined,
  port: undefined,
  token: undefined,
  clients: undefined,
  issuer: undefined,
  plan: false,
};
const MOUNT = { action: 'mount', ...WORLD, command: [], agent: undefined, session: undefined };
const SCHEDULE = { action: 'schedule', ...WORLD, verb: 'list', names: [] };
const MEMORY = { action: 'memory', ...WORLD, mount: undefined, sources: [], model: undefined };
const SSH = {
  action: 'ssh',
  ...WORLD,
  port: 2222,
  host: '127.0.0.1',
  authorizedKeys: undefined,
};
const ACP = { action: 'acp', ...WORLD, agent: undefined, model: undefined, editor: undefined };
const SERVE = {
  action: 'serve',
  ...WORLD,
  token: null,
  host: '127.0.0.1',
  port: 7070,
  origins: [],
  turns: undefined,
  stdio: false,
  mcp: undefined,
  ssh: undefined,
  authorizedKeys: undefined,
};
const APPROVALS = {
  action: 'approvals',
  ...WORLD,
  verb: 'list',
  ids: [],
  last: false,
  all: false,
  scope: undefined,
  prefix: undefined,
};
const QUESTIONS = {
  action: 'questions',
  ...WORLD,
  verb: 'list',
  ids: [],
  answer: undefined,
  last: false,
  all: false,
};
const HARNESS = {
  action: 'harness',
  ...WORLD,
  verb: 'check',
  paths: [],
  digest: undefined,
  yes: false,
};

describe('what is typed is what is done:', () => {
  test.each<[string, object]>([
    ['run', RUN],
    ["run 'say it'", { ...RUN, prompt: 'say it' }],
    [
      'run -c --plan --cite --json --agent a --model m hi',
      {
        ...RUN,
        latest: true,
        plan: true,
        cite: true,
        json: true,
        agent: 'a',
        model: 'm',
        prompt: 'hi',
      },
    ],
    ['run --session 01 --dry-run', { ...RUN, session: '01', dryRun: true }],
    ['run --server http://h hi', { ...RUN, server: 'http://h', prompt: 'hi' }],
    ['chat', CHAT],
    ['chat --continue --agent a', { ...CHAT, latest: true, agent: 'a' }],
    ['chat --server http://h --plan', { ...CHAT, server: 'http://h', plan: true }],
    ['mcp', MCP],
    ['mcp --agent a --session 01 --plan', { ...MCP, agent: 'a', session: '01', plan: true }],
    ['mcp --http 0 --token t', { ...MCP, port: 0, token: 't' }],
    ['mcp --http 65535', { ...MCP, port: 65_535 }],
    ['mcp --http 1 --clients f --issuer i', { ...MCP, port: 1, clients: 'f', issuer: 'i' }],
    ['mount d', { ...MOUNT, directory: 'd' }],
    [
      'mount d --agent a -- ls -l --agent b',
      { ...MOUNT, directory: 'd', agent: 'a', command: ['ls', '-l', '--agent', 'b'] },
    ],
    ['mount --session 01 d', { ...MOUNT, directory: 'd', session: '01' }],
    ['schedule', SCHEDULE],
    ['schedule show a', { ...SCHEDULE, verb: 'show', names: ['a'] }],
    ['schedule rm a b', { ...SCHEDULE, verb: 'rm', names: ['a', 'b'] }],
    ['schedule run', { ...SCHEDULE, verb: 'run' }],
    ['schedule run a b', { ...SCHEDULE, verb: 'run', names: ['a', 'b'] }],
    ['memory refresh', MEMORY],
    ['memory refresh /m --model x', { ...MEMORY, mount: '/m', model: 'x' }],
    ['memory refresh /m /m/a /m/b', { ...MEMORY, mount: '/m', sources: ['/m/a', '/m/b'] }],
    ['ssh', SSH],
    [
      'ssh -p 0 --host ::1 --authorized-keys k',
      { ...SSH, port: 0, host: '::1', authorizedKeys: 'k' },
    ],
    ['ssh --port 65535', { ...SSH, port: 65_535 }],
    ['acp', ACP],
    ['acp --editor ro --agent a --model m', { ...ACP, editor: 'ro', agent: 'a', model: 'm' }],
    ['acp --editor rw', { ...ACP, editor: 'rw' }],
    ['shim install', { action: 'shim', verb: 'install', directory: undefined }],
    ['shim uninstall --dir d', { action: 'shim', verb: 'uninstall', directory: 'd' }],
    ['serve', SERVE],
    ['serve --stdio --turns 64', { ...SERVE, stdio: true, turns: 64 }],
    ['serve --turns 1 --port 65535', { ...SERVE, turns: 1, port: 65_535 }],
    [
      'serve --mcp 0 --ssh 22 --authorized-keys k',
      { ...SERVE, mcp: 0, ssh: 22, authorizedKeys: 'k' },
    ],
    [
      'serve --host :: --port 0 --origin https://a.b --origin http://c:80/',
      { ...SERVE, host: '::', port: 0, origins: ['https://a.b', 'http://c'] },
    ],
    ['serve token', { ...SERVE, token: { verb: 'list' } }],
    ['serve token list', { ...SERVE, token: { verb: 'list' } }],
    ['serve token remove n', { ...SERVE, token: { verb: 'remove', name: 'n' } }],
    [
      'serve token add n',
      { ...SERVE, token: { verb: 'add', name: 'n', role: 'user', agent: null } },
    ],
    [
      'serve token add n --role approver --agent a',
      { ...SERVE, token: { verb: 'add', name: 'n', role: 'approver', agent: 'a' } },
    ],
    ['approvals', APPROVALS],
    ['approvals list --all', { ...APPROVALS, all: true }],
    ['approvals show --last', { ...APPROVALS, verb: 'show', last: true }],
    [
      'approvals allow a b --scope path',
      { ...APPROVALS, verb: 'allow', ids: ['a', 'b'], scope: 'path' },
    ],
    [
      'approvals allow a --prefix /p',
      { ...APPROVALS, verb: 'allow', ids: ['a'], scope: 'prefix', prefix: '/p' },
    ],
    ['approvals deny --last', { ...APPROVALS, verb: 'deny', last: true }],
    ['questions', QUESTIONS],
    ['questions list --all', { ...QUESTIONS, all: true }],
    ['questions show a', { ...QUESTIONS, verb: 'show', ids: ['a'] }],
    [
      'questions answer a yes and no',
      { ...QUESTIONS, verb: 'answer', ids: ['a'], answer: 'yes and no' },
    ],
    ['questions answer --last yes', { ...QUESTIONS, verb: 'answer', last: true, answer: 'yes' }],
    ['questions decline a b', { ...QUESTIONS, verb: 'decline', ids: ['a', 'b'] }],
    ['harness', HARNESS],
    ['harness diff a b --json', { ...HARNESS, verb: 'diff', paths: ['a', 'b'], json: true }],
    [
      'harness accept a --digest AB -y',
      { ...HARNESS, verb: 'accept', paths: ['a'], digest: 'ab', yes: true },
    ],
    ['harness accept a b', { ...HARNESS, verb: 'accept', paths: ['a', 'b'] }],
    ['harness reject a', { ...HARNESS, verb: 'reject', paths: ['a'] }],
  ])('%s', (line, invocation) => expect(parsed(line)).toEqual(invocation));
});

const PORT = 'use 0 to 65535 (0 takes a free one)';
const OWN_WORLD =
  'the server has a world of its own: with --server leave --mount, --deployment and --dry-run out';
const BOTH =
  '--continue goes on with the last conversation, --session with one that is named: give one of them';
const NOTHING_LISTENS =
  'with --stdio nothing listens: leave --host, --port, --origin, --mcp and --ssh out';

describe('what cannot be done is said with what is allowed:', () => {
  test.each<[string, string]>([
    ['run a b c', 'give the prompt as one argument, in quotes (unexpected "b c")'],
    ["run ' '", 'the prompt is empty'],
    [
      'run --cite --server http://h',
      '--cite checks citations in a world of this process: leave it or --server out',
    ],
    ['run -c --session a', BOTH],
    ['chat -c --session a', BOTH],
    ['run --server h --mount /a=b', OWN_WORLD],
    ['run --server h --dry-run', OWN_WORLD],
    ['run --server h --deployment d', OWN_WORLD],
    ['chat --server h --no-deployment', OWN_WORLD],
    ['chat what now', `chat takes no operand; "dirigent run 'what now'" asks once`],
    ['mcp a', 'mcp takes no operand (unexpected "a")'],
    ['mcp --http x', `--http "x" is no port; ${PORT}`],
    ['mcp --http 65536', `--http "65536" is no port; ${PORT}`],
    ['mcp --http 1.5', `--http "1.5" is no port; ${PORT}`],
    ['mcp --token t', '--token is for --http: on stdio nobody else can speak'],
    ['mcp --clients f', '--clients is for --http: on stdio there is one client'],
    [
      'mcp --http 0 --clients f --token t',
      'the file of --clients says who has which token, and which agent: leave --token and --agent out',
    ],
    [
      'mcp --http 0 --clients f --agent a',
      'the file of --clients says who has which token, and which agent: leave --token and --agent out',
    ],
    [
      'mcp --http 0 --issuer i',
      '--issuer is for --clients: its file says whom the subjects and scopes of tokens stand for',
    ],
    ['mount', 'say where: DIR is an empty directory of this machine'],
    ['mount a b', 'one DIR is allowed (unexpected "b"); a program to run in it is named behind --'],
    ['mount a --', 'behind -- stands the program to run; leave -- out to run none'],
    ['mount -- ls', 'say where: DIR is an empty directory of this machine'],
    ['schedule list a', 'list takes no NAME (unexpected "a")'],
    ['schedule show', 'show takes one NAME; "dirigent schedule list" names them'],
    ['schedule show a b', 'show takes one NAME; "dirigent schedule list" names them'],
    ['schedule rm', 'rm takes one NAME or more; "dirigent schedule list" names them'],
    ['memory', 'say what to do; use refresh'],
    ['memory frob', '"frob" is not allowed; use refresh'],
    ['memory refresh /m /n/a', '/n/a is not in /m; name files by their whole path'],
    ['memory refresh /m /ma', '/ma is not in /m; name files by their whole path'],
    ['ssh a b', 'ssh takes no operand (unexpected "a b")'],
    ['ssh -p 65536', `--port "65536" is no port; ${PORT}`],
    ['acp a', 'acp takes no operand (unexpected "a")'],
    ['acp --editor x', '--editor "x" is no mode; use ro or rw'],
    ['shim', 'say what to do: install or uninstall'],
    ['shim install a', 'install takes no operand (unexpected "a")'],
    ['shim install --dir=', '--dir takes a directory'],
    ['serve frob', '"frob" is not allowed; use token'],
    ['serve token list a', 'token list takes no NAME (unexpected "a")'],
    ['serve token add', 'token add takes the NAME of somebody'],
    ['serve token remove', 'token remove takes the NAME of somebody'],
    ['serve token add a b', 'token add takes one NAME (unexpected "b")'],
    ['serve token frob', 'token "frob" is not allowed; use list, add NAME or remove NAME'],
    [
      'serve token add a --role king',
      '--role king is not allowed; use viewer, user, approver, owner',
    ],
    ['serve token remove a --role user', '--role and --agent are for "token add"'],
    ['serve --agent a', '--role and --agent are for "token add"'],
    ['serve --stdio --host h', NOTHING_LISTENS],
    ['serve --stdio --port 1', NOTHING_LISTENS],
    ['serve --stdio --origin http://h', NOTHING_LISTENS],
    ['serve --stdio --mcp 1', NOTHING_LISTENS],
    ['serve --stdio --ssh 1', NOTHING_LISTENS],
    ['serve --authorized-keys k', '--authorized-keys is for --ssh PORT'],
    ['serve --port 65536', `--port "65536" is no port; ${PORT}`],
    ['serve --mcp x', `--mcp "x" is no port; ${PORT}`],
    ['serve --ssh x', `--ssh "x" is no port; ${PORT}`],
    ['serve --turns 0', '--turns takes a whole number from 1 to 64, not "0"'],
    ['serve --turns 65', '--turns takes a whole number from 1 to 64, not "65"'],
    ...['x', 'ftp://a', 'http://a/b', 'http://a?q', 'http://a#h'].map(
      (origin): [string, string] => [
        `serve --origin ${origin}`,
        `--origin "${origin}" is no origin; write it as a browser does: https://desk.example.com`,
      ],
    ),
    ['approvals show a --all', '--all belongs to list: each is answered by its ID'],
    ['approvals allow a --scope frob', '--scope frob is not allowed; use once, path, prefix'],
    ['approvals deny a --scope once', '--scope and --prefix belong to allow'],
    ['approvals deny a --prefix /p', '--scope and --prefix belong to allow'],
    ['approvals allow a --prefix p', '--prefix p should be an absolute path'],
    [
      'approvals allow',
      'allow takes one ID or more, or --last; "dirigent approvals list" names them',
    ],
    ['questions show a --all', '--all belongs to list: each is answered by its ID'],
    [
      'questions answer',
      'answer takes one ID or more, or --last; "dirigent questions list" names them',
    ],
    [
      'questions answer a',
      'answer takes the ID and the answer; decline says that you do not want to give one',
    ],
    [
      "questions answer a ' '",
      'answer takes the ID and the answer; decline says that you do not want to give one',
    ],
    [
      'questions answer --last',
      'answer takes the ID and the answer; decline says that you do not want to give one',
    ],
    ['harness check a', 'check takes no path (unexpected "a")'],
    ['harness accept', 'accept takes one path or more; "dirigent harness diff" names them'],
    ['harness reject', 'reject takes one path or more; "dirigent harness diff" names them'],
    ['harness diff --digest a', '--digest and --yes belong to accept'],
    ['harness reject a --yes', '--digest and --yes belong to accept'],
    ['harness accept a b --digest d', '--digest is of one PATH'],
  ])('%s', (line, message) => {
    expect(refusal(line)).toEqual({ topic: line.split(' ')[0], message });
  });
});
