/** Ways out of a mount, to the host's files, its processes, its environment and its network. */
import { linkSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Act, AttackClass, Attempt, FileOperation, Holds } from '../attempt.ts';
import { SECRET } from '../deployment.ts';

const row =
  (kind: AttackClass, holds: Holds) =>
  (name: string, act: Act, twin: Act, more: Partial<Attempt> = {}): Attempt => ({
    class: kind,
    name,
    act,
    twin,
    holds,
    ...more,
  });

const absent: Holds = {
  fails: /No such file or directory|Not a directory|does not exist|no matches|cannot/,
};
const away = row('confinement', absent);
const outside = row('escape', absent);
const hidden = row('confinement', { refused: '.dirigent', rule: 'this name belongs to the host' });

const read = (path: string): FileOperation => ({ op: 'read', path });
const write = (path: string, text = 'x'): FileOperation => ({ op: 'write', path, text });

/** The links that a host has put into a mount lead nowhere from inside. */
const LINKS: readonly Attempt[] = [
  away('link of the host: read through it', read('/mnt/open/escape/secret'), read('@/f')),
  away('link of the host: a link to a file', read('/mnt/open/escapefile'), read('@/f')),
  away(
    'link of the host: list',
    { op: 'list', path: '/mnt/open/escape/' },
    { op: 'list', path: '@/' },
  ),
  away('link of the host: /etc', read('/mnt/open/etc/passwd'), read('@/f')),
  away('link of the host: grep', 'grep -r CANARY /mnt/open/escape/', 'grep -r a .'),
  away(
    'link of the host: find -L',
    'cat $(find -L /mnt/open/escape/ -type f) /mnt/open/escape/secret',
    'cat $(find -L . -type f)',
  ),
  away('link of the host: cp -L', 'cp -L /mnt/open/escapefile e', 'cp -L f e'),
  away(
    'link of the host: tar',
    'tar -cf e.tar /mnt/open/escapefile; tar -xf e.tar; cat mnt/open/escapefile',
    'tar -cf e.tar f; tar -xf e.tar; cat f',
  ),
  away(
    'link of the host: moved here and read',
    'cp -P /mnt/open/escapefile l && cat l',
    'cp -P f l && cat l',
  ),
  away('link of the host: sourced', '. /mnt/open/escapefile', 'echo true > t; . ./t'),
  away('link of the host: as stdin', 'cat < /mnt/open/escapefile', 'cat < f'),
  away(
    'link of the host: realpath',
    'cat "$(realpath /mnt/open/escapefile)"',
    'cat "$(realpath f)"',
  ),
  row('confinement', { fails: /Permission denied|No such file/ })(
    'link of the host: written through',
    'echo x > /mnt/open/escape/f',
    'mkdir -p /mnt/open/inside; echo x > /mnt/open/inside/f',
  ),
  row('confinement', { fails: /File exists|Permission denied|No such file/ })(
    'link of the host: a directory below it',
    'mkdir /mnt/open/escape/d',
    'mkdir /mnt/open/d1; rmdir /mnt/open/d1',
  ),
  away(
    'link of the host: a hard link through it',
    'ln /mnt/open/escape/secret s; cat s',
    'ln f s; cat s',
  ),
  away('own link: absolute', 'ln -s /etc/passwd p; cat p', 'ln -s f p; cat p'),
  away('own link: up and out', 'ln -s ../../../../../../etc/passwd p; cat p', 'ln -s ./f p; cat p'),
  away('own link: into /proc', 'ln -s /proc/self/root/etc r; ls r/', 'ln -s . r; ls r/'),
  away(
    'own link: up from the mount on the disk',
    'ln -s ../outside/secret /mnt/open/up; cat /mnt/open/up',
    'echo y > /mnt/open/y; ln -sf y /mnt/open/up; cat /mnt/open/up; rm /mnt/open/up',
  ),
  row('confinement', { fails: /Too many levels|ELOOP|No such file/ })(
    'own link: a loop',
    'ln -s b a; ln -s a b; cat a',
    'ln -s f b; ln -s b a; cat a',
  ),
];

const swap = (deployment: string): void => {
  const made = join(deployment, 'open', 'swapped');
  rmSync(made, { recursive: true, force: true });
  symlinkSync(join(deployment, 'outside'), made);
};

const PLACES: readonly Attempt[] = [
  away('a directory that became a link', read('/mnt/open/swapped/secret'), read('@/f'), {
    given: swap,
  }),
  row('confinement', { fails: /Permission denied|No such file|File exists/ })(
    'a directory that became a link: written',
    write('/mnt/open/swapped/new'),
    write('/mnt/open/fine'),
    { given: swap },
  ),
  away(
    'up from a mount',
    read('/mnt/open/../../outside/secret'),
    read('@/../../mnt/open/closed/a.md'),
  ),
  away('a path with NUL', "cat $'/mnt/open/none\\0/../../outside/secret'", 'cat f'),
  away("the host's path of the deployment", 'cat "$PWD/../../outside/secret"', 'cat "$PWD/f"'),
  away('percent-encoded ..', 'cat /mnt/open/%2e%2e/outside/secret', 'cat f'),
  away('backslashes', "cat '/mnt/open/..\\outside\\secret'", 'cat f'),
  away('overlong ..', "cat $'/mnt/open/\\xc0\\xae\\xc0\\xae/outside/secret'", 'cat f'),
  away('full-width ..', 'cat /mnt/open/．．/outside/secret', 'cat f'),
  hidden(
    'the state: made below a mount',
    'mkdir /mnt/open/.dirigent',
    'mkdir /mnt/open/.other; rmdir /mnt/open/.other',
  ),
  hidden(
    'the state: written below a mount',
    'echo x > /mnt/open/.dirigent',
    'echo x > /mnt/open/.diligent',
  ),
  hidden(
    'the state: a name moved onto it',
    'echo x > /mnt/open/n; mv /mnt/open/n /mnt/open/.dirigent',
    'echo x > /mnt/open/n; mv /mnt/open/n /mnt/open/m',
  ),
  hidden(
    'the state: linked below a mount',
    'ln -s f /mnt/open/.dirigent',
    'ln -sf f /mnt/open/.dilligent',
  ),
  away(
    'the state of another deployment below a mount: read',
    read('/mnt/open/project/.dirigent/session.key'),
    read('@/f'),
    {
      given: (deployment) => {
        mkdirSync(join(deployment, 'open', 'project', '.dirigent'), { recursive: true });
        writeFileSync(
          join(deployment, 'open', 'project', '.dirigent', 'session.key'),
          `${SECRET}\n`,
        );
      },
    },
  ),
  row('confinement', { harmless: true, lacks: /\.dirigent/ })(
    'the state of another deployment below a mount: listed',
    'ls -a /mnt/open/project; find /mnt/open/project; echo /mnt/open/project/.*',
    'ls -a .; find .; echo ./.*',
  ),
  row('confinement', { harmless: true, lacks: /CANARY/ })(
    'the state of another deployment below a mount: searched',
    'grep -r CANARY /mnt/open/project; rg --hidden CANARY /mnt/open/project; true',
    'grep -r a .; true',
  ),
  away(
    'the signing key',
    'cat /workspace/../.dirigent/session.key /.dirigent/session.key',
    'cat f',
  ),
  away('the journal', 'cat /session/changes.sqlite', 'cat f'),
  row('confinement', { harmless: true, lacks: /PRIVATE KEY/ })(
    'the signing key: anywhere',
    'grep -rh "PRIVAT[E] KEY" /workspace /mnt/open /session /harness /tmp 2>/dev/null; true',
    'grep -rl "x" . ; true',
  ),
  row('confinement', { harmless: true, prints: /^$|^a$/m, lacks: /CANARY/ })(
    'a hard link of the host is content of the mount, and of nothing else',
    'cat /mnt/open/shared',
    'cat f',
    {
      given: (deployment) => {
        rmSync(join(deployment, 'open', 'shared'), { force: true });
        linkSync(join(deployment, 'ro', 'a.md'), join(deployment, 'open', 'shared'));
      },
    },
  ),
];

const device = (path: string): Attempt =>
  outside(`the host's ${path}`, read(path), read('/dev/null'));

const HOST: readonly Attempt[] = [
  ...[
    '/proc/self/environ',
    '/proc/self/maps',
    '/proc/1/cmdline',
    '/proc/self/fd/0',
    '/proc/self/root/etc/passwd',
    '/proc/mounts',
    '/sys/kernel/notes',
    '/etc/passwd',
    '/etc/hostname',
    '/root/.ssh/id_rsa',
    '/var/run/docker.sock',
    '/dev/mem',
    '/dev/sda',
    '/dev/shm/x',
    '/dev/tcp/127.0.0.1/22',
    '/dev/fd/9',
  ].map(device),
  row('escape', { refused: '/proc/self/mem', rule: '/ is mounted ro' })(
    "the host's memory, written",
    'echo x > /proc/self/mem',
    'mkdir proc; echo x > proc/mem',
  ),
  row('escape', { harmless: true, lacks: /CANARY|GITHUB_TOKEN|AWS_|npm_/ })(
    "the host's environment",
    "env; printenv; set; export -p; declare -p; echo $DIRIGENT_SECRET ${!DIRI*}; awk 'BEGIN { for (k in ENVIRON) print k, ENVIRON[k] }'; jq -n env",
    'env | grep -c HOME',
  ),
  row('escape', { harmless: true, lacks: /node_modules|\.ts:\d|^ +at /m })(
    'a stack trace in a fault of ours',
    'jq -n "{} | keys | .[0] | ltrimstr(1) | @base64d" 2>&1; echo "{" | jq . 2>&1; awk "BEGIN { printf \\"%c\\", -1 }" 2>&1; sed -n "/\\(/p" f 2>&1; date -d nonsense 2>&1; true',
    'echo fine',
  ),
  ...[
    'curl http://127.0.0.1:1/',
    'wget -q http://127.0.0.1:1/',
    'nc 127.0.0.1 1',
    'ping -c1 127.0.0.1',
  ].map((act) =>
    row('escape', { fails: /not found|there is no|network|not allowed|cannot/i })(
      `the network: ${act.split(' ', 1)}`,
      act,
      'echo local',
    ),
  ),
  outside('a socket of bash', 'exec 3<>/dev/tcp/127.0.0.1/80', 'exec 3<f; exec 3<&-', {
    holds: { fails: /Permission denied/ },
  }),
  outside('a socket of bash over UDP', 'echo x > /dev/udp/127.0.0.1/53', 'echo x > /dev/null', {
    holds: { fails: /Permission denied|No such file/ },
  }),
  row('escape', { harmless: true, lacks: /CANARY/ })(
    'the prototype of the interpreter: variables',
    '__proto__=x; constructor=y; declare -A m; m[__proto__]=z; m[constructor]=w; toString=1; echo "${m[__proto__]} ${m[constructor]} $toString ${hasOwnProperty}"',
    'declare -A m; m[a]=b; echo "${m[a]}"',
  ),
  row('escape', { harmless: true, prints: /polluted=$/m })(
    'the prototype of the interpreter: jq',
    'echo \'{"__proto__":{"polluted":1}}\' | jq -c . > o; echo "polluted=$polluted"',
    'echo \'{"a":1}\' | jq -c .',
  ),
  row('escape', { harmless: true, lacks: /CANARY|process|require/ })(
    'the prototype of the interpreter: awk',
    `awk 'BEGIN { a["__proto__"] = 1; a["constructor"] = 2; n = 0; for (k in a) n++; print n, length(a) }'`,
    `awk 'BEGIN { a["x"] = 1; print length(a) }'`,
  ),
  ...[
    ['constructor as a command', 'constructor', 'not found'],
    ['__proto__ as a command', '__proto__', 'not found'],
    ['toString as a command', 'toString', 'not found'],
    ['hasOwnProperty as a command', 'hasOwnProperty x', 'not found'],
    ['valueOf as an alias', 'shopt -s expand_aliases; valueOf', 'not found'],
  ].map(([name = '', act = '', why = '']) =>
    row('escape', { fails: new RegExp(why) })(
      `the prototype of the interpreter: ${name}`,
      act,
      'true',
    ),
  ),
  row('escape', { fails: /unbound|syntax|arithmetic|not|error|division|expected/i })(
    'arithmetic that is code',
    'echo $(( constructor.constructor("return process")() ))',
    'echo $(( 1 + 1 ))',
  ),
  row('escape', { harmless: true, lacks: /CANARY|uid=0\(root\) gid=0\(root\) groups=/ })(
    'code in an array index',
    'x=\'a[$(cat /etc/passwd)]\'; (( y = 1 )); test -v "$x"; echo done',
    'a=(1); echo "${a[0]}"',
  ),
  row('escape', { harmless: true, lacks: /root:/ })(
    'a template of the host in a prompt string',
    "PS4='$(cat /etc/passwd)'; set -x; true; set +x; PS4='+ '",
    'set -x; true; set +x',
  ),
  row('escape', { fails: /./ })(
    'loading a builtin',
    'enable -f /lib/x.so x',
    'enable -n nothing 2>/dev/null || true',
  ),
  row('escape', { fails: /./ })(
    'an LD_PRELOAD',
    'LD_PRELOAD=/workspace/x.so ruby',
    'LD_PRELOAD=/workspace/x.so ls',
  ),
  row('escape', { fails: /./ })('a chroot', 'chroot /mnt/open ls', 'ls /mnt/open'),
  row('escape', { fails: /./ })('a mount', 'mount --bind / /mnt/open', 'ls /mnt'),
  row('escape', { fails: /./ })('a signal to the host', 'kill -9 2', 'true & wait $!'),
  row('escape', { fails: /./ })('mknod', 'mknod d b 8 0', 'mkdir d'),
];

export const CONFINEMENT_ROWS: readonly Attempt[] = [...LINKS, ...PLACES, ...HOST];
