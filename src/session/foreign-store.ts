/**
 * A store of a deployment's own, as the house uses it: what it throws has an
 * errno, a place and a sentence, what it gives is what a store gives, and a
 * promise is no answer.
 */
import type { Conceal } from '../conceal.ts';
import { FsError, isErrno, isFsError } from '../errors.ts';
import type { LogReader, LogWriter, SessionStore } from './store.ts';

/** What a store was asked, for its errors. */
interface Question {
  op: string;
  path: string;
}

type Ask = <T>(question: Question, work: () => T, isRight: (answer: T) => boolean) => T;

const isNothing = (answer: unknown): boolean => answer === undefined;
const isText = (answer: unknown): boolean => typeof answer === 'string';
const isCount = (most: number) => (answer: unknown) =>
  Number.isInteger(answer) && Number(answer) >= 0 && Number(answer) <= most;
const has =
  (...methods: string[]) =>
  (answer: unknown): boolean =>
    typeof answer === 'object' &&
    answer !== null &&
    methods.every((each) => typeof (answer as Record<string, unknown>)[each] === 'function');

/** @param conceal takes what the store was handed in confidence out of what it says */
export function guardedStore(store: SessionStore, conceal: Conceal): SessionStore {
  const ask: Ask = (question, work, isRight) => {
    let answer: ReturnType<typeof work>;
    try {
      answer = work();
    } catch (error) {
      throw failureOf(question, error, conceal);
    }
    if (has('then')(answer)) {
      // Nobody waits for it: what becomes of it is nobody's either.
      Promise.resolve(answer).catch(() => undefined);
      throw wrong(question, 'answers with a promise, and has to answer at once');
    }
    if (isRight(answer)) return answer;
    throw wrong(question, 'gives something else than a store gives');
  };
  return {
    list: () =>
      ask(
        { op: 'list', path: 'sessions' },
        () => store.list(),
        (ids) => {
          return Array.isArray(ids) && ids.every(isText);
        },
      ),
    stat: (session) =>
      ask(
        { op: 'stat', path: pathOf(session) },
        () => store.stat(session),
        (stat) =>
          stat === null ||
          (has()(stat) &&
            isCount(Number.MAX_SAFE_INTEGER)(stat.bytes) &&
            stat.changed instanceof Date),
      ),
    read: (session) => {
      const question = { op: 'open', path: pathOf(session) };
      return guardedReader(
        ask(question, () => store.read(session), has('read', 'close')),
        question,
        ask,
      );
    },
    write: (session) => {
      const question = { op: 'write', path: pathOf(session) };
      const methods = ['append', 'sync', 'undo', 'cut', 'keepHead', 'remove', 'release'];
      const writer = ask(question, () => store.write(session), has(...methods));
      return guardedWriter(writer, question, ask, conceal);
    },
    head: (session) =>
      ask(
        { op: 'read', path: pathOf(session) },
        () => store.head(session),
        (head) => head === null || isText(head),
      ),
    where: (session) =>
      ask({ op: 'where', path: pathOf(session) }, () => store.where(session), isText),
    close: () => ask({ op: 'close', path: 'sessions' }, () => store.close?.(), isNothing),
  };
}

function guardedReader(reader: LogReader, question: Question, ask: Ask): LogReader {
  const read = { ...question, op: 'read' };
  return {
    read: (into, at) => ask(read, () => reader.read(into, at), isCount(into.length)),
    close: () => ask(question, () => reader.close(), isNothing),
  };
}

function guardedWriter(
  writer: LogWriter,
  question: Question,
  ask: Ask,
  conceal: Conceal,
): LogWriter {
  const tell = (work: () => void): void => ask(question, work, isNothing);
  return {
    append: (bytes, at) => tell(() => writer.append(bytes, at)),
    sync: () => tell(() => writer.sync()),
    ...(writer.synced === undefined
      ? {}
      : {
          synced: async () => {
            try {
              await writer.synced?.();
            } catch (error) {
              throw failureOf(question, error, conceal);
            }
          },
        }),
    undo: (at) => tell(() => writer.undo(at)),
    cut: (at) => ask(question, () => writer.cut(at), isText),
    keepHead: (head) => tell(() => writer.keepHead(head)),
    remove: () => tell(() => writer.remove()),
    release: () => tell(() => writer.release()),
  };
}

const pathOf = (session: string): string => `sessions/${session}`;

function failureOf({ op, path }: Question, error: unknown, conceal: Conceal): FsError {
  if (isFsError(error)) return error;
  const { code, message } = error as Partial<NodeJS.ErrnoException>;
  return new FsError(isErrno(code) ? code : 'EIO', {
    path,
    op,
    reason: `the session store of this deployment: ${conceal(message ?? String(error))}`,
    cause: error,
  });
}

const wrong = ({ op, path }: Question, what: string): FsError =>
  new FsError('EIO', {
    path,
    op,
    rule: 'what a session store has to have',
    reason: `the session store of this deployment ${what}: look after the module that parts.sessions names`,
  });
