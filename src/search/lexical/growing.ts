/** Typed arrays that grow at their end. */

interface Numbers {
  readonly length: number;
  [index: number]: number;
  set(other: ArrayLike<number>): void;
}

/** What was put back may be empty, and half as much again would be none. */
const LEAST = 256;

class Growing<A extends Numbers> {
  protected array: A;
  readonly #make: (length: number) => A;
  length = 0;

  constructor(make: (length: number) => A) {
    this.#make = make;
    this.array = make(LEAST);
  }

  push(value: number): void {
    if (this.length === this.array.length) {
      const larger = this.#make(Math.max(LEAST, Math.ceil(this.length * 1.5)));
      larger.set(this.array);
      this.array = larger;
    }
    this.array[this.length++] = value;
  }

  at(index: number): number {
    return this.array[index] ?? 0;
  }

  set(index: number, value: number): void {
    this.array[index] = value;
  }

  /** Puts other content in the place of its own, which it takes over and may change. */
  restore(content: A): void {
    this.array = content;
    this.length = content.length;
  }
}

export class GrowingUint8 extends Growing<Uint8Array> {
  constructor() {
    super((length) => new Uint8Array(length));
  }

  /** A view, valid until the next push. */
  slice(from: number, to: number): Uint8Array {
    return this.array.subarray(from, to);
  }
}

export class GrowingUint32 extends Growing<Uint32Array> {
  constructor() {
    super((length) => new Uint32Array(length));
  }

  /** A view, valid until the next push. */
  slice(from: number, to: number): Uint32Array {
    return this.array.subarray(from, to);
  }
}

export class GrowingFloat32 extends Growing<Float32Array> {
  constructor() {
    super((length) => new Float32Array(length));
  }

  /** A view, valid until the next push. */
  slice(from: number, to: number): Float32Array {
    return this.array.subarray(from, to);
  }
}
