/** Long texts in parts that a service takes, without a part that ends inside of a code block. */

const FENCE = /^ {0,3}(`{3,}|~{3,})(.*)$/;

/** What is said again of a fence in each part. Characters. */
const MOST_OF_FENCE = 64;

interface Fence {
  /** The line that opens it. */
  opening: string;
  /** The line that closes it. */
  closing: string;
}

/**
 * Splits Markdown at empty lines where it can, else at lines, else anywhere. A code block that
 * goes on in the next part is closed and opened again.
 * @param most characters of a part, at least 64
 */
export function splitMarkdown(text: string, most: number): string[] {
  const parts: string[] = [];
  let lines: string[] = [];
  let length = 0;
  let fence: Fence | null = null;
  /** Where the part could end best: after this many lines. */
  let pause = 0;
  const isEmpty = (): boolean => lines.every((line) => line.trim() === '');
  const end = (at: number): void => {
    const rest = lines.slice(at);
    const part = lines.slice(0, at).join('\n').trim();
    if (part !== '') parts.push(part);
    lines = rest;
    length = rest.reduce((sum, line) => sum + line.length + 1, 0);
    pause = 0;
  };
  for (const whole of text.split('\n')) {
    for (const line of pieces(whole, most / 2)) {
      const after = fenceAfter(fence, line);
      const room = most - (after === null ? 0 : after.closing.length + 1);
      const isOver = (): boolean => length + line.length > room && !isEmpty();
      if (isOver() && fence === null && pause > 0) end(pause);
      // What follows the empty line may be as long as a part by itself.
      if (isOver() && fence === null) end(lines.length);
      else if (isOver() && fence !== null) {
        lines.push(fence.closing);
        end(lines.length);
        lines = [fence.opening];
        length = fence.opening.length + 1;
      }
      lines.push(line);
      length += line.length + 1;
      fence = after;
      if (fence === null && line.trim() === '') pause = lines.length;
    }
  }
  end(lines.length);
  return parts;
}

function fenceAfter(fence: Fence | null, line: string): Fence | null {
  const [, marks = '', rest = ''] = FENCE.exec(line) ?? [];
  if (marks === '') return fence;
  if (fence === null) {
    if (marks.startsWith('`') && rest.includes('`')) return null;
    return { opening: line.slice(0, MOST_OF_FENCE), closing: marks.slice(0, MOST_OF_FENCE) };
  }
  const isEnd = marks[0] === fence.closing[0] && marks.length >= fence.closing.length;
  return isEnd && rest.trim() === '' ? null : fence;
}

/** A line that is longer than a part, at blanks where there are any; characters stay whole. */
function* pieces(line: string, most: number): Generator<string> {
  let rest = line;
  while (rest.length > most) {
    const blank = rest.lastIndexOf(' ', most);
    let at = blank > most / 2 ? blank : Math.floor(most);
    if (/[\uD800-\uDBFF]/.test(rest[at - 1] ?? '')) at -= 1;
    yield rest.slice(0, at);
    rest = rest.slice(at).replace(/^ /, '');
  }
  yield rest;
}

/** A code block around a text, with a fence that is not in it. */
export function codeBlock(text: string, language = ''): string {
  const longest = (text.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 0);
  const fence = '`'.repeat(Math.max(3, longest + 1));
  return `${fence}${language}\n${text.trimEnd()}\n${fence}`;
}
