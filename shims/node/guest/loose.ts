/** A value of Node.js's own library, whose inside brings no types: whatever is taken of it is one again. */
export interface Loose {
  (...args: unknown[]): Loose;
  [key: string | symbol]: Loose;
}

/** What is handed to that library. */
export type Bag = Record<string | symbol, unknown>;

/** What crosses the border of the guest, always as a copy. */
export type Crossing =
  | undefined
  | null
  | boolean
  | number
  | string
  | Uint8Array
  | Crossing[]
  | { [key: string]: Crossing };

/** The constructors of Node.js's own errors, by their codes. */
export type Codes = Record<string, new (...args: [unknown, unknown?, unknown?]) => Error>;

/** Calls the host by the name of a call. @throws Error with `code` set to the errno of a call of the world that failed */
export type CallHost = (name: string, ...args: unknown[]) => unknown;

/** What every part of the guest is made with. */
export interface Guest {
  host: CallHost;
  /** The class of a value as the engine has it: `Map`, `Promise`, `Proxy`; '' where it is no object. */
  classOf(value: unknown): string;
  /** A part of the host that takes and gives values of the guest themselves. */
  raw: {
    /** `[0]` pending, `[1, value]`, `[2, reason]`. */
    promiseDetails(promise: unknown): unknown[];
    proxyDetails(proxy: unknown): [target: unknown, handler: unknown];
    runMicrotasks(): void;
    /** Evaluates a script. */
    evaluate(source: string, file: string): unknown;
  };
}
