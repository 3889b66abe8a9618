/** `dirigent mcp`: the world on stdio, or on a port of loopback. */
import type { Worker } from 'node:worker_threads';
import { packageVersion } from '../version.ts';
import { visible, visibleMessage } from '../visible.ts';
import type { McpArguments } from './agent-options.ts';
import type { Installation } from './installation.ts';
import type { Output } from './output.ts';
import { suggested } from './place.ts';
import { stdinKind } from './stdin.ts';

/** Runs `dirigent mcp` until its client has gone or a signal comes. */
export async function runMcp(
  options: McpArguments,
  output: Output,
  installation: Installation,
  worker: Worker,
): Promise<number> {
  const token = options.port === undefined ? undefined : await tokenOf(options);
  const { doorwayOf } = await import('./doorway.ts');
  const { createMcpServer } = await import('../mcp/server.ts');
  const doorway = await doorwayOf('mcp', options, output, installation, worker);
  // Its client is started by the person in charge, or has the token from them, as an agent.
  const { agent = 'assistant' } = options;
  const visit = await doorway.enter({ actor: agent, agent });
  const surface = await (await visit.agent()).surface();
  const serve = () => createMcpServer({ ...surface, version: packageVersion() });
  const ended = Promise.withResolvers<void>();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => ended.resolve());
  }
  if (options.port === undefined) {
    if (stdinKind() === 'terminal')
      await output.err(visible`${visibleMessage(atTerminal(options))}\n`);
    const { StdioServerTransport } = await import('@modelcontextprotocol/sdk/server/stdio.js');
    const { server, idle } = serve();
    process.stdin.once('end', () => ended.resolve());
    doorway.announce('stdio');
    await server.connect(new StdioServerTransport());
    await ended.promise;
    // A client may close its end as soon as it has asked.
    await idle();
    await new Promise((resolve) => setImmediate(resolve));
    await server.close();
  } else {
    const { serveHttp } = await import('../mcp/http.ts');
    const http = await serveHttp(options.port, () => serve().server, { token });
    doorway.announce(http.url);
    await output.err(visible`dirigent: serving ${http.url}\n`);
    // One that was given is known, and is not repeated.
    if (token === undefined)
      await output.err(
        visible`dirigent: clients send the header "Authorization: Bearer ${http.token}"; ${TOKEN_VARIABLE} names a token of your own\n`,
      );
    await ended.promise;
    await http.close();
  }
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

/** The token that was given; undefined where one is to be made. @throws ConfigError */
async function tokenOf({ token }: McpArguments): Promise<string | undefined> {
  const { checkToken } = await import('../mcp/http-token.ts');
  if (token !== undefined) return checkToken(token, '--token');
  const variable = process.env[TOKEN_VARIABLE];
  return variable === undefined ? undefined : checkToken(variable, TOKEN_VARIABLE);
}
