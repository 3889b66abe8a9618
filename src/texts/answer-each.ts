/** The other side of a `ReadingThread`: what its module does. */
import { parentPort } from 'node:worker_threads';
import { DocumentFault } from './fault.ts';
import type { Answered, Asked } from './reading-thread.ts';

/** Answers one question after another, for as long as the thread lives. */
export function answerEach<Question, Answer>(read: (question: Question) => Promise<Answer>): void {
  const port = parentPort;
  if (port === null) throw new Error('this module is a thread in which something is read');
  port.on('message', ({ id, question }: Asked<Question>) => {
    void answered(read, question).then((answer) => port.postMessage({ id, ...answer }));
  });
}

async function answered<Question, Answer>(
  read: (question: Question) => Promise<Answer>,
  question: Question,
): Promise<Omit<Answered<Answer>, 'id'>> {
  try {
    return { answer: await read(question) };
  } catch (error) {
    return { fault: faultOf(error) };
  }
}

/** What a library stumbled over is a fault of the document: of ours there is nothing to read in it. */
function faultOf(error: unknown): { code: DocumentFault['code']; reason: string } {
  if (error instanceof DocumentFault) return { code: error.code, reason: error.message };
  const message = error instanceof Error ? error.message : String(error);
  const [line = ''] = message.split('\n');
  return {
    code: 'EINVAL',
    reason: `is broken, or is not what its name says: ${line.slice(0, 200)}`,
  };
}
