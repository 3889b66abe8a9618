/** The tutorial, followed to the letter at two pseudo-terminals; the transcript is kept as `coverage/tutorial.txt`. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryDirectory } from '../world/harness.ts';
import { HAS_TERMINAL, PseudoTerminal } from './pseudo-terminal.ts';
import { ROOT } from './run-cli.ts';

const PAGE = readFileSync(join(ROOT, 'docs', 'tutorial.md'), 'utf8');

/** One thing that is typed, and what is shown below it. */
interface Step {
  terminal: 'first' | 'second';
  /** null where a block goes on with what is shown by the command before it. */
  typed: string | null;
  /** Lines for the command's own stdin, up to Ctrl-D. */
  input: string[];
  shown: string[];
}

const PROMPT = /^(?:\$|(?:\(dry run\) )?\/\S*\$) (.*)$/;
const AT_PROMPT = /(?:^|\n)(?:\$|(?:\(dry run\) )?\/\S*\$) $/;
/** A question that waits for its answer. */
const QUESTION = / n no: $/;
/** One that is answered there. */
const ANSWERED = /^(.* n no: )(\S+)$/;

function stepsOf(page: string): Step[] {
  const steps: Step[] = [];
  for (const [, info = '', code = ''] of page.matchAll(/^```console( second)?\n(.*?)^```$/gms)) {
    const terminal = info === '' ? 'first' : 'second';
    let step: Step = { terminal, typed: null, input: [], shown: [] };
    steps.push(step);
    for (const line of code.split('\n').slice(0, -1)) {
      const typed = PROMPT.exec(line)?.[1];
      if (typed !== undefined) {
        step = { terminal, typed, input: [], shown: [] };
        steps.push(step);
        continue;
      }
      const [, question, answer] = ANSWERED.exec(line) ?? [];
      step.shown.push(question ?? line);
      if (answer === undefined) continue;
      step = { terminal, typed: answer, input: [], shown: [] };
      steps.push(step);
    }
  }
  for (const step of steps) {
    const end = step.shown.indexOf('^D');
    if (end >= 0) step.input = step.shown.splice(0, end + 1).slice(0, -1);
  }
  return steps.filter(({ typed, shown }) => typed !== null || shown.length > 0);
}

const ID = /\b01[0-9A-Za-z]{24}\b/g;
/** What a command cost depends on what is held, and how long it takes on the machine. */
const COST = /^\d+ requests?, |^running \d+ s/;

/** Ids of the page, and what they are here. */
type Ids = Map<string, string>;

/** A line of the page as a pattern: `…` stands for anything, an id for the one that it is here. */
function patternOf(line: string, ids: Ids): { pattern: RegExp; unknown: string[] } {
  const unknown: string[] = [];
  const source = line
    .split(/(…|\b01[0-9A-Za-z]{24}\b)/)
    .map((part, index) => {
      if (index % 2 === 0) return part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
      if (part === '…') return '.*';
      const known = ids.get(part);
      if (known !== undefined) return known;
      unknown.push(part);
      return '(01[0-9A-Za-z]{24})';
    })
    .join('');
  return { pattern: new RegExp(`^${source}$`), unknown };
}

/** Compares line by line; a line `…` is any number of lines. Learns the ids. */
function compare(expected: readonly string[], actual: readonly string[], ids: Ids): boolean {
  const [first, ...rest] = expected;
  if (first === undefined) return actual.length === 0;
  if (first === '…') {
    return actual.some((_, at) => compare(rest, actual.slice(at), ids)) || compare(rest, [], ids);
  }
  const { pattern, unknown } = patternOf(first, ids);
  const found = pattern.exec(actual[0] ?? '\0');
  if (found === null) return false;
  const learned = new Map(ids);
  for (const [index, name] of unknown.entries()) learned.set(name, found[index + 1] ?? '');
  if (!compare(rest, actual.slice(1), learned)) return false;
  for (const [name, value] of learned) ids.set(name, value);
  // What was learned further down.
  return compare(rest, actual.slice(1), ids);
}

/** The lines of what was shown: without what was typed, and without the prompt that follows. */
function linesOf(shown: string, echoed: readonly string[]): string[] {
  const lines = shown.replace(AT_PROMPT, '\n').split('\n');
  for (const line of echoed) {
    const at = lines.findIndex((each) => each.endsWith(line));
    if (at >= 0) lines.splice(at, 1);
  }
  if (lines.at(-1) === '') lines.pop();
  return lines.filter((line) => !COST.test(line) && !QUESTION.test(line));
}

test.skipIf(!HAS_TERMINAL)(
  'what the tutorial shows is what happens, step by step',
  async () => {
    // What a first start installs is no part of the page.
    spawnSync(process.execPath, [join(ROOT, 'scripts', 'install.mjs')]);
    const state = temporaryDirectory();
    const env = {
      DIRIGENT_DEMO_STATE: state,
      DIRIGENT_MODEL: 'builtin/extract',
      // What is suggested is what can be typed here.
      DIRIGENT_COMMAND: '',
      XDG_STATE_HOME: temporaryDirectory(),
    };
    const shell = 'bash --norc --noprofile --noediting';
    const terminals = {
      first: new PseudoTerminal(shell, env),
      second: new PseudoTerminal(shell, env),
    };
    onTestFinished(() => {
      const directory = join(ROOT, 'coverage');
      mkdirSync(directory, { recursive: true });
      const { first, second } = terminals;
      const text = `${first.transcript}\n\n=== the second terminal ===\n${second.transcript}\n`;
      writeFileSync(join(directory, 'tutorial.txt'), text);
    });
    for (const terminal of Object.values(terminals)) {
      await terminal.until(/[$#] $/);
      terminal.type("PS1='$ '\r");
      await terminal.until(AT_PROMPT);
    }
    const steps = stepsOf(PAGE);
    expect(steps.length).toBeGreaterThan(25);
    const ids: Ids = new Map();
    for (const { terminal: name, typed, input, shown } of steps) {
      const terminal = terminals[name];
      const echoed: string[] = [];
      if (typed !== null) {
        const command = typed.replace(ID, (id) => ids.get(id) ?? id);
        echoed.push(command);
        terminal.type(`${command}\r`);
        if (input.length > 0) {
          await terminal.untilKeysAreRead();
          for (const line of input) {
            terminal.type(`${line}\r`);
            await terminal.until(/\n$/);
          }
          terminal.type('\x04');
        }
      }
      const asks = QUESTION.test(shown.at(-1) ?? '');
      const seen = linesOf(await terminal.until(asks ? QUESTION : AT_PROMPT), echoed);
      const wanted = shown.filter((line) => !QUESTION.test(line));
      const same = compare(wanted, seen, ids);
      if (!same)
        expect.soft({ typed, shown: seen.join('\n') }).toEqual({ typed, shown: wanted.join('\n') });
      // What follows of a question is read from there on.
      if (asks) terminal.type('');
    }
  },
  600_000,
);
