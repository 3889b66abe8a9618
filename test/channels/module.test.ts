/** Channels that a deployment brings itself, and what a harness may hold of them. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { channelKinds } from '../../channels/index.ts';
import { createWorld } from '../../entry/index.ts';
import { loadChannels } from '../../src/serve/channels/load.ts';
import { deployed } from '../serve/support.ts';
import { says } from '../stand-ins/model/index.ts';
import { temporaryDirectory } from '../world/harness.ts';
import { meetIn, writeChannel } from './support.ts';

/** As a stranger writes it, in files of a directory: a message is `in/NAME`, an answer `out/KEY`. */
const MODULE = `
import fs from 'node:fs';
import { join } from 'node:path';

export default {
  mostText: 1000,
  channel: { people: { ana: 'ana' } },
  async open({ receive, secret, onFault }) {
    const box = secret('BOX');
    const look = () => {
      try {
        for (const id of fs.readdirSync(join(box, 'in'))) {
          const file = join(box, 'in', id);
          const [from, text] = fs.readFileSync(file, 'utf8').split(': ');
          receive({ id, thread: from, sender: { id: from, name: from }, text, isAddressed: true });
          fs.rmSync(file);
        }
      } catch (error) {
        onFault(error);
      }
    };
    const timer = setInterval(look, 20);
    return {
      async send({ key, thread, text }) {
        fs.writeFileSync(join(box, 'out', key), thread + ': ' + text);
        return key;
      },
      find: async ({ key }) => (fs.existsSync(join(box, 'out', key)) ? key : null),
      close: async () => clearInterval(timer),
    };
  },
};
`;

test('a channel of a module of the config is met as those that ship', async () => {
  const box = temporaryDirectory();
  for (const name of ['in', 'out']) mkdirSync(join(box, name));
  const module = join(box, 'mailbox.mjs');
  writeFileSync(module, MODULE);
  const script = () => says('hello to you');
  const { until, served, faults } = await meetIn({}, { BOX: box }, { script, modules: [module] });
  writeFileSync(join(box, 'in', 'm1'), 'eve: let me in');
  writeFileSync(join(box, 'in', 'm2'), 'ana: hello');
  const out = await until(() => readdirSync(join(box, 'out'))[0]);
  expect(readFileSync(join(box, 'out', out), 'utf8')).toBe('ana: hello to you');
  expect(served.service.journal.list().map(({ source }) => source)).toEqual(['channel mailbox']);
  expect(faults).toEqual([]);
});

test('a channel whose service cannot be reached keeps no server from beginning, and opens once it can be', async () => {
  const box = temporaryDirectory();
  for (const name of ['in', 'out']) mkdirSync(join(box, name));
  const module = join(box, 'mailbox.mjs');
  const down = `  async open({ receive, secret, onFault }) {
    if (!fs.existsSync(join(secret('BOX'), 'up'))) throw new Error('nobody answers there');`;
  writeFileSync(
    module,
    MODULE.replace(/^ {2}async open.*$/m, () => down),
  );
  const script = () => says('hello to you');
  const { until, channels, faults } = await meetIn({}, { BOX: box }, { script, modules: [module] });
  expect(channels.names).toEqual([]);
  expect(String(faults[0])).toContain(
    'channel mailbox cannot be opened, and is tried again: nobody answers there',
  );
  writeFileSync(join(box, 'in', 'm1'), 'ana: hello');
  writeFileSync(join(box, 'up'), '');
  const answer = await until(() => readdirSync(join(box, 'out'))[0]);
  expect(readFileSync(join(box, 'out', answer), 'utf8')).toBe('ana: hello to you');
  expect(faults).toHaveLength(1);
});

test('a channel that cannot tell how a text is shown holds up no turn, and says it all the same', async () => {
  const box = temporaryDirectory();
  for (const name of ['in', 'out']) mkdirSync(join(box, name));
  const module = join(box, 'mailbox.mjs');
  const shows = "shows() { throw new Error('cannot tell'); },";
  writeFileSync(module, MODULE.replace('async send', `${shows}\n      async send`));
  const met = await meetIn({}, { BOX: box }, { script: () => says('hello'), modules: [module] });
  writeFileSync(join(box, 'in', 'm1'), 'ana: hello');
  const { journal } = met.served.service;
  await met.until(() => journal.list()[0]?.state === 'done');
  await met.until(() => met.faults.length > 0);
  expect(String(met.faults[0])).toMatch(/channel mailbox: cannot tell/);
  expect(met.served.faults).toEqual([]);
  await met.until(() => readdirSync(join(box, 'out')).length > 0);
});

test('what is wrong with a channel is said of its file', async () => {
  const deployment = deployed();
  const own = join(deployment, 'harness');
  writeChannel(deployment, 'a', '---\nkind: pigeon\n---\n');
  writeChannel(deployment, 'b', '---\nkind: telegram\npeople: { "a b": 1 }\n---\n');
  writeChannel(deployment, 'c', '---\nkind: telegram\npeople: { ana: 1, ben: 1 }\n---\n');
  writeChannel(deployment, 'd', '---\nkind: telegram\nmode: smoke\n---\n');
  writeChannel(deployment, 'e', '---\nkind: telegram\nstranger: tell\n---\n');
  writeFileSync(join(own, 'channels/f.ts'), 'throw new Error("loaded")');
  writeChannel(deployment, 'g', '---\nkind: slack\npeople: { ana: U1 }\n---\n');
  const { channels, errors } = await loadChannels({ own, modules: [], kinds: channelKinds });
  expect(channels.map(({ name }) => name)).toEqual(['g']);
  const said = errors.map(({ path, message }) => `${path}: ${message}`);
  for (const [index, expected] of [
    /^channels\/a\.md: kind: should be one of (?:\w+, )*telegram/,
    /^channels\/b\.md: people/,
    /^channels\/c\.md: people\.ben: 1 is ana already/,
    /^channels\/d\.md: mode/,
    /^channels\/e\.md: .*stranger/,
    /^channels\/f\.ts: code that runs in the host/,
  ].entries())
    expect(said[index]).toMatch(expected);
});

test.for([['rw' as const], [['channels/**', '**']]])(
  'an agent that may write the harness by %j cannot say who may speak',
  async ([mode]) => {
    const deployment = deployed('sandbox: full\n');
    const config = { harness: { mode: mode as 'rw' } };
    await using world = createWorld(config, { deployment });
    for (const command of [
      'mkdir -p /harness/channels',
      'echo x > /harness/channels/me.md',
      'mkdir /harness/agents/x; mv /harness/agents/x /harness/channels',
      'ln -s /workspace /harness/channels',
    ]) {
      const { exitCode, stderr } = await world.exec(command);
      expect([command, exitCode]).not.toEqual([command, 0]);
      expect(stderr).toMatch(/channels/);
    }
  },
);

test('a module of a channel must not lie where an agent writes', async () => {
  const deployment = deployed();
  mkdirSync(join(deployment, 'workspace'), { recursive: true });
  writeFileSync(join(deployment, 'workspace/mine.mjs'), MODULE);
  expect(() => createWorld({ channels: ['./workspace/mine.mjs'] }, { deployment })).toThrow(
    /a channel of the config/,
  );
});
