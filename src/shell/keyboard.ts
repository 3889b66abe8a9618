/** Commands at a terminal that read what nobody piped to them: they read the keyboard. */
import { mayRead } from './stdin-readers.ts';
import type { ShellTerminal } from './terminal.ts';

/** They take what their operands name, or search the directory; a lone `-` is the keyboard. */
const ASK_FOR_IT = new Set('cmp comm diff egrep fgrep grep join rg'.split(' '));

/** They run a script, or another command that is asked itself. */
const RUN_OTHERS = new Set(
  'bash sh eval source . env timeout time command builtin exec nohup nice python python3 node nodejs js-exec select'.split(
    ' ',
  ),
);

/** Options with which a command reads nothing. */
const NO_INPUT = /^--(help|version|null-input)$/;

/** These are built in, and take text where a command takes bytes. */
const TAKE_TEXT = new Set(['read', 'mapfile', 'readarray']);

/** What is typed for a command whose stdin is the terminal, as bytes; empty where nothing is. */
export async function fromKeyboard(
  terminal: ShellTerminal | null,
  name: string,
  args: readonly string[],
): Promise<string> {
  if (terminal === null) return '';
  const typed = (await keyboardInput(terminal, name, args)) ?? '';
  return TAKE_TEXT.has(name) ? typed : Buffer.from(typed).toString('latin1');
}

/**
 * What a command reads from the keyboard; null where it reads nothing. Ctrl-D is the end: an
 * empty text.
 */
async function keyboardInput(
  terminal: ShellTerminal,
  name: string,
  args: readonly string[],
): Promise<string | null> {
  if (name === 'read') return oneLine(terminal, args);
  if (!readsAll(name, args)) return null;
  return (await terminal.ask({ kind: 'rest' })) ?? '';
}

async function oneLine(terminal: ShellTerminal, args: readonly string[]): Promise<string | null> {
  // `read -u 3` reads a file that was opened.
  if (optionValue(args, 'u') !== null) return null;
  const prompt = optionValue(args, 'p') ?? '';
  const hidden = args.some((word) => /^-[a-zA-Z]*s/.test(word));
  const line = await terminal.ask({ kind: 'line', prompt, hidden });
  return line === null ? '' : `${line}\n`;
}

function readsAll(name: string, args: readonly string[]): boolean {
  if (RUN_OTHERS.has(name) || args.some((word) => NO_INPUT.test(word))) return false;
  if (ASK_FOR_IT.has(name)) return args.includes('-');
  if (name === 'jq' && args.some((word) => /^-[a-zA-Z]*n/.test(word))) return false;
  if (/^g?awk$/.test(name) && args.some(onlyBegins)) return false;
  return mayRead(name, args);
}

/** The value of a short option, behind it or in the next word. */
function optionValue(args: readonly string[], letter: string): string | null {
  for (const [index, word] of args.entries()) {
    if (word === '--' || !/^-[a-zA-Z]/.test(word)) return null;
    const at = word.indexOf(letter, 1);
    if (at < 0) continue;
    return at + 1 < word.length ? word.slice(at + 1) : (args[index + 1] ?? '');
  }
  return null;
}

/** A program of awk that ends before it would read: `BEGIN { … }` and nothing else. */
function onlyBegins(program: string): boolean {
  if (!/^\s*BEGIN\s*\{/.test(program) || /\bgetline\b/.test(program)) return false;
  const text = program.replace(/"(?:\\.|[^"\\])*"/g, '');
  let depth = 0;
  let outline = '';
  for (const character of text) {
    if (character === '}') depth--;
    if (depth === 0) outline += character;
    if (character === '{') depth++;
  }
  // A block has left its end alone.
  return /^(?:\s*BEGIN\s*\{\}[\s;]*)+$/.test(outline);
}
