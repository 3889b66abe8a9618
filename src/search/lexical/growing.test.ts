import { describe, expect, it } from 'vitest';
import { GrowingFloat32, GrowingUint8, GrowingUint32 } from './growing.ts';

describe.each([
  ['bytes', () => new GrowingUint8()],
  ['whole numbers', () => new GrowingUint32()],
  ['fractions', () => new GrowingFloat32()],
] as const)('%s', (_, make) => {
  const filled = (count: number) => {
    const numbers = make();
    for (let at = 0; at < count; at++) numbers.push(at % 200);
    return numbers;
  };

  it('are as they were pushed, however many', () => {
    for (const count of [0, 1, 255, 256, 257, 384, 385, 2_000]) {
      const numbers = filled(count);
      expect(numbers.length).toBe(count);
      expect(Array.from(numbers.slice(0, count))).toEqual(
        Array.from({ length: count }, (__, at) => at % 200),
      );
    }
  });

  it('are read and changed one by one; what was never there is 0', () => {
    const numbers = filled(3);
    numbers.set(1, 7);
    expect([0, 1, 2, 3, 10_000].map((at) => numbers.at(at))).toEqual([0, 7, 2, 0, 0]);
    expect(Array.from(numbers.slice(1, 3))).toEqual([7, 2]);
  });

  it('go on from what was put back, also from nothing', () => {
    for (const count of [0, 1, 300]) {
      const numbers = make();
      numbers.push(9);
      numbers.restore(filled(count).slice(0, count) as never);
      expect(numbers.length).toBe(count);
      for (let more = 0; more < 600; more++) numbers.push(more % 100);
      expect(numbers.length).toBe(count + 600);
      expect([numbers.at(count), numbers.at(count + 599)]).toEqual([0, 99]);
      if (count > 0) expect(numbers.at(count - 1)).toBe((count - 1) % 200);
    }
  });
});
