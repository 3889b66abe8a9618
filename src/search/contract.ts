/** The search as shims and front ends see it. */
import type { FsError } from '../errors.ts';

/** What is asked of the search. */
export interface SearchQuestion {
  /** In words; a phrase in double quotes must occur. */
  query: string;
  /** Absolute paths; what is at or below one of them is searched. */
  paths: readonly string[];
  limit: number;
  kind?: 'issue' | 'page' | 'file';
  /** ISO 8601: only what was changed then or later. */
  since?: string;
}

/** One answer: a line, and the passage that it stands in. */
export interface SearchAnswer {
  path: string;
  /** 1-based; of a document, in the text of its page. */
  line: number;
  /** The page of a document, such as `p12`; absent for files that are text. */
  page?: string;
  text: string;
  /** Where in a long line the sentence begins that tells most; else 0, or absent. */
  from?: number;
  score: number;
  /** What each part gave, 0 to 1; absent where the line was found literally. */
  parts?: Readonly<Record<string, number>>;
  /** What the answer has to do with the question, not compared with other answers. */
  evidence?: Readonly<Record<string, number>>;
  /** Title and headings above it. */
  crumb: string;
  passage: string;
  /** The line that the passage begins at. */
  passageLine: number;
}

/** Answers, best first; none when nothing is relevant. */
export interface SearchResult {
  answers: SearchAnswer[];
  /** Documents that were searched by meaning. */
  documents: number;
  /** What stderr should say about freshness and coverage. */
  note: string;
  /** Words of the question that no document has in any form, as they were typed; absent without any. */
  missing?: readonly string[];
  /** How much spoke for an answer by the words, and how much is needed; absent where a phrase decides. */
  relevance?: { reached: number; needed: number };
  /** What could not be searched; it makes the status 2. */
  trouble?: readonly FsError[];
  /** What was in scope and was not searched, reason by reason. Absent where all was. */
  unsearched?: readonly Unsearched[];
  /** False where what is in scope was not searched as a whole: no answer is then no "nothing". */
  complete?: boolean;
}

/** Files in scope that were not searched for one reason. */
export interface Unsearched {
  count: number;
  /** The path of one. */
  example: string;
  /** The plural of what is counted. */
  what: string;
  /** Why, of one and of several. */
  why: readonly [one: string, several: string];
  /** What to do to have them all the same. */
  how: string;
  /** Is the status 2 although there are answers? Where there are none, it always is. */
  fails: boolean;
}

/** What of some paths is in the index. */
export interface IndexState {
  documents: number;
  chunks: number;
  /** Documents that are known and not in it yet. */
  pending: number;
  /** How the vectors of the deployment's sentence model stand, over all paths; absent without one. */
  sentences?: SentenceState;
  /** What could not be looked at, and why: of that, the index has what was held. Absent where all could. */
  failed?: readonly { path: string; error: string }[];
}

/** How the vectors of a sentence model stand. */
export interface SentenceState {
  /** How messages call the model. */
  model: string;
  /** Passages with a vector of it, without one, and those that it does not take. */
  vectors: number;
  pending: number;
  refused: number;
  /** Tokens that its service counted, since its first vector. */
  tokens: number;
  /** The model whose vectors are in use until these are complete; null where there is none. */
  replaces: string | null;
  /** What went wrong last, a sentence; null where all is well. */
  trouble: string | null;
  /** True when it is not tried any more until somebody asks again. */
  gaveUp: boolean;
  /** ISO 8601: until then the service wants to be left alone; null where it does not. */
  holdsUntil: string | null;
}

/** Search over what is mounted, handed to the shims by the world. */
export interface SearchService {
  /** Answers a question, or says that nothing does. Where nothing is, nothing is found: whoever asks looks first. */
  ask(question: SearchQuestion): Promise<SearchResult>;
  /** What is indexed below some paths; with `wait`, once all of it is. */
  state(paths: readonly string[], wait: boolean): Promise<IndexState>;
}
