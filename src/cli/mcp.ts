/** `dirigent mcp`: the world on stdio, or on a port of loopback. */
import { randomBytes } from 'node:crypto';
import { resolve } from 'node:path';
import type { Worker } from 'node:worker_threads';
import type { OpenDoor } from '../doors/door.ts';
import type { Principal } from '../doors/principal.ts';
import { packageVersion } from '../version.ts';
import { visible, visibleMessage } from '../visible.ts';
import type { McpArguments } from './agent-options.ts';
import type { Installation } from './installation.ts';
import type { Output } from './output.ts';
import { suggested } from './place.ts';
import { askedToEnd } from './signals.ts';
import { stdinKind } from './stdin.ts';

/** Runs `dirigent mcp` until its client has gone or a signal comes. */
export async function runMcp(
  options: McpArguments,
  output: Output,
  installation: Installation,
  worker: Worker,
): Promise<number> {
  const { port, agent = 'assistant' } = options;
  // Whoever started it, or was given its one token, is an agent of the person in charge.
  const principal = { actor: agent, agent };
  const onNotice = (line: string): void =>
    void output.err(visible`dirigent: ${visibleMessage(line)}\n`);
  const clients = port === undefined ? null : await clientsOf(options, principal, onNotice);
  const [{ doorwayOf }, { sealedBy }] = await Promise.all([
    import('./doorway.ts'),
    import('../doors/mcp/server.ts'),
  ]);
  const named = options.clients === undefined ? [] : [resolve(options.clients)];
  const doorway = await doorwayOf('mcp', options, output, installation, worker, {
    clientFiles: named,
    // Those whom a file names are called as it says.
    ownAgents: options.clients === undefined,
  });
  const seal = sealedBy(randomBytes(32));
  const serving = { version: packageVersion(), seal, planning: options.plan };
  const stopped = askedToEnd();
  let door: OpenDoor;
  if (port === undefined || clients === null) {
    if (stdinKind() === 'terminal')
      await output.err(visible`${visibleMessage(atTerminal(options))}\n`);
    const { mcpOnStdio } = await import('../doors/mcp/stdio.ts');
    door = await mcpOnStdio.open(doorway, { ...serving, principal });
  } else {
    const { mcpOverHttp } = await import('../doors/mcp/http.ts');
    const { LOOPBACK, listening } = await import('./listening.ts');
    const open = () => mcpOverHttp.open(doorway, { ...serving, port, clients: clients.clients });
    door = await listening(open, { option: '--http', host: LOOPBACK, port });
    await output.err(visible`dirigent: serving ${door.address}\n`);
    // One that was given is known, and is not repeated.
    if (clients.made !== null)
      await output.err(
        visible`dirigent: clients send the header "Authorization: Bearer ${clients.made}"; ${TOKEN_VARIABLE} names a token of your own\n`,
      );
  }
  doorway.announce(door.address);
  await Promise.race([door.ended, stopped]);
  await door.close();
  await doorway.close();
  return 0;
}

/** What a person sees who started it by hand, and would wait for a prompt. */
function atTerminal({ given, deployment }: McpArguments): string {
  const named = given.deployment === undefined ? { ...given, deployment } : given;
  const command = suggested(named, 'mcp');
  return `dirigent: this is for an MCP client (Claude Code, Codex, Cursor, Zed …), which starts "${command}" itself and speaks JSON-RPC to it; docs/clients.md has what to write into the client's config. At a terminal you may want "${suggested(given, 'chat')}" or "${suggested(given, 'sh')}". Ctrl-D ends it.`;
}

const TOKEN_VARIABLE = 'DIRIGENT_MCP_TOKEN';

/** Who may come in over HTTP, and the token that was made where none was given. @throws ConfigError */
async function clientsOf(
  { token, clients, issuer }: McpArguments,
  principal: Principal,
  onNotice: (line: string) => void,
) {
  const [{ bearerOf, checkToken, newToken }, { fileClients, fixedClients }, { issuerAt }] =
    await Promise.all([
      import('../doors/http/bearer.ts'),
      import('../doors/http/admission.ts'),
      import('../doors/http/oauth.ts'),
    ]);
  if (clients !== undefined) {
    const server = issuer === undefined ? null : issuerAt(issuer);
    return { clients: fileClients(clients, server, onNotice), made: null };
  }
  const variable = process.env[TOKEN_VARIABLE];
  const given =
    token !== undefined
      ? checkToken(token, '--token')
      : variable === undefined
        ? null
        : checkToken(variable, TOKEN_VARIABLE);
  const made = given === null ? newToken() : null;
  return { clients: fixedClients(bearerOf(given ?? made ?? newToken(), principal)), made };
}
