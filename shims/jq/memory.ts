/** The memory of a C program in WebAssembly, by the addresses that it hands out. */

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** An address in the program's memory, in bytes. */
export type Address = number;

/** What is read from and written to the memory of a program that runs. */
export class ProgramMemory {
  readonly #memory: { readonly buffer: ArrayBuffer };
  #bytes: Uint8Array;
  #view: DataView;

  constructor(memory: { readonly buffer: ArrayBuffer }) {
    this.#memory = memory;
    this.#bytes = new Uint8Array(memory.buffer);
    this.#view = new DataView(memory.buffer);
  }

  /** All of it. Growing makes a new one, so it is to be asked for each time. */
  get bytes(): Uint8Array {
    this.#look();
    return this.#bytes;
  }

  get view(): DataView {
    this.#look();
    return this.#view;
  }

  #look(): void {
    if (this.#bytes.buffer === this.#memory.buffer) return;
    this.#bytes = new Uint8Array(this.#memory.buffer);
    this.#view = new DataView(this.#memory.buffer);
  }

  /** The text that ends at a zero. */
  text(at: Address): string {
    const { bytes } = this;
    return decoder.decode(bytes.subarray(at, bytes.indexOf(0, at)));
  }

  /** Writes a text and the zero behind it; gives their length in bytes. */
  putText(at: Address, text: string): number {
    const encoded = encoder.encode(text);
    this.bytes.set(encoded, at);
    this.bytes[at + encoded.length] = 0;
    return encoded.length + 1;
  }

  int(at: Address): number {
    return this.view.getInt32(at, true);
  }

  /** An address, or a size of type size_t. */
  size(at: Address): number {
    return this.view.getUint32(at, true);
  }

  putInt(at: Address, value: number): void {
    this.view.setInt32(at, value, true);
  }

  putLong(at: Address, value: bigint): void {
    this.view.setBigInt64(at, value, true);
  }

  /** The buffers of an iovec array. */
  *vectors(at: Address, count: number): Generator<Uint8Array> {
    for (let i = 0; i < count; i++) {
      const from = this.size(at + 8 * i);
      yield this.bytes.subarray(from, from + this.size(at + 8 * i + 4));
    }
  }
}

/** How many bytes a text takes, with the zero behind it. */
export const textSize = (text: string): number => encoder.encode(text).length + 1;
