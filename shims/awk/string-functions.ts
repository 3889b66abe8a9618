/** Functions of strings. */
import { type Builtin, type Builtins, type Call, numberArgument, textArgument } from './calls.ts';
import { all, type Code, map, map2, now } from './code.ts';
import { FatalError, ProgramError } from './errors.ts';
import { formatText } from './numbers.ts';
import type { Ref } from './refs.ts';
import type { Regex } from './regex.ts';
import { byCharacters, byContent, byRegex, bySeparator, type Splitter } from './split.ts';
import { parseGroups, parseReplacement, substitute } from './substitute.ts';
import type { ArrayNode, Expr, Target } from './syntax.ts';
import { charIndex, lengthOf, slice } from './text.ts';
import { AwkArray, Input, toNumber, type Value } from './values.ts';

/** An argument that has to be an array. */
export function arrayArgument(
  { compiler, args, line }: Call,
  index: number,
  name: string,
): Code<AwkArray> {
  const node = args[index];
  if (node?.kind !== 'name' && node?.kind !== 'index') {
    throw new ProgramError(`${name}: argument ${index + 1} is not an array`, line);
  }
  return compiler.array(node satisfies ArrayNode);
}

/** As in gawk, fractions are cut off, and a start before the text is its beginning. */
function substr(text: string, start: number, size: number): string {
  const begin = Number.isNaN(start) ? 0 : Math.max(Math.trunc(start) - 1, 0);
  if (!(size >= 1)) return '';
  return slice(text, begin, begin + Math.trunc(size));
}

function fill(array: AwkArray, values: readonly string[], from = 1): void {
  array.elements.clear();
  for (const [i, value] of values.entries()) array.elements.set(String(i + from), new Input(value));
}

/** How split is to split: by FS, by a pattern, or by a string read as FS is. */
function splitter({ compiler, args }: Call): Code<Splitter> {
  const { runtime } = compiler;
  const node = args[2];
  if (node === undefined) {
    return now(() => {
      const fs = runtime.text(runtime.FS.value);
      return bySeparator(fs, runtime.regexes);
    });
  }
  if (node.kind === 'regex' && node.source === '') return now(() => byCharacters);
  if (node.kind === 'regex') return map(compiler.regex(node), byRegex);
  return map(compiler.text(node), (text) => bySeparator(text, runtime.regexes));
}

const split: Builtin = {
  least: 2,
  most: 4,
  compile(call) {
    const array = arrayArgument(call, 1, 'split');
    const separators = call.args[3] === undefined ? null : arrayArgument(call, 3, 'split');
    const subject = map2(textArgument(call, 0), splitter(call), (text, by) =>
      by(text, separators !== null),
    );
    const target = map2(array, separators ?? now(() => null), (into, between) => ({
      into,
      between,
    }));
    return map2(subject, target, ({ parts, separators: found, lead }, { into, between }): Value => {
      fill(into, parts);
      if (between !== null) {
        fill(between, found);
        if (lead !== '') between.elements.set('0', lead);
      }
      return parts.length;
    });
  },
};

const patsplit: Builtin = {
  least: 2,
  most: 4,
  compile(call) {
    const { compiler, args } = call;
    const node = args[2];
    const regex =
      node === undefined
        ? now(() => compiler.runtime.regex(compiler.runtime.cell('FPAT').value))
        : compiler.regex(node);
    const array = arrayArgument(call, 1, 'patsplit');
    const between = args[3] === undefined ? null : arrayArgument(call, 3, 'patsplit');
    const pieces = map2(textArgument(call, 0), regex, (text, one) => byContent(one)(text, true));
    const targets = map2(array, between ?? now(() => null), (into, seps) => ({ into, seps }));
    return map2(pieces, targets, ({ parts, separators, lead }, { into, seps }): Value => {
      fill(into, parts);
      if (seps !== null) fill(seps, [lead, ...separators], 0);
      return parts.length;
    });
  },
};

/** sub and gsub change a variable, $0 unless told. */
function replacing(name: string, which: number): Builtin {
  return {
    least: 2,
    most: 3,
    compile(call) {
      const { compiler, args } = call;
      const { runtime } = compiler;
      const [pattern, , third] = args;
      if (pattern === undefined) throw new ProgramError(`${name}: no pattern`, call.line);
      const ref = subjectOf(call, third);
      const replacement = map(textArgument(call, 1), parseReplacement);
      const what = map2(compiler.regex(pattern), replacement, (regex, parts) => ({ regex, parts }));
      return map2(what, ref, ({ regex, parts }, place): Value => {
        const { text, count } = substitute(regex, parts, runtime.text(place.get()), which);
        if (count > 0) place.set(text);
        return count;
      });
    },
  };
}

/** What is no variable cannot change; the count is all there is. */
class Constant implements Ref {
  readonly #value: Value;

  constructor(value: Value) {
    this.#value = value;
  }

  get(): Value {
    return this.#value;
  }

  set(): void {
    // Nothing to keep.
  }
}

function subjectOf({ compiler }: Call, node: Expr | undefined): Code<Ref> {
  if (node === undefined) {
    return compiler.ref({ kind: 'field', index: { kind: 'number', value: 0 }, line: 0 });
  }
  if (node.kind === 'name' || node.kind === 'index' || node.kind === 'field') {
    return compiler.ref(node satisfies Target);
  }
  return map(compiler.value(node), (value): Ref => new Constant(value));
}

const gensub: Builtin = {
  least: 3,
  most: 4,
  compile(call) {
    const { compiler, args } = call;
    const { runtime } = compiler;
    const [pattern, , how, subject] = args;
    if (pattern === undefined || how === undefined) {
      throw new ProgramError('gensub: too few arguments', call.line);
    }
    const what = map2(
      compiler.regex(pattern),
      map(textArgument(call, 1), parseGroups),
      (regex, parts) => ({
        regex,
        parts,
      }),
    );
    const text = subject === undefined ? now(() => runtime.record.text) : compiler.text(subject);
    const where = map2(compiler.value(how), text, (choice, given) => ({ choice, given }));
    return map2(what, where, ({ regex, parts }, { choice, given }): Value => {
      const all = /^[gG]/.test(runtime.text(choice));
      const number = Math.trunc(toNumber(choice));
      if (!all && number < 1) {
        runtime.tool.warn(
          `cmd. line:${runtime.line}: warning: gensub: third argument \`${runtime.text(choice)}' treated as 1`,
        );
      }
      return substitute(regex, parts, given, all ? 0 : Math.max(number, 1)).text;
    });
  },
};

const match: Builtin = {
  least: 2,
  most: 3,
  compile(call) {
    const { compiler, args } = call;
    const { runtime } = compiler;
    const [, pattern] = args;
    if (pattern === undefined) throw new ProgramError('match: no pattern', call.line);
    const array = args[2] === undefined ? now(() => null) : arrayArgument(call, 2, 'match');
    const subject = map2(textArgument(call, 0), compiler.regex(pattern), (text, regex) => ({
      text,
      regex,
    }));
    return map2(subject, array, ({ text, regex }, groups): Value => {
      const whole = groups === null ? regex.find(text, 0) : keepGroups(text, regex, groups);
      const start = whole === null ? 0 : charIndex(text, whole.start) + 1;
      runtime.RSTART.value = start;
      runtime.RLENGTH.value = whole === null ? -1 : lengthOf(text.slice(whole.start, whole.end));
      return start;
    });
  },
};

/** Puts the match and its groups into an array, with where each begins and how long it is. */
function keepGroups(text: string, regex: Regex, array: AwkArray) {
  array.elements.clear();
  const found = regex.findGroups(text, 0);
  if (found === null) return null;
  for (const [i, place] of [found.whole, ...found.groups].entries()) {
    if (place === null) continue;
    const part = text.slice(place.start, place.end);
    array.elements.set(String(i), new Input(part));
    array.elements.set(`${i}\x1cstart`, charIndex(text, place.start) + 1);
    array.elements.set(`${i}\x1clength`, lengthOf(part));
  }
  return found.whole;
}

const length: Builtin = {
  least: 0,
  most: 1,
  compile({ compiler, args }) {
    const { runtime } = compiler;
    const [node] = args;
    if (node === undefined) return now(() => lengthOf(runtime.record.text));
    return map(
      compiler.raw(node),
      (value): Value =>
        value instanceof AwkArray ? value.elements.size : lengthOf(runtime.text(value)),
    );
  },
};

function index(text: string, part: string, folds: boolean): number {
  const at = folds ? text.toLowerCase().indexOf(part.toLowerCase()) : text.indexOf(part);
  return at < 0 ? 0 : charIndex(text, at) + 1;
}

/** Changes the case of each character that has one of the other case; `ß` has none. */
function mapped(text: string, change: (text: string) => string): string {
  if (!/[^\x00-\x7f]/.test(text)) return change(text);
  return Array.from(text, (one) => (lengthOf(change(one)) === 1 ? change(one) : one)).join('');
}

function ofText(compute: (text: string) => Value): Builtin {
  return { least: 1, most: 1, compile: (call) => map(textArgument(call, 0), compute) };
}

export const stringFunctions: Builtins = {
  length,
  split,
  patsplit,
  gensub,
  match,
  sub: replacing('sub', 1),
  gsub: replacing('gsub', 0),
  tolower: ofText((text) => mapped(text, (one) => one.toLowerCase())),
  toupper: ofText((text) => mapped(text, (one) => one.toUpperCase())),
  index: {
    least: 2,
    most: 2,
    compile: (call) =>
      map2(
        textArgument(call, 0),
        textArgument(call, 1),
        (text, part): Value => index(text, part, call.compiler.runtime.regexes.ignoreCase),
      ),
  },
  substr: {
    least: 2,
    most: 3,
    compile: (call) => {
      const sized = call.args.length > 2;
      const range = map2(numberArgument(call, 1), numberArgument(call, 2), (start, size) => ({
        start,
        size,
      }));
      return map2(
        textArgument(call, 0),
        range,
        (text, { start, size }): Value =>
          substr(text, start, sized ? size : Number.POSITIVE_INFINITY),
      );
    },
  },
  sprintf: {
    least: 1,
    most: 1000,
    compile: ({ compiler, args }) => {
      const { runtime } = compiler;
      return map(all(args.map((one) => compiler.value(one))), ([format, ...values]): Value => {
        if (format === undefined) throw new FatalError('sprintf: no format');
        return formatText(runtime.text(format), values, runtime.convfmt, runtime.formats);
      });
    },
  },
};
