/** What is said of a file's content. */

/** A description, and a MIME type. */
export interface Kind {
  text: string;
  mime: string;
}
