/** What Tab offers: commands where one is expected, paths elsewhere. */

import { isVisibleLine, shellWord } from '../visible.ts';
import type { World } from '../world/world.ts';

/** What completion needs of a world. */
export interface CompletionWorld {
  fs: Pick<World['fs'], 'readdirWithFileTypes'>;
  commands: World['commands'];
}

/** Candidates, and the part of the line that they replace. */
export type Completion = [candidates: string[], replaced: string];

/** Keywords that a command may follow. */
const KEYWORDS = ['if', 'then', 'else', 'elif', 'while', 'until', 'do', 'time', '!', '{'];
const SPECIAL = /[\s\\'"`$&|;<>()*?[\]#~{}!]/g;

/**
 * Completes the word that the text ends with.
 * @param cwd where relative paths begin
 */
export async function complete(
  text: string,
  cwd: string,
  world: CompletionWorld,
): Promise<Completion> {
  const { word, first } = lastWord(text);
  if (first && !word.raw.includes('/')) {
    const names = (await world.commands()).filter((name) => name.startsWith(word.value));
    return [unique(names).map((name) => `${name} `), word.raw];
  }
  return [await paths(word, cwd, world), word.raw];
}

interface Word {
  /** As typed. */
  raw: string;
  /** What it stands for, without quotes and backslashes. */
  value: string;
  /** The quote that is open at its end. */
  quote: '' | "'" | '"';
}

/** The word at the end of a line, and whether a command is expected there. */
function lastWord(text: string): { word: Word; first: boolean } {
  let word: Word = { raw: '', value: '', quote: '' };
  let first = true;
  const end = (command: boolean): void => {
    if (command) first = true;
    else if (word.raw !== '') {
      first = first && (KEYWORDS.includes(word.value) || /^\w+=/.test(word.value));
    }
    word = { raw: '', value: '', quote: '' };
  };
  for (let index = 0; index < text.length; index++) {
    const char = text.charAt(index);
    if (char === '\\' && word.quote !== "'") {
      word.raw += text.slice(index, index + 2);
      word.value += text.charAt(++index);
    } else if (word.quote !== '') {
      word.raw += char;
      if (char === word.quote) word.quote = '';
      else word.value += char;
    } else if (char === "'" || char === '"') {
      word.raw += char;
      word.quote = char;
    } else if (/\s/.test(char)) end(false);
    else if (/[|&;()]/.test(char)) end(true);
    else if (/[<>]/.test(char)) {
      end(false);
      first = false;
    } else {
      word.raw += char;
      word.value += char;
    }
  }
  return { word, first };
}

async function paths(word: Word, cwd: string, world: CompletionWorld): Promise<string[]> {
  const cut = word.value.lastIndexOf('/') + 1;
  const folder = word.value.slice(0, cut);
  const prefix = word.value.slice(cut);
  const directory = folder.startsWith('/') ? folder : `${cwd}/${folder}`;
  const entries = await list(world, directory);
  const found = entries.filter(
    ({ name }) => name.startsWith(prefix) && (prefix.startsWith('.') || !name.startsWith('.')),
  );
  return found.map((entry) => {
    const end = entry.isDirectory ? '/' : '';
    return quote(folder + entry.name, word.quote) + end + closing(entry.isDirectory, word.quote);
  });
}

async function list(world: CompletionWorld, directory: string) {
  try {
    return await world.fs.readdirWithFileTypes(directory);
  } catch (error) {
    // Nothing to offer there; the command itself will say why.
    if (error instanceof Error && 'code' in error) return [];
    throw error;
  }
}

/** A directory's completion goes on; a file's word is over. */
const closing = (directory: boolean, open: Word['quote']): string => (directory ? '' : `${open} `);

function quote(text: string, open: Word['quote']): string {
  // A candidate is shown, and typed, as it is.
  if (!isVisibleLine(text)) return shellWord(text);
  if (open === "'") return `'${text}`;
  if (open === '"') return `"${text.replace(/[\\"$`]/g, '\\$&')}`;
  return text.replace(SPECIAL, '\\$&');
}

const unique = (names: readonly string[]): string[] => [...new Set(names)].sort();
