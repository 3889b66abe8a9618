/** What rg was asked for, by its options. */
import type { PatternSource } from './options.ts';

export interface RgOptions {
  patterns: PatternSource[];
  paths: string[];
  fixed: boolean;
  perl: boolean;
  caseMode: 'sensitive' | 'insensitive' | 'smart';
  word: boolean;
  line: boolean;
  invert: boolean;
  multiline: boolean;
  dotAll: boolean;
  output: 'lines' | 'count' | 'count-matches' | 'list' | 'list-others' | 'json' | 'files' | 'types';
  includeZero: boolean;
  onlyMatching: boolean;
  quiet: boolean;
  lineNumber: boolean | undefined;
  column: boolean;
  byteOffset: boolean;
  fileName: boolean | undefined;
  heading: boolean;
  vimgrep: boolean;
  color: boolean;
  trim: boolean;
  nullName: boolean;
  replace: string | null;
  maxCount: number;
  before: number;
  after: number;
  separator: string | null;
  globs: { glob: string; ignoreCase: boolean }[];
  types: { name: string; negated: boolean }[];
  hidden: boolean;
  noIgnore: boolean;
  noVcs: boolean;
  requireGit: boolean;
  text: boolean;
  /** Are files that were not named searched though they hold a NUL? */
  binary: boolean;
  follow: boolean;
  maxDepth: number;
  maxFileSize: number;
  /** Longer lines are left out; Infinity without a limit. */
  maxColumns: number;
  maxColumnsPreview: boolean;
  /** Are lines without a match printed, too? */
  passthru: boolean;
  crlf: boolean;
  /** In the order of paths, the last first. */
  reversed: boolean;
  /** Without the ignore files of directories above. */
  noParent: boolean;
  /** Without .ignore and .rgignore. */
  noDot: boolean;
  engine: 'default' | 'pcre2' | 'auto';
  typeChanges: readonly string[];
  messages: boolean;
  stats: boolean;
  info: 'help' | 'version' | null;
}
