/**
 * What is needed to put a small WebAssembly module together by name. There are
 * two kernels, each a few dozen instructions that work on sixteen bytes at a
 * time, which JavaScript cannot; nothing binary is shipped.
 */

/** What is used of WebAssembly, which Node.js has and its types do not describe. */
export interface Memory {
  readonly buffer: ArrayBuffer;
  grow(pages: number): number;
}

declare const WebAssembly: {
  Memory: new (size: { initial: number }) => Memory;
  Module: new (bytes: Uint8Array) => object;
  Instance: new (module: object, imports: object) => { exports: Record<string, unknown> };
};

/** Bytes of a page of memory. */
export const PAGE = 65_536;

/** Types, as the binary format has them. */
export const TYPE = { i32: 0x7f, f32: 0x7d, v128: 0x7b } as const;

/** A function to be compiled: code in bytes, its closing `end` included. */
export interface KernelFunction {
  parameters: readonly number[];
  results: readonly number[];
  /** Runs of locals of one type, after the parameters. */
  locals: readonly (readonly [count: number, type: number])[];
  body: readonly number[];
}

export function newMemory(pages: number): Memory {
  return new WebAssembly.Memory({ initial: pages });
}

/** Compiles one function that works on a memory. */
export function compileKernel(memory: Memory, kernel: KernelFunction): unknown {
  const pages = Math.floor(memory.buffer.byteLength / PAGE);
  const module = new WebAssembly.Module(moduleOf(kernel, pages));
  const instance = new WebAssembly.Instance(module, { host: { memory } });
  return instance.exports['run'];
}

function moduleOf(kernel: KernelFunction, pages: number): Uint8Array<ArrayBuffer> {
  const { parameters, results, locals, body } = kernel;
  const code = [...vector(locals.map(([count, type]) => [...unsigned(count), type])), ...body];
  const type = [0x60, parameters.length, ...parameters, results.length, ...results];
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, vector([type])),
    ...section(2, vector([[...name('host'), ...name('memory'), 0x02, 0x00, ...unsigned(pages)]])),
    ...section(3, vector([[0]])),
    ...section(7, vector([[...name('run'), 0x00, 0]])),
    ...section(10, vector([[...unsigned(code.length), ...code]])),
  ]);
}

const section = (id: number, content: readonly number[]): number[] => [
  id,
  ...unsigned(content.length),
  ...content,
];
const vector = (items: readonly number[][]): number[] => [
  ...unsigned(items.length),
  ...items.flat(),
];
const name = (text: string): number[] => [text.length, ...new TextEncoder().encode(text)];

/** LEB128, as WebAssembly writes whole numbers. */
export function unsigned(value: number): number[] {
  const low = value & 0x7f;
  const rest = value >>> 7;
  return rest === 0 ? [low] : [low | 0x80, ...unsigned(rest)];
}

export function signed(value: number): number[] {
  const low = value & 0x7f;
  const rest = value >> 7;
  const done = (rest === 0 && low < 0x40) || (rest === -1 && low >= 0x40);
  return done ? [low] : [low | 0x80, ...signed(rest)];
}
