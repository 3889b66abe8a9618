/** Calls to everybody: Slack notifies a whole channel, or a group, of a message that holds one. */

/** Between the angle and the mark it is seen by nobody, and the two are no call. */
const WORD_JOINER = '\u2060';

/** A text as it is read, that calls nobody but people: `<!channel>`, `<!here>`, `<!subteam^ID>` and `@channel` are words. */
export const withoutBroadcasts = (text: string): string =>
  text
    .replaceAll('<!', `<${WORD_JOINER}!`)
    .replaceAll(/(?<![\w@])@(?=(?:channel|here|everyone)\b)/g, `@${WORD_JOINER}`);
