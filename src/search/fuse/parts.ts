/** What a score is made of. */

/** The signals that vote, each alike: see the files of `votes/`. */
export type Vote =
  | 'latent'
  | 'found'
  | 'words'
  | 'kindred'
  | 'expansion'
  | 'lead'
  | 'pairs'
  | 'pieces';

/** What each part adds to a document's score: BM25 0 to 1, a vote a few hundredths to either side. */
export type Parts = Readonly<Partial<Record<'bm25' | Vote | 'sentence', number>>>;
