/** expand and unexpand. */
import type { ShimFactory } from '../../src/shell/command.ts';
import { defineTool, type Tool } from '../support/tool.ts';
import { TabStops, withOldTabs } from './tab-stops.ts';

const isBlank = (char: string): boolean => char === ' ' || char === '\t';

/** Tabs become blanks. */
function expandLine(line: string, stops: TabStops, isInitial: boolean): string {
  let out = '';
  let column = 0;
  let at = 0;
  for (const char of line) {
    if (isInitial && !isBlank(char)) break;
    at++;
    if (char === '\t') {
      const next = stops.after(column) ?? column + 1;
      out += ' '.repeat(next - column);
      column = next;
    } else {
      out += char;
      column = char === '\b' ? Math.max(0, column - 1) : column + 1;
    }
  }
  return out + line.slice(at);
}

/** Blanks that reach a tab stop become tabs; a single one before a stop stays unless more follow. */
function unexpandLine(line: string, stops: TabStops, isInitial: boolean): string {
  let out = '';
  let column = 0;
  let pending = '';
  let wasBlank = true;
  let hasBlankBeforeStop = false;
  for (let at = 0; at < line.length; at++) {
    let char = line[at] ?? '';
    const blank = isBlank(char);
    if (blank) {
      const stop = stops.after(column);
      if (stop === undefined) return out + pending + line.slice(at);
      if (char === '\t') {
        column = stop;
        if (pending !== '') pending = `\t${pending.slice(1)}`;
      } else {
        column++;
        if (!(wasBlank && column === stop)) {
          if (column === stop) hasBlankBeforeStop = true;
          pending += char;
          wasBlank = true;
          continue;
        }
        char = '\t';
        pending = `\t${pending.slice(1)}`;
      }
      pending = hasBlankBeforeStop ? pending.slice(0, 1) : '';
    } else column = char === '\b' ? Math.max(0, column - 1) : column + 1;
    if (pending.length > 1 && hasBlankBeforeStop) pending = `\t${pending.slice(1)}`;
    out += pending + char;
    pending = '';
    hasBlankBeforeStop = false;
    wasBlank = blank;
    if (isInitial && !blank) return out + line.slice(at + 1);
  }
  if (pending.length > 1 && hasBlankBeforeStop) pending = `\t${pending.slice(1)}`;
  return out + pending;
}

async function everyLine(
  tool: Tool,
  names: readonly string[],
  change: (line: string) => string,
): Promise<void> {
  for (const name of names.length === 0 ? ['-'] : names) {
    const content = await tool.tryRead(name);
    if (content === undefined) continue;
    const lines = content.split('\n');
    for (const [i, line] of lines.entries()) {
      tool.write(change(line) + (i + 1 < lines.length ? '\n' : ''));
      const rest = tool.pulse();
      if (rest !== undefined) await rest;
    }
  }
}

async function expand(tool: Tool): Promise<undefined> {
  const options = tool.options(
    { short: 'it:', long: { initial: 'i', tabs: 't:' } },
    withOldTabs(tool.args),
  );
  const stops = new TabStops(options.all('t'));
  await everyLine(tool, options.operands, (line) => expandLine(line, stops, options.has('i')));
}

async function unexpand(tool: Tool): Promise<undefined> {
  const options = tool.options(
    { short: 'at:', long: { all: 'a', tabs: 't:', 'first-only': 'first' } },
    withOldTabs(tool.args),
  );
  const stops = new TabStops(options.all('t'));
  // Stops mean that all blanks count, except where they were given the old way.
  const isOld = tool.args.some((arg) => /^-\d/.test(arg));
  const isAll = options.has('a') || (options.has('t') && !isOld);
  const isInitial = options.has('first') || !isAll;
  await everyLine(tool, options.operands, (line) => unexpandLine(line, stops, isInitial));
}

/** expand and unexpand. */
export const expandShims: ShimFactory = (host) => [
  defineTool(host, { name: 'expand', usage: 'Usage: expand [OPTION]... [FILE]...' }, expand),
  defineTool(host, { name: 'unexpand', usage: 'Usage: unexpand [OPTION]... [FILE]...' }, unexpand),
];
