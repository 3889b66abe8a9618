/** Text a page at a time, at a terminal, with the keys of less. */
import type { PageView } from '../shell/terminal.ts';
import {
  cellsOf,
  control,
  escapeText,
  joined,
  styled,
  type VisibleText,
  visible,
} from '../visible.ts';
import type { RawKeys } from './keys.ts';

/** Where the pager is drawn. */
export interface PagerScreen {
  columns: number;
  rows: number;
  print(text: VisibleText): Promise<unknown>;
}

/** One row of the screen, and the line that it is a part of. */
interface Row {
  line: number;
  text: string;
}

const TAB = 8;

/** Shows a text until the person has had enough. */
export async function page(
  text: string,
  view: PageView,
  keys: RawKeys,
  screen: PagerScreen,
  signal: AbortSignal,
): Promise<void> {
  const pager = new Pager(text, view, screen);
  if (view.quitIfShort && pager.isShort) {
    await screen.print(pager.whole());
    return;
  }
  await screen.print(control('other screen'));
  try {
    await pager.draw();
    for (;;) {
      const key = await keys.next(signal);
      if (key === null || key === '\x03' || (await pager.press(key)) === 'end') return;
    }
  } finally {
    await screen.print(control('own screen'));
  }
}

class Pager {
  readonly #screen: PagerScreen;
  readonly #view: PageView;
  readonly #rows: Row[];
  readonly #lines: string[];
  #top = 0;
  #pattern: RegExp | null = null;
  /** What is typed behind `/` or `?`; null where nothing is. */
  #typing: { backwards: boolean; text: string } | null = null;
  #backwards = false;
  #note = '';

  constructor(text: string, view: PageView, screen: PagerScreen) {
    this.#screen = screen;
    this.#view = view;
    this.#lines = escapeText(text.replace(/\r\n/g, '\n')).split('\n');
    if (this.#lines.at(-1) === '') this.#lines.pop();
    this.#rows = this.#lines.flatMap((line, index) => this.#rowsOf(line, index));
    const { start } = view;
    if (start === 'end') this.#top = this.#last;
    else if (typeof start === 'number') this.#go(this.#rowOf(start - 1));
    else this.#find(start.pattern, false);
  }

  /** Does all of it fit on the screen? */
  get isShort(): boolean {
    return this.#rows.length < this.#screen.rows;
  }

  whole(): VisibleText {
    return joined(this.#rows.map(({ text }) => visible`${text}\n`));
  }

  /** Acts on a key; `end` for the one that ends it. */
  async press(key: string): Promise<'end' | undefined> {
    if (this.#typing !== null) this.#type(key, this.#typing);
    else if (key === 'q' || key === 'Q') return 'end';
    else this.#move(key);
    await this.draw();
    return undefined;
  }

  async draw(): Promise<void> {
    const shown = this.#rows.slice(this.#top, this.#top + this.#height);
    const lines = shown.map(({ text }) =>
      joined([this.#marked(text), control('clear to line end')]),
    );
    while (lines.length < this.#height)
      lines.push(joined([visible`~`, control('clear to line end')]));
    const whole = [
      control('screen start'),
      ...lines.flatMap((line) => [line, visible`\n`, control('line start')]),
      this.#status(),
      control('clear to screen end'),
    ];
    await this.#screen.print(joined(whole));
  }

  get #height(): number {
    return Math.max(1, this.#screen.rows - 1);
  }

  /** Where the last page begins. */
  get #last(): number {
    return Math.max(0, this.#rows.length - this.#height);
  }

  #status(): VisibleText {
    if (this.#typing !== null) {
      return visible`${this.#typing.backwards ? '?' : '/'}${this.#typing.text}`;
    }
    const end = Math.min(this.#rows.length, this.#top + this.#height);
    const line = (this.#rows[this.#top]?.line ?? 0) + 1;
    const where =
      end >= this.#rows.length ? '(END)' : `line ${line} of ${this.#lines.length}, q ends`;
    const text = this.#note === '' ? `${this.#view.title} ${where}` : this.#note;
    return styled(visible`${text.slice(0, this.#screen.columns - 1)}`, 7);
  }

  #move(key: string): void {
    this.#note = '';
    const half = Math.max(1, Math.floor(this.#height / 2));
    switch (key) {
      case ' ':
      case 'f':
      case '\x06':
      case '\x1b[6~':
        return this.#go(this.#top + this.#height);
      case 'b':
      case '\x02':
      case '\x1b[5~':
        return this.#go(this.#top - this.#height);
      case 'd':
      case '\x04':
        return this.#go(this.#top + half);
      case 'u':
      case '\x15':
        return this.#go(this.#top - half);
      case 'j':
      case 'e':
      case '\r':
      case '\n':
      case '\x1b[B':
      case '\x1bOB':
        return this.#go(this.#top + 1);
      case 'k':
      case 'y':
      case '\x1b[A':
      case '\x1bOA':
        return this.#go(this.#top - 1);
      case 'g':
      case '<':
      case '\x1b[H':
      case '\x1b[1~':
        return this.#go(0);
      case 'G':
      case '>':
      case '\x1b[F':
      case '\x1b[4~':
        return this.#go(this.#last);
      case '/':
      case '?':
        this.#typing = { backwards: key === '?', text: '' };
        return;
      case 'n':
        return this.#next(this.#backwards);
      case 'N':
        return this.#next(!this.#backwards);
      case 'h':
        this.#note = 'space b: pages  j k: lines  g G: ends  /TEXT n N: search  q: end';
        return;
      default:
    }
  }

  #type(key: string, typing: { backwards: boolean; text: string }): void {
    if (key === '\r' || key === '\n') {
      this.#typing = null;
      this.#backwards = typing.backwards;
      if (typing.text === '') this.#next(typing.backwards);
      else this.#find(typing.text, typing.backwards);
    } else if (key === '\x1b' || key === '\x07') this.#typing = null;
    else if (key === '\x7f' || key === '\b') {
      if (typing.text === '') this.#typing = null;
      else typing.text = [...typing.text].slice(0, -1).join('');
    } else if (key >= ' ' && !key.startsWith('\x1b')) typing.text += key;
  }

  /** A pattern as less takes it: without capitals, of either case. */
  #find(text: string, backwards: boolean): void {
    const flags = /\p{Lu}/u.test(text) ? '' : 'i';
    try {
      this.#pattern = new RegExp(text, flags);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      this.#pattern = new RegExp(text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'), flags);
    }
    this.#next(backwards, this.#rows[this.#top]?.line ?? 0);
  }

  /** To the next line that fits. @param from by default the one behind the first line shown */
  #next(backwards: boolean, from?: number): void {
    const pattern = this.#pattern;
    if (pattern === null) {
      this.#note = 'nothing was searched for yet';
      return;
    }
    const step = backwards ? -1 : 1;
    const top = this.#rows[this.#top]?.line ?? 0;
    for (let at = from ?? top + step; at >= 0 && at < this.#lines.length; at += step) {
      if (!pattern.test(this.#lines[at] ?? '')) continue;
      this.#top = this.#rowOf(at);
      return;
    }
    this.#note = 'pattern not found';
  }

  #go(row: number): void {
    this.#top = Math.min(Math.max(0, row), this.#last);
  }

  /** The first row of a line, from 0; of the last one where there are fewer. */
  #rowOf(line: number): number {
    const found = this.#rows.findIndex((row) => row.line >= line);
    return found < 0 ? this.#last : found;
  }

  #rowsOf(line: string, index: number): Row[] {
    const { numbers, chop } = this.#view;
    const prefix = numbers ? `${String(index + 1).padStart(7)} ` : '';
    const width = Math.max(1, this.#screen.columns - prefix.length);
    const found: string[] = [''];
    let cells = 0;
    for (const character of line) {
      const size = character === '\t' ? TAB - (cells % TAB) : cellsOf(character);
      if (cells + size > width) {
        if (chop) break;
        found.push('');
        cells = 0;
      }
      found[found.length - 1] += character === '\t' ? ' '.repeat(size) : character;
      cells += size;
    }
    const blank = ' '.repeat(prefix.length);
    return found.map((text, at) => ({ line: index, text: (at === 0 ? prefix : blank) + text }));
  }

  /** A row with what was searched for in reverse. */
  #marked(text: string): VisibleText {
    const pattern = this.#pattern;
    if (pattern === null) return visible`${text}`;
    const parts: VisibleText[] = [];
    let at = 0;
    for (const { 0: found, index } of text.matchAll(new RegExp(pattern, `${pattern.flags}g`))) {
      if (found === '') continue;
      parts.push(visible`${text.slice(at, index)}`, styled(visible`${found}`, 7));
      at = index + found.length;
    }
    return joined([...parts, visible`${text.slice(at)}`]);
  }
}
