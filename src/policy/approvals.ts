/** The approvals of a world: the requests, the answers, and what they grant. */
import { ConfigError } from '../errors.ts';
import { isWithin, parentOf } from '../paths.ts';
import type { Row } from '../replica/database.ts';
import type { Answer, Approval, ApprovalState } from './approval.ts';
import { ASKED_COLUMNS, ASKED_LIFE_MS, AskedJournal, columnsOf } from './asked-journal.ts';
import type { AskedOperation, Operation } from './gate.ts';

/** What a request is made of. */
export type ApprovalRequest = Pick<
  Approval,
  'session' | 'actor' | 'people' | 'origin' | 'operations' | 'rule' | 'reason' | 'change' | 'digest'
>;

/** Who acts, and which people have it done. */
export type ApprovedFor = Pick<Approval, 'actor' | 'people'>;

const TABLE = `
  CREATE TABLE IF NOT EXISTS approvals (${ASKED_COLUMNS},
    op TEXT NOT NULL,
    path TEXT NOT NULL,
    mount TEXT NOT NULL,
    operations TEXT NOT NULL,
    rule TEXT NOT NULL,
    reason TEXT NOT NULL,
    change TEXT,
    scope TEXT,
    prefix TEXT,
    people TEXT
  ) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS approvals_by_actor ON approvals (actor, state);
`;

/** The requests, the answers, and what they grant. */
export class ApprovalJournal extends AskedJournal<Approval> {
  /** @param file `changes.sqlite` of a state directory, or ':memory:' */
  constructor(file: string, now: () => number = Date.now) {
    const passing = ['pending', 'allowed', 'denied'];
    super(file, { name: 'approvals', definition: TABLE, passing, fromRow }, now);
    // Of a request of an earlier version nobody knows whose it was: it has ended, and is made anew.
    this.database.addColumns(
      'approvals',
      ['people TEXT'],
      `UPDATE approvals SET state = 'expired' WHERE state IN (${passing.map((state) => `'${state}'`).join(', ')})`,
    );
  }

  /** Files a request. It is on the disk when this returns. */
  request(request: ApprovalRequest): Approval {
    const [first] = request.operations;
    if (first === undefined) throw new TypeError('an approval needs an operation');
    const createdAt = this.now();
    const approval: Approval = {
      ...request,
      ...first,
      id: this.nextId(),
      state: 'pending',
      scope: null,
      prefix: null,
      answeredBy: null,
      createdAt,
      answeredAt: null,
      expiresAt: createdAt + ASKED_LIFE_MS,
    };
    this.database
      .prepare(
        `INSERT INTO approvals (id, session, actor, origin, op, path, mount, operations, rule, reason,
           change, digest, state, created_at, expires_at, people)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'pending', ?, ?, ?)`,
      )
      .run(
        approval.id,
        approval.session,
        approval.actor,
        approval.origin,
        approval.op,
        approval.path,
        approval.mount,
        JSON.stringify(approval.operations),
        approval.rule,
        approval.reason,
        approval.change,
        approval.digest,
        approval.createdAt,
        approval.expiresAt,
        peopleText(approval),
      );
    this.tell(approval);
    return approval;
  }

  /**
   * Answers a pending request.
   * @returns what it is now; null where there is none with that id. It is left
   * as it was if it is not pending any more: compare the state.
   * @throws ConfigError where the prefix holds nothing of what was asked
   */
  answer(id: string, answer: Answer): Approval | null {
    const approval = this.get(id);
    if (approval === null) return null;
    const { prefix } = answer;
    if (prefix !== undefined && !approval.operations.some(({ path }) => isWithin(prefix, path)))
      throw new ConfigError(
        'prefix',
        `approval ${id} asks about ${approval.path}, which is not below ${prefix}; name a directory above it`,
      );
    const allowed = answer.decision === 'allow';
    const scope = allowed ? (answer.scope ?? 'once') : 'once';
    const time = this.now();
    const { changes } = this.database
      .prepare(
        `UPDATE approvals SET state = ?, scope = ?, prefix = ?, answered_by = ?, answered_at = ?,
           expires_at = ? WHERE id = ? AND state = 'pending'`,
      )
      .run(
        allowed ? 'allowed' : 'denied',
        scope,
        scope === 'prefix' ? (answer.prefix ?? parentOf(approval.path)) : null,
        answer.by ?? null,
        time,
        time + ASKED_LIFE_MS,
        id,
      );
    const answered = this.get(id);
    if (changes === 1 && answered !== null) this.tell(answered);
    return answered;
  }

  /**
   * Is the operation granted by an earlier answer for its path, or for a prefix of it? What was
   * asked for together is granted as it was asked: each kind of operation on its own path, or
   * below a prefix that holds that path.
   */
  granted(whose: ApprovedFor, operation: AskedOperation): Approval | null {
    return (
      this.#of(whose, 'allowed').find(
        ({ scope, prefix, operations }) =>
          scope !== 'once' && operations.some((asked) => covers(asked, scope, prefix, operation)),
      ) ?? null
    );
  }

  /** The latest request for the very same thing that is pending, allowed once, or denied. */
  same(whose: ApprovedFor, digest: string): Approval | null {
    this.expire();
    const row = this.database.one(
      `SELECT * FROM approvals WHERE actor = ? AND people = ? AND digest = ?
         AND (state IN ('pending', 'denied') OR (state = 'allowed' AND scope = 'once'))
       ORDER BY id DESC LIMIT 1`,
      whose.actor,
      peopleText(whose),
      digest,
    );
    return row === undefined ? null : fromRow(row);
  }

  /** What was allowed once for this path, and not with what is there, or would be done, now. */
  allowedOtherwise(
    whose: ApprovedFor,
    { op, path, digest }: Pick<Approval, 'op' | 'path' | 'digest'>,
  ): Approval | null {
    return (
      this.#of(whose, 'allowed').find(
        (each) =>
          each.scope === 'once' &&
          each.digest !== digest &&
          each.path === path &&
          kindOf(each.op) === kindOf(op),
      ) ?? null
    );
  }

  /** Takes the one use of what was allowed once. False where another was first. */
  use(id: string): boolean {
    const { changes } = this.database
      .prepare(
        "UPDATE approvals SET state = 'used' WHERE id = ? AND state = 'allowed' AND scope = 'once'",
      )
      .run(id);
    const used = this.get(id);
    if (changes === 1 && used !== null) this.tell(used);
    return changes === 1;
  }

  /** The newest first. */
  #of(whose: ApprovedFor, state: ApprovalState): Approval[] {
    const { actor } = whose;
    const condition = 'actor = ? AND people = ? AND state = ?';
    return this.rows(condition, actor, peopleText(whose), state).toReversed();
  }
}

/** As rows have it: the same for the same people, in whatever order. */
const peopleText = ({ people }: ApprovedFor): string => JSON.stringify([...new Set(people)].sort());

/** Does what was allowed for one operation hold for another one? */
function covers(
  asked: AskedOperation,
  scope: Approval['scope'],
  prefix: string | null,
  { op, path, mount }: AskedOperation,
): boolean {
  if (asked.mount !== mount || kindOf(asked.op) !== kindOf(op)) return false;
  if (asked.path === path) return true;
  return (
    scope === 'prefix' &&
    op !== 'tool' &&
    prefix !== null &&
    isWithin(prefix, asked.path) &&
    isWithin(prefix, path)
  );
}

/** An answer about one operation is about those of its kind: whoever may rewrite a file may append to it. */
function kindOf(op: Operation): string {
  switch (op) {
    case 'write':
    case 'append':
    case 'utimes':
      return 'write';
    case 'create':
    case 'mkdir':
      return 'create';
    case 'unlink':
    case 'rmdir':
      return 'remove';
    default:
      return op;
  }
}

function fromRow(row: Row): Approval {
  const { text, orNull, asked } = columnsOf(row);
  return {
    ...asked,
    actor: text('actor'),
    people: JSON.parse(orNull('people') ?? '[]') as string[],
    origin: text('origin') as Approval['origin'],
    op: text('op') as Approval['op'],
    path: text('path'),
    mount: text('mount'),
    operations: JSON.parse(text('operations')) as AskedOperation[],
    rule: text('rule'),
    reason: text('reason'),
    change: orNull('change'),
    state: text('state') as ApprovalState,
    scope: orNull('scope') as Approval['scope'],
    prefix: orNull('prefix'),
  };
}
