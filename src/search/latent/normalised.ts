/** Brings a vector to unit length, in place. */
export function normalised(vector: Float32Array): Float32Array {
  let size = 0;
  for (const value of vector) size += value * value;
  if (size > 0) {
    const factor = 1 / Math.sqrt(size);
    for (let k = 0; k < vector.length; k++) vector[k] = (vector[k] ?? 0) * factor;
  }
  return vector;
}
