/** What the extractive model does next: look, read, or answer. A function of the conversation. */
import type { LanguageModel } from 'ai';
import { quoted } from '../../shell/quote.ts';
import { changeAsked, editingCommand, makesRecord, makingCommand } from './changes.ts';
import { askedFields, frontmatterOf } from './fields.ts';
import { blocksOf, type Hit, hitsOf, linesAround, printed, quotation } from './quote.ts';
import { existing, inScope, locatingCommand, readingCommand, referencesOf } from './references.ts';
import {
  candidates,
  kindOf,
  pathsCommand,
  type Query,
  queryOf,
  rowNamed,
  rowsOf,
  selectCommand,
  surveyCommand,
  type Table,
  tablesOf,
} from './tables.ts';
import { isForm, tellingWords, wordsOf } from './words.ts';

type Model = Extract<LanguageModel, { specificationVersion: 'v4' }>;
type Prompt = Parameters<Model['doStream']>[0]['prompt'];
type Message = Prompt[number];

/** A call of a tool, or an answer. */
export type Move = { say: string } | { calls: { name: string; input: unknown }[] };

/** What the calls of one step printed, in their order. */
type Results = readonly string[];

/** So many places are quoted. */
const PLACES = 5;

const WHAT_I_AM =
  'I am builtin/extract, which is no language model: I search the mounted files and quote what I find. ' +
  'For more than that, name a model: --model openai/NAME with OPENAI_API_KEY, or OPENAI_BASE_URL for a server of your own.';

/** @param tools names of the tools that can be called now */
export function nextMove(prompt: Prompt, tools: readonly string[]): Move {
  const move = moveFor(prompt, tools);
  // What it is, is said once in a conversation.
  if (!('say' in move) || !prompt.some((message) => saysWhatIAm(message))) return move;
  return { say: move.say.replace(`\n\n(${WHAT_I_AM})`, '') };
}

const saysWhatIAm = ({ role, content }: Message): boolean =>
  role === 'assistant' &&
  content.some((part) => part.type === 'text' && part.text.includes(WHAT_I_AM));

function moveFor(prompt: Prompt, tools: readonly string[]): Move {
  const asked = prompt.findLastIndex(({ role }) => role === 'user');
  const question = textOf(prompt[asked]);
  const steps = prompt
    .slice(asked + 1)
    .filter(({ role }) => role === 'tool')
    .map(resultsOf);
  if (!tools.includes('bash') && steps.length === 0) return { say: WHAT_I_AM };
  const verb = changeAsked(question);
  if (verb !== null) return declining(verb, question, steps);
  if (referencesOf(question).length > 0) return aboutRecords(question, steps);
  return aboutTables(question, steps);
}

const LISTS = /\b(?:which|list|who|show(?: me)?|what (?:are|\w+s))\b/i;
const COUNTS = /\b(?:how many|number of|count)\b/i;

const run = (...commands: string[]): Move => ({
  calls: commands.map((command) => ({ name: 'bash', input: { command } })),
});

const answer = (text: string): Move => ({ say: `${text}\n\n(${WHAT_I_AM})` });

const COLLECTIONS = ['*', '*/*', '*/*/*'].map((depth) => `/mnt/${depth}/issues/new.md`);

/** A request to change something: where it would be done, what is there, and the command. */
function declining(verb: string, text: string, steps: readonly Results[]): Move {
  const references = referencesOf(text);
  const [located, read] = steps;
  if (references.length === 0 && !makesRecord(verb, text)) return decline([]);
  if (located === undefined)
    return run(references.length > 0 ? locatingCommand(references) : existing(COLLECTIONS));
  const paths = inScope(pathsOf(located[0]), text).slice(0, PLACES);
  if (references.length === 0)
    return decline(paths.map((path) => makingCommand(path.slice(0, -'/new.md'.length), text)));
  if (paths.length > 0 && read === undefined) return run(...paths.map(readingCommand));
  return decline(
    paths.map((path, index) => {
      const { fields } = frontmatterOf(printed(read?.[index] ?? ''));
      return editingCommand(path, fields, verb, text);
    }),
  );
}

function decline(commands: readonly string[]): Move {
  const how =
    commands.length === 0
      ? 'The README.md of each mount says what can be written, and how.'
      : `${commands.length === 1 ? 'This would do it' : 'Each of these would do it, in its place'}; with --dry-run it is shown and not sent:\n\n${commands.map((command) => `    ${command}`).join('\n')}`;
  return answer(`I change nothing. ${how}`);
}

/** A question about records that it names. */
function aboutRecords(question: string, steps: readonly Results[]): Move {
  const [located, read] = steps;
  if (located === undefined) return run(locatingCommand(referencesOf(question)));
  const paths = inScope(pathsOf(located[0]), question).slice(0, PLACES);
  if (paths.length === 0) return searching(question, steps.slice(1));
  if (read === undefined) return run(...paths.map(readingCommand));
  const quotes = paths.map((path, index) =>
    quotation({ path, line: 1, text: '' }, read[index], question),
  );
  return answer(quotes.join('\n\n'));
}

/** A question that counts, asks for a list, or for a column of a row that it names. */
function aboutTables(question: string, steps: readonly Results[]): Move {
  const [listed, survey, selected] = steps;
  if (listed === undefined) return run(pathsCommand());
  const paths = candidates(question, pathsOf(listed[0]));
  if (paths.length === 0) return searching(question, steps.slice(1));
  if (survey === undefined) return run(surveyCommand(paths));
  const query = queryFor(question, tablesOf(printed(survey[0] ?? '').join('\n')));
  if (query === null) return searching(question, steps.slice(2));
  if (query.unknown.length > 0) return answer(cannotCount(query));
  if (selected === undefined)
    return run(...query.tables.map(({ table, conditions }) => selectCommand(table, conditions)));
  return answer(rowsText(query, selected, COUNTS.test(question)));
}

/** null where the tables do not tell, and the search may. */
function queryFor(question: string, tables: readonly Table[]): Query | null {
  const rows = tables.flatMap((table) => {
    const row = rowNamed(question, table);
    return row === null ? [] : [{ table, conditions: [row] }];
  });
  if (rows.length > 0) return { tables: rows, others: [], unknown: [] };
  const query = queryOf(question, tables);
  if (COUNTS.test(question)) return query;
  return query.unknown.length === 0 && LISTS.test(question) ? query : null;
}

function cannotCount({ unknown, tables }: Query): string {
  const columns = tables.map(
    ({ table }) => `- ${table.path}: ${table.columns.map(({ name }) => name).join(', ')}`,
  );
  return `I cannot count that: no column says "${unknown.join(' ')}". These are the tables and their columns:\n\n${columns.join('\n')}`;
}

function rowsText({ tables, others }: Query, selected: Results, counts: boolean): string {
  let total = 0;
  const parts = tables.map(({ table, conditions }, index) => {
    const found = rowsOf(printed(selected[index] ?? '').join('\n'));
    if (found === null) return `${table.path} could not be read.`;
    total += found.count;
    const where = conditions.map(
      ({ column, values, prefix }) =>
        `${column} ${prefix ? 'beginning with ' : ''}${values.map((value) => (value === '' ? '(empty)' : value)).join(' or ')}`,
    );
    const what = `${found.count} of the ${table.rows} ${kindOf(table)} in ${table.path}${where.length === 0 ? '' : ` have ${where.join(', and ')}`}`;
    if (found.count === 0) return `${what}.`;
    // One row says what its cells are; many are a table of their own.
    const cell = (value: string, at: number): string =>
      found.count === 1 ? `${table.columns[at]?.name}: ${value}` : value;
    const rows = found.rows.map(
      ({ cells }) =>
        `> ${cells
          .map(cell)
          .filter((_, at) => cells[at] !== '')
          .join(' | ')}`,
    );
    const more = found.count > rows.length ? `\n(and ${found.count - rows.length} more)` : '';
    const lines = found.rows.map(({ line }) => line).join(',');
    return `${what}:\n${rows.join('\n')}\n— ${table.path}:${lines}${more}`;
  });
  const sum = counts && tables.length > 1 ? [`${total} in all.`] : [];
  const rest =
    others.length === 0
      ? []
      : [`Not among them, since no column says it: ${others.map(({ path }) => path).join(', ')}`];
  return [...sum, ...parts, ...rest].join('\n\n');
}

/** Any other question: the places that fit best, where they speak of it. */
function searching(question: string, steps: readonly Results[]): Move {
  const [found, read] = steps;
  if (found === undefined) return run(searchCommand(question));
  const hits = bestHits(question, hitsOf(found[0] ?? ''));
  if (hits.length === 0) return answer(nothingFound(question, found[0] ?? ''));
  if (read === undefined) return run(...hits.map((hit) => rangeCommand(hit)));
  const missing = missingWords(question, hits, read);
  if (missing !== null)
    return answer(`${nothingAbout(question)} No place that fits has: ${missing.join(', ')}.`);
  if (COUNTS.test(question) && !read.some((text) => hasField(question, text)))
    return answer('I cannot count that: no table has it, and no record as a field.');
  const quotes = hits.map((hit, index) => quotation(hit, read[index], question));
  return answer(`These places fit best; I quote, and conclude nothing.\n\n${quotes.join('\n\n')}`);
}

const hasField = (question: string, text: string): boolean =>
  askedFields(question, frontmatterOf(printed(text)).fields).length > 0;

/** More than this part of a question must be spoken of in one place. */
const SPOKEN_OF = 0.5;

/** The words that the best place lacks, where it lacks too many of them for an answer. */
function missingWords(question: string, hits: readonly Hit[], read: Results): string[] | null {
  const lacking = hits.map(({ path, text }, index) =>
    lackingWords(question, `${path} ${text} ${printed(read[index] ?? '').join(' ')}`),
  );
  const [least = []] = lacking.sort((a, b) => a.length - b.length);
  const all = new Set(tellingWords(question)).size;
  return all - least.length <= all * SPOKEN_OF ? least : null;
}

/** The words of a question that a text has in no form. */
function lackingWords(question: string, text: string): string[] {
  const words = new Set(
    wordsOf(text.replaceAll('/', ' ')).flatMap((w) => [w, ...w.split(/[._-]/)]),
  );
  return [...new Set(tellingWords(question))].filter(
    (word) => !words.has(word) && ![...words].some((each) => isForm(each, word)),
  );
}

/** Everything mounted under /mnt and /memory, searched by meaning. */
function searchCommand(question: string): string {
  const words = question.replace(/\s+/g, ' ').trim().slice(0, 300);
  const query = words.startsWith('-') ? ` ${words}` : words;
  return `for place in /mnt/* /memory; do [ -e "$place" ] && set -- "$@" "$place"; done; grep ${quoted(query)} "$@"; set --`;
}

function rangeCommand(hit: Hit): string {
  const { first, last } = linesAround(hit);
  return `sed -n '${first},${last}p' ${quoted(hit.path)}`;
}

/**
 * One hit a record with its comments, and one of equal lines (an issue and its
 * copy elsewhere): those whose name and line have the most words of the
 * question first, else in the order of the search.
 */
function bestHits(question: string, hits: readonly Hit[]): Hit[] {
  const seen = new Set<string>();
  const own = hits.filter(({ path, text }) => {
    const record = path.replace(/(?:\.md|\/comments\/[^/]+)$/, '');
    const isNew = !seen.has(record) && !seen.has(text);
    seen.add(record).add(text);
    return isNew;
  });
  const lacks = new Map(
    own.map((hit) => [hit, lackingWords(question, `${hit.path} ${hit.text}`).length]),
  );
  return own.sort((a, b) => (lacks.get(a) ?? 0) - (lacks.get(b) ?? 0)).slice(0, PLACES);
}

const nothingAbout = (question: string): string =>
  `I found nothing about "${question.trim().slice(0, 200)}" in /mnt and /memory.`;

function nothingFound(question: string, said: string): string {
  const reason = said.trim() === '' ? '' : `\n\nThe search said:\n${blocksOf(said)}`;
  return `${nothingAbout(question)}${reason}`;
}

const pathsOf = (output: string | undefined): string[] =>
  printed(output ?? '').filter((line) => line.startsWith('/'));

function textOf(message: Message | undefined): string {
  if (message === undefined || typeof message.content === 'string') return '';
  return message.content.map((part) => ('text' in part ? part.text : '')).join('\n');
}

function resultsOf(message: Message): string[] {
  if (message.role !== 'tool') return [];
  return message.content.map((part) =>
    part.type === 'tool-result' && 'value' in part.output && typeof part.output.value === 'string'
      ? part.output.value
      : '',
  );
}
