/** What the command line makes of its arguments, and what it says of those that it refuses. */
import { describe, expect, test } from 'vitest';
import { either } from './arguments.ts';
import { commandNames } from './commands.ts';
import { parsed, refusal, WORLD } from './testing.ts';

/** What the commands that only read the deployment's files have. */
const { mounts: _, dryRun: __, ...PLACE } = WORLD;

const SESSION = {
  action: 'session',
  ...PLACE,
  verb: 'ls',
  session: undefined,
  operands: [],
  at: undefined,
  inPlace: false,
  all: false,
  keys: [],
  rotate: false,
  proof: false,
  output: undefined,
  days: 7,
  dryRun: false,
};

const SH = {
  action: 'sh',
  ...WORLD,
  session: undefined,
  keep: false,
  command: undefined,
  file: undefined,
};
const CHANGES = {
  action: 'changes',
  ...WORLD,
  verb: 'list',
  ids: [],
  all: false,
  last: false,
  yes: false,
};
const INIT = {
  action: 'init',
  ...WORLD,
  given: { mounts: [], deployment: null },
  directory: undefined,
  yes: false,
  services: [],
  typescript: false,
};

describe('what is typed is what is done:', () => {
  test.each<[string, object]>([
    ['sh', SH],
    ['sh -c ls', { ...SH, command: 'ls' }],
    ['sh --command ls --keep --session 01', { ...SH, command: 'ls', keep: true, session: '01' }],
    ['sh script.sh --json', { ...SH, file: 'script.sh', json: true }],
    ['sh --dry-run', { ...SH, dryRun: true }],
    [
      'sh --mount /a=x --mount /b=y --deployment d',
      {
        ...SH,
        mounts: ['/a=x', '/b=y'],
        deployment: 'd',
        given: { mounts: ['/a=x', '/b=y'], deployment: 'd' },
      },
    ],
    ['sh --no-deployment', { ...SH, given: { mounts: [], deployment: null } }],
    ['changes', CHANGES],
    ['changes list', CHANGES],
    ['changes show a', { ...CHANGES, verb: 'show', ids: ['a'] }],
    ['changes show --last', { ...CHANGES, verb: 'show', last: true }],
    ['changes apply a b --yes', { ...CHANGES, verb: 'apply', ids: ['a', 'b'], yes: true }],
    ['changes apply -y --all', { ...CHANGES, verb: 'apply', all: true, yes: true }],
    ['changes drop --all', { ...CHANGES, verb: 'drop', all: true }],
    ['changes drop --last', { ...CHANGES, verb: 'drop', last: true }],
    ['changes settle --all', { ...CHANGES, verb: 'settle', all: true }],
    ['sync', { action: 'sync', ...WORLD, path: '/' }],
    ['sync /mnt/docs', { action: 'sync', ...WORLD, path: '/mnt/docs' }],
    ['index --json', { action: 'index', ...WORLD, json: true, path: '/' }],
    ['verify', { action: 'verify', ...WORLD, answer: undefined, certify: false }],
    ['verify a.md --certify', { action: 'verify', ...WORLD, answer: 'a.md', certify: true }],
    [
      'verify - --json',
      { action: 'verify', ...WORLD, json: true, answer: undefined, certify: false },
    ],
    ['doctor --json', { action: 'doctor', ...WORLD, json: true }],
    ['doors', { action: 'doors', ...PLACE }],
    ['doors --json --json', { action: 'doors', ...PLACE, json: true }],
    ['completion zsh', { action: 'completion', shell: 'zsh' }],
    ['create mount tracker-mount', { action: 'create', verb: 'mount', name: 'tracker-mount' }],
    ['create mount @you/a.b_c', { action: 'create', verb: 'mount', name: '@you/a.b_c' }],
    [`create mount ${'a'.repeat(214)}`, { action: 'create', verb: 'mount', name: 'a'.repeat(214) }],
    ['init', INIT],
    ['init dir -y --typescript', { ...INIT, directory: 'dir', yes: true, typescript: true }],
    [
      'init --service tracker=ENG --service pages',
      { ...INIT, services: [{ name: 'tracker', only: 'ENG' }, { name: 'pages' }] },
    ],
    ['session', SESSION],
    ['session ls --all', { ...SESSION, all: true }],
    ['session show', { ...SESSION, verb: 'show' }],
    ['session show 01 --at x', { ...SESSION, verb: 'show', session: '01', at: 'x' }],
    ['session tree --session 01', { ...SESSION, verb: 'tree', session: '01' }],
    ['session verify --all', { ...SESSION, verb: 'verify', all: true }],
    [
      'session verify p --key k --key l',
      { ...SESSION, verb: 'verify', session: 'p', keys: ['k', 'l'] },
    ],
    ['session fork --at x --in-place', { ...SESSION, verb: 'fork', at: 'x', inPlace: true }],
    [
      'session diff a b --session 01',
      { ...SESSION, verb: 'diff', session: '01', operands: ['a', 'b'] },
    ],
    ['session label a name', { ...SESSION, verb: 'label', operands: ['a', 'name'] }],
    ['session label a --remove', { ...SESSION, verb: 'label', operands: ['a'] }],
    ['session export --html 01', { ...SESSION, verb: 'export', session: '01' }],
    ['session export --proof -o f', { ...SESSION, verb: 'export', proof: true, output: 'f' }],
    ['session key --rotate', { ...SESSION, verb: 'key', rotate: true }],
    ['session rm a b --json', { ...SESSION, verb: 'rm', operands: ['a', 'b'], json: true }],
    ['session gc', { ...SESSION, verb: 'gc' }],
    ['session gc --days 1 --dry-run', { ...SESSION, verb: 'gc', days: 1, dryRun: true }],
    ['--version', { action: 'version' }],
    ['-V', { action: 'version' }],
    ['version', { action: 'version' }],
    ['--help', { action: 'help', topic: 'dirigent' }],
    ['-h', { action: 'help', topic: 'dirigent' }],
    ['help', { action: 'help', topic: 'dirigent' }],
    ['help sync', { action: 'help', topic: 'sync' }],
  ])('%s', (line, invocation) => expect(parsed(line)).toEqual(invocation));

  test.each(commandNames())('%s -h is its page, whatever else is typed', (name) => {
    expect(parsed(`${name} -h`)).toEqual({ action: 'help', topic: name });
    expect(parsed(`${name} --help a b`)).toEqual({ action: 'help', topic: name });
  });
});

describe('what cannot be done is said with what is allowed:', () => {
  const PACKAGE = 'use small letters, digits and -, such as tracker-mount or @you/tracker-mount';
  const IDS = '"dirigent changes list" names them';
  test.each<[string, string, string]>([
    ['', 'dirigent', `say what to do: ${either(commandNames())}`],
    [
      'frob',
      'dirigent',
      `there is no command "frob" here; use ${either([...commandNames(), '--help', '--version'])}`,
    ],
    [
      '--frob',
      'dirigent',
      `there is no option --frob here; use ${either([...commandNames(), '--help', '--version'])}`,
    ],
    [
      'help frob',
      'dirigent',
      `there is no help on "frob"; there is on ${commandNames().join(', ')}`,
    ],
    ['sh -c ls f', 'sh', 'give -c COMMAND or FILE, not both (unexpected "f")'],
    ['sh a b c', 'sh', 'one FILE is allowed (unexpected "b c")'],
    ['sh --deployment d --no-deployment', 'sh', 'give --deployment or --no-deployment, not both'],
    ['sh --session a --session b', 'sh', '--session is given twice'],
    ['sh -c a --command b', 'sh', '--command is given twice'],
    [
      'doors --frob',
      'doors',
      "Unknown option '--frob'; allowed: --deployment, --no-deployment, --json, -h, --help",
    ],
    [
      'doors --jsn',
      'doors',
      "Unknown option '--jsn' (did you mean --json?); allowed: --deployment, --no-deployment, --json, -h, --help",
    ],
    [
      'doors -x',
      'doors',
      "Unknown option '-x'; allowed: --deployment, --no-deployment, --json, -h, --help",
    ],
    [
      'doors --json=1',
      'doors',
      "Option '--json' does not take an argument; allowed: --deployment, --no-deployment, --json, -h, --help",
    ],
    [
      'doors --deployment',
      'doors',
      "Option '--deployment <value>' argument missing; allowed: --deployment, --no-deployment, --json, -h, --help",
    ],
    ['doors a b', 'doors', 'no operand is allowed (unexpected "a b")'],
    ['doctor a b', 'doctor', 'no operand is allowed (unexpected "a b")'],
    ['changes frob', 'changes', '"frob" is not allowed; use list, show, apply, drop, settle'],
    [
      'changes aply',
      'changes',
      '"aply" is not allowed (did you mean apply?); use list, show, apply, drop, settle',
    ],
    ['changes drop a --yes', 'changes', '--yes belongs to apply'],
    ['changes list --all', 'changes', '--all belongs to apply, drop and settle'],
    ['changes show --all', 'changes', '--all belongs to apply, drop and settle'],
    ['changes list --last', 'changes', '--last is for the other verbs; the newest is listed first'],
    [
      "changes list 'a b' c",
      'changes',
      `list takes no ID; "dirigent changes show 'a b'" shows one`,
    ],
    ['changes apply --all --last', 'changes', 'give --all or --last, not both'],
    ['changes apply --all a', 'changes', 'give ID or --all, not both'],
    ['changes apply --last a', 'changes', 'give ID or --last, not both'],
    ['changes show', 'changes', `show takes one ID, or --last; ${IDS}`],
    ['changes show a b', 'changes', `show takes one ID, or --last; ${IDS}`],
    ['changes show a --last', 'changes', 'give ID or --last, not both'],
    ['changes apply', 'changes', `apply takes one ID or more, or --last; ${IDS}`],
    ['changes settle', 'changes', `settle takes one ID or more, or --last; ${IDS}`],
    ['sync a', 'sync', 'PATH is absolute, such as /mnt/docs ("a" is not)'],
    ['index /a /b', 'index', 'one PATH is allowed (unexpected "/b")'],
    ['verify a b', 'verify', 'one ANSWER is allowed (unexpected "b")'],
    ['verify --certify --json', 'verify', 'give --certify or --json, not both'],
    ['completion', 'completion', 'say for which shell: bash, zsh, fish'],
    ['completion bash zsh', 'completion', 'one shell at a time (unexpected "zsh")'],
    [
      'completion ksh',
      'completion',
      '"ksh" is not allowed (did you mean zsh?); use bash, zsh, fish',
    ],
    ['create', 'create', 'say what to create: mount NAME'],
    ['create mount', 'create', 'mount takes the NAME of a package, such as tracker-mount'],
    ['create mount a b', 'create', 'one NAME is allowed (unexpected "b")'],
    ['create mount Upper', 'create', `"Upper" is no name of a package: ${PACKAGE}`],
    ['create mount 1a', 'create', `"1a" is no name of a package: ${PACKAGE}`],
    [
      `create mount ${'a'.repeat(215)}`,
      'create',
      `"${'a'.repeat(215)}" is no name of a package: ${PACKAGE}`,
    ],
    ['init a b', 'init', 'one DIR is allowed (unexpected "b")'],
    [
      'init --service traker',
      'init',
      '--service traker is not allowed (did you mean tracker?); use tracker, tracker=TEAM or pages',
    ],
    [
      'init --service tracker=eng',
      'init',
      '--service tracker=eng is not allowed; use tracker, tracker=TEAM or pages',
    ],
    [
      'init --service pages=x',
      'init',
      '--service pages=x is not allowed; use tracker, tracker=TEAM or pages',
    ],
    [
      'init --service mem',
      'init',
      '--service mem is not allowed; use tracker, tracker=TEAM or pages',
    ],
    [
      'init --service tracker --service tracker=ENG',
      'init',
      '--service tracker is given twice; further mounts go into the config',
    ],
    ['session show a b', 'session', 'show takes one SESSION'],
    ['session tree a b', 'session', 'tree takes one SESSION'],
    ['session verify a b', 'session', 'verify takes one SESSION'],
    ['session export a b --html', 'session', 'export takes one SESSION'],
    [
      'session show a --session b',
      'session',
      'give SESSION or --session, not both (unexpected "a")',
    ],
    ['session ls a', 'session', 'ls takes no operand (unexpected "a")'],
    ['session fork a --at x', 'session', 'fork takes no operand (unexpected "a")'],
    ['session gc a', 'session', 'gc takes no operand (unexpected "a")'],
    ['session key a', 'session', 'key takes no operand (unexpected "a")'],
    ['session rm', 'session', 'rm takes one SESSION or more; "dirigent session ls" names them'],
    ['session fork', 'session', 'fork needs --at ENTRY'],
    ['session diff a', 'session', 'diff takes two entries, A and B'],
    ['session diff a b c', 'session', 'diff takes two entries, A and B'],
    ['session label a', 'session', 'label takes ENTRY and NAME, or ENTRY and --remove'],
    ['session label a b --remove', 'session', 'label takes ENTRY and NAME, or ENTRY and --remove'],
    ['session export', 'session', 'say the format: export --html, or export --proof'],
    [
      'session export --html --proof',
      'session',
      'say the format: export --html, or export --proof',
    ],
    [
      'session export --proof',
      'session',
      'export --proof needs -o FILE: it is bytes for a program',
    ],
    ['session show --key k', 'session', '--key is for verify'],
    ['session verify --rotate', 'session', '--rotate is for key'],
    ['session gc --days 0', 'session', '--days takes a whole number from 1 on, not "0"'],
    ['session gc --days 1.5', 'session', '--days takes a whole number from 1 on, not "1.5"'],
  ])('%s', (line, topic, message) => {
    expect(refusal(line)).toEqual({ topic, message });
  });
});
