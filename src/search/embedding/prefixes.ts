/** What families of models were trained to see in front of a question and of a text. */

interface Prefixes {
  query: string;
  document: string;
}

const RETRIEVE = 'Represent this sentence for searching relevant passages: ';

const FAMILIES: readonly (readonly [RegExp, Prefixes])[] = [
  [/nomic-embed-text/i, { query: 'search_query: ', document: 'search_document: ' }],
  [/\be5-(?:small|base|large)/i, { query: 'query: ', document: 'passage: ' }],
  [/snowflake-arctic-embed2|arctic-embed-[lm]-v2/i, { query: 'query: ', document: '' }],
  [
    /mxbai-embed|snowflake-arctic-embed|bge-(?:small|base|large)-en/i,
    { query: RETRIEVE, document: '' },
  ],
];

/** The prefixes of a model by its name; empty where none are known. */
export function prefixesOf(id: string): Prefixes {
  return FAMILIES.find(([pattern]) => pattern.test(id))?.[1] ?? { query: '', document: '' };
}
