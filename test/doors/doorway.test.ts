/** Clients of one door: each is who its principal says, to the gate, in the log, in its shell. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createWorld } from '../../entry/index.ts';
import type { Doorway, Visit } from '../../src/doors/door.ts';
import { type DoorwayOptions, openDoorway } from '../../src/doors/doorway.ts';
import { openDoors } from '../../src/doors/register.ts';
import type { Approval } from '../../src/policy/approval.ts';
import { temporaryDirectory } from '../world/harness.ts';

const POLICY = `sandbox: full
approval: ask
rules:
  - { name: not mallory, decision: deny, actor: mallory, op: change, path: /workspace/** }
  - { name: not by ssh, decision: deny, origin: ssh, op: change, path: /workspace/by-ssh }
  - { name: asked, decision: ask, op: change, path: /workspace/asked }
`;
const LOOKER = '---\ndescription: looks\nfilesystem: read-only\n---\nYou look.\n';
const MUTE = '---\ndescription: has files alone\ntools:\n  bash: false\n---\nYou write.\n';

function deployed(): string {
  const deployment = temporaryDirectory();
  for (const name of ['harness', 'harness/agents']) mkdirSync(join(deployment, name));
  const put = (path: string, text: string) => writeFileSync(join(deployment, path), text);
  put('harness/policy.yaml', POLICY);
  put('harness/agents/looker.md', LOOKER);
  put('harness/agents/mute.md', MUTE);
  return deployment;
}

function doorwayOn(deployment: string, more: Partial<DoorwayOptions> = {}): Doorway {
  const doorway = openDoorway({
    door: 'mcp',
    state: join(deployment, '.dirigent'),
    open: (session, actor) =>
      createWorld(
        {},
        {
          deployment,
          ...(session === undefined ? {} : { session }),
          ...(actor === undefined ? {} : { actor }),
        },
      ),
    host: { base: deployment, env: {} },
    ...more,
  });
  onTestFinished(() => doorway.close());
  return doorway;
}

const logOf = async (visit: Visit): Promise<string> => visit.fs.readFile('/session/log.jsonl');

test('two clients of one door are two actors at the gate, in their shell and in the log', async () => {
  const doorway = doorwayOn(deployed());
  const alice = await doorway.enter({ actor: 'alice' });
  const mallory = await doorway.enter({ actor: 'mallory' });
  expect((await alice.exec('echo a > /workspace/f; f() { :; }; X=1')).exitCode).toBe(0);
  const refused = await mallory.exec('echo b > /workspace/f');
  expect([refused.exitCode, refused.refused[0]?.rule]).toEqual([1, 'policy not mallory']);
  await expect(mallory.fs.writeFile('/workspace/f', 'b')).rejects.toMatchObject({
    code: 'EACCES',
    rule: 'policy not mallory',
  });
  expect(await alice.fs.readFile('/workspace/f')).toBe('a\n');
  expect((await mallory.exec('type f; echo "$X"')).stdout).toBe('\n');
  expect(await logOf(alice)).toContain('"actor":"alice","origin":"mcp"');
  expect(await logOf(mallory)).toContain('"actor":"mallory","origin":"mcp"');
  expect(mallory.session).not.toBe(alice.session);
});

test('clients who are the same share a session and a shell', async () => {
  const doorway = doorwayOn(deployed());
  const [one, two] = await Promise.all([
    doorway.enter({ actor: 'alice' }),
    doorway.enter({ actor: 'alice' }),
  ]);
  await one.exec('X=shared');
  expect((await two.exec('echo $X')).stdout).toBe('shared\n');
  await one.close();
  expect((await two.exec('echo $X')).stdout).toBe('shared\n');
});

test('rules of the policy match the door', async () => {
  const deployment = deployed();
  const bySsh = await doorwayOn(deployment, { door: 'ssh' }).enter({ actor: 'alice' });
  const byMcp = await doorwayOn(deployment).enter({ actor: 'alice' });
  expect((await bySsh.exec('touch /workspace/by-ssh')).refused[0]?.rule).toBe('policy not by ssh');
  expect((await byMcp.exec('touch /workspace/by-ssh')).exitCode).toBe(0);
});

test('a client with the rights of an agent has no others, and acts in its own name', async () => {
  const doorway = doorwayOn(deployed());
  const looker = await doorway.enter({ actor: 'alice', agent: 'looker' });
  const { refused } = await looker.exec('touch /workspace/f');
  expect(refused[0]?.rule).toBe('filesystem of agent alice');
  await expect(looker.fs.writeFile('/workspace/f', '')).rejects.toMatchObject({ code: 'EACCES' });
  const mute = await doorway.enter({ actor: 'alice', agent: 'mute' });
  await expect(mute.exec('true')).rejects.toMatchObject({
    code: 'EACCES',
    rule: 'tools of agent mute',
  });
  await mute.fs.writeFile('/workspace/f', 'x');
  await expect(doorway.enter({ actor: 'alice', agent: 'nobody' })).rejects.toThrow(
    'there is no agent "nobody"',
  );
});

test('a session is gone on with by its actor, and is none for anybody else', async () => {
  const doorway = doorwayOn(deployed());
  const first = await doorway.enter({ actor: 'alice', session: 'new' });
  await first.exec('X=1');
  const { session } = first;
  await first.close();
  await expect(doorway.enter({ actor: 'mallory', session })).rejects.toMatchObject({
    code: 'ENOENT',
  });
  const own = await doorway.enter({ actor: 'user', session: 'new' });
  const theirs = own.session;
  await own.close();
  await expect(doorway.enter({ actor: 'alice', session: theirs })).rejects.toMatchObject({
    code: 'ENOENT',
  });
  await expect(doorway.enter({ actor: 'alice', session: '../x' })).rejects.toThrow('session');
  const again = await doorway.enter({ actor: 'alice', session });
  expect(again.session).toBe(session);
  const log = (id: string): string => `/session/past/${id}/log.jsonl`;
  const mallory = await doorway.enter({ actor: 'mallory', session: 'new' });
  expect((await mallory.exec('ls /session/past')).stdout).toBe('');
  await expect(mallory.fs.readFile(log(session))).rejects.toMatchObject({ code: 'ENOENT' });
  const alice = await doorway.enter({ actor: 'alice', session: 'new' });
  expect((await alice.exec('ls /session/past')).stdout).toBe(`${session}\n`);
  // What somebody asked for is theirs, too.
  await again.exec('echo x > /workspace/asked');
  const [asked = ''] = await again.fs.readdir('/session/approvals');
  expect(asked).toMatch(/^\w{26}\.md$/);
  expect((await mallory.exec('ls /session/approvals')).stdout).toBe('');
  await expect(mallory.fs.readFile(`/session/approvals/${asked}`)).rejects.toMatchObject({
    code: 'ENOENT',
  });
  const user = await doorway.enter({ actor: 'user' });
  expect(await user.fs.readdir('/session/approvals')).toEqual([asked]);
  expect(await user.fs.readFile(log(session))).toContain('alice');
});

test('who cannot be asked is refused, and told how; who can be decides what was shown', async () => {
  const doorway = doorwayOn(deployed());
  const deaf = await doorway.enter({ actor: 'bob' });
  await expect(deaf.fs.writeFile('/workspace/asked', 'x')).rejects.toMatchObject({
    code: 'EACCES',
    reason: expect.stringContaining('approvals allow'),
  });
  const asked: Approval[] = [];
  const decided: Promise<string>[] = [];
  const attended = await doorway.enter(
    { actor: 'alice' },
    {
      onApproval: (approval, visit) => {
        asked.push(approval);
        const other = { id: approval.id, digest: 'another' };
        decided.push(
          visit.approvals.decide(other, { decision: 'allow' }).catch((error) => error.code),
          visit.approvals.decide(approval, { decision: 'allow' }).then(({ state }) => state),
        );
      },
    },
  );
  await attended.fs.writeFile('/workspace/asked', 'x');
  expect(asked).toMatchObject([{ actor: 'alice', origin: 'mcp', op: 'create' }]);
  expect(await Promise.all(decided)).toEqual(['ESTALE', 'allowed']);
  const [waiting] = await deaf.approvals.pending();
  expect(waiting?.actor).toBe('bob');
  if (waiting === undefined) return;
  await expect(attended.approvals.decide(waiting, { decision: 'allow' })).rejects.toMatchObject({
    code: 'ENOENT',
  });
});

test('an edit of the policy holds for clients who are in', async () => {
  const deployment = deployed();
  const alice = await doorwayOn(deployment).enter({ actor: 'alice' });
  await alice.fs.writeFile('/workspace/f', 'x');
  const stricter = POLICY.replace('actor: mallory', 'actor: alice');
  writeFileSync(join(deployment, 'harness', 'policy.yaml'), `${stricter}# edited\n`);
  await expect(alice.fs.writeFile('/workspace/f', 'y')).rejects.toMatchObject({ code: 'EACCES' });
  expect((await alice.exec('echo y > /workspace/f')).exitCode).toBe(1);
});

test('there are as many worlds as there may be: the one that nobody is in makes room', async () => {
  const doorway = doorwayOn(deployed(), { worlds: 2 });
  const alice = await doorway.enter({ actor: 'alice' });
  await doorway.enter({ actor: 'bob' });
  const many = Array.from({ length: 20 }, () => doorway.enter({ actor: 'carol' }));
  const codes = await Promise.all(many.map((each) => each.catch((error) => error.code)));
  expect(new Set(codes)).toEqual(new Set(['EAGAIN']));
  await alice.close();
  const carol = await doorway.enter({ actor: 'carol' });
  expect((await carol.exec('echo in')).stdout).toBe('in\n');
});

test('the register shows what is open, and to whom; a door whose process has died is none', async () => {
  const deployment = deployed();
  const state = join(deployment, '.dirigent');
  const doorway = doorwayOn(deployment);
  doorway.announce('stdio');
  const alice = await doorway.enter({ actor: 'alice', agent: 'looker' });
  const client = { actor: 'alice', agent: 'looker', session: alice.session };
  expect(openDoors(state)).toMatchObject([
    { door: 'mcp', address: 'stdio', pid: process.pid, clients: [{ ...client, visits: 1 }] },
  ]);
  const [open] = openDoors(state);
  for (const stale of [{ pid: 2 ** 30 }, { started: '1' }])
    writeFileSync(join(state, 'doors', 'stale.json'), JSON.stringify({ ...open, ...stale }));
  writeFileSync(join(state, 'doors', 'broken.json'), '{');
  expect(openDoors(state)).toHaveLength(1);
  await alice.close();
  expect(openDoors(state)[0]?.clients).toMatchObject([{ ...client, visits: 0 }]);
  await doorway.close();
  expect(openDoors(state)).toEqual([]);
});

/** A machine that is slow has several entries of what a quick one tells in one. */
type Told = { changed: { path: string }[] } | 'command';
function joined(all: Told[], entry: Told): Told[] {
  const last = all.at(-1);
  if (last === undefined || last === 'command' || entry === 'command') all.push(entry);
  else {
    const paths = new Map([...last.changed, ...entry.changed].map((each) => [each.path, each]));
    all[all.length - 1] = { ...last, ...entry, changed: [...paths.values()] };
  }
  return all;
}

test('what a client changes through files is in the log, before what comes after it, and so is what it is refused', async () => {
  const doorway = doorwayOn(deployed());
  const mallory = await doorway.enter({ actor: 'mallory' });
  const bob = await doorway.enter({ actor: 'bob' });
  for (const text of ['1', '2', '3']) await bob.fs.writeFile('/workspace/a', text);
  await bob.fs.mv('/workspace/a', '/workspace/b');
  await expect(bob.fs.readFile('/workspace/none')).rejects.toMatchObject({ code: 'ENOENT' });
  await bob.exec('true');
  await bob.fs.writeFile('/workspace/c', '');
  await expect(mallory.fs.writeFile('/workspace/m', '')).rejects.toMatchObject({ code: 'EACCES' });
  await mallory.exec('true');
  const told = async (visit: Visit) =>
    (await logOf(visit))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
      .flatMap(({ type, name, data }) =>
        name === 'door/files' ? [data] : type === 'bash_start' ? ['command'] : [],
      )
      .reduce(joined, []);
  const who = { door: 'mcp', actor: 'bob' };
  await expect
    .poll(() => told(bob))
    .toEqual([
      { ...who, changed: [{ path: '/workspace/a' }, { path: '/workspace/b' }] },
      'command',
      { ...who, changed: [{ path: '/workspace/c' }] },
    ]);
  const refused = {
    path: '/workspace/m',
    op: 'create',
    code: 'EACCES',
    rule: 'policy not mallory',
  };
  expect(await told(mallory)).toEqual([
    { door: 'mcp', actor: 'mallory', changed: [], refused: [refused] },
    'command',
  ]);
});

test('a session whose world is just ending is gone on with once it has ended', async () => {
  const doorway = doorwayOn(deployed());
  const first = await doorway.enter({ actor: 'bob', session: 'new' });
  await first.fs.writeFile('/workspace/kept', 'kept');
  const { session } = first;
  const left = first.close();
  const second = await doorway.enter({ actor: 'bob', session });
  expect(second.session).toBe(session);
  expect(await second.fs.readFile('/workspace/kept')).toBe('kept');
  await left;
});
