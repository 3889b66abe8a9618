/** The little linear algebra that a randomised SVD needs. Matrices are rows of one Float64Array. */

/** Rows of (column, value) pairs, one after another. */
export interface SparseRows {
  readonly rows: number;
  readonly columns: number;
  /** Where a row begins; one more than there are rows. */
  readonly starts: Uint32Array;
  readonly column: Uint32Array;
  readonly value: Float32Array;
}

/** A · B, B having `width` columns. */
export function times(a: SparseRows, b: Float64Array, width: number): Float64Array {
  const out = new Float64Array(a.rows * width);
  for (let row = 0; row < a.rows; row++) {
    const to = row * width;
    for (let at = a.starts[row] ?? 0; at < (a.starts[row + 1] ?? 0); at++) {
      const from = (a.column[at] ?? 0) * width;
      const value = a.value[at] ?? 0;
      for (let k = 0; k < width; k++) out[to + k] = (out[to + k] ?? 0) + value * (b[from + k] ?? 0);
    }
  }
  return out;
}

/** Aᵀ · B, B having `width` columns. */
export function timesTransposed(a: SparseRows, b: Float64Array, width: number): Float64Array {
  const out = new Float64Array(a.columns * width);
  for (let row = 0; row < a.rows; row++) {
    const from = row * width;
    for (let at = a.starts[row] ?? 0; at < (a.starts[row + 1] ?? 0); at++) {
      const to = (a.column[at] ?? 0) * width;
      const value = a.value[at] ?? 0;
      for (let k = 0; k < width; k++) out[to + k] = (out[to + k] ?? 0) + value * (b[from + k] ?? 0);
    }
  }
  return out;
}

/** Makes the columns of a tall matrix orthonormal, in place: Gram and Schmidt, twice for accuracy. */
export function orthonormalise(a: Float64Array, width: number): void {
  const rows = a.length / width;
  for (let k = 0; k < width; k++) {
    for (let pass = 0; pass < 2; pass++) {
      const dots = new Float64Array(k);
      for (let row = 0; row < rows; row++) {
        const own = a[row * width + k] ?? 0;
        if (own === 0) continue;
        for (let j = 0; j < k; j++) dots[j] = (dots[j] ?? 0) + own * (a[row * width + j] ?? 0);
      }
      for (let row = 0; row < rows; row++) {
        let own = a[row * width + k] ?? 0;
        for (let j = 0; j < k; j++) own -= (dots[j] ?? 0) * (a[row * width + j] ?? 0);
        a[row * width + k] = own;
      }
    }
    let size = 0;
    for (let row = 0; row < rows; row++) size += (a[row * width + k] ?? 0) ** 2;
    const factor = size > 1e-18 ? 1 / Math.sqrt(size) : 0;
    for (let row = 0; row < rows; row++) a[row * width + k] = (a[row * width + k] ?? 0) * factor;
  }
}

/** BᵀB of a matrix with `width` columns. */
export function gram(b: Float64Array, width: number): Float64Array {
  const out = new Float64Array(width * width);
  for (let row = 0; row < b.length; row += width) {
    for (let j = 0; j < width; j++) {
      const value = b[row + j] ?? 0;
      if (value === 0) continue;
      for (let k = 0; k < width; k++) {
        out[j * width + k] = (out[j * width + k] ?? 0) + value * (b[row + k] ?? 0);
      }
    }
  }
  return out;
}

/** Eigenvalues, largest first, and eigenvectors (columns) of a symmetric matrix, by Jacobi's rotations. */
export function symmetricEigen(
  given: Float64Array,
  size: number,
): { values: number[]; vectors: Float64Array } {
  const a = given.slice();
  const v = new Float64Array(size * size);
  for (let i = 0; i < size; i++) v[i * size + i] = 1;
  const at = (i: number, j: number): number => a[i * size + j] ?? 0;
  for (let sweep = 0; sweep < 30; sweep++) {
    let off = 0;
    let diagonal = 0;
    for (let i = 0; i < size; i++) {
      diagonal += at(i, i) ** 2;
      for (let j = i + 1; j < size; j++) off += at(i, j) ** 2;
    }
    if (off <= 1e-18 * diagonal) break;
    for (let p = 0; p < size; p++) {
      for (let q = p + 1; q < size; q++) rotate(a, v, size, p, q);
    }
  }
  const order = Array.from({ length: size }, (_, i) => i).sort((i, j) => at(j, j) - at(i, i));
  const vectors = new Float64Array(size * size);
  for (const [to, from] of order.entries()) {
    for (let i = 0; i < size; i++) vectors[i * size + to] = v[i * size + from] ?? 0;
  }
  return { values: order.map((i) => at(i, i)), vectors };
}

/** Turns the plane of p and q so that a[p][q] becomes 0. */
function rotate(a: Float64Array, v: Float64Array, size: number, p: number, q: number): void {
  const apq = a[p * size + q] ?? 0;
  if (apq === 0) return;
  const theta = ((a[q * size + q] ?? 0) - (a[p * size + p] ?? 0)) / (2 * apq);
  const t = (theta >= 0 ? 1 : -1) / (Math.abs(theta) + Math.sqrt(theta * theta + 1));
  const c = 1 / Math.sqrt(t * t + 1);
  const s = t * c;
  for (let k = 0; k < size; k++) {
    const kp = a[k * size + p] ?? 0;
    const kq = a[k * size + q] ?? 0;
    a[k * size + p] = c * kp - s * kq;
    a[k * size + q] = s * kp + c * kq;
  }
  for (let k = 0; k < size; k++) {
    const pk = a[p * size + k] ?? 0;
    const qk = a[q * size + k] ?? 0;
    a[p * size + k] = c * pk - s * qk;
    a[q * size + k] = s * pk + c * qk;
    const vp = v[k * size + p] ?? 0;
    const vq = v[k * size + q] ?? 0;
    v[k * size + p] = c * vp - s * vq;
    v[k * size + q] = s * vp + c * vq;
  }
}
