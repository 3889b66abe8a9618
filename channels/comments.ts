/** Comments as messages, for services that have no buttons and tell of comments by a webhook. */
import { DeliveryRefusal } from '../src/mount/index.ts';
import {
  type ChannelHost,
  type Doubt,
  type IncomingMessage,
  isAnswer,
  type OutgoingMessage,
  type PressedButton,
  type Sender,
} from '../src/serve/channels/index.ts';
import { LOOKED_MS } from './as-sent.ts';

/** A comment, or the text of what is commented on. */
export interface Comment {
  /** The same each time that it is delivered. */
  id: string;
  thread: string;
  sender: Sender;
  text: string;
}

/** Lines that repeat what others said. */
const QUOTE = /^ {0,3}> ?/;

/**
 * What was said to an account; what it quotes is others’.
 * @param mention finds each mention; what stood before it, as the first group, stays
 */
function messageOf({ text, ...comment }: Comment, mention: RegExp): IncomingMessage {
  const lines = text.split(/\r?\n/);
  const own = lines.filter((line) => !QUOTE.test(line)).join('\n');
  const quoted = lines.flatMap((line) => (QUOTE.test(line) ? [line.replace(QUOTE, '')] : []));
  return {
    ...comment,
    text: own.replace(mention, '$1').trim(),
    // A mention in what is quoted is somebody else's.
    isAddressed: own.search(mention) >= 0,
    ...(quoted.length === 0 ? {} : { quoted: quoted.join('\n') }),
  };
}

type Memory = ChannelHost<unknown>['memory'];
const buttonName = (token: string): string => `button ${token}`;

/** A button that a comment presses, and the comment that it is in. */
type Button = Pick<PressedButton, 'token' | 'message'>;

function buttonIn(memory: Memory, said: string): Button | null {
  const [, token] = /^\/answer ([A-Za-z0-9]{1,24})$/.exec(said) ?? [];
  const message = token === undefined ? null : memory.get(buttonName(token));
  return token !== undefined && typeof message === 'string' ? { token, message } : null;
}

/** Notes in which comment the buttons of a message are. */
export function rememberButtons(
  memory: Memory,
  { buttons }: OutgoingMessage,
  comment: string,
): void {
  for (const { token } of buttons) memory.set(buttonName(token), comment, LOOKED_MS);
}

/** Looks at what was read before an answer: why it cannot be held against what was sent, if so. */
export type Look = (thread: string, button: Button | null) => Promise<Doubt | undefined>;

/**
 * Takes a comment: as a button that it presses, or as what was said to the account.
 * @param look for services where others may edit what the account has said; it meets answers alone, of known people
 */
export async function takeComment(
  host: Pick<ChannelHost<unknown>, 'memory' | 'isKnown' | 'receive' | 'pressed'>,
  comment: Comment,
  mention: RegExp,
  look: Look = async () => undefined,
): Promise<void> {
  const said = messageOf(comment, mention);
  if (!isAnswer(said.text)) return host.receive(said);
  const { id, thread, sender } = comment;
  const button = buttonIn(host.memory, said.text);
  const doubt = host.isKnown(sender.id) ? await look(thread, button) : undefined;
  if (button !== null) host.pressed({ ...button, id, thread, sender, doubt });
  // What answers a question mentions nobody: it is written below the question.
  else host.receive({ ...said, isAddressed: true, doubt });
}

/** Answers a delivery; one that is refused is told why. */
export async function answered(work: () => Response | Promise<Response>): Promise<Response> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof DeliveryRefusal)) throw error;
    return new Response(error.message, { status: error.kind === 'malformed' ? 400 : 401 });
  }
}

/** By which words each button is pressed, as a list. */
export const answerLines = ({ buttons }: OutgoingMessage): string[] =>
  buttons.map(({ label, token }) => `- ${label}: \`/answer ${token}\``);

/** The names of its files, in a line. */
export const fileNames = ({ files }: OutgoingMessage): string =>
  files.map(({ name }) => `\`${name.replaceAll('`', '')}\``).join(', ');

/** The text of a comment: by which words it is answered, and which files it does not have. */
export function commentText(message: OutgoingMessage): string {
  const [answers, left] = [answerLines(message), fileNames(message)];
  const asking = answers.length === 0 ? [] : ['', 'Answer by a comment that says', ...answers];
  const missing = left === '' ? [] : ['', `Not attached here, and in the session: ${left}`];
  return [message.text, ...missing, ...asking].join('\n');
}
