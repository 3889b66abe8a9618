/** Fields of a record that a question asks for, as they stand in its frontmatter. */
import { isForm, wordsOf } from './words.ts';

/** A field with its line, counted from 1. */
export interface Field {
  name: string;
  value: string;
  line: number;
}

/** Fields of the frontmatter at the top of a file, and the line of the file after it. */
export function frontmatterOf(lines: readonly string[]): { fields: Field[]; end: number } {
  const end = lines[0] === '---' ? lines.indexOf('---', 1) : -1;
  const fields = lines.slice(0, Math.max(end, 0)).flatMap((text, index) => {
    const [, name, value] = /^([\p{L}\p{N}_ -]+): ?(.*)$/u.exec(text) ?? [];
    return name === undefined ? [] : [{ name, value: value ?? '', line: index + 1 }];
  });
  return { fields, end };
}

/** What asks for a field, besides its name. */
const ASKED_BY: readonly [question: RegExp, field: RegExp][] = [
  [/\bassign|\bwho (?:is working|works) on\b/, /^assignees?$/],
  [/\bown(?:s|ed|er)?\b|\bresponsible\b|\bin charge\b/, /^(?:owner|lead)$/],
  [/\bwho\b.*\b(?:report|open|wr[io]t|creat|fil|rais)/, /^(?:author|creator)$/],
  [/\b(?:stat(?:e|us)|open|closed|done|finished|progress|merged)\b/, /^(?:state|status)$/],
  [
    /\bwhen\b|\bdate\b|\bday\b/,
    /^(?:date|due|due_date|created_at|completed_at|closed_at|merged_at|published_at)$/,
  ],
  [/\bdue\b|\bdeadline\b/, /^due(?:_date)?$/],
  [/\burgent\b|\bimportant\b/, /^priority$/],
  [/\bsevere\b|\bhow bad\b/, /^severity$/],
  [/\blink\b|\baddress\b/, /^url$/],
];

/** What is said of a record where no field was asked for. */
const USUAL = /^(?:state|status|severity|priority|assignees?|owner|lead)$/;

const isEmpty = (value: string): boolean => /^(?:|null|\[\]|""|'')$/.test(value);

/** The fields that a question asks for. */
export function askedFields(question: string, fields: readonly Field[]): Field[] {
  const words = wordsOf(question);
  const said = question.toLowerCase();
  return fields.filter(({ name }) => {
    const field = name.toLowerCase();
    if (field === 'title' || field === 'number' || field === 'id') return false;
    const own = wordsOf(field.replaceAll('_', ' '));
    if (own.every((part) => words.some((word) => isForm(word, part)))) return true;
    return ASKED_BY.some(([form, wanted]) => form.test(said) && wanted.test(field));
  });
}

/** The fields to quote: those that are asked for, and the usual ones where none is. */
export function fieldsFor(question: string, fields: readonly Field[]): Field[] {
  const asked = askedFields(question, fields);
  if (asked.length > 0) return asked;
  return fields.filter(({ name, value }) => USUAL.test(name.toLowerCase()) && !isEmpty(value));
}
