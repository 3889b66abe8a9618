/**
 * Slack's texts and the texts of files. Slack writes `<`, `>` and `&` as entities where they are
 * not its own; in a file they are plain, and `<@U123>`, `<#C123>`, `<!here>`, `<https://…|label>`
 * are Slack's, as they are.
 */

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
const PLAIN: Readonly<Record<string, string>> = { '&amp;': '&', '&lt;': '<', '&gt;': '>' };
/** What Slack reads as its own; an entity that would become that as a plain character; what is neither. */
const TO_SLACK =
  /<(?:[@#!][^<>\n]+|(?:https?:|mailto:)[^<>\n]+)>|&lt;(?=[@#!]|https?:|mailto:)|[&<>]/g;
const FROM_SLACK = /&amp;|&gt;|&lt;(?![@#!]|https?:|mailto:)/g;

/** A text of Slack's as it stands in a file. */
export function textOf(slack: string): string {
  const linked = slack.replace(/<((?:https?:|mailto:)[^<>|\n]+)>/g, '$1');
  return linked.replace(FROM_SLACK, (found) => PLAIN[found] ?? found);
}

/** A text of a file as Slack takes it. */
export function slackOf(text: string): string {
  return text.trim().replace(TO_SLACK, (found) => ENTITIES[found] ?? found);
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
