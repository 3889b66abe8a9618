/**
 * Commands of a conversation: a line that begins with `/`. The harness's own
 * commands and templates are called the same way, and skills by `$NAME`; a name
 * that is none of these goes to no model.
 */
import { ConfigError } from '../errors.ts';
import { meant } from '../nearest.ts';
import { joined, type VisibleText, visible, visibleMessage } from '../visible.ts';
import type { Completion } from './completion.ts';
import type { Conversation } from './conversation.ts';

/** What becomes of a line: it is sent, it was a command that said something, or the conversation ends. */
export type Outcome =
  | { do: 'send' }
  | { do: 'say'; text: VisibleText }
  | { do: 'end' }
  | { do: 'resume'; session: string };

/** A command of the conversation. */
interface ChatCommand {
  usage: string;
  does: string;
  run(conversation: Conversation, argument: string): Promise<Outcome>;
}

const say = (text: VisibleText): Outcome => ({ do: 'say', text });

const COMMANDS: Readonly<Record<string, ChatCommand>> = {
  help: {
    usage: '/help',
    does: 'this list',
    run: async (conversation) => say(await helpOf(conversation)),
  },
  model: {
    usage: '/model [NAME]',
    does: 'which model answers; another one from now on',
    run: chooseModel,
  },
  plan: {
    usage: '/plan',
    does: 'turns begin with a plan, and change nothing before you approve it; again: no more',
    run: async ({ options }) => {
      options.plan = !options.plan;
      return say(
        options.plan
          ? visible`from now on a plan comes first, and nothing is changed before you approve it\n`
          : visible`no plan is asked for any more\n`,
      );
    },
  },
  cost: {
    usage: '/cost',
    does: 'what this session has spent',
    run: async ({ world }) => {
      const { tokens, commands, requests, messages } = world.session.usage;
      const count = (number: number): string => number.toLocaleString('en');
      return say(
        visible`${count(messages.user)} prompts, ${count(commands)} commands, ${count(tokens.input)} tokens in, ${count(tokens.output)} out, ${count(requests)} requests to services\n`,
      );
    },
  },
  clear: {
    usage: '/clear',
    does: 'begins anew: the model forgets, the session keeps what was said',
    run: async ({ world }) => {
      world.session.travel(null);
      return say(visible`the model sees nothing of what was said before\n`);
    },
  },
  compact: {
    usage: '/compact',
    does: 'has what was said summarised',
    run: async ({ agent, options }) =>
      say(
        (await agent.compact(chosenModel(options)))
          ? visible`summarised\n`
          : visible`there is nothing to summarise yet\n`,
      ),
  },
  resume: {
    usage: '/resume [ID]',
    does: 'goes on with another session: the one before this, or the one named',
    run: async ({ sessions }, argument) => {
      const session = await sessions(argument);
      if (session === null) return say(visible`there is no other session with a conversation\n`);
      return { do: 'resume', session };
    },
  },
  exit: { usage: '/exit', does: 'ends the conversation', run: async () => ({ do: 'end' }) },
};

const chosenModel = ({ model }: Conversation['options']) => (model === undefined ? {} : { model });

/** What is to be done with a line that was typed. */
export async function outcomeOf(line: string, conversation: Conversation): Promise<Outcome> {
  const [, sigil, name = '', argument = ''] = /^([$/])([\w.-]+)(?:\s+([\s\S]*))?$/.exec(line) ?? [];
  if (sigil === undefined) return { do: 'send' };
  const { agent, options } = conversation;
  const { skills, commands } = await agent.vocabulary(options.agent);
  const known = (sigil === '$' ? skills : commands).map((each) => each.name);
  if (known.includes(name)) return { do: 'send' };
  const command = sigil === '/' && Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command === undefined)
    return say(unknown(sigil, name, sigil === '$' ? known : [...known, ...Object.keys(COMMANDS)]));
  try {
    return await command.run(conversation, argument.trim());
  } catch (error) {
    // What was asked for cannot be had; the conversation goes on as it was.
    if (!(error instanceof Error)) throw error;
    return say(visible`dirigent: ${visibleMessage(error.message)}\n`);
  }
}

function unknown(sigil: string, name: string, known: readonly string[]): VisibleText {
  const near = meant(name, known);
  const hint = near === null ? '' : `; did you mean ${sigil}${near}?`;
  const what = sigil === '$' ? 'skill' : 'command';
  const how =
    sigil === '$' ? '' : ' (/help lists them; a line that begins with a blank is sent as it is)';
  return visible`dirigent: there is no ${what} ${`${sigil}${name}`}${hint}${how}\n`;
}

/** Columns of a command's usage in the list. */
const HELP_WIDTH = 16;

/** What Tab offers: the names that a line can begin with. */
export async function completeCall(
  text: string,
  { agent, options }: Pick<Conversation, 'agent' | 'options'>,
): Promise<Completion> {
  const [, sigil, begun = ''] = /^([$/])([\w.-]*)$/.exec(text) ?? [];
  if (sigil === undefined) return [[], text];
  const { skills, commands } = await agent.vocabulary(options.agent);
  const called = (sigil === '$' ? skills : commands).map(({ name }) => name);
  const names = sigil === '$' ? called : [...new Set([...called, ...Object.keys(COMMANDS)])];
  return [
    names
      .filter((name) => name.startsWith(begun))
      .sort()
      .map((name) => `${sigil}${name} `),
    text,
  ];
}

async function helpOf({ agent, options }: Conversation): Promise<VisibleText> {
  const { skills, commands } = await agent.vocabulary(options.agent);
  const row = (usage: string, does: string): VisibleText =>
    visible`${`${usage.padEnd(HELP_WIDTH - 1)} ${does}`.trimEnd()}\n`;
  const rows = Object.values(COMMANDS).map(({ usage, does }) => row(usage, does));
  const own = commands.map(({ name, arguments: hint, description }) =>
    row(`/${name} ${hint}`.trimEnd(), description || 'a template of the harness'),
  );
  const called = skills.map(({ name, description }) => row(`$${name}`, description));
  const keys = visible`Esc stops a turn, Ctrl-D ends; a line that ends with \\ is continued, and what is pasted is one prompt\n`;
  return joined([...rows, ...own, ...called, keys]);
}

async function chooseModel(conversation: Conversation, name: string): Promise<Outcome> {
  const { agent, options } = conversation;
  if (name === '') return say(visible`${options.model ?? agent.defaultModel}\n`);
  try {
    await agent.checkModel(name);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return say(visible`dirigent: ${visibleMessage(error.message)}\n`);
  }
  options.model = name;
  return say(visible`${name} answers from now on\n`);
}
