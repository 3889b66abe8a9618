/** Functions of arrays, and of what a value is. */
import type { Builtin, Builtins, Call } from './calls.ts';
import { textArgument } from './calls.ts';
import { map, map2, now } from './code.ts';
import { FatalError } from './errors.ts';
import type { Local } from './runtime.ts';
import { byType, sortEntries } from './sorting.ts';
import { arrayArgument } from './string-functions.ts';
import { AwkArray, Input, NO_FIELD, type Value } from './values.ts';

function typeOf(value: Local): string {
  if (value instanceof AwkArray) return 'array';
  if (value === NO_FIELD) return 'unassigned';
  if (typeof value === 'number') return 'number';
  if (typeof value === 'string') return 'string';
  if (value instanceof Input) return value.number === null ? 'string' : 'strnum';
  return 'untyped';
}

/** asort sorts by value, asorti by index; both number the result from 1. */
function sorting(name: 'asort' | 'asorti', order: string): Builtin {
  return {
    least: 1,
    most: 3,
    compile(call) {
      const { runtime } = call.compiler;
      const source = arrayArgument(call, 0, name);
      const into = call.args[1] === undefined ? now(() => null) : arrayArgument(call, 1, name);
      const how = call.args[2] === undefined ? now(() => order) : textArgument(call, 2);
      const arrays = map2(source, into, (from, to) => ({ from, to: to ?? from }));
      return map2(arrays, how, ({ from, to }, wish): Value => {
        const entries = [...from.elements];
        const sorted =
          wish === '@val_type_asc'
            ? entries.sort(([, a], [, b]) => byType(runtime, a, b))
            : sortEntries(runtime, entries, wish);
        if (sorted === undefined) {
          throw new FatalError(
            `${name}: \`${wish}' is no order: only those such as "@ind_str_asc" and "@val_num_desc" are known here`,
          );
        }
        to.elements.clear();
        for (const [i, [key, value]] of sorted.entries()) {
          to.elements.set(String(i + 1), name === 'asort' ? value : key);
        }
        return sorted.length;
      });
    },
  };
}

function ofAnything(compute: (value: Local, call: Call) => Value): Builtin {
  return {
    least: 1,
    most: 1,
    compile(call) {
      const [node] = call.args;
      if (node === undefined) return now(() => undefined);
      return map(call.compiler.raw(node), (value) => compute(value, call));
    },
  };
}

export const arrayFunctions: Builtins = {
  asort: sorting('asort', '@val_type_asc'),
  asorti: sorting('asorti', '@ind_str_asc'),
  isarray: ofAnything((value) => (value instanceof AwkArray ? 1 : 0)),
  typeof: ofAnything((value, { args }) => {
    if (args[0]?.kind === 'regex') return 'number';
    return typeOf(value);
  }),
};
