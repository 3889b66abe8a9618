/** Commands, templates and skills of the harness, as prompts. */
import { ProtocolError, ProtocolErrorCode, type Server } from '@modelcontextprotocol/server';
import type { Callable } from '../../agent/open-agent.ts';
import { ConfigError } from '../../errors.ts';
import type { McpClient } from './client.ts';

/** What a prompt is called with: the words after its name. */
const argumentsOf = ({ arguments: hint }: Callable) => [
  { name: 'arguments', description: hint || 'What follows its name, as typed' },
];

export function servePrompts(server: Server, { agent }: McpClient): void {
  server.setRequestHandler('prompts/list', async () => {
    const { skills, commands } = await agent.vocabulary();
    const taken = new Set(commands.map(({ name }) => name));
    const all = [...commands, ...skills.filter(({ name }) => !taken.has(name))];
    return {
      prompts: all.map((each) => ({
        name: each.name,
        ...(each.description === '' ? {} : { description: each.description }),
        arguments: argumentsOf(each),
      })),
    };
  });
  server.setRequestHandler('prompts/get', async ({ params }) => {
    const { name } = params;
    const { skills, commands } = await agent.vocabulary();
    const isCalled = (each: Callable): boolean => each.name === name;
    const sigil = commands.some(isCalled) ? '/' : skills.some(isCalled) ? '$' : null;
    if (sigil === null) {
      const names = [...commands, ...skills].map((each) => each.name).join(', ');
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        `there is no prompt "${name}"; there are: ${names === '' ? 'none' : names}`,
      );
    }
    const text = await expanded(agent, `${sigil}${name} ${params.arguments?.['arguments'] ?? ''}`);
    return { messages: [{ role: 'user' as const, content: { type: 'text' as const, text } }] };
  });
}

/** @throws ProtocolError where the client's agent may not run what the command runs */
async function expanded(agent: McpClient['agent'], prompt: string): Promise<string> {
  try {
    return await agent.expand(prompt);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, error.message);
  }
}
