/**
 * A compaction without a model: what stays of the past is what the user asked
 * for, a line each. `options`: `{ keep: 3 }`, so many turns stay as they are.
 */
import { z } from 'zod';
import type { Compaction, PartModule } from '../../entry/parts.ts';

const schema = z.strictObject({ keep: z.int().min(1) });
const messageSchema = z.object({
  role: z.string(),
  content: z.union([z.string(), z.array(z.unknown())]),
});

const outline: PartModule<Compaction> = ({ options }) => {
  const { keep } = schema.parse(options);
  return {
    compact: ({ entries }) => {
      const asked = entries.flatMap((entry) => {
        const { success, data } = messageSchema.safeParse(entry['message']);
        if (!success || data.role !== 'user' || typeof data.content !== 'string') return [];
        return [{ id: entry.id, line: `- ${data.content.split('\n')[0]}` }];
      });
      const first = asked.at(-keep);
      // Too little to leave out: the house knows what to do.
      if (first === undefined || asked.length <= keep) return null;
      const lines = asked.slice(0, -keep).map(({ line }) => line);
      return { summary: `The user asked for:\n${lines.join('\n')}`, firstKeptEntryId: first.id };
    },
  };
};

export default outline;
