/** All channels of a deployment: opened, tried again, asked and closed. */
import { expect, onTestFinished, test } from 'vitest';
import { temporaryDirectory } from '../../../test/temporary-directory.ts';
import { ConfigError } from '../../errors.ts';
import { Channels, type ChannelsOptions } from './channels.ts';
import type { ChannelHost, OpenChannel } from './contract.ts';
import type { ChannelFile } from './file.ts';

/** A channel of a service that does what the test says. */
function file(
  name: string,
  open: (host: ChannelHost<unknown>) => Partial<OpenChannel>,
): ChannelFile {
  return {
    name,
    kind: {
      settings: {} as ChannelFile['kind']['settings'],
      mostText: 1_000,
      open: async (host) => ({
        send: async () => 'remote',
        close: async () => undefined,
        ...open(host),
      }),
    },
    settings: { of: name },
    shared: null,
    agent: null,
    owner: null,
    people: new Map(),
    strangers: 'ignore',
    instructions: '',
  };
}

function deployment(files: ChannelFile[], env: ChannelsOptions['env'] = {}) {
  const state = temporaryDirectory();
  const faults: unknown[] = [];
  const listening = { now: 0, ended: 0 };
  const journal = {
    onStep: () => {
      listening.now += 1;
      return () => {
        listening.now -= 1;
        listening.ended += 1;
      };
    },
  };
  const options = {
    service: { journal, decisions: { onOpen: () => () => undefined } },
    doorway: {},
    state,
    files,
    env,
    onFault: (error: unknown) => faults.push(error),
  } as unknown as ChannelsOptions;
  return { options, faults, listening };
}

test('each channel is asked by its name, and is given its settings and its secrets', async () => {
  const secrets: string[] = [];
  const { options } = deployment(
    [
      file('one', (host) => {
        secrets.push(host.secret('TOKEN'), JSON.stringify(host.settings), host.name);
        return { respond: async () => new Response('from one') };
      }),
      file('two', () => ({})),
    ],
    { TOKEN: 't' },
  );
  const channels = await Channels.open(options);
  onTestFinished(() => channels.close());
  expect(channels.names).toEqual(['one', 'two']);
  expect(secrets).toEqual(['t', '{"of":"one"}', 'one']);
  const request = new Request('http://localhost/');
  expect(await (await channels.respond('one', request))?.text()).toBe('from one');
  expect(await channels.respond('two', request)).toBeNull();
  expect(await channels.respond('none', request)).toBeNull();
});

test('a channel without its secret keeps all from beginning, and what was begun is closed again', async () => {
  const closed: string[] = [];
  const { options, listening } = deployment(
    [
      file('one', () => ({ close: async () => void closed.push('one') })),
      file('two', (host) => {
        host.secret('TOKEN');
        return {};
      }),
    ],
    { TOKEN: '' },
  );
  const opening = Channels.open(options);
  await expect(opening).rejects.toThrow(ConfigError);
  await expect(opening).rejects.toThrow('the environment has no TOKEN: put the secret');
  expect([closed, listening]).toEqual([['one'], { now: 0, ended: 1 }]);
});

test('a service that cannot be reached is told of, and keeps neither the others nor the end waiting', async () => {
  const closed: string[] = [];
  const { options, faults, listening } = deployment([
    file('one', () => {
      throw new Error('no route');
    }),
    file('two', () => ({ close: async () => void closed.push('two') })),
  ]);
  const channels = await Channels.open(options);
  expect(channels.names).toEqual(['two']);
  expect(faults.map(String)).toEqual([
    'Error: channel one cannot be opened, and is tried again: no route',
  ]);
  await channels.close();
  expect([closed, listening.now]).toEqual([['two'], 0]);
});

test('a service that can be reached later is opened then, and begins if the others have', async () => {
  let tries = 0;
  const opened = Promise.withResolvers<void>();
  const { options, faults } = deployment([
    file('one', () => {
      if (tries++ === 0) throw new Error('no route');
      opened.resolve();
      return {};
    }),
  ]);
  const channels = await Channels.open(options);
  onTestFinished(() => channels.close());
  channels.start();
  await opened.promise;
  await expect.poll(() => channels.names, { interval: 5 }).toEqual(['one']);
  expect([tries, faults.length]).toEqual([2, 1]);
});

test('what a channel cannot do is told with its name', async () => {
  const { options, faults } = deployment([
    file('one', (host) => {
      host.onFault(new Error('odd'));
      return {};
    }),
  ]);
  const channels = await Channels.open(options);
  await channels.close();
  expect(faults.map(String)).toEqual(['Error: channel one: odd']);
});
