/** Products, orthonormal columns and eigenvectors, held against their definitions. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  gram,
  orthonormalise,
  type SparseRows,
  symmetricEigen,
  times,
  timesTransposed,
} from './linear-algebra.ts';

type Matrix = number[][];

const flat = (matrix: Matrix): Float64Array => Float64Array.from(matrix.flat());

function sparse(matrix: Matrix): SparseRows {
  const cells = matrix.map((row) =>
    row.flatMap((value, at) => (value === 0 ? [] : [{ at, value }])),
  );
  const starts = [0];
  for (const row of cells) starts.push((starts.at(-1) ?? 0) + row.length);
  return {
    rows: matrix.length,
    columns: matrix[0]?.length ?? 0,
    starts: Uint32Array.from(starts),
    column: Uint32Array.from(cells.flat(), ({ at }) => at),
    value: Float32Array.from(cells.flat(), ({ value }) => value),
  };
}

const transposed = (a: Matrix): Matrix => (a[0] ?? []).map((_, at) => a.map((row) => row[at] ?? 0));
const product = (a: Matrix, b: Matrix): Matrix =>
  a.map((row) =>
    transposed(b).map((column) => row.reduce((sum, x, k) => sum + x * (column[k] ?? 0), 0)),
  );

const cell = fc.integer({ min: -3, max: 3 });
const matrix = (rows: number, columns: number): fc.Arbitrary<Matrix> =>
  fc.array(fc.array(cell, { minLength: columns, maxLength: columns }), {
    minLength: rows,
    maxLength: rows,
  });

function expectClose(given: Float64Array, wanted: Matrix): void {
  expect(given).toHaveLength(wanted.flat().length);
  for (const [at, value] of wanted.flat().entries()) expect(given[at]).toBeCloseTo(value, 6);
}

test('a sparse matrix times a dense one, and its transpose, are what the definition says', () => {
  fc.assert(
    fc.property(matrix(4, 3), matrix(3, 2), matrix(4, 2), (a, b, c) => {
      expectClose(times(sparse(a), flat(b), 2), product(a, b));
      expectClose(timesTransposed(sparse(a), flat(c), 2), product(transposed(a), c));
      expectClose(gram(flat(a), 3), product(transposed(a), a));
    }),
    { numRuns: 30 },
  );
});

test('columns become orthonormal and span what they spanned; one that the others make up becomes nothing', () => {
  fc.assert(
    fc.property(matrix(6, 3), (a) => {
      const q = flat(a);
      orthonormalise(q, 3);
      const g = gram(q, 3);
      for (let i = 0; i < 3; i++)
        for (let j = 0; j < 3; j++)
          if (i !== j) expect(g[i * 3 + j]).toBeCloseTo(0, 6);
          else
            expect(Math.min(Math.abs(g[4 * i] ?? 0), Math.abs((g[4 * i] ?? 0) - 1))).toBeLessThan(
              1e-6,
            );
      // What is left of each column outside of the new ones is nothing.
      const rows = a.map((_, row) => [...q.subarray(row * 3, row * 3 + 3)]);
      expectClose(flat(product(rows, product(transposed(rows), a))), a);
    }),
    { numRuns: 30 },
  );
  const twice = flat([
    [3, 6, 0],
    [4, 8, 0],
  ]);
  orthonormalise(twice, 3);
  for (const [at, value] of [0.6, 0, 0, 0.8, 0, 0].entries())
    expect(twice[at]).toBeCloseTo(value, 9);
});

test('a symmetric matrix is its eigenvectors, orthonormal, scaled by its eigenvalues, the largest first', () => {
  fc.assert(
    fc.property(matrix(4, 4), (any) => {
      const a = any.map((row, i) => row.map((value, j) => value + (any[j]?.[i] ?? 0)));
      const given = flat(a);
      const { values, vectors } = symmetricEigen(given, 4);
      expect([...given]).toEqual(a.flat());
      expect(values).toEqual(values.toSorted((x, y) => y - x));
      const v = a.map((_, row) => [...vectors.subarray(row * 4, row * 4 + 4)]);
      const scaled = v.map((row) => row.map((x, k) => x * (values[k] ?? 0)));
      expectClose(flat(product(scaled, transposed(v))), a);
      const one = a.map((_, i) => a.map((__, j) => (i === j ? 1 : 0)));
      expectClose(flat(product(transposed(v), v)), one);
    }),
    { numRuns: 30 },
  );
});
