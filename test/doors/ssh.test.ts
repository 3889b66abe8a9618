/** The SSH door: who is let in, commands, and a terminal. */
import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import ssh2 from 'ssh2';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openDoors } from '../../src/doors/register.ts';
import { hostKeyOf } from '../../src/doors/ssh/host-key.ts';
import { generateKeyPair, type KeyPair } from '../../src/doors/ssh/key-pair.ts';
import { temporaryDirectory } from '../world/harness.ts';
import { connected, run, Screen, type TestDoor, testDoor } from './ssh-client.ts';

const POLICY = `sandbox: full
approval: ask
rules:
  - { name: not mallory, decision: deny, actor: mallory, op: change, path: /workspace/** }
  - { name: asked, decision: ask, op: change, path: /workspace/asked }
`;

const ana = generateKeyPair();

async function openFor(keys: readonly string[] = [`${ana.public} ana@laptop`]): Promise<TestDoor> {
  return testDoor(temporaryDirectory(), keys, { policy: POLICY });
}

async function clientOf(door: TestDoor, key: KeyPair = ana) {
  const client = await connected(door.port, { privateKey: key.private });
  onTestFinished(() => void client.end());
  return client;
}

test('a command has its status, its two outputs and its stdin, and begins in a shell of its own', async () => {
  const client = await clientOf(await openFor());
  expect(await run(client, 'X=1; cd /tmp; echo out; echo err >&2; exit 3')).toEqual({
    stdout: 'out\n',
    stderr: 'err\n',
    status: 3,
  });
  expect(await run(client, 'echo "$X"; pwd')).toMatchObject({
    stdout: '\n/workspace\n',
    status: 0,
  });
  expect(await run(client, 'wc -c; cat', 'four\n')).toMatchObject({ stdout: '5\n' });
  expect(await run(client, 'cat > f; cat f', 'kept')).toMatchObject({ stdout: 'kept' });
});

test('who comes in is the actor of the key, to the gate, in the log and to dirigent doors', async () => {
  const mallory = generateKeyPair();
  const door = await openFor([
    `${ana.public} ana@laptop`,
    `actor="mallory",restrict ${mallory.public} somebody`,
  ]);
  const [good, bad] = [await clientOf(door), await clientOf(door, mallory)];
  expect(await run(good, 'echo a > f && cat f')).toMatchObject({ stdout: 'a\n', status: 0 });
  const refused = await run(bad, 'echo b > f');
  expect(refused.status).toBe(1);
  expect(refused.stderr).toContain('not mallory');
  const { stdout } = await run(good, 'cat /session/log.jsonl');
  expect(stdout).toContain('"actor":"ana@laptop","origin":"ssh"');
  expect(stdout).not.toContain('mallory');
  const [shown] = openDoors(door.doorway.state);
  expect(shown?.address).toBe(door.door.address);
  expect(shown?.clients.map(({ actor }) => actor)).toEqual(['ana@laptop', 'mallory']);
});

test('a key that is not in the file, a password and no key at all let nobody in; nor does a key that is taken out', async () => {
  const door = await openFor();
  const unknown = generateKeyPair();
  await expect(connected(door.port, { privateKey: unknown.private })).rejects.toThrow(/auth/i);
  await expect(connected(door.port, { password: '' })).rejects.toThrow(/auth/i);
  await expect(connected(door.port, {})).rejects.toThrow(/auth/i);
  // The public half alone: it is known, and signs nothing.
  await clientOf(door);
  const file = join(door.doorway.state, '..', 'authorized_keys');
  writeFileSync(file, `expiry-time="20200101" ${ana.public} ana`);
  await expect(connected(door.port, { privateKey: ana.private })).rejects.toThrow(/auth/i);
  writeFileSync(file, `${ana.public} ana`);
  chmodSync(file, 0o622);
  await expect(connected(door.port, { privateKey: ana.private })).rejects.toThrow(/auth/i);
  expect(door.notices.at(-1)).toContain('others can write it');
});

test('the host has one key, made once, which its owner alone reads', async () => {
  const deployment = temporaryDirectory();
  const first = await testDoor(deployment, [`${ana.public} ana`]);
  const file = join(deployment, '.dirigent', 'ssh_host_ed25519_key');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  await first.close();
  const second = await testDoor(deployment, [`${ana.public} ana`]);
  expect(second.door.hostKey).toEqual(first.door.hostKey);
  expect(readFileSync(file, 'utf8')).toContain('PRIVATE KEY');
});

test('a key of the host that the library made and cannot read is not kept', () => {
  const { private: whole } = ssh2.utils.generateKeyPairSync('ed25519');
  const generate = vi.spyOn(ssh2.utils, 'generateKeyPairSync');
  onTestFinished(() => generate.mockRestore());
  const broken = whole.split('\n').toSpliced(3, 1).join('\n');
  expect(ssh2.utils.parseKey(broken)).toBeInstanceOf(Error);
  for (let time = 0; time < 3; time++)
    generate.mockReturnValueOnce({ private: broken, public: '' });
  const state = temporaryDirectory();
  const made = hostKeyOf(state);
  expect(generate).toHaveBeenCalledTimes(4);
  expect(ssh2.utils.parseKey(made.private)).not.toBeInstanceOf(Error);
  expect(hostKeyOf(state)).toEqual(made);
});

test('a file of keys that cannot be meant as it is written opens no door, and the line is named', async () => {
  const cases: [string, RegExp][] = [
    ['', /no key/],
    [ana.public, /whose key/],
    [`from="10.0.0.0/8" ${ana.public} ana`, /from.*not known/],
    [`command="ls" ${ana.public} ana`, /command.*not known/],
    ['ssh-ed25519 AAAA ana', /broken/],
    [`actor="a b" ${ana.public}`, /letters/],
    ['hello', /:1/],
  ];
  for (const [line, says] of cases)
    await expect(testDoor(temporaryDirectory(), [line])).rejects.toThrow(says);
});

test('nothing is forwarded, no agent is taken, and only variables about writing are set', async () => {
  const client = await clientOf(await openFor());
  const forwarded = new Promise((resolve, reject) => {
    client.forwardOut('127.0.0.1', 1, '127.0.0.1', 22, (error) =>
      error === undefined ? reject(new Error('it was')) : resolve(error),
    );
  });
  await forwarded;
  await expect(
    new Promise((resolve, reject) => {
      client.forwardIn('127.0.0.1', 0, (error) =>
        error === undefined ? resolve(0) : reject(error),
      );
    }),
  ).rejects.toThrow();
  const env = { LANG: 'C', PATH: '/evil', LD_PRELOAD: 'x', BASH_ENV: '/workspace/x' };
  const shown = await new Promise<string>((resolve, reject) => {
    client.exec('echo "$LANG|$LD_PRELOAD|$BASH_ENV|$PATH"', { env }, (error, channel) => {
      if (error !== undefined) return reject(error);
      let text = '';
      channel.on('data', (bytes: Buffer) => {
        text += bytes.toString();
      });
      channel.on('close', () => resolve(text));
    });
  });
  expect(shown).toMatch(/^C\|\|\|\/usr/);
});

test('a terminal has a prompt and a shell that goes on; Ctrl-C ends the command, Ctrl-D the session', async () => {
  const client = await clientOf(await openFor());
  const screen = await Screen.open(client);
  await screen.until(/\/workspace\$ $/);
  screen.type('X=7; echo "x is $X"\r');
  await screen.until(/\nx is 7\n[\s\S]*\$ $/);
  // Only what runs is interrupted: until then the keys are the prompt's.
  screen.type('echo begun; while true; do sleep 0.1; done\r');
  await screen.until(/\nbegun\n/);
  screen.type('\x03');
  await screen.until(/\$ $/);
  screen.resize(40, 10);
  screen.type('echo "$X $COLUMNS"\r');
  await screen.until(/\n7 40\n/);
  screen.type('ech\t');
  await screen.until(/echo /);
  screen.type('\x15false\r');
  await screen.until(/false\n[\s\S]*\$ $/);
  screen.type('\x04');
  expect(await screen.ended).toBe(1);
});

test('a terminal that may not be had is refused, and commands run all the same', async () => {
  const client = await clientOf(await openFor([`restrict ${ana.public} ana`]));
  await expect(Screen.open(client)).rejects.toThrow();
  expect(await run(client, 'echo a')).toMatchObject({ stdout: 'a\n' });
});

test('at a terminal the person is asked; without one it is refused, and says how to be asked', async () => {
  const client = await clientOf(await openFor());
  const refused = await run(client, 'echo no > asked');
  expect(refused.status).toBe(1);
  expect(refused.stderr).toMatch(/approval|dirigent approvals/);
  const screen = await Screen.open(client);
  await screen.until(/\$ $/);
  screen.type('echo yes > asked; cat asked\r');
  expect(await screen.until(/n no: $/)).toMatch(
    /ana@laptop wants to create \/workspace\/asked[\s\S]*\+yes/,
  );
  screen.type('y\r');
  await screen.until(/\nyes\n/);
});

test('who does not show a key in time, or tries too many, is put out; and no more come in than may', async () => {
  const door = await testDoor(temporaryDirectory(), [`${ana.public} ana`], {
    limits: { loginMs: 300, tries: 2, waiting: 2, connections: 3 },
  });
  const ended = (): Promise<unknown> => {
    const socket = createConnection(door.port, '127.0.0.1');
    socket.on('error', () => undefined).resume();
    return new Promise((resolve) => socket.on('close', resolve));
  };
  // They say nothing. The last two are not even listened to.
  await Promise.all(Array.from({ length: 4 }, ended));
  const client = await connected(door.port, { privateKey: ana.private });
  expect((await run(client, 'echo in')).stdout).toBe('in\n');
  client.end();
});

test('a command whose client has gone away is ended', async () => {
  const deployment = temporaryDirectory();
  const door = await testDoor(deployment, [`${ana.public} ana`]);
  const client = await clientOf(door);
  const running = run(client, 'echo > begun; while true; do sleep 0.05; done; echo > ended');
  const begun = join(deployment, 'workspace', 'begun');
  for (let tries = 0; tries < 600 && !existsSync(begun); tries++) await sleep(50);
  client.end();
  await running;
  expect((await run(await clientOf(door), 'ls')).stdout).toBe('begun\n');
});
