/**
 * Whole words (-w), by GNU's procedure: of each match that is no word a shorter
 * one is tried at the same place, then the next place. What comes of a pattern
 * that may match nothing, or of the second match in a line, follows from that
 * procedure and from nothing simpler.
 */
import { isRegular, type Node, nullable, widths } from './ast.ts';
import type { Budget } from './budget.ts';
import { type LineMatcher, Matcher, type Pattern } from './matcher.ts';
import { INVALID } from './utf8.ts';

export class WordMatcher implements LineMatcher {
  start = 0;
  end = 0;
  private readonly parts: Matcher[];
  private readonly whole: Matcher;
  /** Does `whole` decide about lines as the procedure would? */
  private readonly decides: boolean;
  /** Does it find the same places, too? */
  private readonly places: boolean;
  private readonly pattern: Pattern;

  /**
   * @param pattern with word edges around the tree, which `bare` is without
   * @param bare the patterns that GNU runs one after the other
   */
  constructor(pattern: Pattern, bare: readonly Node[], budget: Budget) {
    this.pattern = pattern;
    this.whole = new Matcher(pattern, budget);
    const filled = bare.every((tree) => !nullable(tree));
    this.places = filled && bare.length === 1 && bare.every(isFixed);
    this.decides = filled || (pattern.encoding.unibyte && bare.every(isRegular));
    this.parts = this.places ? [] : bare.map((tree) => new Matcher({ ...pattern, tree }, budget));
  }

  get literal(): boolean {
    return false;
  }

  get required(): readonly Buffer[] | null {
    return this.whole.required;
  }

  begin(size: number): void {
    this.whole.begin(size);
    for (const part of this.parts) part.begin(size);
  }

  find(buf: Uint8Array, from: number, to: number): number {
    if (this.decides) return this.whole.find(buf, from, to);
    const { eol } = this.pattern;
    for (let at = from; at <= to; ) {
      const end = buf.indexOf(eol, at);
      const stop = end === -1 || end > to ? to : end;
      if (this.parts.some((part) => this.word(part, buf, at, stop, at, stop))) return at;
      at = stop + 1;
    }
    return -1;
  }

  extent(buf: Uint8Array, base: number, to: number, from: number): boolean {
    if (this.places) {
      const found = this.whole.extent(buf, base, to, from);
      this.start = this.whole.start;
      this.end = this.whole.end;
      return found;
    }
    let best = to + 1;
    let end = -1;
    for (const part of this.parts) {
      if (!this.word(part, buf, base, to, from, Math.min(best, to))) continue;
      if (this.start > best || (this.start === best && this.end <= end)) continue;
      best = this.start;
      end = this.end;
    }
    this.start = best;
    this.end = end;
    return end !== -1;
  }

  /** A part's first word at or after a position, and not after another one. */
  private word(
    part: Matcher,
    buf: Uint8Array,
    base: number,
    to: number,
    from: number,
    last: number,
  ): boolean {
    if (!part.extent(buf, base, to, from)) return false;
    let { start, end } = part;
    while (start <= last) {
      if (!this.letterAt(buf, end, to) && !this.letterBefore(buf, start, base)) {
        this.start = start;
        this.end = end;
        return true;
      }
      // GNU counts this limit from where the search began, whatever stands before.
      const limit = base + (end - 1 - from);
      const shorter =
        end > start && limit >= start ? part.longestWithin(buf, base, start, limit) : -1;
      if (shorter > start) {
        end = shorter;
        continue;
      }
      if (start >= to) return false;
      const next = start + this.pattern.encoding.widthAt(buf, start, to);
      if (!part.extent(buf, base, to, next)) return false;
      ({ start, end } = part);
    }
    return false;
  }

  private letterAt(buf: Uint8Array, at: number, to: number): boolean {
    if (at >= to) return false;
    const found = this.pattern.encoding.decode(buf, at, to);
    return found !== INVALID && this.pattern.word(found >> 3);
  }

  private letterBefore(buf: Uint8Array, at: number, base: number): boolean {
    if (at <= base) return false;
    const found = this.pattern.encoding.decodeBefore(buf, at, base);
    return found !== INVALID && this.pattern.word(found >> 3);
  }
}

function isFixed(tree: Node): boolean {
  const { min, max } = widths(tree);
  return min === max;
}
