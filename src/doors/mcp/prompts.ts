/** Templates and skills of the harness, as prompts. */
import { ProtocolError, ProtocolErrorCode, type Server } from '@modelcontextprotocol/server';
import type { McpClient } from './client.ts';

/** What a prompt is called with: the words after its name. */
const ARGUMENTS = [{ name: 'arguments', description: 'What follows its name, as typed' }];

export function servePrompts(server: Server, { agent }: McpClient): void {
  server.setRequestHandler('prompts/list', async () => {
    const { skills, templates } = await agent.vocabulary();
    const names = [...templates, ...skills.filter((name) => !templates.includes(name))];
    return { prompts: names.map((name) => ({ name, arguments: ARGUMENTS })) };
  });
  server.setRequestHandler('prompts/get', async ({ params }) => {
    const { name } = params;
    const { skills, templates } = await agent.vocabulary();
    const sigil = templates.includes(name) ? '/' : skills.includes(name) ? '$' : null;
    if (sigil === null) {
      const names = [...templates, ...skills].join(', ');
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        `there is no prompt "${name}"; there are: ${names === '' ? 'none' : names}`,
      );
    }
    const text = await agent.expand(`${sigil}${name} ${params.arguments?.['arguments'] ?? ''}`);
    return { messages: [{ role: 'user' as const, content: { type: 'text' as const, text } }] };
  });
}
