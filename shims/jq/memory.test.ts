import { expect, test } from 'vitest';
import { newMemory } from '../../src/webassembly.ts';
import { ProgramMemory } from './memory.ts';

test('a text that is written over another ends where it ends, and its size counts the zero', () => {
  const memory = new ProgramMemory(newMemory(1));
  memory.bytes.fill(0x78, 0, 64);
  expect(memory.putText(8, 'né')).toBe(4);
  expect(memory.text(8)).toBe('né');
  expect(memory.bytes.subarray(7, 13)).toEqual(Uint8Array.of(0x78, 0x6e, 0xc3, 0xa9, 0, 0x78));
});

test('memory that grew is read anew', () => {
  const held = newMemory(1);
  const memory = new ProgramMemory(held);
  memory.putInt(4, -2);
  held.grow(1);
  expect(memory.int(4)).toBe(-2);
  expect(memory.size(4)).toBe(2 ** 32 - 2);
  memory.putInt(65_540, 7);
  expect([memory.int(65_540), memory.bytes.length]).toEqual([7, 131_072]);
});
