/** Questions that are written as files, and their answers that are read as others. */
import { z } from 'zod';
import { ServiceFailure } from '../client/failure.ts';
import type { Freshness } from '../reading/freshness.ts';
import type { Question } from '../reading/question.ts';
import type { Params, Route } from '../table/route.ts';
import type { ServiceStore } from '../table/service-store.ts';
import { dateOf, recordEntry, tsvContent, tsvEntry } from '../table/tsv.ts';
import type { Scope } from './definition.ts';
import { filled, ownParam } from './paths.ts';
import type { Answer, Inquiry } from './questions.ts';

const textSchema = z.object({ text: z.string() });
const answerSchema = z.object({
  columns: z.array(z.string()),
  rows: z.array(z.array(z.string())),
  lacking: z.string().nullish(),
});

export interface InquiriesOptions {
  store: ServiceStore;
  freshness: Freshness;
  now: () => Date;
  scope(params: Params): Scope<never>;
}

export class Inquiries {
  readonly #options: InquiriesOptions;

  constructor(options: InquiriesOptions) {
    this.#options = options;
  }

  rows(inquiry: Inquiry<unknown>): Route[] {
    const { replica, mount } = this.#options.store;
    const [questions, answers] = [`questions of ${inquiry.id}`, `answers of ${inquiry.id}`];
    const param = ownParam({ path: inquiry.question });
    const keyOf = (params: Params) => filled(inquiry.question, params);
    const question = (params: Params) => replica.get(mount, questions, keyOf(params));
    const entries = (params: Params) => {
      const prefix = keyOf({ ...params, [param]: '\n' }).split('\n')[0] ?? '';
      return replica
        .all(mount, questions)
        .filter(({ key }) => key.startsWith(prefix))
        .map(({ value, updatedAt, size }) => {
          const { name } = z.object({ name: z.string() }).parse(value);
          return { name, size, mtime: dateOf(updatedAt) };
        });
    };
    const answer = (params: Params) => {
      const found = question(params) && replica.get(mount, answers, keyOf(params));
      return found && { record: found, ...answerSchema.parse(found.value) };
    };
    const store = (params: Params, given: Answer) =>
      replica.upsert(mount, answers, {
        key: keyOf(params),
        updatedAt: this.#options.now().toISOString(),
        size: 80 * given.rows.length,
        path: null,
        value: given,
      });
    const ask = (params: Params, text: string) => inquiry.ask(text, this.#options.scope(params));
    const asking = (params: Params): Question => ({
      key: `answer ${keyOf(params)}`.toLowerCase(),
      heldSince: () => answer(params)?.record.checkedAt ?? null,
      lacking: () => answer(params)?.lacking ?? null,
      ask: async () => {
        const found = question(params);
        if (found === null) {
          throw new ServiceFailure('missing', `there is no question: write ${keyOf(params)}`);
        }
        store(params, await ask(params, textSchema.parse(found.value).text));
      },
    });
    return [
      {
        pattern: inquiry.question,
        type: 'file',
        about: inquiry.about.question,
        prepare: async () => undefined,
        listed: () => true,
        entries,
        stat: (params) => {
          const found = question(params);
          return found && recordEntry(found);
        },
        read: (params) => {
          const found = question(params);
          if (found === null) return null;
          const { text } = textSchema.parse(found.value);
          return { text, version: found.version, mtime: dateOf(found.updatedAt) };
        },
        note: {
          write: async (params, text) => {
            // What cannot be answered is not kept: whoever wrote it is told why at once.
            const given = await ask(params, text);
            const updatedAt = this.#options.now().toISOString();
            const value = { name: params[param], text };
            const size = Buffer.byteLength(text);
            replica.transaction(() => {
              replica.upsert(mount, questions, {
                key: keyOf(params),
                updatedAt,
                size,
                path: null,
                value,
              });
              store(params, given);
            });
          },
          remove: async (params) => {
            replica.transaction(() => {
              replica.remove(mount, questions, keyOf(params));
              replica.remove(mount, answers, keyOf(params));
            });
          },
        },
      },
      {
        pattern: inquiry.answer,
        type: 'file',
        about: inquiry.about.answer,
        readOnly: 'it is the answer: write the question',
        listed: () => true,
        costly: (params) => !this.#options.freshness.readsFresh(asking(params)),
        prepare: async (params, purpose, eagerness) => {
          if (purpose !== 'read' || question(params) === null) return;
          await this.#options.freshness.ensure(asking(params), eagerness);
          const lacking = answer(params)?.lacking ?? null;
          if (lacking !== null) this.#options.freshness.notice(`${keyOf(params)}: ${lacking}`);
        },
        entries,
        stat: (params) => {
          const found = answer(params);
          if (found !== null) return tsvEntry([found.record]);
          return question(params) && { size: 1, mtime: this.#options.now() };
        },
        read: (params) => {
          const found = answer(params);
          return found && tsvContent(found.columns, found.rows, [found.record]);
        },
        elsewhere: (params) => `write the question first: ${keyOf(params).slice(1)}`,
      },
    ];
  }
}
