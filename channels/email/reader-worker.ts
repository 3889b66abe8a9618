/** The thread in which mails are read. */
import { answerEach } from '../../src/texts/answer-each.ts';
import { contentOf, fileIn } from './content.ts';
import type { ReaderAnswer, ReaderQuestion } from './reader.ts';

answerEach(
  async ({ source, file }: ReaderQuestion): Promise<ReaderAnswer> =>
    file === null ? { content: await contentOf(source) } : { file: await fileIn(source, file) },
);
