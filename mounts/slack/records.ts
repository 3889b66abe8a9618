/** Messages as records: one's own can be reworded, everybody's can be reacted to. */
import { z } from 'zod';
import type { FieldSpec, RecordType } from '../../src/mount/index.ts';

const shown = (about: string): FieldSpec => ({ schema: z.unknown(), access: 'read', about });
const REACTION = /^[a-z0-9_+'-]+(::skin-tone-[2-6])?$/;
const TEXT_MOST = 40_000;

const fields = {
  author: shown('who wrote it'),
  at: shown('when'),
  edited: shown('when it was reworded last'),
  thread: shown('how many answers it has, in threads/'),
  reactions: shown('who reacted with what'),
  my_reactions: {
    schema: z.array(z.string().regex(REACTION, 'a reaction is a name such as thumbsup')),
    access: 'edit',
    about: 'names of emoji without colons, in brackets',
  },
} as const satisfies RecordType['fields'];

/** A message of ours, and a new one. */
export const OWN: RecordType = {
  name: 'message',
  fields: {
    ...fields,
    body: {
      schema: z
        .string()
        .trim()
        .min(1, 'may not be empty')
        .max(TEXT_MOST, 'at most 40,000 characters'),
      access: 'create',
      required: true,
      about: 'the text, in mrkdwn',
    },
  },
};

/** Anybody else's. */
export const OTHERS: RecordType = {
  name: 'message of somebody else',
  fields: {
    ...fields,
    body: {
      ...shown('the text, in mrkdwn'),
      otherMeans: 'only your own messages can be reworded: answer in threads/TS/new.md',
    },
  },
};
