/** What is wrong with a file of the harness: one sentence, without the file's name. */
export class HarnessFault extends Error {
  override readonly name = 'HarnessFault';
}
