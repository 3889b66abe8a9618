/** Statements compiled to closures, each giving how it ended. */
import { all, type Code, later, map, map2, now } from './code.ts';
import { compareValues } from './compare.ts';
import { ExpressionCompiler } from './compile.ts';
import { ProgramError } from './errors.ts';
import { formatText } from './numbers.ts';
import { BREAK, CONTINUE, EXIT, NEXT, NEXTFILE, NORMAL, RETURN, type Signal } from './signals.ts';
import { keysInOrder } from './sorting.ts';
import type { ArrayNode, Case, Expr, NameNode, Redirect, Statement } from './syntax.ts';
import { type AwkArray, toNumber, type Value } from './values.ts';

type Print = Extract<Statement, { kind: 'print' | 'printf' }>;
type ForIn = Extract<Statement, { kind: 'forIn' }>;

const ended = (): Signal => NORMAL;
const SIMPLE: Readonly<Record<string, Signal>> = {
  break: BREAK,
  continue: CONTINUE,
  next: NEXT,
  nextfile: NEXTFILE,
};

export class StatementCompiler extends ExpressionCompiler {
  statement(node: Statement): Code<Signal> {
    switch (node.kind) {
      case 'block':
        return sequence(node.body.map((one) => this.statement(one)));
      case 'expression':
        return this.#at(node.line, map(this.value(node.value), ended));
      case 'print':
      case 'printf':
        return this.#at(node.line, this.#print(node));
      case 'if':
        return this.#at(node.line, this.#if(node.condition, node.yes, node.no));
      case 'while':
        return this.#loop(node.condition, node.body, null, node.line);
      case 'for': {
        const loop = this.#loop(node.condition, node.body, node.step, node.line);
        return node.init === null ? loop : sequence([this.statement(node.init), loop]);
      }
      case 'do':
        return this.#do(node.condition, node.body);
      case 'forIn':
        return this.#at(node.line, this.#forIn(node));
      case 'switch':
        return this.#at(node.line, this.#switch(node.value, node.cases));
      case 'exit':
      case 'return':
        return this.#at(node.line, this.#leave(node.kind, node.value));
      case 'delete':
        return this.#at(node.line, this.#delete(node.array, node.subscripts));
      default: {
        const signal = SIMPLE[node.kind] ?? NORMAL;
        return now(() => signal);
      }
    }
  }

  /** Notes the line, for messages. */
  #at(line: number, code: Code<Signal>): Code<Signal> {
    const { runtime } = this;
    if (code.waits) {
      return later(() => {
        runtime.line = line;
        return code.run();
      });
    }
    const { run } = code;
    return now(() => {
      runtime.line = line;
      return run();
    });
  }

  #print(node: Print): Code<Signal> {
    const text = node.kind === 'print' ? this.#printed(node.args) : this.#formatted(node.args);
    const { runtime } = this;
    const { redirect } = node;
    if (redirect === null) {
      return map(text, (shown): Signal => {
        runtime.streams.print(shown);
        return NORMAL;
      });
    }
    return this.#redirected(text, redirect);
  }

  #redirected(text: Code<string>, redirect: Redirect): Code<Signal> {
    const to = this.text(redirect.to);
    const { runtime } = this;
    return later(async (): Promise<Signal> => {
      const shown = await text.run();
      await runtime.streams.send(redirect, await to.run(), shown);
      return NORMAL;
    });
  }

  #printed(args: readonly Expr[]): Code<string> {
    const { runtime } = this;
    const [only] = args;
    if (only === undefined) return now(() => runtime.record.text + runtime.text(runtime.ORS.value));
    if (args.length === 1) {
      return map(
        this.value(only),
        (value) => runtime.shown(value) + runtime.text(runtime.ORS.value),
      );
    }
    return map(all(args.map((one) => this.value(one))), (values) => {
      const separator = runtime.text(runtime.OFS.value);
      let line = runtime.shown(values[0]);
      for (let i = 1; i < values.length; i++) line += separator + runtime.shown(values[i]);
      return line + runtime.text(runtime.ORS.value);
    });
  }

  #formatted(args: readonly Expr[]): Code<string> {
    const { runtime } = this;
    return map(all(args.map((one) => this.value(one))), ([format, ...values]) =>
      formatText(runtime.text(format), values, runtime.convfmt, runtime.formats),
    );
  }

  #if(condition: Expr, yes: Statement, no: Statement | null): Code<Signal> {
    const [c, y] = [this.condition(condition), this.statement(yes)];
    const n = no === null ? now(ended) : this.statement(no);
    if (c.waits || y.waits || n.waits) {
      return later(async () => ((await c.run()) ? y.run() : n.run()));
    }
    const [test, runYes, runNo] = [c.run, y.run, n.run];
    return now(() => (test() ? runYes() : runNo()));
  }

  #loop(
    condition: Expr | null,
    body: Statement,
    step: Statement | null,
    line: number,
  ): Code<Signal> {
    const c = condition === null ? now(() => true) : this.condition(condition);
    const b = this.statement(body);
    const s = step === null ? now(ended) : this.statement(step);
    const { runtime } = this;
    if (c.waits || b.waits || s.waits) {
      return later(async () => {
        runtime.line = line;
        for (; await c.run(); await s.run()) {
          const signal = await b.run();
          if (signal === BREAK) break;
          if (signal > CONTINUE) return signal;
          const pause = runtime.tool.pulse();
          if (pause !== undefined) await pause;
        }
        return NORMAL;
      });
    }
    const [test, run, next] = [c.run, b.run, s.run];
    return now(() => {
      runtime.line = line;
      for (; test(); next()) {
        const signal = run();
        if (signal === BREAK) break;
        if (signal > CONTINUE) return signal;
      }
      return NORMAL;
    });
  }

  #do(condition: Expr, body: Statement): Code<Signal> {
    const c = this.condition(condition);
    const b = this.statement(body);
    if (c.waits || b.waits) {
      return later(async () => {
        do {
          const signal = await b.run();
          if (signal === BREAK) break;
          if (signal > CONTINUE) return signal;
          const pause = this.runtime.tool.pulse();
          if (pause !== undefined) await pause;
        } while (await c.run());
        return NORMAL;
      });
    }
    const [test, run] = [c.run, b.run];
    return now(() => {
      do {
        const signal = run();
        if (signal === BREAK) break;
        if (signal > CONTINUE) return signal;
      } while (test());
      return NORMAL;
    });
  }

  #forIn(node: ForIn): Code<Signal> {
    const array = this.array(node.array);
    const target = this.ref(node.target satisfies NameNode);
    const body = this.statement(node.body);
    const { runtime } = this;
    if (array.waits || body.waits || target.waits) {
      return later(async () => {
        const ref = await target.run();
        for (const key of keysInOrder(runtime, await array.run())) {
          ref.set(key);
          const signal = await body.run();
          if (signal === BREAK) break;
          if (signal > CONTINUE) return signal;
        }
        return NORMAL;
      });
    }
    const [runArray, runTarget, run] = [array.run, target.run, body.run];
    return now(() => {
      const ref = runTarget();
      for (const key of keysInOrder(runtime, runArray())) {
        ref.set(key);
        const signal = run();
        if (signal === BREAK) break;
        if (signal > CONTINUE) return signal;
      }
      return NORMAL;
    });
  }

  /** A case is a number, a string or a pattern. */
  #switch(value: Expr, cases: readonly Case[]): Code<Signal> {
    const { runtime } = this;
    const tests = cases.map(({ label }): ((value: Value) => boolean) | null => {
      if (label === null) return null;
      if (label.kind === 'regex') {
        const regex = this.regex(label) as Extract<
          Code<{ test(text: string): boolean }>,
          { waits: false }
        >;
        return (given) => regex.run().test(runtime.text(given));
      }
      const code = this.value(label);
      if (code.waits) throw new ProgramError('a case must be a constant', runtime.line);
      return (given) => compareValues(runtime, given, code.run()) === 0;
    });
    const bodies = cases.map(({ body }) => sequence(body.map((one) => this.statement(one))));
    const chosen = map(this.value(value), (given) => {
      const found = tests.findIndex((test) => test?.(given) === true);
      return found >= 0 ? found : tests.indexOf(null);
    });
    return switchFrom(chosen, (from) => (from < 0 ? [] : bodies.slice(from)), bodies);
  }

  #leave(kind: 'exit' | 'return', value: Expr | null): Code<Signal> {
    const { runtime } = this;
    if (value === null) {
      return now(() => {
        if (kind === 'return') runtime.returned = undefined;
        return kind === 'return' ? RETURN : EXIT;
      });
    }
    return map(this.value(value), (given) => {
      if (kind === 'return') {
        runtime.returned = given;
        return RETURN;
      }
      runtime.exitCode = Math.trunc(toNumber(given)) & 0xff;
      return EXIT;
    });
  }

  #delete(array: ArrayNode, subscripts: Expr[] | null): Code<Signal> {
    const elements = this.array(array);
    if (subscripts === null) {
      return map(elements, (one) => {
        one.elements.clear();
        return NORMAL;
      });
    }
    return map2(elements, this.key(subscripts), (one: AwkArray, key) => {
      one.elements.delete(key);
      return NORMAL;
    });
  }
}

/** Statements one after another, until one ends otherwise than normally. */
function sequence(codes: readonly Code<Signal>[]): Code<Signal> {
  const [only] = codes;
  if (only === undefined) return now(ended);
  if (codes.length === 1) return only;
  if (codes.some(({ waits }) => waits)) {
    return later(async () => {
      for (const code of codes) {
        const signal = code.waits ? await code.run() : code.run();
        if (signal !== NORMAL) return signal;
      }
      return NORMAL;
    });
  }
  const runs = codes.map(({ run }) => run as () => Signal);
  return now(() => {
    for (const run of runs) {
      const signal = run();
      if (signal !== NORMAL) return signal;
    }
    return NORMAL;
  });
}

/** The bodies of a switch from the one chosen on; `break` ends it. */
function switchFrom(
  chosen: Code<number>,
  from: (index: number) => readonly Code<Signal>[],
  bodies: readonly Code<Signal>[],
): Code<Signal> {
  const settle = (signal: Signal): Signal => (signal === BREAK ? NORMAL : signal);
  if (chosen.waits || bodies.some(({ waits }) => waits)) {
    return later(async () => {
      for (const body of from(await chosen.run())) {
        const signal = await body.run();
        if (signal !== NORMAL) return settle(signal);
      }
      return NORMAL;
    });
  }
  return now(() => {
    for (const body of from(chosen.run())) {
      const signal = body.run() as Signal;
      if (signal !== NORMAL) return settle(signal);
    }
    return NORMAL;
  });
}
