/** What each part gives, 0 to 1; `sentence` only where a sentence model was asked and knows the chunk. */
export interface Parts {
  terms: number;
  latent: number;
  words: number;
  sentence?: number;
}
