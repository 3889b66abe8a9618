/** Collects what a script prints, and hands it on in pieces and in order. */
import type { GuestNews } from '../../support/program/guest.ts';

type Stream = 'stdout' | 'stderr';

const CHUNK = 64 * 1024;

export class Output {
  readonly #say: (news: GuestNews) => void;
  #parts: Uint8Array[] = [];
  #size = 0;
  #stream: Stream = 'stdout';

  constructor(say: (news: GuestNews) => void) {
    this.#say = say;
  }

  print(stream: Stream, bytes: Uint8Array): void {
    if (stream !== this.#stream) this.flush();
    this.#stream = stream;
    this.#parts.push(bytes);
    this.#size += bytes.length;
    if (this.#size >= CHUNK) this.flush();
  }

  flush(): void {
    if (this.#size === 0) return;
    this.#say({ stream: this.#stream, bytes: new Uint8Array(Buffer.concat(this.#parts)) });
    this.#parts = [];
    this.#size = 0;
  }
}
