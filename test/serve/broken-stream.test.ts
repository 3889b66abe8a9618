/**
 * A stream of events, as a terminal follows it: what it would have told while it was broken off is
 * asked for, and what it tells of others is not shown.
 */
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { Output } from '../../src/cli/output.ts';
import { showServedTurn } from '../../src/cli/served-turn.ts';
import { ServerClient } from '../../src/cli/server-client.ts';

const TURN = { id: 'm1', state: 'running', outcome: null, approvals: [], questions: [] };
const DONE = { ...TURN, state: 'done', outcome: { status: 'done', text: 'the whole answer' } };

interface Stub {
  client: ServerClient;
  /** How often it was followed. */
  streams: number;
  /** What is told to whoever follows. */
  tell(type: string, value: object): void;
  /** The stream ends behind what was told. */
  end(): void;
  /** All connections break. */
  breakOff(): void;
}

/** A server with one session. @param onSaid when the message was taken, and `state` what it is asked about it */
async function stub(onSaid: (stub: Stub) => void, state: () => object): Promise<Stub> {
  let stream: ServerResponse | undefined;
  const server = createServer((request, response) => {
    const { method, url = '' } = request;
    request.resume();
    if (url.endsWith('/events')) {
      stub.streams += 1;
      stream = response.writeHead(200, { 'content-type': 'text/event-stream' });
      stream.write(': open\n\n');
    } else if (method === 'POST')
      response.end(JSON.stringify({ message: TURN }), () => onSaid(stub));
    else response.end(JSON.stringify(state()));
  }).listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = await new Promise<AddressInfo>((resolve) =>
    server.on('listening', () => resolve(server.address() as AddressInfo)),
  );
  const stub: Stub = {
    client: new ServerClient(`http://127.0.0.1:${port}`, { DIRIGENT_TOKEN: 't' }),
    streams: 0,
    tell: (type, value) =>
      void stream?.write(
        `event: ${type}\ndata: ${JSON.stringify({ type, transient: true, ...value })}\n\n`,
      ),
    end: () => void stream?.end(),
    breakOff: () => server.closeAllConnections(),
  };
  return stub;
}

/** What a terminal prints of its message, and what became of it. */
async function shown({ client }: Stub) {
  let printed = '';
  const output = new Output({
    out: async (text) => {
      printed += String(text);
      return true;
    },
    err: async () => true,
    errIsTerminal: false,
    outIsTerminal: false,
  });
  const said = { session: 's', text: 'hello', model: undefined, plan: false };
  const turn = await showServedTurn(client, said, output, {});
  return { state: turn.state, printed };
}

const delta = (text: string) => ['text-delta', { text }] as const;

test('an answer that breaks off is asked for again', async () => {
  let asked = 0;
  const server = createServer((_, response) => {
    asked += 1;
    const body = JSON.stringify(DONE);
    response.writeHead(200, { 'content-length': body.length });
    if (asked > 1) response.end(body);
    else response.write(body.slice(0, 9), () => response.destroy());
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const client = new ServerClient(`http://127.0.0.1:${port}`, { DIRIGENT_TOKEN: 't' });
  expect(await client.message('m1')).toEqual(DONE);
  expect(asked).toBe(2);
});

describe('a stream', () => {
  test('whose connection breaks while a turn ends: the turn is seen to have ended', async () => {
    const server = await stub(
      ({ breakOff }) => breakOff(),
      () => DONE,
    );
    expect(await shown(server)).toEqual({ state: 'done', printed: 'the whole answer\n' });
    expect(server.streams).toBe(2);
  });

  test.each([
    ['nothing of its answer was told', [], 'the whole answer\n'],
    ['half of its answer was told', [delta('the whole')], 'the whole answer\n'],
    ['all of its answer was told', [delta('the whole answer')], 'the whole answer\n'],
    [
      'something was told before a call',
      [delta('Let me see.'), ['tool-start', { name: 'bash', input: {} }] as const],
      'Let me see.the whole answer\n',
    ],
    ['the middle of its answer is missing', [delta('the swer')], 'the swer\nthe whole answer\n'],
  ])(
    'that breaks off while a turn runs, when %s: the answer is printed, once',
    async (_, told, printed) => {
      let ended = false;
      const server = await stub(
        ({ tell, end }) => {
          tell('turn', TURN);
          for (const [type, value] of told) tell(type, value);
          ended = true;
          end();
        },
        () => (ended ? DONE : TURN),
      );
      expect(await shown(server)).toEqual({ state: 'done', printed });
      expect(server.streams).toBe(2);
    },
  );

  test('that tells of other turns of the session has them printed by nobody whose they are not', async () => {
    const other = { ...TURN, id: 'm0' };
    const server = await stub(
      ({ tell }) => {
        tell('turn', other);
        tell('text-delta', { text: 'for somebody else' });
        tell('turn', { ...other, state: 'done' });
        tell('turn', TURN);
        tell('text-delta', { text: 'for you' });
        tell('turn', DONE);
      },
      () => DONE,
    );
    expect(await shown(server)).toEqual({ state: 'done', printed: 'for you\n' });
  });
});
