/** Typed arrays that grow at their end. */

export class GrowingUint32 {
  #array = new Uint32Array(1024);
  length = 0;

  push(value: number): void {
    if (this.length === this.#array.length) {
      const larger = new Uint32Array(Math.ceil(this.length * 1.5));
      larger.set(this.#array);
      this.#array = larger;
    }
    this.#array[this.length++] = value;
  }

  at(index: number): number {
    return this.#array[index] ?? 0;
  }

  set(index: number, value: number): void {
    this.#array[index] = value;
  }

  /** A view, valid until the next push. */
  slice(from: number, to: number): Uint32Array {
    return this.#array.subarray(from, to);
  }
}

export class GrowingFloat32 {
  #array = new Float32Array(1024);
  length = 0;

  push(value: number): void {
    if (this.length === this.#array.length) {
      const larger = new Float32Array(Math.ceil(this.length * 1.5));
      larger.set(this.#array);
      this.#array = larger;
    }
    this.#array[this.length++] = value;
  }

  at(index: number): number {
    return this.#array[index] ?? 0;
  }
}
