/** One run of awk: its command line, its program, and the records that it is given. */
import type { Tool } from '../support/tool.ts';
import { type Code, later, now } from './code.ts';
import type { CompiledFunction } from './compiler.ts';
import { FatalError, ProgramError } from './errors.ts';
import { assignOperand, type FileHooks, MainInput } from './input.ts';
import { type CommandLine, commandLine } from './options.ts';
import { parseProgram } from './parser.ts';
import { resolve } from './resolve.ts';
import { Jump, Runtime } from './runtime.ts';
import { EXIT, NEXT, NEXTFILE, NORMAL, type Signal } from './signals.ts';
import { StatementCompiler } from './statements.ts';
import { Streams } from './streams.ts';
import type { Pattern, Program, Rule } from './syntax.ts';
import { BYTES, UTF8 } from './text.ts';
import { AwkArray, Input, toNumber } from './values.ts';

/** The program's text, and which line of it came from where. */
class SourceText {
  readonly #tool: Tool;
  readonly #starts: Array<{ line: number; name: string }> = [];
  text = '';
  #lines = 1;

  constructor(tool: Tool) {
    this.#tool = tool;
  }

  /** False after a message. */
  async take(sources: CommandLine['sources']): Promise<boolean> {
    for (const source of sources) {
      if ('text' in source) {
        this.#add('cmd. line', source.text);
        continue;
      }
      const { file } = source;
      const what = `fatal: cannot open source file \`${file}' for reading`;
      const bytes = await this.#tool.tryRead(file, 2, what);
      if (bytes === undefined) return false;
      this.#add(file, UTF8.decode(bytes));
    }
    return true;
  }

  #add(name: string, text: string): void {
    this.#starts.push({ line: this.#lines, name });
    this.text += this.text === '' ? text : `\n${text}`;
    this.#lines += text.split('\n').length;
  }

  /** `cmd. line:3`, `prog.awk:7`. */
  place(line: number): string {
    const start = this.#starts.findLast((one) => one.line <= line);
    return `${start?.name ?? 'cmd. line'}:${line - (start?.line ?? 1) + 1}`;
  }

  /** A message as gawk has it: a mistake of the grammar below its line, with a caret where it stands. */
  tellingOf({ line, at, status, message, also }: ProgramError): string[] {
    if (at === undefined) {
      const told = `${this.place(line)}: ${status === 2 ? 'fatal' : 'error'}: ${message}`;
      return [told, ...also.flatMap((one) => this.tellingOf(one))];
    }
    const start = this.text.lastIndexOf('\n', at - 1) + 1;
    const [shown = ''] = this.text.slice(start).split('\n', 1);
    const before = this.text.slice(start, at).replace(/[^\t]/g, ' ');
    return [`${this.place(line)}: ${shown}`, `${this.place(line)}: ${before}^ ${message}`];
  }
}

interface CompiledRule {
  run: Code<Signal>;
}

interface Compiled {
  begin: Code<Signal>[];
  end: Code<Signal>[];
  beginfile: Code<Signal>[];
  endfile: Code<Signal>[];
  records: CompiledRule[];
}

/** A rule's pattern and action as one piece. */
function compileRule(compiler: StatementCompiler, { pattern, body, line }: Rule): Code<Signal> {
  const action = compiler.statement(body ?? { kind: 'print', args: [], redirect: null, line });
  if (pattern.kind === 'when') {
    const condition = compiler.condition(pattern.condition);
    return guarded(condition, action, compiler.runtime, line);
  }
  if (pattern.kind === 'range') return compileRange(compiler, pattern, action);
  return action;
}

function guarded(
  condition: Code<boolean>,
  action: Code<Signal>,
  runtime: Runtime,
  line: number,
): Code<Signal> {
  if (condition.waits || action.waits) {
    return later(async () => {
      runtime.line = line;
      return (await condition.run()) ? action.run() : NORMAL;
    });
  }
  const [test, run] = [condition.run, action.run];
  return now(() => {
    runtime.line = line;
    return test() ? run() : NORMAL;
  });
}

/** From a record for which the first holds up to one for which the second does, maybe the same. */
function compileRange(
  compiler: StatementCompiler,
  pattern: Extract<Pattern, { kind: 'range' }>,
  action: Code<Signal>,
): Code<Signal> {
  const from = compiler.condition(pattern.from);
  const to = compiler.condition(pattern.to);
  let inside = false;
  if (from.waits || to.waits || action.waits) {
    return later(async () => {
      if (!inside && !(await from.run())) return NORMAL;
      inside = !(await to.run());
      return action.run();
    });
  }
  const [begins, ends, run] = [from.run, to.run, action.run];
  return now(() => {
    if (!inside && !begins()) return NORMAL;
    inside = !ends();
    return run();
  });
}

function compile(
  program: Program,
  runtime: Runtime,
  warn: (message: string, line: number) => void,
): Compiled {
  const resolution = resolve(program, warn);
  const functions = new Map<string, CompiledFunction>();
  for (const [name, node] of program.functions) {
    const arrays = resolution.parameters.get(name) ?? [];
    functions.set(name, { node, arrays, waits: resolution.waiting.has(name), body: null });
  }
  for (const one of functions.values()) {
    const compiler = new StatementCompiler(runtime, resolution, functions, one.node.parameters);
    one.body = compiler.statement(one.node.body);
  }
  const compiled: Compiled = { begin: [], end: [], beginfile: [], endfile: [], records: [] };
  const compiler = new StatementCompiler(runtime, resolution, functions, []);
  for (const rule of program.rules) {
    const run = compileRule(compiler, rule);
    const { kind } = rule.pattern;
    if (kind === 'begin' || kind === 'end' || kind === 'beginfile' || kind === 'endfile') {
      compiled[kind].push(run);
    } else compiled.records.push({ run });
  }
  return compiled;
}

class Run {
  readonly #runtime: Runtime;
  readonly #compiled: Compiled;
  #exited = false;

  constructor(runtime: Runtime, compiled: Compiled) {
    this.#runtime = runtime;
    this.#compiled = compiled;
  }

  /** Told where files begin and end; null where the program does not ask. */
  hooks(): FileHooks | null {
    const { beginfile, endfile } = this.#compiled;
    if (beginfile.length === 0 && endfile.length === 0) return null;
    return {
      begin: async () => (await this.#all(beginfile)) === NORMAL,
      end: async () => {
        await this.#all(endfile);
      },
    };
  }

  async run(): Promise<void> {
    const { begin, end, records, beginfile, endfile } = this.#compiled;
    let signal = await this.#all(begin);
    const reads = records.length + end.length + beginfile.length + endfile.length > 0;
    if (signal === NORMAL && reads) signal = await this.#records();
    if (this.#exited && end.length === 0) return;
    this.#exited = false;
    await this.#all(end);
  }

  async #all(codes: readonly Code<Signal>[]): Promise<Signal> {
    for (const code of codes) {
      const signal = await this.#caught(code);
      if (signal === NORMAL) continue;
      this.#exited ||= signal === EXIT;
      return signal;
    }
    return NORMAL;
  }

  /** What a function did instead of returning counts as done here. */
  #caught(code: Code<Signal>): Signal | Promise<Signal> {
    const jumped = (error: unknown): Signal => {
      if (!(error instanceof Jump)) throw error;
      return error.signal as Signal;
    };
    try {
      return code.waits ? code.run().catch(jumped) : code.run();
    } catch (error) {
      return jumped(error);
    }
  }

  async #records(): Promise<Signal> {
    const runtime = this.#runtime;
    const { records } = this.#compiled;
    for (;;) {
      const next = runtime.input.next();
      const record = typeof next === 'object' ? await next : next;
      if (this.#exited) return EXIT;
      if (record === undefined) return NORMAL;
      runtime.record.set(record);
      for (const { run } of records) {
        const given = this.#caught(run);
        const signal = typeof given === 'object' ? await given : given;
        if (signal === NORMAL) continue;
        if (signal === EXIT) {
          this.#exited = true;
          runtime.tool.enough();
          return EXIT;
        }
        if (signal === NEXTFILE) await runtime.input.skipFile();
        if (signal === NEXT || signal === NEXTFILE) break;
      }
      const pause = runtime.tool.pulse();
      if (pause !== undefined) await pause;
    }
  }
}

function prepare(runtime: Runtime, line: CommandLine): void {
  const { tool } = runtime;
  const environment = runtime.array('ENVIRON').elements;
  for (const [name, value] of Object.entries(tool.ctx.exportedEnv ?? {})) {
    environment.set(name, new Input(value));
  }
  const argv = runtime.array('ARGV').elements;
  for (const [i, value] of [tool.name, ...line.operands].entries()) {
    argv.set(String(i), new Input(value));
  }
  runtime.cell('ARGC').value = line.operands.length + 1;
  if (line.separator !== undefined) {
    assignOperand(runtime, 'FS', line.separator);
  }
  for (const { name, value } of line.assignments) assignOperand(runtime, name, value);
}

/** What the program changed in ENVIRON. */
function changedEnvironment(runtime: Runtime): Record<string, string> {
  const given: Readonly<Record<string, string>> = runtime.tool.ctx.exportedEnv ?? {};
  const changed: Record<string, string> = {};
  for (const [name, value] of runtime.array('ENVIRON').elements) {
    if (value instanceof AwkArray) continue;
    const text = runtime.text(value);
    if (given[name] !== text) changed[name] = text;
  }
  return changed;
}

/** A message in gawk's form: where in the program, and where in the input. */
function tell(runtime: Runtime, source: SourceText, message: string): void {
  if (message === '') return;
  const file = runtime.text(runtime.FILENAME.value);
  const isRead = toNumber(runtime.FNR.value) > 0;
  const at =
    file === '' || !isRead ? '' : ` (FILENAME=${file} FNR=${runtime.text(runtime.FNR.value)})`;
  runtime.tool.fail(`${source.place(runtime.line)}:${at} fatal: ${message}`, 2);
}

async function execute(runtime: Runtime, source: SourceText, line: CommandLine): Promise<void> {
  const { tool } = runtime;
  const warn = (message: string, at: number): void =>
    tool.warn(`${source.place(at)}: warning: ${message}`);
  const program = parseProgram(source.text, warn);
  const compiled = compile(program, runtime, warn);
  prepare(runtime, line);
  const run = new Run(runtime, compiled);
  runtime.input = new MainInput(runtime, run.hooks());
  await run.run();
}

/** Runs awk. */
export async function awk(tool: Tool): Promise<undefined> {
  if (tool.args[0] === '--version' || tool.args[0] === '-V') {
    tool.print('awk: POSIX awk with the common additions of gawk\n');
    return;
  }
  const line = commandLine(tool);
  const source = new SourceText(tool);
  if (!(await source.take(line.sources))) return;
  const runtime = new Runtime(tool);
  const locale = tool.ctx.env.get('LC_ALL');
  const codec = line.bytes || locale === 'C' || locale === 'POSIX' ? BYTES : UTF8;
  runtime.streams = new Streams(tool, codec, () => changedEnvironment(runtime));
  try {
    await execute(runtime, source, line);
    await runtime.streams.closeAll();
    tool.status = runtime.exitCode;
  } catch (error) {
    if (error instanceof ProgramError) {
      for (const text of source.tellingOf(error)) tool.fail(text, error.status);
      return;
    }
    if (error instanceof RangeError && /call stack/i.test(error.message)) {
      tell(runtime, source, 'functions call one another too deep: is there an end to it?');
    } else if (error instanceof FatalError) tell(runtime, source, error.message);
    else throw error;
    await runtime.streams.closeAll().catch((second: unknown) => {
      if (!(second instanceof FatalError)) throw second;
      tell(runtime, source, second.message);
    });
  }
}
