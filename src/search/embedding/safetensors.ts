/** Tensors of a file in the safetensors format: a header in JSON, and numbers behind it. */
import { z } from 'zod';

/** @see https://huggingface.co/docs/safetensors */
const tensor = z.object({
  dtype: z.string(),
  shape: z.array(z.int().min(0)),
  data_offsets: z.tuple([z.int().min(0), z.int().min(0)]),
});
const header = z
  .looseObject({ __metadata__: z.record(z.string(), z.string()).optional() })
  .transform(({ __metadata__: _, ...tensors }) => tensors)
  .pipe(z.record(z.string(), tensor));

/** A tensor of any kind of number, as numbers of 32 bits. */
export interface Tensor {
  shape: number[];
  values: Float32Array;
}

/** How each kind of number is read: bytes a value, and the value at an offset. */
const READERS: Readonly<Record<string, [number, (view: DataView, at: number) => number]>> = {
  F64: [8, (view, at) => view.getFloat64(at, true)],
  F32: [4, (view, at) => view.getFloat32(at, true)],
  F16: [2, (view, at) => half(view.getUint16(at, true))],
  BF16: [2, (view, at) => brain(view.getUint16(at, true))],
  I8: [1, (view, at) => view.getInt8(at)],
  I32: [4, (view, at) => view.getInt32(at, true)],
  I64: [8, (view, at) => Number(view.getBigInt64(at, true))],
};

/**
 * The tensors of a file by their names.
 *
 * @throws Error with what is wrong about the file
 */
export function readTensors(file: Uint8Array): Map<string, Tensor> {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const length = file.byteLength < 8 ? Number.NaN : Number(view.getBigUint64(0, true));
  if (!(length <= file.byteLength - 8)) throw new Error('it is no safetensors file');
  const text = Buffer.from(file.buffer, file.byteOffset + 8, length).toString();
  const tensors = new Map<string, Tensor>();
  for (const [name, about] of Object.entries(header.parse(JSON.parse(text)))) {
    const { dtype, shape, data_offsets } = about;
    const [size, read] = READERS[dtype] ?? [];
    if (size === undefined || read === undefined) {
      throw new Error(`its ${name} has numbers of the kind ${dtype}`);
    }
    const [from, to] = data_offsets;
    const count = shape.reduce((product, each) => product * each, 1);
    if (to - from !== count * size || 8 + length + to > file.byteLength) {
      throw new Error(`its ${name} is cut off`);
    }
    const values = new Float32Array(count);
    for (let i = 0; i < count; i++) values[i] = read(view, 8 + length + from + i * size);
    tensors.set(name, { shape, values });
  }
  return tensors;
}

/** A number of 16 bits, as IEEE 754 has it. */
function half(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 0x1f) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

/** The upper half of a number of 32 bits. */
function brain(bits: number): number {
  return new Float32Array(new Uint32Array([bits << 16]).buffer)[0] ?? 0;
}
