/** A stream of events that breaks off while a turn runs: what it then would have told is asked for. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { Output } from '../../src/cli/output.ts';
import { showServedTurn } from '../../src/cli/served-turn.ts';
import { ServerClient } from '../../src/cli/server-client.ts';

test('a turn that ended while its stream was broken off is seen to have ended', async () => {
  const turn = { id: 'm1', state: 'running', outcome: null, approvals: [], questions: [] };
  let streams = 0;
  const server = createServer((request, response) => {
    const { method, url = '' } = request;
    request.resume();
    if (url.endsWith('/events')) {
      streams += 1;
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': open\n\n');
      return;
    }
    const message = method === 'POST' ? { message: turn } : { ...turn, state: 'done' };
    response.end(JSON.stringify(message), () => {
      // Its turn ends now, and nobody is told.
      if (method === 'POST') server.closeAllConnections();
    });
  }).listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = await new Promise<AddressInfo>((resolve) =>
    server.on('listening', () => resolve(server.address() as AddressInfo)),
  );
  const client = new ServerClient(`http://127.0.0.1:${port}`, { DIRIGENT_TOKEN: 't' });
  const keep = async (): Promise<boolean> => true;
  const output = new Output({ out: keep, err: keep, errIsTerminal: false, outIsTerminal: false });
  const said = { session: 's', text: 'hello', model: undefined, plan: false };
  expect(await showServedTurn(client, said, output, {})).toMatchObject({ state: 'done' });
  expect(streams).toBe(2);
});
