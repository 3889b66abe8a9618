/**
 * Text for a person's eyes. What comes from an agent or a service may hold what
 * a terminal acts on, or does not show: escape sequences, marks that turn the
 * direction of writing, characters without a shape, line ends that forge a line
 * of ours. All of it is written out here, and nowhere else. Front ends print
 * {@link VisibleText} alone, which only this module makes.
 */

/** Where a line may end, to a terminal, a pager or an editor. */
const LINE_END = /[\n\r\v\f\x85\u2028\u2029]/;

/**
 * Control, format and default-ignorable characters, halves of surrogate pairs,
 * and noncharacters. Arabic's signs of number are format characters that are seen.
 */
const HIDDEN =
  '[[\\p{Cc}\\p{Cf}\\p{Cs}\\p{Zl}\\p{Zp}\\p{Default_Ignorable_Code_Point}\\p{Noncharacter_Code_Point}]--[\\u0600-\\u0605\\u06dd\\u070f\\u0890\\u0891\\u08e2\\u{110bd}\\u{110cd}]]';

/** Letters of scripts in which a joiner is part of the spelling. */
const JOINED =
  '[[\\p{scx=Arab}\\p{scx=Syrc}\\p{scx=Mong}\\p{scx=Deva}\\p{scx=Beng}\\p{scx=Guru}\\p{scx=Gujr}\\p{scx=Orya}\\p{scx=Taml}\\p{scx=Telu}\\p{scx=Knda}\\p{scx=Mlym}\\p{scx=Sinh}\\p{scx=Khmr}\\p{scx=Mymr}]&&[\\p{L}\\p{M}]]';

/** So many marks upon one letter are spelling; more of them paint over the lines around. */
const MARKS = 8;

/** Text of ASCII that is seen: nearly all, and decided without the tables of Unicode. */
const PLAIN = /^[\n\t\x20-\x7e]*$/;
const PLAIN_NAME = /^[!#-[\]-~]+$/;

/** Made when text is met that needs them: parsing them takes some 10 ms, which a start cannot spare. */
class Patterns {
  #suspect: RegExp | undefined;
  #piece: RegExp | undefined;
  #hidden: RegExp | undefined;
  #unclear: RegExp | undefined;

  /** Is there anything to write out? */
  get suspect(): RegExp {
    this.#suspect ??= new RegExp(`${HIDDEN}|\\p{M}{${MARKS + 1}}`, 'v');
    return this.#suspect;
  }

  /** What is hidden; and, as `kept`, what only looks as if it were. */
  get piece(): RegExp {
    this.#piece ??= new RegExp(
      `(?<kept>\\p{RGI_Emoji}|(?<=${JOINED})[\\u200c\\u200d](?=${JOINED}))|(?<=\\p{M}{${MARKS}})\\p{M}|${HIDDEN}`,
      'gv',
    );
    return this.#piece;
  }

  /** What is hidden, without an exception. */
  get hidden(): RegExp {
    this.#hidden ??= new RegExp(`${HIDDEN}|(?<=\\p{M}{${MARKS}})\\p{M}`, 'gv');
    return this.#hidden;
  }

  /** Of a name: what would blur where it begins and ends. */
  get unclear(): RegExp {
    this.#unclear ??= new RegExp(`[\\s"\\\\\\u2800]|${HIDDEN}|\\p{M}{${MARKS + 1}}`, 'v');
    return this.#unclear;
  }
}

const patterns = new Patterns();

const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\t': '\\t', '\r': '\\r' };

/** `\n`, `\u001b`, `\u{e0041}`. */
function written(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const hex = code.toString(16);
  return SHORT[character] ?? (code > 0xffff ? `\\u{${hex}}` : `\\u${hex.padStart(4, '0')}`);
}

function escaped(text: string, kept: string): string {
  if (PLAIN.test(text)) return kept === '' ? text.replaceAll('\t', '\\t') : text;
  if (!patterns.suspect.test(text)) return text;
  return text.replace(patterns.piece, (piece, ...rest) => {
    const { kept: whole } = rest.at(-1) as { kept?: string };
    return whole !== undefined || kept.includes(piece) ? piece : written(piece);
  });
}

/** Text of several lines: newline and tab stay, and all else that is hidden is written out. */
export const escapeText = (text: string): string => escaped(text, '\n\t');

/** Text that is to stay on its line: one that holds a line end is put in quotes, too. */
export const escapeLine = (text: string): string =>
  LINE_END.test(text) ? quoted(text) : escaped(text, '');

/** A path or another name, in quotes where it holds a blank, a quote or anything hidden. */
export const escapeName = (name: string): string =>
  PLAIN_NAME.test(name) || (name !== '' && !patterns.unclear.test(name)) ? name : quoted(name);

const quoted = (text: string): string =>
  `"${text.replace(/["\\]/g, '\\$&').replace(patterns.hidden, written)}"`;

/** Can all of it be seen, on one line? */
export const isVisibleLine = (text: string): boolean => escapeLine(text) === text;

/** A word for a shell, as `$'…'`, in which all is seen. */
export const shellWord = (text: string): string =>
  `$'${text.replace(/[\\']/g, '\\$&').replace(patterns.hidden, (character) => {
    const hex = (character.codePointAt(0) ?? 0).toString(16);
    return hex.length > 4 ? `\\U${hex.padStart(8, '0')}` : `\\u${hex.padStart(4, '0')}`;
  })}'`;

/** JSON of a value in which whatever is hidden is written as `\uXXXX`: the same value, whoever prints it. */
export function visibleJson(value: unknown, indent?: number): VisibleText {
  const json = JSON.stringify(value, null, indent) ?? 'null';
  const hidden = (part: string): string =>
    part === '\n'
      ? part
      : part.replace(/[\s\S]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return new Visible(json.replace(patterns.hidden, hidden));
}

class Visible {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  toString(): string {
    return this.#text;
  }
}

/** Text that a terminal shows as it is, with our own styles alone. */
export type VisibleText = Visible;

/** What a template puts in: made visible before, or text of whatever origin, which is kept on its line. */
type Part = VisibleText | string | number;

/** `` visible`no change ${id}` ``: our words as they are, and whatever is put in escaped, on one line. */
export function visible(words: TemplateStringsArray, ...parts: readonly Part[]): VisibleText {
  const rest = parts.map((part, index) => {
    const text = typeof part === 'string' ? escapeLine(part) : String(part);
    return `${text}${words[index + 1] ?? ''}`;
  });
  return new Visible(`${words[0] ?? ''}${rest.join('')}`);
}

/** A path or another name as {@link escapeName} has it. */
export const visibleName = (name: string): VisibleText => new Visible(escapeName(name));

/** Parts one after the other. */
export const joined = (parts: readonly VisibleText[], between = ''): VisibleText =>
  new Visible(parts.join(between));

/** A message of several lines: those below its first are indented, so that none passes for another. */
export const visibleMessage = (text: string, indent = '  '): VisibleText =>
  new Visible(escapeText(text.trimEnd()).replaceAll('\n', `\n${indent}`));

/** How {@link visibleLines} lays text out. */
export interface Layout {
  /** Put before each line, so that none passes for one of ours. */
  prefix?: string;
  /** Lines are broken so that no row has more cells, prefix included; unbroken where absent. */
  columns?: number | undefined;
  /** A line is cut after so many rows, and says how much is left out. */
  rows?: number;
  /** It is a patch: each row of a line begins with the line's own `+`, `-` or blank. */
  patch?: boolean;
  /** Rows end behind a blank where they can, and a link stays whole, however long. */
  words?: boolean;
}

/** Text of several lines. What ends without a newline is not given one. */
export function visibleLines(text: string, layout: Layout = {}): VisibleText {
  const { prefix = '', columns } = layout;
  const clean = escapeText(text);
  if (clean === '' || (prefix === '' && columns === undefined)) return new Visible(clean);
  const lines = clean.split('\n');
  // What stands behind the last newline is no line.
  const end = lines.at(-1) === '' ? lines.splice(-1).length : 0;
  const shown = lines.flatMap((line) =>
    columns === undefined ? [`${prefix}${line}`] : rowsOf(line, columns, layout),
  );
  return new Visible(`${shown.join('\n')}${end === 1 ? '\n' : ''}`);
}

/** Marks the rows of a broken line but its first. */
const CONTINUED = '↪';

function rowsOf(
  line: string,
  columns: number,
  { prefix = '', rows = Infinity, patch = false, words = false }: Layout,
): string[] {
  const sign = patch && /^[-+ ]/.test(line) ? line.charAt(0) : '';
  const width = Math.max(columns - prefix.length - sign.length - CONTINUED.length, 8);
  const found: string[] = [];
  let row = '';
  let cells = 0;
  let left = line.length - sign.length;
  const rest = line.slice(sign.length);
  for (const piece of words ? wordsOf(rest, width) : rest) {
    const more = NARROW.test(piece.charAt(0)) ? piece.length : cellsOf(piece);
    const hangs = words && piece === ' ' && cells <= width;
    if (cells > 0 && cells + more > width && !hangs) {
      found.push(row);
      row = '';
      cells = 0;
      if (found.length === rows) break;
    }
    row += piece;
    cells += more;
    left -= piece.length;
  }
  if (found.length < rows) found.push(row);
  const shown = found.map((each, at) => `${prefix}${sign}${at === 0 ? '' : CONTINUED}${each}`);
  const cut = `${prefix}${sign}${CONTINUED}… ${left.toLocaleString('en')} more characters`;
  return left > 0 ? [...shown, cut] : shown;
}

/** Words of ASCII that fit into a row, links, and whatever is between them by the character. */
function* wordsOf(line: string, width: number): Iterable<string> {
  for (const [piece] of line.matchAll(/[!-~]+|[^!-~]/gu)) {
    if (piece.length <= width || /https?:\/\//.test(piece)) yield piece;
    else yield* piece;
  }
}

const NARROW = /^[\x20-\x7e]$/;
const ZERO = /^\p{M}$/u;
const WIDE =
  /^(?:\p{Extended_Pictographic}|[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f000}-\u{3ffff}])$/u;

/** How many cells a character takes at most. */
export function cellsOf(character: string): number {
  if (NARROW.test(character)) return 1;
  if (character === '\t') return 8;
  if (ZERO.test(character)) return 0;
  return WIDE.test(character) ? 2 : 1;
}

/** Keeps back what the next piece may complete: half a pair, an emoji of several characters, a joiner. */
const UNFINISHED =
  /(?=.)[\p{Emoji_Presentation}\p{Extended_Pictographic}\p{Emoji_Modifier}\p{RI}\p{VS}\p{Join_C}\u{e0020}-\u{e007f}]*[\ud800-\udbff]?$/su;
/** No emoji is so long. */
const LONGEST_KEPT = 64;

/** Text that arrives in pieces: what is hidden is found over their borders, too. */
export class VisibleStream {
  #kept = '';

  /** What can be shown once a piece has come. */
  push(piece: string): VisibleText {
    const text = this.#kept + piece;
    const found = UNFINISHED.exec(text.slice(-LONGEST_KEPT));
    const end = found === null ? text.length : text.length - found[0].length;
    this.#kept = text.slice(end);
    return new Visible(escapeText(text.slice(0, end)));
  }

  /** What was kept back. */
  end(): VisibleText {
    const rest = this.#kept;
    this.#kept = '';
    return new Visible(escapeText(rest));
  }
}

/** Select Graphic Rendition, as terminals number it: 1 is bold, 2 faint, 31 red. */
export const styled = (text: VisibleText, ...codes: readonly number[]): VisibleText =>
  new Visible(`\x1b[${codes.map(Math.trunc).join(';')}m${text}\x1b[0m`);

export const bold = (text: VisibleText): VisibleText => styled(text, 1);
export const dim = (text: VisibleText): VisibleText => styled(text, 2);

/** What moves a terminal's cursor or clears its screen: ours alone, by name. */
const CONTROLS = {
  'line start': '\r',
  'clear to line end': '\x1b[K',
  'screen start': '\x1b[H',
  'clear to screen end': '\x1b[J',
  'other screen': '\x1b[?1049h',
  'own screen': '\x1b[?1049l',
} as const;

export const control = (name: keyof typeof CONTROLS): VisibleText => new Visible(CONTROLS[name]);
