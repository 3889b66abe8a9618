/**
 * What may not leave the house is taken out of what is asked and of what is
 * sent, and the model is told the hours. `options`:
 * `{ "redact": ["[\\w.]+@example\\.com"], "add": "…", "refuse": ["TOP SECRET"] }`.
 */
import { z } from 'zod';
import type { ConversationHooks, HookedMessage, PartModule } from '../../entry/parts.ts';

const schema = z.strictObject({
  /** Regular expressions. */
  redact: z.array(z.string()).default([]),
  /** Words: a request that has one is not sent. */
  refuse: z.array(z.string()).default([]),
  /** Put at the end of the system prompt. */
  add: z.string().optional(),
});

const redactor: PartModule<ConversationHooks> = ({ options }) => {
  const { redact, refuse, add } = schema.parse(options ?? {});
  const patterns = redact.map((pattern) => new RegExp(pattern, 'g'));
  const clean = (text: string): string =>
    patterns.reduce((left, pattern) => left.replace(pattern, '[redacted]'), text);
  // Whatever a message holds, and wherever in it.
  const cleaned = (value: unknown): unknown => {
    if (typeof value === 'string') return clean(value);
    if (Array.isArray(value)) return value.map(cleaned);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, cleaned(each)]));
  };
  return {
    input: ({ text }) => ({ text: clean(text) }),
    request: ({ messages }) => {
      const word = refuse.find((each) => JSON.stringify(messages).includes(each));
      if (word !== undefined) return { refuse: `the conversation holds "${word}"` };
      const sent = messages.map((message) => cleaned(message) as HookedMessage);
      const [first, ...rest] = sent;
      if (add === undefined || first?.role !== 'system') return { messages: sent };
      return { messages: [{ ...first, content: `${first.content}\n\n${add}` }, ...rest] };
    },
  };
};

export default redactor;
