/** What a conversation at the terminal needs. */
import type { Agent } from '../agent/open-agent.ts';
import type { World } from '../world/world.ts';
import type { ChatArguments } from './agent-options.ts';
import type { Desk } from './desk.ts';
import type { TerminalInput } from './line-reader.ts';
import type { Output } from './output.ts';

/** What a conversation needs; tests hand in streams for the terminal. */
export interface Conversation {
  world: World;
  agent: Agent;
  /** The model may change, and whether turns begin with a plan, while they talk. */
  options: Pick<ChatArguments, 'agent' | 'model' | 'plan'>;
  /** Where it comes in what agents ask. */
  desk: Desk;
  input: TerminalInput;
  prompts: NodeJS.WritableStream;
  output: Output;
  /** The id of the session that a name means; without a name, of the conversation before this one. */
  sessions(name: string): Promise<string | null>;
}
