/** What a program prints: jq writes a value at a time, and there can be millions. */
export class Output {
  #bytes: Buffer = Buffer.allocUnsafe(4096);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** All of it; valid until more is added. */
  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  add(part: Uint8Array): void {
    const length = this.#length + part.length;
    if (length > this.#bytes.length) {
      const wider = Buffer.allocUnsafe(Math.max(length, 2 * this.#bytes.length));
      wider.set(this.bytes);
      this.#bytes = wider;
    }
    this.#bytes.set(part, this.#length);
    this.#length = length;
  }
}
