/** The questions of agents to people, and the answers. No answer allows anything at the gate. */
import { createHash } from 'node:crypto';
import { FsError } from '../errors.ts';
import type { Row } from '../replica/database.ts';
import { untilAnswered, type Waiting } from './answered.ts';
import { ASKED_COLUMNS, ASKED_LIFE_MS, AskedJournal, columnsOf } from './asked-journal.ts';
import {
  type AnswerValue,
  checkAnswer,
  type Question,
  type QuestionAnswer,
  type QuestionDraft,
  type QuestionForm,
  type QuestionState,
} from './question.ts';

/** Who asks. */
export type Asker = Pick<Question, 'session' | 'actor' | 'origin'>;

const TABLE = `
  CREATE TABLE IF NOT EXISTS questions (${ASKED_COLUMNS},
    question TEXT NOT NULL,
    form TEXT NOT NULL,
    untrusted TEXT NOT NULL,
    answer TEXT,
    taken_at INTEGER
  ) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS questions_by_digest ON questions (session, digest);
`;

/** The questions, and what became of them. */
export class QuestionJournal extends AskedJournal<Question> {
  /** @param file `changes.sqlite` of a state directory, or ':memory:' */
  constructor(file: string, now: () => number = Date.now) {
    super(file, { name: 'questions', definition: TABLE, passing: ['pending'], fromRow }, now);
  }

  /**
   * Files a question; one that waits already, or was answered and never told, is given as it is.
   * It is on the disk when this returns.
   */
  ask({ session, actor, origin }: Asker, { question, form, untrusted }: QuestionDraft): Question {
    const digest = createHash('sha256')
      .update(JSON.stringify([actor, question, form, untrusted]))
      .digest('hex');
    const [same] = this.rows(
      "session = ? AND digest = ? AND taken_at IS NULL AND state <> 'expired' AND expires_at > ?",
      session,
      digest,
      this.now(),
    ).toReversed();
    if (same !== undefined) return same;
    const id = this.nextId();
    const createdAt = this.now();
    this.database
      .prepare(
        `INSERT INTO questions (id, session, actor, origin, digest, state, created_at, expires_at,
           question, form, untrusted) VALUES (?, ?, ?, ?, ?, 'pending', ?, ?, ?, ?, ?)`,
      )
      .run(
        id,
        session,
        actor,
        origin,
        digest,
        createdAt,
        createdAt + ASKED_LIFE_MS,
        question,
        JSON.stringify(form),
        JSON.stringify(untrusted),
      );
    return this.#told(id);
  }

  /**
   * Answers a pending question.
   * @param value null: whoever is asked does not want to
   * @returns what it is now; null where there is none with that id. It is left as it was if it is
   * not pending any more: compare the state.
   * @throws FsError EINVAL that says what is allowed
   */
  answer(id: string, { value, by }: QuestionAnswer): Question | null {
    const asked = this.get(id);
    if (asked === null) return null;
    const checked = value === null ? { value } : checkAnswer(asked.form, value);
    if ('fault' in checked)
      throw new FsError('EINVAL', {
        path: `/session/questions/${id}.md`,
        op: 'write',
        rule: 'an answer has the form that was asked for',
        reason: `this is no answer to question ${id}: ${checked.fault}`,
      });
    const time = this.now();
    const { changes } = this.database
      .prepare(
        `UPDATE questions SET state = ?, answer = ?, answered_by = ?, answered_at = ?, expires_at = ?
           WHERE id = ? AND state = 'pending'`,
      )
      .run(
        value === null ? 'declined' : 'answered',
        checked.value === null ? null : JSON.stringify(checked.value),
        by ?? null,
        time,
        time + ASKED_LIFE_MS,
        id,
      );
    return changes === 1 ? this.#told(id) : this.get(id);
  }

  /** An answer has come to its agent: asked again, it is another question. */
  take(id: string): void {
    this.database
      .prepare(
        "UPDATE questions SET taken_at = ? WHERE id = ? AND taken_at IS NULL AND state <> 'pending'",
      )
      .run(this.now(), id);
  }

  #told(id: string): Question {
    const asked = this.get(id);
    if (asked === null) throw new Error(`there is no question ${id}`);
    this.tell(asked);
    return asked;
  }
}

/**
 * Asks a person, and waits for the answer where somebody is there to give one.
 * @returns the question as it is then: `pending` where nobody is there, or the waiting was ended
 */
export async function askQuestion(
  journal: QuestionJournal,
  asker: Asker,
  draft: QuestionDraft,
  { attended, onParked, ...waiting }: Waiting & { attended: boolean; onParked?: () => void },
): Promise<Question> {
  const asked = journal.ask(asker, draft);
  if (asked.state !== 'pending' || !attended) return taken(journal, asked);
  onParked?.();
  return taken(journal, (await untilAnswered(journal, asked.id, waiting)) ?? asked);
}

function taken(journal: QuestionJournal, asked: Question): Question {
  if (asked.state !== 'pending') journal.take(asked.id);
  return asked;
}

function fromRow(row: Row): Question {
  const { text, orNull, asked } = columnsOf(row);
  const answer = orNull('answer');
  return {
    ...asked,
    actor: text('actor'),
    origin: text('origin') as Question['origin'],
    question: text('question'),
    form: JSON.parse(text('form')) as QuestionForm,
    untrusted: JSON.parse(text('untrusted')) as string[],
    state: text('state') as QuestionState,
    answer: answer === null ? null : (JSON.parse(answer) as AnswerValue),
  };
}
