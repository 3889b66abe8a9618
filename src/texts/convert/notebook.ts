/** Notebooks of Jupyter: a page a cell, with what it printed. */
import { z } from 'zod';
import { broken } from '../fault.ts';
import type { Converted } from '../pages.ts';

/** Text in one piece or by lines. */
const text = z
  .union([z.string(), z.array(z.string())])
  .transform((value) => [value].flat().join(''));

const output = z.looseObject({
  output_type: z.string().optional(),
  text: text.optional(),
  data: z.looseObject({ 'text/plain': text.optional() }).optional(),
  ename: z.string().optional(),
  evalue: z.string().optional(),
});

const cell = z.looseObject({
  cell_type: z.string(),
  source: text.optional(),
  /** Of format 3. */
  input: text.optional(),
  outputs: z.array(output).optional(),
});

const notebook = z.looseObject({
  metadata: z
    .looseObject({
      title: z.string().optional(),
      kernelspec: z.looseObject({ language: z.string().optional() }).optional(),
      language_info: z.looseObject({ name: z.string().optional() }).optional(),
    })
    .optional(),
  cells: z.array(cell).optional(),
  worksheets: z.array(z.looseObject({ cells: z.array(cell) })).optional(),
});

export async function convertNotebook(bytes: Uint8Array): Promise<Converted> {
  let json: unknown;
  try {
    json = JSON.parse(Buffer.from(bytes).toString('utf8'));
  } catch (error) {
    throw broken(`is no notebook: ${error instanceof Error ? error.message : String(error)}`);
  }
  const read = notebook.safeParse(json);
  const cells = read.data?.cells ?? read.data?.worksheets?.flatMap((sheet) => sheet.cells);
  if (cells === undefined) throw broken('is no notebook: it has no cells');
  const { metadata } = read.data ?? {};
  const language = metadata?.language_info?.name ?? metadata?.kernelspec?.language ?? '';
  const pages = cells.map((each) => cellOf(each, language));
  const heading = pages.map((page) => /^# +(.+)$/m.exec(page)?.[1]).find(Boolean);
  return { fields: { title: metadata?.title ?? heading, language }, unit: 'cell', pages };
}

function cellOf(
  { cell_type: type, source, input, outputs = [] }: z.output<typeof cell>,
  language: string,
): string {
  const content = source ?? input ?? '';
  if (type !== 'code') return content;
  const said = outputs.map((each) => fenced(printed(each), '')).filter((each) => each !== '');
  return [fenced(content, language), ...said].join('\n\n');
}

function printed({ text: stream, data, ename, evalue }: z.output<typeof output>): string {
  if (ename !== undefined) return `${ename}: ${evalue ?? ''}`;
  return stream ?? data?.['text/plain'] ?? '';
}

/** In a fence that is longer than any in it. */
function fenced(content: string, language: string): string {
  if (content.trim() === '') return '';
  const longest = Math.max(2, ...[...content.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${content.replace(/\n$/, '')}\n${fence}`;
}
