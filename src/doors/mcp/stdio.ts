/** MCP on stdio: one client, which has started this process. */
import { PassThrough } from 'node:stream';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import type { Door } from '../door.ts';
import type { Principal } from '../principal.ts';
import { AnsweringTransport } from './answering-transport.ts';
import { enterClient } from './client.ts';
import { createMcpServer, type McpServing } from './server.ts';

export interface McpStdioOptions extends McpServing {
  principal: Principal;
}

export const mcpOnStdio: Door<McpStdioOptions> = {
  name: 'mcp',
  open: async (doorway, options) => {
    const client = await enterClient(doorway, options.principal, options.planning);
    const ended = Promise.withResolvers<void>();
    // A client may close its end as soon as it has asked; the transport would answer nothing after that.
    const input = new PassThrough();
    process.stdin.pipe(input, { end: false });
    const transport = new AnsweringTransport(new StdioServerTransport(input, process.stdout));
    const served = serveStdio(
      ({ era }) => createMcpServer(client, options, era === 'legacy' ? 'subscribed' : 'all'),
      { transport },
    );
    process.stdin.once('end', () => {
      client.calls.end();
      // What was read last is still on its way to the transport.
      setImmediate(() => void transport.idle().then(() => ended.resolve()));
    });
    return {
      address: 'stdio',
      ended: ended.promise,
      close: async () => {
        await served.close();
        input.destroy();
      },
    };
  },
};
