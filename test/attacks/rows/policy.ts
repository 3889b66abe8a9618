/** Ways to write what is not to be written from inside: the harness, the log, what the runtime keeps, the commands. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Act, Attempt, FileOperation, Holds } from '../attempt.ts';

const HARNESS = '/harness is mounted ro';
const SESSION = '/session is mounted ro';
const BIN = '/bin is mounted ro';

const row =
  (rule: string) =>
  (name: string, refused: string, act: Act, twin: Act, more: Partial<Attempt> = {}): Attempt => ({
    class: 'policy',
    name,
    act,
    twin,
    holds: { refused, rule },
    ...more,
  });
const harness = row(HARNESS);
const session = row(SESSION);
const bin = row(BIN);
const closed = row('policy closed');
const sandbox = row('policy sandbox workspace');

const write = (path: string, text = 'x'): FileOperation => ({ op: 'write', path, text });
const append = (path: string, text = 'x'): FileOperation => ({ op: 'append', path, text });
const at = (op: 'remove' | 'mkdir' | 'touch', path: string): FileOperation => ({ op, path });
const move = (path: string, to: string): FileOperation => ({ op: 'move', path, to });
const copy = (path: string, to: string): FileOperation => ({ op: 'copy', path, to });

const AGENTS = '/harness/AGENTS.md';
const POLICY = '/harness/policy.yaml';

const patch = (before: string, after: string, file: string): string =>
  `printf -- '--- a\\n+++ b\\n@@ -1 +1 @@\\n-${before}\\n+${after}\\n' | patch ${file}`;
const agentTool = (text: string): string =>
  `mkdir -p bin; printf '#!/bin/bash\\n${text}\\n' > bin/t; chmod +x bin/t; bin/t`;

const THE_HARNESS: readonly Attempt[] = [
  harness('harness: write', AGENTS, write(AGENTS), write('@/AGENTS.md')),
  harness('harness: write the policy', POLICY, write(POLICY), write('@/policy.yaml')),
  harness('harness: append', POLICY, append(POLICY), append('@/f')),
  harness(
    'harness: edit',
    AGENTS,
    { op: 'edit', path: AGENTS, old: '#x', text: '#y' },
    { op: 'edit', path: '@/f', old: 'a', text: 'b' },
  ),
  harness('harness: remove', POLICY, at('remove', POLICY), at('remove', '@/f')),
  harness('harness: mkdir', '/harness/stolen', at('mkdir', '/harness/stolen'), at('mkdir', '@/s')),
  harness('harness: touch', POLICY, at('touch', POLICY), at('touch', '@/f')),
  harness(
    'harness: chmod',
    POLICY,
    { op: 'chmod', path: POLICY, mode: 0o777 },
    { op: 'chmod', path: '@/f', mode: 0o777 },
  ),
  harness('harness: move onto', POLICY, move('@/f', POLICY), move('@/f', '@/g')),
  harness('harness: move away', POLICY, move(POLICY, '@/p'), move('@/f', '@/p')),
  harness('harness: copy onto', AGENTS, copy('@/f', AGENTS), copy('@/f', '@/g')),
  harness(
    'harness: hard link to it',
    AGENTS,
    { op: 'link', path: AGENTS, to: '@/hard' },
    { op: 'link', path: '@/f', to: '@/hard' },
  ),
  harness(
    'harness: a link in it',
    '/harness/way',
    { op: 'symlink', path: '/harness/way', to: '/workspace' },
    { op: 'symlink', path: '@/way', to: '/workspace' },
  ),
  harness('harness: ..', AGENTS, write('/harness/proposals/../AGENTS.md'), write('@/../up.txt')),
  harness('harness: tee', AGENTS, `echo x | tee ${AGENTS}`, 'echo x | tee a'),
  harness('harness: tee -a', POLICY, `echo x | tee -a ${POLICY}`, 'echo x | tee -a a'),
  harness('harness: sed -i', AGENTS, `sed -i s/x/b/ ${AGENTS}`, 'sed -i s/a/b/ f'),
  harness('harness: truncation', POLICY, `: > ${POLICY}`, ': > f'),
  harness('harness: truncate', POLICY, `truncate -s 0 ${POLICY}`, 'truncate -s 0 f'),
  harness(
    'harness: rm -rf of a part',
    '/harness/agents',
    'rm -rf /harness/agents',
    'mkdir d; rm -rf d',
  ),
  harness(
    'harness: rm -rf of all',
    '/harness/',
    'rm -rf /harness/*',
    'mkdir d; touch d/x; rm -rf d/*',
  ),
  harness(
    'harness: a link to a file of it',
    'way',
    `ln -s ${AGENTS} way; echo x > way`,
    'ln -s f way; echo x > way',
  ),
  harness(
    'harness: a link to its directory',
    'h/AGENTS.md',
    'ln -s /harness h; echo x > h/AGENTS.md',
    'mkdir e; ln -s e h; echo x > h/AGENTS.md',
  ),
  harness(
    'harness: a link over links',
    'c',
    'ln -s /harness a; ln -s a b; ln -s b/AGENTS.md c; echo x > c',
    'ln -s f b; ln -s b c; echo x > c',
  ),
  harness(
    'harness: .. from a link',
    'p/policy.yaml',
    'ln -s /harness/proposals/.. p; echo x > p/policy.yaml',
    'mkdir e; ln -s e/../e p; echo x > p/y',
  ),
  harness(
    'harness: a relative link',
    'r',
    'ln -s ../../harness/AGENTS.md r; echo x >> r',
    'ln -s ./f r; echo x >> r',
  ),
  harness(
    'harness: find -exec',
    AGENTS,
    "find /harness -name 'AGENTS.md' -exec sh -c 'echo x > \"$1\"' _ {} +",
    'find . -name f -exec sh -c \'echo x > "$1"\' _ {} +',
  ),
  harness('harness: find -delete', AGENTS, `find ${AGENTS} -delete`, 'find ./f -delete'),
  harness(
    'harness: xargs',
    AGENTS,
    `echo ${AGENTS} | xargs -I{} sh -c "echo x > {}"`,
    'echo f | xargs -I{} sh -c "echo x > {}"',
  ),
  harness(
    'harness: eval of parts',
    AGENTS,
    'p=/har; p+=ness; eval "echo x > $p/AGENTS.md"',
    'p=.; eval "echo x > $p/f"',
  ),
  harness(
    'harness: a script',
    AGENTS,
    `printf 'echo x > ${AGENTS}' > s.sh; bash s.sh`,
    "printf 'echo x > f' > s.sh; bash s.sh",
  ),
  harness(
    'harness: a sourced script',
    AGENTS,
    `printf 'echo x > ${AGENTS}' > s.sh; . ./s.sh`,
    "printf 'echo x > f' > s.sh; . ./s.sh",
  ),
  harness('harness: patch', AGENTS, patch('#x', '#y', AGENTS), patch('a', 'b', 'f')),
  harness('harness: sort -o', AGENTS, `sort -o ${AGENTS} f`, 'sort -o f f'),
  harness('harness: split', '/harness/', 'split -b 1 f /harness/x', 'split -b 1 f x'),
  harness(
    'harness: tar x',
    '/harness',
    'tar cf t.tar f; tar xf t.tar -C /harness',
    'tar cf t.tar f; mkdir o; tar xf t.tar -C o',
  ),
  harness(
    'harness: an awk',
    AGENTS,
    `awk 'BEGIN { print "x" > "${AGENTS}" }'`,
    `awk 'BEGIN { print "x" > "f" }'`,
  ),
  harness('harness: sed w', AGENTS, `sed -n 'w ${AGENTS}' f`, "sed -n 'w g' f"),
  harness('harness: a here-document', AGENTS, `cat > ${AGENTS} <<< x`, 'cat > g <<< x'),
  harness(
    'harness: a descriptor',
    AGENTS,
    `exec 7> ${AGENTS}; echo x >&7`,
    'exec 7> g; echo x >&7; exec 7>&-',
  ),
  harness('harness: both streams', AGENTS, `ls &> ${AGENTS}`, 'ls &> g'),
  harness(
    'harness: noclobber overridden',
    AGENTS,
    `set -C; echo x >| ${AGENTS}; r=$?; set +C; (exit $r)`,
    'set -C; echo x >| f; set +C',
  ),
  harness(
    'harness: a trap',
    AGENTS,
    `bash -c 'trap "echo x > ${AGENTS}" EXIT; exit 3'`,
    `bash -c 'trap "echo x > f" EXIT; exit 0'`,
  ),
  harness(
    'harness: in the background',
    AGENTS,
    `echo x > ${AGENTS} & wait $!`,
    'echo x > f & wait $!',
  ),
  harness(
    'harness: a subshell',
    AGENTS,
    `(cd /harness; echo x > AGENTS.md)`,
    '(cd /tmp; echo x > g)',
  ),
  harness('harness: a process substitution', AGENTS, `cp <(echo x) ${AGENTS}`, 'cp <(echo x) g'),
  harness(
    'harness: with the messages hidden',
    AGENTS,
    `echo x > ${AGENTS} 2>/dev/null`,
    'echo x > f 2>/dev/null',
  ),
  harness(
    'harness: with the status hidden',
    AGENTS,
    `echo x > ${AGENTS} 2>/dev/null || false`,
    'echo x > f || true',
  ),
  harness(
    'harness: a tool that the agent wrote',
    POLICY,
    agentTool(`echo x > ${POLICY}`),
    agentTool('echo x > f'),
  ),
  harness(
    'harness: its errors',
    '/harness/.errors',
    'echo fine > /harness/.errors',
    'echo fine > .errors',
  ),
  harness('harness: mktemp in it', '/harness/', 'mktemp -p /harness', 'mktemp -p .'),
  harness('harness: gzip', AGENTS, `gzip ${AGENTS}`, 'gzip f'),
  harness(
    'harness: unicode in the path',
    '/harness/',
    "echo x > $'/harness/AGENTS\\u2024md'",
    "echo x > $'AGENTS\\u2024md'",
  ),
];

const THE_LOG: readonly Attempt[] = [
  session(
    'log: append',
    '/session/log.jsonl',
    append('/session/log.jsonl', '{}\n'),
    append('@/log.jsonl', '{}\n'),
  ),
  session('log: write', '/session/log.jsonl', write('/session/log.jsonl'), write('@/log.jsonl')),
  session(
    'log: remove',
    '/session/log.jsonl',
    at('remove', '/session/log.jsonl'),
    at('remove', '@/f'),
  ),
  session(
    'log: move away',
    '/session/log.jsonl',
    move('/session/log.jsonl', '@/l'),
    move('@/f', '@/l'),
  ),
  session(
    'log: truncate',
    '/session/log.jsonl',
    'truncate -s 0 /session/log.jsonl',
    'truncate -s 0 f',
  ),
  session('log: a link', 'l', 'ln -s /session/log.jsonl l; echo x >> l', 'ln -s f l; echo x >> l'),
  session(
    'log: another session',
    '/session/past/',
    'echo x > /session/past/x',
    'mkdir past; echo x > past/x',
  ),
  session(
    'log: an entry',
    '/session/entries/x.json',
    write('/session/entries/x.json'),
    write('@/x.json'),
  ),
  session(
    'log: its signature',
    '/session/head.sig',
    write('/session/head.sig', '{}'),
    write('@/head.sig', '{}'),
  ),
  session(
    'usage',
    '/session/usage.json',
    write('/session/usage.json', '{}'),
    write('@/usage.json', '{}'),
  ),
  row('/session/approvals is mounted ro')(
    'approvals: an answer',
    '/session/approvals/x.md',
    write('/session/approvals/x.md', 'state: allowed'),
    write('@/x.md', 'state: allowed'),
  ),
  row('/session/approvals is mounted ro')(
    'approvals: removed',
    '/session/approvals/x.md',
    'rm -f /session/approvals/x.md; touch /session/approvals/x.md',
    'rm -f x.md; touch x.md',
  ),
  row('/session/changes is mounted ro')(
    'changes: a status',
    '/session/changes/x',
    at('mkdir', '/session/changes/x'),
    at('mkdir', '@/x'),
  ),
];

const THE_COMMANDS: readonly Attempt[] = [
  bin(
    'bin: replace a command',
    '/bin/grep',
    write('/bin/grep', '#!/bin/bash\n'),
    write('@/grep', '#!/bin/bash\n'),
  ),
  bin('bin: remove', '/bin/cat', at('remove', '/bin/cat'), at('remove', '@/f')),
  bin('bin: by its other name', '/usr/bin/cat', 'rm /usr/bin/cat', 'touch cat; rm cat'),
  bin('bin: a new command', '/bin/new', write('/bin/new'), write('@/new')),
  row('/ is mounted ro')(
    'root: a new directory',
    '/etc',
    at('mkdir', '/etc'),
    at('mkdir', '@/etc'),
  ),
  row('/ is mounted ro')('root: a new file', '/x', write('/x'), write('@/x')),
  row('/ is mounted ro')(
    'root: a mount point moved',
    '/workspace',
    'mv /workspace /tmp/w',
    'mkdir d; mv d /tmp/moved',
    { after: 'rm -r /tmp/moved', holds: { fails: /busy/ } },
  ),
];

const THE_RULES: readonly Attempt[] = [
  closed(
    'rule: write',
    '/mnt/open/closed/a.md',
    write('/mnt/open/closed/a.md'),
    write('/mnt/open/a.md'),
  ),
  closed(
    'rule: a new file',
    '/mnt/open/closed/new',
    write('/mnt/open/closed/new'),
    write('/mnt/open/new'),
  ),
  closed(
    'rule: remove',
    '/mnt/open/closed/a.md',
    at('remove', '/mnt/open/closed/a.md'),
    at('remove', '@/f'),
  ),
  closed(
    'rule: move away',
    '/mnt/open/closed/a.md',
    move('/mnt/open/closed/a.md', '@/m'),
    move('@/f', '@/m'),
  ),
  closed(
    'rule: move its directory',
    '/mnt/open/closed',
    'mv /mnt/open/closed /mnt/open/other',
    'mkdir /mnt/open/d; mv /mnt/open/d /mnt/open/other',
    { after: 'rmdir /mnt/open/other' },
  ),
  closed(
    'rule: remove its directory',
    '/mnt/open/closed',
    'rm -rf /mnt/open/closed',
    'mkdir /mnt/open/d; rm -rf /mnt/open/d',
  ),
  closed(
    'rule: a link to it',
    'l',
    'ln -s /mnt/open/closed/a.md l; echo x > l',
    'ln -s f l; echo x > l',
  ),
  closed(
    'rule: a link within the mount',
    '/mnt/open/way/a.md',
    'ln -sfn closed /mnt/open/way; echo x > /mnt/open/way/a.md',
    'mkdir -p /mnt/open/o; ln -sfn o /mnt/open/way; echo x > /mnt/open/way/a.md',
  ),
  closed(
    'rule: a second name',
    '/mnt/open/closed/a.md',
    'ln /mnt/open/closed/a.md /mnt/open/hard',
    'ln -f f hard',
  ),
  closed(
    'rule: ..',
    '/mnt/open/closed/a.md',
    write('/mnt/open/o/../closed/a.md'),
    write('/mnt/open/ro/../plain'),
  ),
  closed(
    'rule: doubled slashes',
    '/mnt/open/closed/a.md',
    'echo x > //mnt//open/./closed//a.md',
    'echo x > //mnt//open/./y',
  ),
  closed(
    'rule: cp -r over it',
    '/mnt/open/closed',
    'mkdir -p c/closed; echo x > c/closed/a.md; cp -r c/. /mnt/open/',
    'mkdir -p c/d; echo x > c/d/a.md; cp -r c/. /mnt/open/',
  ),
  row('policy no secrets')(
    'rule: read',
    '/mnt/open/secret/key',
    { op: 'read', path: '/mnt/open/secret/key' },
    { op: 'read', path: '@/f' },
  ),
  row('policy no secrets')(
    'rule: grep',
    '/mnt/open/secret/key',
    'grep -r . /mnt/open/secret',
    'grep -r . .',
  ),
  row('policy no secrets')(
    'rule: copy',
    '/mnt/open/secret/key',
    copy('/mnt/open/secret/key', '@/k'),
    copy('@/f', '@/k'),
  ),
  row('policy no secrets')(
    'rule: tar',
    '/mnt/open/secret',
    'tar cf s.tar /mnt/open/secret; tar xOf s.tar; false',
    'tar cf s.tar f; tar xOf s.tar',
  ),
  row('policy no secrets')(
    'rule: a link to it, read',
    'k',
    'ln -s /mnt/open/secret/key k; cat k',
    'ln -s f k; cat k',
  ),
  row('policy no secrets')(
    'rule: a redirection',
    '/mnt/open/secret/key',
    'read x < /mnt/open/secret/key; echo "$x"; false',
    'read x < f; echo "$x"',
  ),
  row('policy no secrets')(
    'rule: moved out to be read',
    '/mnt/open/secret',
    'mv /mnt/open/secret/key k; cat k',
    'mv f k; cat k',
  ),
  row('policy no secrets')(
    'rule: linked out to be read',
    '/mnt/open/secret',
    'ln /mnt/open/secret/key k; cat k',
    'ln f k; cat k',
  ),
  row('policy no secrets')(
    'rule: diff',
    '/mnt/open/secret/key',
    'diff f /mnt/open/secret/key; false',
    'diff f f',
  ),
  row('policy no secrets')(
    'rule: sourced',
    '/mnt/open/secret/key',
    '. /mnt/open/secret/key',
    'echo true > s; . ./s',
  ),
  sandbox(
    'sandbox: outside of it',
    '/mnt/ro2',
    'echo x > /session/x; mkdir /mnt/ro2',
    'mkdir /tmp/ro2; rmdir /tmp/ro2',
    { holds: { refused: '/mnt/ro2', rule: '/ is mounted ro' } },
  ),
];

const OTHER_MOUNTS: readonly Attempt[] = [
  row('/mnt/ro is mounted ro')(
    'other mount: write',
    '/mnt/ro/a.md',
    write('/mnt/ro/a.md'),
    write('@/a.md'),
  ),
  row('/mnt/ro is mounted ro')(
    'other mount: by ..',
    'ro/a.md',
    'cd /mnt/open; echo x > ../ro/a.md',
    'cd /mnt/open; echo x > ../open/a.md',
  ),
  row('/mnt/ro is mounted ro')(
    'other mount: cp -r over it',
    '/mnt/ro/a.md',
    'mkdir t; echo x > t/a.md; cp -r t/. /mnt/ro/',
    'mkdir t; echo x > t/a.md; cp -r t/. /mnt/open/',
  ),
  row('/mnt/ro is mounted ro')(
    'other mount: its mount point moved',
    '/mnt/ro',
    'mv /mnt/ro /mnt/open/ro',
    'mv f /mnt/open/moved',
    { holds: { fails: /busy/ } },
  ),
  row('/mnt/ro is mounted ro')(
    'other mount: a link in an open one',
    '/mnt/open/rolink/a.md',
    'ln -sfn /mnt/ro /mnt/open/rolink; echo x > /mnt/open/rolink/a.md',
    'ln -sfn b /mnt/open/way2; echo x > /mnt/open/way2',
  ),
  row('/mnt/ro is mounted ro')(
    'other mount: rsync by tar',
    '/mnt/ro',
    'tar cf t.tar f; tar xf t.tar -C /mnt/ro',
    'tar cf t.tar f; tar xf t.tar -C /mnt/open',
  ),
  row('/mnt/log is mounted append')(
    'append mount: written over',
    '/mnt/log/l',
    write('/mnt/log/l'),
    write('/mnt/open/l'),
  ),
  row('/mnt/log is mounted append')(
    'append mount: removed',
    '/mnt/log/l',
    at('remove', '/mnt/log/l'),
    at('remove', '@/f'),
  ),
  row('/mnt/log is mounted append')(
    'append mount: moved',
    '/mnt/log/l',
    move('/mnt/log/l', '/mnt/log/m'),
    move('@/f', '@/m'),
  ),
  row('/mnt/log is mounted append')(
    'append mount: truncated',
    '/mnt/log/l',
    'truncate -s 0 /mnt/log/l',
    'truncate -s 0 f',
  ),
  row('/mnt/log is mounted append')(
    'append mount: edited in place',
    '/mnt/log/l',
    'sed -i s/first/last/ /mnt/log/l',
    'sed -i s/a/b/ f',
  ),
];

const hook = row('it is forbidden text');
const HELD = '/mnt/open/held';

/** The hook is shown what is written, by whatever way it comes there. */
const THE_HOOKS: readonly Attempt[] = [
  hook(
    'hook: write',
    '/mnt/open/h1',
    write('/mnt/open/h1', 'FORBIDDEN'),
    write('/mnt/open/h1', 'fine'),
  ),
  hook(
    'hook: append',
    '/mnt/open/h2',
    append('/mnt/open/h2', 'FORBIDDEN'),
    append('/mnt/open/h2', 'fine'),
  ),
  hook('hook: copy', '/mnt/open/h3', copy(HELD, '/mnt/open/h3'), copy('@/f', '/mnt/open/h3')),
  hook('hook: move', '/mnt/open/h4', move(HELD, '/mnt/open/h4'), move('@/f', '/mnt/open/h4')),
  hook('hook: move over mounts', 'h5', move(HELD, '@/h5'), move('@/f', '@/h5')),
  hook('hook: edit', 'f', 'sed -i s/a/FORBIDDEN/ f', 'sed -i s/a/fine/ f'),
  hook('hook: tee', 'h6', 'echo FORBIDDEN | tee h6', 'echo fine | tee h6'),
  hook(
    'hook: in parts',
    'h7',
    'printf FORB > h7; printf IDDEN >> h7; cp h7 h8',
    'printf fi > h7; printf ne >> h7; cp h7 h8',
    {
      holds: { refused: 'h8', rule: 'it is forbidden text' },
    },
  ),
  hook(
    'hook: an archive',
    '/mnt/open/',
    `tar cf - -C /mnt/open held | tar xf - -C .`,
    'tar cf - f | tar xf - -O',
    {
      holds: { refused: '', rule: 'it is forbidden text' },
    },
  ),
  hook(
    'hook: a directory moved',
    'hd',
    'mv /mnt/open/helddir hd',
    'mkdir hd; touch hd/x; mv hd he',
    {
      given: (deployment) => {
        mkdirSync(join(deployment, 'open', 'helddir'), { recursive: true });
        writeFileSync(join(deployment, 'open', 'helddir', 'x'), 'FORBIDDEN\n');
      },
    },
  ),
];

const FAILS: Holds = {
  fails: /No such file|not found|cannot|no python|Not a directory|there is no/,
};

/** What a host would have, and a world has not. */
const THE_HOST: readonly Attempt[] = [
  ['ruby', 'ruby -e 1'],
  ['awk of the host', '/usr/bin/mawk 1 /dev/null'],
  ['perl', 'perl -e 1'],
  ['a host binary', '/usr/bin/env perl -e 1'],
  ['the loader', '/lib64/ld-linux-x86-64.so.2 /bin/ls'],
  ['sudo', 'sudo id'],
  ['ssh', 'ssh localhost'],
].map(
  ([name = '', act = '']): Attempt => ({
    class: 'escape',
    name: `host program: ${name}`,
    act,
    twin: 'ls',
    holds: FAILS,
  }),
);

export const POLICY_ROWS: readonly Attempt[] = [
  ...THE_HARNESS,
  ...THE_LOG,
  ...THE_COMMANDS,
  ...THE_RULES,
  ...OTHER_MOUNTS,
  ...THE_HOOKS,
  ...THE_HOST,
];
