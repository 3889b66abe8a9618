/** A module that is put together by name is one that the engine takes, and it works on the memory. */
import { expect, test } from 'vitest';
import { compileKernel, newMemory, PAGE, signed, TYPE, unsigned } from './webassembly.ts';

const LOCAL_GET = 0x20;
const LOCAL_SET = 0x21;
const END = 0x0b;

test('whole numbers are written as the format has them', () => {
  // The examples of DWARF, appendix C, and those of the format's own text.
  const hex = (bytes: readonly number[]): string => Buffer.from(bytes).toString('hex');
  expect([0, 2, 127, 128, 129, 16_256, 624_485, 2 ** 32 - 1].map((n) => hex(unsigned(n)))).toEqual([
    '00',
    '02',
    '7f',
    '8001',
    '8101',
    '807f',
    'e58e26',
    'ffffffff0f',
  ]);
  expect([0, 2, -2, 63, 64, -64, -65, 127, -127, 128, -123_456].map((n) => hex(signed(n)))).toEqual(
    ['00', '02', '7e', '3f', 'c000', '40', 'bf7f', 'ff00', '817f', '8001', 'c0bb78'],
  );
});

test('a function has its parameters, its results and its locals', () => {
  const kernel = {
    parameters: [TYPE.i32, TYPE.i32],
    results: [TYPE.i32],
    locals: [
      [1, TYPE.f32],
      [2, TYPE.i32],
    ] as const,
    // Of both parameters the sum, by way of the last local.
    body: [LOCAL_GET, 0, LOCAL_GET, 1, 0x6a, LOCAL_SET, 4, LOCAL_GET, 4, END],
  };
  const add = compileKernel(newMemory(1), kernel) as (a: number, b: number) => number;
  expect([add(2, 3), add(-1, 0)]).toEqual([5, -1]);
});

test('it works on the memory that it is given, of however many pages', () => {
  const memory = newMemory(200);
  expect(memory.buffer.byteLength).toBe(200 * PAGE);
  // i32.load8_u at an address, without an offset.
  const body = [LOCAL_GET, 0, 0x2d, 0, 0, END];
  const kernel = { parameters: [TYPE.i32], results: [TYPE.i32], locals: [], body };
  const load = compileKernel(memory, kernel) as (at: number) => number;
  new Uint8Array(memory.buffer)[200 * PAGE - 1] = 7;
  expect([load(200 * PAGE - 1), load(0)]).toEqual([7, 0]);
  expect(() => load(200 * PAGE)).toThrow('memory access out of bounds');
});

test('its code may be longer than a byte can say', () => {
  const body = [...Array.from({ length: 500 }, () => 0x01), 0x41, ...signed(1_000), END];
  const kernel = { parameters: [], results: [TYPE.i32], locals: [], body };
  expect((compileKernel(newMemory(1), kernel) as () => number)()).toBe(1_000);
});
