/**
 * Slack's texts and the texts of files. Slack writes `<`, `>` and `&` as entities where they are
 * not its own; in a file they are plain, and `<@U123>`, `<#C123>`, `<!here>`, `<https://…|label>`
 * are Slack's, as they are.
 */

/** What Slack reads as its own. */
const CONTROL = /<(?:[@#!][^<>\n]+|(?:https?:|mailto:)[^<>\n]+)>/g;
/** An entity that would become a control sequence as a plain character stays one. */
const KEPT = /&lt;(?=[@#!]|https?:|mailto:)/g;

/** A text of Slack's as it stands in a file. */
export function textOf(slack: string): string {
  return slack
    .replace(/<((?:https?:|mailto:)[^<>|\n]+)>/g, '$1')
    .split(KEPT)
    .map((part) => part.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&'))
    .join('&lt;');
}

/** A text of a file as Slack takes it. */
export function slackOf(text: string): string {
  const ends = text.trimEnd();
  let slack = '';
  let at = 0;
  for (const found of ends.matchAll(new RegExp(`${CONTROL.source}|${KEPT.source}`, 'g'))) {
    slack += escaped(ends.slice(at, found.index)) + found[0];
    at = found.index + found[0].length;
  }
  return slack + escaped(ends.slice(at));
}

/** The same to be read: people and channels by their names. */
export function readable(slack: string, nameOf: (id: string) => string): string {
  const named = slack
    .replace(/<@([A-Z0-9]+)(?:\|[^>]*)?>/g, (_, id: string) => `@${nameOf(id)}`)
    .replace(/<#[A-Z0-9]+\|([^>]+)>/g, '#$1')
    .replace(/<!(here|channel|everyone)(?:\|[^>]*)?>/g, '@$1')
    .replace(/<((?:https?:|mailto:)[^<>|\n]+)\|([^<>\n]+)>/g, '$2 ($1)');
  return textOf(named);
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
