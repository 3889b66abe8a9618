/**
 * Ways to carry a text from one command to a later one, a deployment to try them in, and
 * what is seen of the text afterwards: where it comes from, and whether `untrusted-read` holds.
 */
import { randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { createWorld, type World } from '../../entry/index.ts';
import { worldAccess } from '../../src/agent/world-access.ts';
import type { GithubStandIn } from '../stand-ins/github/index.ts';
import { temporaryDirectory } from '../world/harness.ts';

export const TEXT = 'OBEY-ME';

/** A service with one file. */
const SERVICE = `const FILE = Buffer.from('${TEXT}\\n');
const stat = (path) => ({ type: path === '/' ? 'directory' : 'file', mode: 0o644, size: FILE.length, mtime: new Date(0) });
export default () => ({
  kind: 'notes', searchable: false, transactional: true, hasLinks: () => false,
  lstat: async (path) => stat(path),
  readdir: async () => [{ name: 'a', type: 'file' }],
  read: async () => FILE,
});
`;

const POLICY = `sandbox: full
approval: ask
rules:
  - {name: no orders, decision: deny, op: change, path: /workspace/guarded, untrusted-read: true}
  - {name: asked, decision: ask, op: change, path: /workspace/asked/**}
  - {name: rest, decision: allow}
`;

/** How a text is carried (\`SRC\` is a file that holds it), and what is said or done later to see it. */
export interface Channel {
  name: string;
  carry: string;
  look: string;
}

const row = (name: string, carry: string, look: string): Channel => ({ name, carry, look });

/** From one command to the next one of the same shell. */
export const SHELL: readonly Channel[] = [
  row('a variable', 'V=$(cat SRC)', 'echo "$V"'),
  row('an exported variable', 'export V="$(< SRC)"', 'printenv V'),
  row('printf -v', 'printf -v V %s "$(cat SRC)"', 'echo "$V"'),
  row('read', 'read -r V < SRC', 'echo "$V"'),
  row('an array', 'mapfile -t A < SRC', 'echo "${A[0]}"'),
  row('an associative array', 'declare -A M; M[k]=$(cat SRC)', 'echo "${M[k]}"'),
  row('the keys of one', 'declare -A M; M[$(cat SRC)]=1', 'echo "${!M[@]}"'),
  row('a function', 'eval "f() { echo $(cat SRC); }"', 'f'),
  row('an alias', 'alias a="echo $(cat SRC)"', 'alias a'),
  row('positional parameters', 'set -- $(cat SRC)', 'echo "$1"'),
  row('the last argument', ': "$(cat SRC)"', 'echo "$_"'),
  row('an open descriptor', 'exec 3< SRC', 'cat <&3'),
  row('the current directory', 'D=/tmp/$(cat SRC); mkdir -p "$D"; cd "$D"; unset D', 'pwd'),
  row(
    'the directory before',
    'mkdir -p "/tmp/$(cat SRC)"; cd "/tmp/$(cat SRC)"; cd /',
    'echo "$OLDPWD"',
  ),
  row('the stack of directories', 'mkdir -p "/tmp/$(cat SRC)"; pushd "/tmp/$(cat SRC)"', 'dirs'),
  row('a trap', 'trap "echo $(cat SRC)" EXIT', 'trap -p; echo x'),
  row('a regular expression', '[[ $(cat SRC) =~ (.*) ]]', 'echo "${BASH_REMATCH[1]}"'),
  row('an option', 'IFS=$(cat SRC)', 'echo "$IFS"'),
  row('a job', 'cat SRC > /dev/null & J=$!', 'wait $J; echo x'),
  row('a loop that was left', 'while read -r L; do break; done < SRC', 'echo "$L"'),
  row('what a script of the harness printed', 'V=$(tool fetched)', 'echo "$V"'),
  row('a database in memory', 'V=$(sqlite3 :memory: "select \'$(cat SRC)\'")', 'echo "$V"'),
  row('a nested shell', 'V=$(bash -c "cat SRC")', 'echo "$V"'),
  row('a search', 'V=$(grep -r . $(dirname SRC))', 'echo "$V"'),
];

/** From one session to a later one. */
export const FILES: readonly Channel[] = [
  row('a file', 'cat SRC > file', 'cat file'),
  row('a file that is appended to', 'echo x > more; cat SRC >> more', 'cat more'),
  row('a copy of a copy', 'cp SRC c1; cp c1 c2', 'cat c2'),
  row('a moved file', 'cp SRC m1; mv m1 m2', 'cat m2'),
  row('a file of a directory that was renamed', 'mkdir d1; cp SRC d1/f; mv d1 d2', 'cat d2/f'),
  row('a file of a directory that was copied', 'mkdir d3; cp SRC d3/f; cp -r d3 d4', 'cat d4/f'),
  row('a hard link to a copy', 'cp SRC h1; ln h1 h2; rm h1', 'cat h2'),
  row('a copy over memory', 'cp SRC /tmp/over; mv /tmp/over back', 'cat back'),
  row('a file in place', 'echo x > place; sed -i "s/x/$(cat SRC)/" place', 'cat place'),
  row('tee', 'cat SRC | tee tee1 > /dev/null', 'cat tee1'),
  row('an archive', 'mkdir z; cp SRC z/a; tar cf z.tar z; rm -r z; tar xf z.tar', 'cat z/a'),
  row('a compressed file', 'gzip -c SRC > a.gz', 'zcat a.gz'),
  row('an encoded file', 'base64 SRC > a.b64', 'base64 -d a.b64'),
  row('a script', 'echo "echo $(cat SRC)" > s.sh', 'bash s.sh'),
  row('a sourced file', 'echo "V=$(cat SRC)" > s2.sh', '. ./s2.sh; echo "$V"'),
  row('what a script of the harness wrote', 'tool fetched > fetched', 'cat fetched'),
  row('a script of the harness that is run', 'true', 'tool fetched'),
  row(
    'a row of a database',
    `sqlite3 db1 "create table t(x); insert into t values('$(cat SRC)')"`,
    'sqlite3 db1 "select x from t"',
  ),
  row(
    'a row added to a database',
    `sqlite3 db2 "create table t(x)"; sqlite3 db2 "insert into t values('$(cat SRC)')"`,
    'sqlite3 db2 "select length(x) from t"',
  ),
  row(
    'a table named by it',
    'sqlite3 db3 "create table \\"$(cat SRC)\\"(x)"',
    'sqlite3 db3 "select name from sqlite_master"',
  ),
  row(
    'a script of SQL',
    `echo "create table t(x); insert into t values('$(cat SRC)');" > s.sql; sqlite3 db4 < s.sql`,
    'sqlite3 db4 "select x from t"',
  ),
  row(
    'a copied database, and its bytes',
    `sqlite3 db5 "create table t(x); insert into t values('$(cat SRC)')"; cp db5 db6`,
    'strings db6',
  ),
  row('a file of counts', 'wc -c SRC > counted', 'cat counted'),
  row('a split file', 'split -b 4 SRC part.', 'cat part.aa'),
  row('a search in a tree', 'mkdir tree; cp SRC tree/t', 'grep -r OBEY tree'),
  row('a search by rg', 'mkdir tree2; cp SRC tree2/t', 'rg -n OBEY tree2'),
  row('find that reads', 'mkdir tree3; cp SRC tree3/t', 'find tree3 -type f -exec cat {} +'),
  row('the name of a file', 'mkdir n1; echo x > "n1/$(cat SRC)"', 'ls n1'),
  row('the name of a directory', 'mkdir -p "n2/$(cat SRC)"', 'echo n2/*'),
  row('a name deep down', 'mkdir -p "n3/x/$(cat SRC)/y"', 'find n3'),
  row('a name that find prints', 'mkdir -p "n4/$(cat SRC)"', 'find n4 -printf "%f\\n"'),
  row('a name given by moving', 'mkdir n5; echo x > n5/f; mv n5/f "n5/$(cat SRC)"', 'ls n5'),
  row(
    'a name in a directory that was moved',
    'mkdir n6; echo > "n6/$(cat SRC)"; mv n6 n7',
    'ls n7',
  ),
  row(
    'a name in an archive',
    'mkdir n8; echo > "n8/$(cat SRC)"; tar cf n8.tar n8',
    'tar tf n8.tar',
  ),
  row('the target of a link', 'ln -s "$(cat SRC)" l1', 'readlink l1'),
  row('the name of a link', 'mkdir n9; ln -s x "n9/$(cat SRC)"', 'ls n9'),
  row('a link that is listed', 'mkdir n10; ln -s "$(cat SRC)" n10/l', 'ls -l n10; readlink n10/l'),
  row('a link that is copied', 'ln -s "$(cat SRC)" l2; cp -P l2 l3', 'readlink l3'),
  row('where a link leads', 'mkdir -p "n11/$(cat SRC)"; ln -s "n11/$(cat SRC)" l4', 'realpath l4'),
  row(
    'the physical directory',
    'mkdir -p "n12/$(cat SRC)"; ln -s "n12/$(cat SRC)" l5',
    'cd l5; pwd -P',
  ),
  row('/memory', 'cat SRC > /memory/m.md', 'cat /memory/m.md'),
  row('a name in /memory', 'echo x > "/memory/$(cat SRC)"', 'ls /memory'),
  row(
    'a note that is searched by meaning',
    'echo "the quay is $(cat SRC)" > /memory/q.md',
    'grep quay /memory',
  ),
  row('a proposal', 'cat SRC > /harness/proposals/p.md', 'cat /harness/proposals/p.md'),
  row('the harness', 'cat SRC > /harness/prompts/p.md', 'cat /harness/prompts/p.md'),
  row(
    'what is wrong with the harness',
    'echo "x $(cat SRC)" > /harness/skills/s/SKILL.md',
    'cat /harness/.errors',
  ),
  row('the commands of the harness', 'cat SRC > /harness/tools/t.sh', 'ls /harness/.bin'),
  row('the schedule', 'cat SRC > /session/schedule/s.md', 'cat /session/schedule/s.md'),
  row(
    'a name in the schedule',
    'echo x > "/session/schedule/$(cat SRC).md"',
    'ls /session/schedule',
  ),
  row('a request for approval', 'cat SRC > asked/x', 'cat /session/approvals/*'),
  row(
    'the path of such a request',
    'echo x > "asked/$(cat SRC)"',
    'grep -h . /session/approvals/*',
  ),
  row('the log', 'cat SRC > /dev/null', 'cat /session/past/*/log.jsonl'),
  row('the tree of the log', 'cat SRC > /dev/null', 'cat /session/past/*/tree.txt'),
  row('an entry of the log', 'cat SRC > /dev/null', 'cat /session/past/*/entries/*'),
  row(
    'a staged change',
    'printf -- "---\\ntitle: %s\\n---\\n" "$(cat SRC)" > /mnt/github/harbor/quay/issues/new.md',
    'cat /session/changes/*/diff.patch',
  ),
  row(
    'the text of a staged change',
    'printf -- "---\\ntitle: b %s\\n---\\n" "$(cat SRC)" > /mnt/github/harbor/quay/issues/new.md',
    'cat /session/changes/*/mine.md',
  ),
  row(
    'the request of a staged change',
    'printf -- "---\\ntitle: c %s\\n---\\n" "$(cat SRC)" > /mnt/github/harbor/quay/issues/new.md',
    'cat /session/changes/*/request.json',
  ),
];

const SERVICES = ['/mnt/svc', '/mnt/github'];

interface Deployed {
  deployment: string;
  open(): World;
}

/** @param source what `SRC` stands for */
export function deployed(source: string, github: GithubStandIn): Deployed {
  const deployment = temporaryDirectory();
  const put = (path: string, text: string): void => {
    mkdirSync(join(deployment, path, '..'), { recursive: true });
    writeFileSync(join(deployment, path), text);
  };
  for (const directory of ['harness/prompts', 'harness/skills/s', 'memory', 'workspace/asked'])
    mkdirSync(join(deployment, directory), { recursive: true });
  put('docs/a', `${TEXT}\n`);
  put('svc.mjs', SERVICE);
  put('harness/policy.yaml', POLICY);
  put('harness/agents/reader.md', '---\ndescription: reads\n---\nYou are the reader.\n');
  // A script of the deployer's own that hands on what it reads.
  put('harness/tools/fetched.sh', `# ---\n# description: fetches\n# ---\ncat ${source}\n`);
  const config = {
    mounts: {
      '/mnt/svc': 'module:./svc.mjs',
      '/mnt/docs': './docs:ro',
      '/memory': './memory:rw',
      '/mnt/github': { source: 'github', mode: 'stage', baseUrl: github.url, tokenEnv: 'T' },
    },
    harness: { mode: ['prompts/**', 'tools/*.sh', 'skills/**'] },
    search: { background: false },
  } as const;
  const open = (): World => createWorld(config as never, { deployment, env: { T: github.token } });
  return { deployment, open };
}

/** Whose text is carried, and what must be seen of it. */
export const SOURCES = [
  { whose: 'a service', source: '/mnt/svc/a', expected: ['/mnt/svc'] },
  { whose: 'the deployment', source: '/mnt/docs/a', expected: [] },
];
export type Source = (typeof SOURCES)[number];

/** Runs a command in a turn of its own. */
export async function run(world: World, command: string, fresh: boolean) {
  const access = worldAccess(world, SERVICES, { actor: 'assistant', turn: randomUUID() }).forCall();
  const result = await access.exec(command, { fresh });
  return { ...result, origins: access.origins() };
}

/** Looks, and then does what only a turn may that has read nothing of a service. */
async function looked(world: World, look: string, fresh: boolean) {
  const result = await run(world, `${look}; echo x > /workspace/guarded`, fresh);
  const refused = result.refused.some(({ rule }) => rule.includes('no orders'));
  return { ...result, refused };
}

/** Carries the text from one command to the next in each of the ways, and looks. */
export async function expectSeenInShell(
  world: World,
  { source, expected }: Source,
  channels: readonly Channel[],
): Promise<void> {
  for (const { name, carry, look } of channels) {
    await run(world, carry.replaceAll('SRC', source), true);
    const seen = await looked(world, look, false);
    expect.soft(seen.origins, `${name}: ${seen.stdout}${seen.stderr}`).toEqual(expected);
    expect.soft(seen.refused, name).toBe(expected.length > 0);
    const anew = await looked(world, 'echo x', true);
    expect.soft([anew.origins, anew.refused], `${name}, in a new shell`).toEqual([[], false]);
  }
}

/** Carries the text into files and names. */
export async function carryToFiles(
  world: World,
  { source }: Source,
  channels: readonly Channel[],
): Promise<void> {
  await run(world, 'mkdir own; echo x > own/clean; ln -s clean own/link', true);
  for (const { name, carry } of channels) {
    const { stderr } = await run(world, carry.replaceAll('SRC', source), true);
    if (!carry.includes('asked')) expect.soft(stderr, name).toBe('');
  }
}

/** `goesOn`: it is the session that carried the text: its log is no past one */
export async function expectSeenInFiles(
  world: World,
  { expected }: Source,
  { channels, goesOn }: { channels: readonly Channel[]; goesOn: boolean },
): Promise<void> {
  for (const { name, look } of channels) {
    if (goesOn && look.includes('/past/')) continue;
    const seen = await looked(world, look, true);
    const where = `${name}: ${look}: ${seen.stdout.slice(0, 300)}${seen.stderr}`;
    expect.soft(seen.stdout, where).not.toBe('');
    expect.soft(seen.origins, where).toEqual(expected);
    expect.soft(seen.refused, where).toBe(expected.length > 0);
  }
  // What has nothing to do with any of it.
  for (const look of ['cat own/clean', 'ls own', 'readlink own/link', 'cat /mnt/docs/a']) {
    const seen = await looked(world, look, true);
    expect.soft([seen.origins, seen.refused], look).toEqual([[], false]);
  }
}
