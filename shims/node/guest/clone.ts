/** `structuredClone`: a copy of a value with all that it holds, circles among it. */

const cannot = (value: unknown): never => {
  const shown = typeof value === 'symbol' ? value.toString() : `${String(value)}`;
  throw new DOMException(`${shown} could not be cloned.`, 'DataCloneError');
};

/** @throws DOMException `DataCloneError` for a function or a symbol */
export function cloned<T>(value: T, seen: Map<unknown, unknown> = new Map()): T {
  if (typeof value === 'function' || typeof value === 'symbol') return cannot(value);
  if (typeof value !== 'object' || value === null) return value;
  if (seen.has(value)) return seen.get(value) as T;
  const keep = <U>(copy: U): U => {
    seen.set(value, copy);
    return copy;
  };
  if (value instanceof Date) return keep(new Date(value)) as T;
  if (value instanceof RegExp) return keep(new RegExp(value.source, value.flags)) as T;
  if (value instanceof ArrayBuffer) return keep(value.slice(0)) as T;
  if (value instanceof DataView) {
    const { buffer, byteOffset, byteLength } = value;
    return keep(new DataView(cloned(buffer, seen), byteOffset, byteLength)) as T;
  }
  if (ArrayBuffer.isView(value)) {
    // A buffer of Node.js's becomes what it is made of.
    const isBuffer = Object.getPrototypeOf(Object.getPrototypeOf(value)) === Uint8Array.prototype;
    const Kind = isBuffer ? Uint8Array : value.constructor;
    return keep(new (Kind as new (from: unknown) => unknown)(value)) as T;
  }
  if (value instanceof Map) {
    const copy = keep(new Map());
    for (const [key, item] of value) copy.set(cloned(key, seen), cloned(item, seen));
    return copy as T;
  }
  if (value instanceof Set) {
    const copy = keep(new Set());
    for (const item of value) copy.add(cloned(item, seen));
    return copy as T;
  }
  if (value instanceof Error) return keep(clonedError(value)) as T;
  if (value instanceof Boolean || value instanceof Number || value instanceof String)
    return keep(Object(value.valueOf())) as T;
  if (
    value instanceof Promise ||
    value instanceof WeakMap ||
    value instanceof WeakSet ||
    value instanceof WeakRef
  )
    return cannot(`#<${value.constructor.name}>`);
  const copy = keep(Array.isArray(value) ? new Array(value.length) : {}) as Record<string, unknown>;
  for (const key of Object.keys(value))
    copy[key] = cloned((value as Record<string, unknown>)[key], seen);
  return copy as T;
}

const ERRORS = [EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError];

function clonedError(error: Error): Error {
  const Kind = ERRORS.find(({ name }) => name === error.name) ?? Error;
  const copy = new Kind(error.message);
  if (error.stack !== undefined) copy.stack = error.stack;
  if ('cause' in error) {
    const value = cloned(error.cause);
    Object.defineProperty(copy, 'cause', { value, configurable: true, writable: true });
  }
  return copy;
}
