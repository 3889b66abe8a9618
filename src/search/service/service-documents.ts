/** What a service's feed says is new. */
import type { FollowedSource, Pending } from './source.ts';

/** Reads the feed of one service mount, shown at a point. */
export class ServiceDocuments {
  readonly point: string;
  readonly name: string;
  readonly #source: FollowedSource;
  #read: number;
  /** How far the index was given it. */
  indexed: number;

  /** @param followed how far the index has followed it */
  constructor(point: string, source: FollowedSource, followed: number) {
    this.point = point;
    this.name = source.name;
    this.#source = source;
    this.#read = followed;
    this.indexed = followed;
  }

  /** What is new since it was last asked. */
  *pending(): Iterable<Pending> {
    const prefix = this.point === '/' ? '' : this.point;
    for (;;) {
      const entries = this.#source.feed(this.#read);
      for (const { seq, path, op } of entries) {
        yield {
          path: `${prefix}${path}`,
          text: () => (op === 'delete' ? null : (this.#source.document(path)?.text ?? null)),
          context: () => this.#context(path),
          followed: { name: this.name, point: this.point, seq },
          ...(this.#source.isDocument?.(path) === false ? { passed: true } : {}),
        };
      }
      const last = entries.at(-1);
      if (last === undefined) return;
      this.#read = last.seq;
    }
  }

  /** `issues/12/comments/3.md` belongs to `issues/12.md`, which has the title. */
  #context(path: string): string {
    const parent = /^(.+\/[^/]+)\/[^/]+\/[^/]+$/.exec(path)?.[1];
    const text = parent === undefined ? undefined : this.#source.document(`${parent}.md`)?.text;
    return /^title: *(.+)$/m.exec(text ?? '')?.[1]?.replace(/^(["'])(.*)\1$/, '$2') ?? '';
  }
}
