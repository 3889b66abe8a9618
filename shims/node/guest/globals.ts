/** The global object, as scripts of Node.js have it. */

import { cloned } from './clone.ts';
import type { Bag, Guest, Loose } from './loose.ts';
import type { Realm } from './realm.ts';

/** Said wherever a script asks for the network. */
const NO_NETWORK =
  'there is no network for scripts here: read the files of a mount below /mnt, or run curl, which asks the hosts that the deployment allows';

const scope = globalThis as unknown as Bag;

export function globals({ host }: Guest, { library }: Realm, process: object): void {
  const define = (name: string, value: unknown): void => {
    Object.defineProperty(scope, name, {
      value,
      configurable: true,
      enumerable: false,
      writable: true,
    });
  };
  const show = (name: string, value: unknown): void => {
    Object.defineProperty(scope, name, {
      value,
      configurable: true,
      enumerable: true,
      writable: true,
    });
  };
  const lazily = (name: string, id: string): void => {
    Object.defineProperty(scope, name, {
      configurable: true,
      enumerable: false,
      get: () => (library(id) as unknown as Bag)[name],
      set: (value: unknown) => define(name, value),
    });
  };
  define('process', process);
  Object.defineProperty(scope, Symbol.toStringTag, {
    value: 'global',
    configurable: true,
    enumerable: false,
    writable: false,
  });
  show('global', scope);
  define('Buffer', (library('buffer') as unknown as Bag)['Buffer']);
  const timers = library('timers') as unknown as Bag;
  for (const name of [
    'clearImmediate',
    'setImmediate',
    'clearInterval',
    'clearTimeout',
    'setInterval',
    'setTimeout',
  ])
    show(name, timers[name]);
  const { queueMicrotask } = library('internal/process/task_queues') as unknown as Bag;
  show('queueMicrotask', queueMicrotask);
  show('structuredClone', (value: unknown) => cloned(value));
  for (const name of ['atob', 'btoa']) show(name, (library('buffer') as unknown as Bag)[name]);
  for (const name of ['URL', 'URLSearchParams'])
    define(name, (library('internal/url') as unknown as Bag)[name]);
  for (const name of ['TextEncoder', 'TextDecoder'])
    define(name, (library('internal/encoding') as unknown as Bag)[name]);
  for (const name of ['AbortController', 'AbortSignal']) lazily(name, 'internal/abort_controller');
  for (const name of ['Event', 'EventTarget']) lazily(name, 'internal/event_target');
  lazily('crypto', 'internal/dirigent/webcrypto');
  const refuse = (): never => {
    throw new TypeError(`fetch failed: ${NO_NETWORK}`);
  };
  show('fetch', async function fetch(_input: unknown, _init?: unknown) {
    refuse();
  });
  const { parse, stringify } = JSON;
  // The words of an error are V8's; the engine's own name no place.
  define2(
    JSON,
    'parse',
    function parse_(text: unknown, reviver?: unknown) {
      try {
        return parse(text as string, reviver as never);
      } catch (error) {
        if (!(error instanceof SyntaxError) || typeof text !== 'string') throw error;
        throw new SyntaxError((host('jsonError', text) as string | null) ?? error.message);
      }
    },
    'parse',
  );
  define2(
    JSON,
    'stringify',
    function stringify_(...args: unknown[]) {
      try {
        return (stringify as (...given: unknown[]) => string)(...args);
      } catch (error) {
        if (error instanceof TypeError && /circular/.test(error.message))
          throw new TypeError(circular(args[0]) ?? error.message);
        throw error;
      }
    },
    'stringify',
  );
  const seeds = host('randomBytes', 8) as Uint8Array;
  define2(
    Math,
    'random',
    randomFrom(() => host('randomBytes', 8) as Uint8Array),
    'random',
  );
  void seeds;
}

function define2(target: object, name: string, value: unknown, shown: string): void {
  Object.defineProperty(value, 'name', { value: shown, configurable: true });
  Object.defineProperty(target, name, {
    value,
    configurable: true,
    enumerable: false,
    writable: true,
  });
}

/** xorshift128+ (Vigna 2014); seeded at its first use, since the state before a run is that of every run. */
function randomFrom(seed: () => Uint8Array): () => number {
  let a = 0;
  let b = 0;
  let isSeeded = false;
  return () => {
    if (!isSeeded) {
      const view = new DataView(seed().buffer);
      a = view.getUint32(0) | 1;
      b = view.getUint32(4) | 1;
      isSeeded = true;
    }
    const next = (): number => {
      let t = a;
      a = b;
      t ^= t << 23;
      t ^= t >>> 17;
      t ^= b ^ (b >>> 26);
      b = t;
      return (a + b) >>> 0;
    };
    return ((next() >>> 5) * 67_108_864 + (next() >>> 6)) / 9_007_199_254_740_992;
  };
}

/** What V8 says of a value that holds itself. */
function circular(root: unknown): string | null {
  const path: { value: object; key: string }[] = [];
  const nameOf = (value: object): string => {
    const { constructor: Kind } = value as { constructor?: { name?: unknown } };
    return typeof Kind?.name === 'string' ? Kind.name : 'Object';
  };
  const shown = (key: string, value: object): string =>
    Array.isArray(value) ? `index ${key}` : `property '${key}'`;
  const look = (value: unknown, key: string): string | null => {
    if (typeof value !== 'object' || value === null) return null;
    const at = path.findIndex((step) => step.value === value);
    if (at >= 0) {
      const first = path[at]?.value ?? value;
      const last = path.at(-1)?.value ?? value;
      const closing = `${shown(key, last)} closes the circle`;
      const between = path.slice(at + 1);
      const lines = [`starting at object with constructor '${nameOf(first)}'`];
      const describe = (
        { value: inner, key: name }: { value: object; key: string },
        before: object,
      ) => `${shown(name, before)} -> object with constructor '${nameOf(inner)}'`;
      const [one] = between;
      const end = between.at(-1);
      if (one !== undefined) lines.push(describe(one, first));
      if (between.length > 2) lines.push('...');
      if (end !== undefined && between.length > 1)
        lines.push(describe(end, path.at(-2)?.value ?? first));
      const drawn = lines.map((line, index) =>
        index === 0 ? `    --> ${line}` : `    |     ${line}`,
      );
      return `Converting circular structure to JSON\n${drawn.join('\n')}\n    --- ${closing}`;
    }
    path.push({ value, key });
    for (const [name, inner] of Object.entries(value)) {
      const found = look(inner, name);
      if (found !== null) return found;
    }
    path.pop();
    return null;
  };
  return look(root, '');
}

/** A module of the network: whatever is called of it refuses. */
export function refusedModule(names: readonly string[]): Loose {
  const refuse = (): never => {
    const error = new Error(NO_NETWORK) as Error & Bag;
    error['code'] = 'ERR_ACCESS_DENIED';
    throw error;
  };
  return Object.fromEntries(
    names.map((name) => [
      name,
      /^[A-Z]/.test(name)
        ? class {
            constructor() {
              refuse();
            }
          }
        : refuse,
    ]),
  ) as unknown as Loose;
}
