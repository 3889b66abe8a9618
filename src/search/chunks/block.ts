/** Consecutive lines that belong together. */
export interface Block {
  firstLine: number;
  lines: string[];
  crumb: string;
  /** A new subject begins here: nothing before it is joined with it. */
  begins: boolean;
  /** The lines that a following chunk repeats when this block must be cut. */
  overlap: number;
}
