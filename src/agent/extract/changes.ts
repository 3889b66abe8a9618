/** Requests to change something: declined, with the command that would do it. */
import { quoted } from '../../shell/quote.ts';
import type { Field } from './fields.ts';
import { isForm, wordsOf } from './words.ts';

const POLITE =
  /^(?:(?:please|kindly|hey|ok|so|then|now|and)[\s,]+|(?:can|could|would|will) you (?:please )?|(?:i|we) (?:want|need|would like) you to |let'?s )+/i;
const VERB =
  /^(?:close|reopen|re-open|assign|unassign|reassign|label|tag|add|create|file|open (?=an?\b|new\b)|write|delete|remove|rename|retitle|comment|reply|post|change|set|update|edit|move|merge|approve|mark|archive|resolve|finish|complete|start|cancel|send|schedule|put|make|fix|increase|raise|lower|decrease)\b/i;

/** The verb of a request to change something; null of a question. */
export function changeAsked(text: string): string | null {
  const bare = text.trim().replace(POLITE, '');
  return VERB.exec(bare)?.[0].trim().toLowerCase() ?? null;
}

/** Is something new to be made in a collection, rather than a record changed? */
export const makesRecord = (verb: string, text: string): boolean =>
  /^(?:create|file|open|add|write|make)$/.test(verb) &&
  /\b(?:an?|new)\s+(?:\S+\s+){0,2}?(?:issue|ticket|bug|page|task|pull request)\b/i.test(text);

/** The command that makes a record, with what the request says of it. */
export function makingCommand(collection: string, text: string): string {
  const title =
    /\b(?:about|titled|called|named|that says|saying|for)\s+["“]?(.+?)["”]?\s*(?:\bin\s+[\w/-]+)?[.?!]?$/i
      .exec(text.trim())?.[1]
      ?.trim();
  const lines = ['---', `title: ${title ?? 'TITLE'}`, '---', '', 'TEXT'];
  return `printf '%s\\n' ${lines.map(quoted).join(' ')} > ${quoted(`${collection}/new.md`)}`;
}

/** The command that changes a record as the request says. */
export function editingCommand(
  path: string,
  fields: readonly Field[],
  verb: string,
  text: string,
): string {
  const said = /\b(?:that|saying|:)\s+["“]?(.+?)["”]?$/i.exec(text.trim())?.[1] ?? 'TEXT';
  if (/^(?:comment|reply|post|send)$/.test(verb) || /\bcomment\b/i.test(text))
    return `printf '%s\\n' ${quoted(said)} > ${quoted(`${path.slice(0, -3)}/comments/new.md`)}`;
  const edit = editOf(fields, verb, text);
  if (edit === null) {
    if (/^(?:delete|remove|archive)$/.test(verb)) return `rm ${quoted(path)}`;
    return `sed -i ${quoted('s/^FIELD: .*/FIELD: VALUE/')} ${quoted(path)}`;
  }
  const value = edit.value.replace(/[\\/&]/g, '\\$&');
  return `sed -i ${quoted(`s/^${edit.name}: .*/${edit.name}: ${value}/`)} ${quoted(path)}`;
}

/** The field that a request is about, and what it would hold. */
function editOf(
  fields: readonly Field[],
  verb: string,
  text: string,
): { name: string; value: string } | null {
  const has = (pattern: RegExp): Field | undefined => fields.find(({ name }) => pattern.test(name));
  const to = /\b(?:to|as|with)\s+@?["“]?([^"”]+?)["”]?[.?!]?$/i.exec(text.trim())?.[1];
  const state = has(/^(?:state|status)$/i);
  if (state && /^(?:close|resolve|finish|complete)$/.test(verb))
    return { name: state.name, value: /^(?:open|closed)$/.test(state.value) ? 'closed' : 'Done' };
  if (state && /^re-?open$/.test(verb))
    return { name: state.name, value: /^(?:open|closed)$/.test(state.value) ? 'open' : 'Todo' };
  const assignee = has(/^assignees?$/i);
  if (assignee && /assign$/.test(verb)) {
    const who = verb === 'unassign' ? '' : (to ?? 'LOGIN');
    if (assignee.name === 'assignees') return { name: 'assignees', value: `[${who}]` };
    return { name: assignee.name, value: who === '' ? 'null' : who };
  }
  const labels = has(/^labels$/i);
  if (labels && (/^(?:label|tag)$/.test(verb) || /\blabels?\b/i.test(text)))
    return { name: labels.name, value: labelled(labels.value, verb, text, to) };
  const title = has(/^title$/i);
  if (title && /^(?:rename|retitle)$/.test(verb)) return { name: 'title', value: to ?? 'TITLE' };
  const words = wordsOf(text);
  const named = fields.find(({ name }) =>
    wordsOf(name.replaceAll('_', ' ')).every((part) => words.some((word) => isForm(word, part))),
  );
  return named === undefined ? null : { name: named.name, value: to ?? 'VALUE' };
}

/** The list of labels as it would be, in the form that it has. */
function labelled(list: string, verb: string, text: string, to: string | undefined): string {
  const now = list
    .replace(/^\[|\]$/g, '')
    .split(/,\s*/)
    .filter((label) => label !== '');
  const named =
    /\blabels?\s+["“]?([\p{L}\p{N}/_ -]+?)["”]?(?=\s+(?:to|from|on|of)\b|[.?!]?$)/iu.exec(
      text,
    )?.[1] ??
    /["“](.+?)["”]/.exec(text)?.[1] ??
    to ??
    'LABEL';
  const rest = now.filter((label) => label !== named);
  return `[${(/^(?:remove|delete)$/.test(verb) ? rest : [...rest, named]).join(', ')}]`;
}
