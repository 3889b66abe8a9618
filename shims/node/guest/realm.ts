/** Loads Node.js's own library into the guest: its modules, over bindings that are ours. */
import type { Bag, Guest, Loose } from './loose.ts';

export type Bindings = Record<string, (id: string) => object>;

/** The name of what stands for all other bindings. */
export const REST = '*';

/** What of Node.js's library is replaced by something of ours. */
export type Replaced = Record<string, (library: (id: string) => Loose) => unknown>;

export interface Realm {
  library(id: string): Loose;
  primordials: Loose;
  /** Can a script ask for it, by this name without `node:`? */
  isPublic(id: string): boolean;
  publicIds: readonly string[];
}

interface Loaded {
  exports: unknown;
}

const PARAMETERS = 'exports, require, module, process, internalBinding, primordials';

/** @param sources of the library, by their ids */
export function makeRealm(
  guest: Guest,
  sources: Readonly<Record<string, string>>,
  bindings: Bindings,
  replaced: Replaced,
  process: object,
): Realm {
  const loaded = new Map<string, Loaded>();
  const primordials = {} as unknown as Loose;
  const made = new Map<string, object>();
  const internalBinding = (name: string, id: string): object => {
    const make = bindings[name] ?? bindings[REST];
    if (make === undefined) throw new Error(`No such binding: ${name}`);
    // One part of the library is told otherwise than the others what there is of ICU.
    if (name === 'config') return make(id);
    let binding = made.get(name);
    if (binding === undefined) {
      binding = make(id);
      made.set(name, binding);
    }
    return binding;
  };
  const ids = Object.keys(sources);
  const publicIds = [...new Set([...ids, ...Object.keys(replaced)])]
    .filter((id) => !id.startsWith('internal/') && !/^_/.test(id))
    .sort();
  const isPublic = (id: string): boolean => publicIds.includes(id);

  const run = (id: string, parameters: string, ...values: unknown[]): void => {
    const source = sources[id];
    if (source === undefined) throw new Error(`No such built-in module: ${id}`);
    const wrapper = guest.raw.evaluate(
      `(function (${parameters}) { ${source}\n})`,
      `node:${id}`,
    ) as (...given: unknown[]) => void;
    wrapper(...values);
  };

  const library = (id: string): Loose => {
    const present = loaded.get(id);
    if (present !== undefined) return present.exports as Loose;
    const module: Loaded = { exports: {} };
    loaded.set(id, module);
    const own = replaced[id];
    if (own !== undefined) {
      module.exports = own(library);
      return module.exports as Loose;
    }
    const bindingOf = (name: string): object => internalBinding(name, id);
    run(id, PARAMETERS, module.exports, library, module, process, bindingOf, primordials);
    return module.exports as Loose;
  };

  const normalize = (id: string): string => (id.startsWith('node:') ? id.slice(5) : id);
  const BuiltinModule: Bag = {
    exists: (id: string) => id.startsWith('internal/') || isPublic(id),
    canBeRequiredByUsers: isPublic,
    canBeRequiredByUsersWithoutScheme: isPublic,
    normalizeRequirableId: (id: string) => (isPublic(normalize(id)) ? normalize(id) : undefined),
    getSchemeOnlyModuleNames: () => ['test'],
    isBuiltin: (id: string) => isPublic(normalize(id)),
    getCanBeRequiredByUsersWithoutSchemeList: () => publicIds,
    map: new Map(),
  };
  loaded.set('internal/bootstrap/realm', {
    exports: { BuiltinModule, internalBinding: undefined },
  });
  const { privateSymbols, perIsolateSymbols } = internalBinding('util', '') as Record<
    string,
    object
  >;
  for (const part of ['primordials', 'domexception', 'messageport']) {
    const id = `internal/per_context/${part}`;
    const module: Loaded = { exports: {} };
    run(
      id,
      'exports, primordials, privateSymbols, perIsolateSymbols',
      module.exports,
      primordials,
      privateSymbols ?? {},
      perIsolateSymbols ?? {},
    );
    loaded.set(id, module);
  }
  return { library, primordials, isPublic, publicIds };
}
