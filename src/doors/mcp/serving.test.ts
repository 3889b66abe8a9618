/** What a client of MCP is served beside calls: files as resources, prompts, and sessions over HTTP. */
import type { Server, Transport } from '@modelcontextprotocol/server';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { ConfigError, FsError } from '../../errors.ts';
import { HTTP_LIMITS } from '../http/limits.ts';
import { filesInMemory } from '../testing.ts';
import type { McpClient } from './client.ts';
import { servePrompts } from './prompts.ts';
import { serveResources, type Told, uriOf } from './resources.ts';
import { HttpSessions } from './sessions.ts';

/** A server that keeps its handlers, and what it told of. */
function served() {
  const handlers = new Map<string, (request: { params?: object }) => Promise<never>>();
  const told: string[] = [];
  const server = {
    setRequestHandler: (name: string, handler: never) => handlers.set(name, handler),
    sendResourceUpdated: async ({ uri }: { uri: string }) => void told.push(uri),
    onclose: undefined as (() => void) | undefined,
  };
  const ask = async (name: string, params?: object): Promise<unknown> =>
    handlers.get(name)?.(params === undefined ? {} : { params });
  return { server: server as unknown as Server, ask, told, end: () => server.onclose?.() };
}

/** Files in memory, served to a client whose agent may read them. */
async function files(told: Told, { tools = ['read'], origins = [] as string[] } = {}) {
  const fs = filesInMemory();
  await fs.writeFile('/workspace/b.md', 'text');
  await fs.writeFile('/workspace/a b', Uint8Array.of(0xff));
  await fs.mkdir('/workspace/d');
  const listeners = new Set<(paths: readonly string[]) => void>();
  const noted: string[][] = [];
  const permit = { decision: 'allow', reason: 'a rule says no' };
  const client = {
    visit: {
      fs,
      mounts: [
        { point: '/mnt/t', service: true },
        { point: '/mnt/docs', service: false },
      ],
    },
    surface: async () => ({
      tools: tools.map((name) => ({ name })),
      access: {
        forCall: () => ({
          files: fs,
          permit: async () => permit,
          origins: () => origins,
          noteUntrusted: async (all: string[]) => void noted.push(all),
        }),
      },
    }),
    onChanged: (listener: never) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  } as unknown as McpClient;
  const at = served();
  serveResources(at.server, client, told);
  const change = (...paths: string[]) => {
    for (const listener of listeners) listener(paths);
  };
  const read = async (path: string) =>
    ((await at.ask('resources/read', { uri: uriOf(path) })) as { contents: [object] }).contents[0];
  return { ...at, fs, change, listeners, noted, permit, read };
}

describe('files as resources', () => {
  test('are the README of each service, and what lies in /workspace, by pages', async () => {
    const { ask, fs } = await files('none');
    const list = async (cursor?: string) =>
      (await ask('resources/list', cursor === undefined ? undefined : { cursor })) as {
        resources: { name: string; uri: string }[];
        nextCursor?: string;
      };
    expect(await list()).toEqual({
      resources: [
        { name: '/mnt/t/README.md', uri: 'dirigent:///mnt/t/README.md' },
        { name: '/workspace/a b', uri: 'dirigent:///workspace/a%20b' },
        { name: '/workspace/b.md', uri: 'dirigent:///workspace/b.md' },
      ],
    });
    for (let each = 0; each < 97; each++) await fs.writeFile(`/workspace/${each}`, '');
    expect(await list()).toMatchObject({ resources: { length: 100 } });
    expect((await list()).nextCursor).toBeUndefined();
    await fs.writeFile('/workspace/z', '');
    const { nextCursor = '' } = await list();
    expect((await list(nextCursor)).resources.map(({ name }) => name)).toEqual(['/workspace/z']);
    for (const cursor of ['-1', 'x', '1.5'])
      await expect(list(cursor)).rejects.toThrow('no such page of the list');
    expect(await ask('resources/templates/list')).toMatchObject({
      resourceTemplates: [{ uriTemplate: 'dirigent:///{+path}' }],
    });
  });

  test('are read: text, bytes, and the names of a directory', async () => {
    const { read, fs } = await files('none');
    const uri = (path: string) => `dirigent://${path}`;
    expect(await read('/workspace/b.md')).toEqual({
      uri: uri('/workspace/b.md'),
      text: 'text',
      mimeType: 'text/markdown',
    });
    expect(await read('/workspace/a b')).toEqual({
      uri: uri('/workspace/a%20b'),
      blob: '/w==',
      mimeType: 'application/octet-stream',
    });
    await fs.writeFile('/workspace/d/x', '');
    expect(await read('/workspace/d')).toMatchObject({ text: 'x\n', mimeType: 'text/plain' });
    await fs.writeFile('/workspace/large', 'x'.repeat(1024 * 1024));
    expect(await read('/workspace/large')).toMatchObject({ mimeType: 'text/plain' });
    await fs.writeFile('/workspace/large', 'x'.repeat(1024 * 1024 + 1));
    await expect(read('/workspace/large')).rejects.toThrow('it has more than 1048576 bytes');
  });

  test('are labelled where they come from a service, and noted', async () => {
    const { read, noted } = await files('none', { origins: ['tracker'] });
    const { text } = (await read('/workspace/b.md')) as { text: string };
    expect(text).toContain('text');
    expect(text).not.toBe('text');
    expect(noted).toEqual([['tracker']]);
    const own = await files('none');
    await own.read('/workspace/b.md');
    expect(own.noted).toEqual([]);
  });

  test('that are not there, or may not be read, are refused', async () => {
    const { ask, read, permit } = await files('none');
    for (const uri of ['file:///a', 'dirigent://x', 'dirigent:///%ff'])
      await expect(ask('resources/read', { uri })).rejects.toThrow(
        `${uri} is no file of this world`,
      );
    await expect(read('/workspace/none')).rejects.toThrow('/workspace/none: ');
    permit.decision = 'deny';
    await expect(read('/workspace/b.md')).rejects.toThrow('a rule says no');
    const { read: other } = await files('none', { tools: ['bash'] });
    await expect(other('/workspace/b.md')).rejects.toThrow('its agent may not call read');
  });

  test('are told of when they change: those that were subscribed to, all, or none', async () => {
    const some = await files('subscribed');
    const uri = uriOf('/workspace/b.md');
    await some.ask('resources/subscribe', { uri });
    some.change('/workspace/a b', '/workspace/b.md');
    await some.ask('resources/unsubscribe', { uri });
    some.change('/workspace/b.md');
    expect(some.told).toEqual([uri]);
    await expect(some.ask('resources/subscribe', { uri: 'x' })).rejects.toThrow('is no file');
    some.end();
    expect(some.listeners.size).toBe(0);
    const all = await files('all');
    all.change('/workspace/a b', '/workspace/b.md');
    expect(all.told).toEqual([uriOf('/workspace/a b'), uri]);
    expect((await files('none')).listeners.size).toBe(0);
  });

  test('are subscribed to up to a thousand', async () => {
    const { ask } = await files('subscribed');
    const subscribe = (each: number) =>
      ask('resources/subscribe', { uri: uriOf(`/workspace/${each}`) });
    for (let each = 0; each < 1_000; each++) await subscribe(each);
    await expect(subscribe(1_000)).rejects.toThrow('1000 files are subscribed to');
  });
});

describe('prompts', () => {
  const callable = (name: string, description = '', hint = '') => ({
    name,
    description,
    arguments: hint,
  });
  const prompts = (commands = [callable('review', 'looks', 'PATH'), callable('both')]) => {
    const at = served();
    const agent = {
      vocabulary: async () => ({
        commands,
        skills: [callable('triage'), callable('both', 'of skills')],
      }),
      expand: async (prompt: string) => {
        if (prompt.includes('refuse')) throw new ConfigError('x', 'it may not run git');
        if (prompt.includes('fault')) throw new TypeError('fault');
        return `<${prompt}>`;
      },
    };
    servePrompts(at.server, { agent } as unknown as McpClient);
    return at.ask;
  };

  test('are the commands and skills, each name once', async () => {
    const typed = (description = 'What follows its name, as typed') => [
      { name: 'arguments', description },
    ];
    expect(await prompts()('prompts/list')).toEqual({
      prompts: [
        { name: 'review', description: 'looks', arguments: typed('PATH') },
        { name: 'both', arguments: typed() },
        { name: 'triage', arguments: typed() },
      ],
    });
  });

  test('are expanded with what follows them', async () => {
    const text = async (params: object) => {
      const got = (await prompts()('prompts/get', params)) as {
        messages: [{ role: string; content: { text: string } }];
      };
      return [got.messages[0].role, got.messages[0].content.text];
    };
    expect(await text({ name: 'review' })).toEqual(['user', '</review >']);
    expect(await text({ name: 'both', arguments: { arguments: 'a b' } })).toEqual([
      'user',
      '</both a b>',
    ]);
    expect(await text({ name: 'triage', arguments: {} })).toEqual(['user', '<$triage >']);
  });

  test('that are none, or that the agent may not run, are refused', async () => {
    await expect(prompts()('prompts/get', { name: 'x' })).rejects.toThrow(
      'there is no prompt "x"; there are: review, both, triage, both',
    );
    const refused = { name: 'review', arguments: { arguments: 'refuse' } };
    await expect(prompts()('prompts/get', refused)).rejects.toThrow('it may not run git');
    const fault = { name: 'review', arguments: { arguments: 'fault' } };
    await expect(prompts()('prompts/get', fault)).rejects.toThrow(TypeError);
  });
});

const INITIALIZE = {
  method: 'POST',
  headers: { accept: 'application/json, text/event-stream', 'content-type': 'application/json' },
  body: JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'test', version: '1' },
    },
  }),
};

describe('sessions of the older protocol', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  /** Of clients in a room for two sessions. */
  function sessions() {
    const all = new HttpSessions({ ...HTTP_LIMITS, sessions: 2, idleMs: 1_000 }, () => 1, Date.now);
    const begin = async (client: string) => {
      const serve = async () => ({ connect: (transport: Transport) => transport.start() });
      const session = await all.begin(client, serve as never);
      await session.transport.handleRequest(new Request('http://h/mcp', INITIALIZE));
      const id = session.transport.sessionId ?? '';
      return { session, id };
    };
    return { all, begin };
  }

  test('are their client’s alone', async () => {
    const { all, begin } = sessions();
    const { session, id } = await begin('ana');
    expect(all.get(id, 'ana')).toBe(session);
    expect(() => all.get(id, 'ben')).toThrow('no such session');
    expect(() => all.get('x', 'ana')).toThrow('no such session');
    await all.close();
    expect(vi.getTimerCount()).toBe(0);
  });

  test('are so many, and end when nobody has used them for a while', async () => {
    const { all, begin } = sessions();
    const one = await begin('ana');
    const two = await begin('ana');
    await expect(begin('ana')).rejects.toMatchObject({ status: 503 });
    let end: () => void = () => undefined;
    all.use(two.session, (listener) => {
      end = listener;
    });
    await vi.advanceTimersByTimeAsync(1_000);
    expect(() => all.get(one.id, 'ana')).toThrow('no such session');
    expect(all.get(two.id, 'ana')).toBe(two.session);
    end();
    await vi.advanceTimersByTimeAsync(999);
    expect(all.get(two.id, 'ana').open).toBe(0);
    await vi.advanceTimersByTimeAsync(1);
    expect(() => all.get(two.id, 'ana')).toThrow('no such session');
    await begin('ana');
    await begin('ana');
    await all.close();
  });

  test('take no place where they could not be begun', async () => {
    const { all, begin } = sessions();
    for (let each = 0; each < 3; each++)
      await expect(
        all.begin('ana', async () => {
          throw new FsError('EACCES', { path: '/', op: 'enter' });
        }),
      ).rejects.toThrow('EACCES');
    await begin('ana');
    await all.close();
  });
});
