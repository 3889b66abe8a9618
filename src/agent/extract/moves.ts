/** What the extractive model does next: search, read around the hits, or answer. A function of the conversation. */
import type { LanguageModel } from 'ai';
import { quoted } from '../../shell/quote.ts';
import { blocksOf, type Hit, hitsOf, linesAround, quotation } from './quote.ts';

type Model = Extract<LanguageModel, { specificationVersion: 'v4' }>;
type Prompt = Parameters<Model['doStream']>[0]['prompt'];
type Message = Prompt[number];

/** A call of a tool, or an answer. */
export type Move = { say: string } | { calls: { name: string; input: unknown }[] };

/** So many places are quoted. */
const PLACES = 3;

const WHAT_I_AM =
  'I am builtin/extract, which is no language model: I search the mounted files and quote what I find. ' +
  'For more than that, name a model: --model openai/NAME with OPENAI_API_KEY, or OPENAI_BASE_URL for a server of your own.';

/** @param tools names of the tools that can be called now */
export function nextMove(prompt: Prompt, tools: readonly string[]): Move {
  const asked = prompt.findLastIndex(({ role }) => role === 'user');
  const question = textOf(prompt[asked]);
  const since = prompt.slice(asked + 1);
  const results = since.filter(({ role }) => role === 'tool').map(resultsOf);
  if (results.length === 0) {
    if (!tools.includes('bash')) return { say: WHAT_I_AM };
    return { calls: [{ name: 'bash', input: { command: searchCommand(question) } }] };
  }
  const hits = bestHits(hitsOf(results[0]?.[0] ?? ''));
  if (hits.length === 0) return { say: nothingFound(question, results[0]?.[0] ?? '') };
  if (results.length === 1 && tools.includes('bash')) {
    return { calls: hits.map((hit) => ({ name: 'bash', input: { command: readCommand(hit) } })) };
  }
  return { say: answer(hits, results[1] ?? []) };
}

/** Everything mounted under /mnt and /memory, searched by meaning. */
function searchCommand(question: string): string {
  const words = question.replace(/\s+/g, ' ').trim().slice(0, 300);
  const query = words.startsWith('-') ? ` ${words}` : words;
  return `for place in /mnt/* /memory; do [ -e "$place" ] && set -- "$@" "$place"; done; grep ${quoted(query)} "$@"; set --`;
}

function readCommand(hit: Hit): string {
  const { first, last } = linesAround(hit);
  return `sed -n '${first},${last}p' ${quoted(hit.path)}`;
}

/** One hit a file, the best first. */
function bestHits(hits: readonly Hit[]): Hit[] {
  const seen = new Set<string>();
  return hits
    .filter(({ path }) => !seen.has(path) && seen.add(path) !== undefined)
    .slice(0, PLACES);
}

function answer(hits: readonly Hit[], texts: readonly string[]): string {
  const quotes = hits.map((hit, index) => quotation(hit, texts[index]));
  return `These places fit best; I quote, and conclude nothing.\n\n${quotes.join('\n\n')}\n\n(${WHAT_I_AM})`;
}

function nothingFound(question: string, said: string): string {
  const reason = said.trim() === '' ? '' : `\n\nThe search said:\n${blocksOf(said)}`;
  return `I found nothing about "${question.trim().slice(0, 200)}" in /mnt and /memory.${reason}\n\n(${WHAT_I_AM})`;
}

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
