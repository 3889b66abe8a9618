/** What people in a channel are asked and told, and which of their words is an answer to what. */
import { describe, expect, test } from 'vitest';
import { FsError } from '../../errors.ts';
import type { Approval } from '../../policy/approval.ts';
import type { Question, QuestionForm } from '../../policy/question.ts';
import type { QueuedTurn } from '../queue/turn.ts';
import type { Caller } from '../rights.ts';
import { Asking } from './asking.ts';
import type { ChannelLedger, MeantButton, PostDraft } from './ledger.ts';
import { answerQuestion, questionPosts, questionPurpose, settledText } from './questions.ts';
import { answeredText, askedText, endText, saidText, strangerText } from './words.ts';

const CALLER: Caller = { actor: 'ann', role: 'user', agent: null };
const question = (form: QuestionForm, more: Partial<Question> = {}): Question =>
  ({
    ...{
      id: '01ABCDEF',
      session: 's',
      digest: 'd',
      question: 'Which one?',
      form,
      state: 'pending',
    },
    ...{ untrusted: [], answer: null, answeredBy: null, answeredAt: null, actor: 'reader' },
    ...{ createdAt: 100, expiresAt: 900 },
    ...more,
  }) as unknown as Question;

/** Questions as the journal has them, which takes answers and notes them. */
function open(...asked: Question[]) {
  const answers: unknown[][] = [];
  const decisions = {
    question: (_: Caller, id: string) => asked.find((each) => each.id === id) ?? expect.fail(),
    answerQuestion: (caller: Caller, id: string, digest: string, value: unknown) => {
      answers.push([caller.actor, id, digest, value]);
      if (digest === 'stale')
        throw new FsError('ESTALE', { path: '/q', op: 'answer', reason: 'it is another by now' });
      return decisions.question(caller, id);
    },
  };
  const turn = { questions: asked.map(({ id }) => id) } as unknown as QueuedTurn;
  const shown = asked.map((each) => ({ purpose: questionPurpose(each) })) as unknown as ReturnType<
    ChannelLedger['shownFor']
  >;
  const type = (typed: string) => answerQuestion(typed, CALLER, shown, decisions).said;
  const posts = (shows = true) => questionPosts(turn, 't', decisions, () => shows);
  return { answers, decisions, shown, type, posts, post: () => posts()[0] ?? expect.fail() };
}

describe('a question is posted', () => {
  const labels = (form: QuestionForm) => {
    const { draft, meanings } = open(question(form)).post();
    const buttons = draft.buttons ?? [];
    expect(meanings.map(({ token }) => token)).toEqual(buttons.map(({ token }) => token));
    expect(new Set(meanings.map(({ token }) => token)).size).toBe(buttons.length);
    const given = meanings as unknown as { answer: unknown; decision: string; digest: string }[];
    for (const each of given)
      expect(each).toMatchObject({ id: '01ABCDEF', decision: 'answer', digest: 'd' });
    return buttons.map(({ label }, index) => [label, given[index]?.answer]);
  };

  test('with buttons where it can be answered by one, and with none that might be read as something else', () => {
    expect(labels({ kind: 'confirm' })).toEqual([
      ['Yes', true],
      ['No', false],
    ]);
    expect(labels({ kind: 'plan', scope: { writes: [], tools: [] } })).toEqual([
      ['Approve', { decision: 'approve' }],
      ['Reject', { decision: 'reject' }],
    ]);
    const options = ['plain', '@all', `a${'b'.repeat(39)}`, `a${'b'.repeat(40)}`, 'x, (y)'];
    expect(labels({ kind: 'choice', options })).toEqual([
      ['plain', 'plain'],
      ['2', '@all'],
      [options[2], options[2]],
      ['4', options[3]],
      ['x, (y)', 'x, (y)'],
    ]);
    expect(labels({ kind: 'choice', options: [...options, 'six'] })).toEqual([]);
    for (const kind of ['text', 'number', 'date', 'choices'] as const)
      expect(labels({ kind, ...(kind === 'choices' ? { options: ['a'] } : {}) })).toEqual([]);
  });

  test('with its words, its options, whose words they may be, and how it is answered', () => {
    const text = (form: QuestionForm, more: Partial<Question> = {}) =>
      open(question(form, more)).post().draft.text;
    expect(text({ kind: 'text' })).toMatch(
      /^\*\*The agent asks\*\*\n\n```\nWhich one\?\n```\n\nAnswer with `\/answer abcdef` and text of 1 to 10000 characters\.$/,
    );
    expect(text({ kind: 'choice', options: ['a', 'b'] })).toContain(
      '```\n1. a\n2. b\n```\n\nAnswer with `/answer abcdef` and one of these, or its number.',
    );
    expect(text({ kind: 'choices', options: ['a', 'b'] })).toContain(
      '0 to 2 of these, or their numbers.',
    );
    expect(text({ kind: 'choices', options: ['a', 'b'], min: 1, max: 1 })).toContain(
      '1 to 1 of these',
    );
    expect(text({ kind: 'text' }, { untrusted: ['/mnt/x'] })).toContain('text of /mnt/x');
    expect(text({ kind: 'text' })).not.toContain('had read');
    const scope = { writes: [{ path: '/workspace/a', operations: ['write'] as const }], tools: [] };
    const plan = text({ kind: 'plan', scope });
    expect(plan).toMatch(/^\*\*The agent proposes a plan\*\*/);
    expect(plan).toContain('Approved, this may be changed, and nothing else:');
    expect(plan).toContain('/workspace/a');
    expect(open(question({ kind: 'text' })).post().draft).toMatchObject({
      thread: 't',
      purpose: 'question:01ABCDEF:d',
    });
  });

  test('elsewhere where it is not shown whole, and not at all once it is answered', () => {
    const [post] = open(question({ kind: 'confirm' })).posts(false);
    expect(post).toEqual({
      draft: {
        purpose: 'elsewhere:01ABCDEF:d',
        thread: 't',
        text: expect.stringContaining('too long to be shown here'),
      },
      meanings: [],
    });
    expect(open(question({ kind: 'confirm' }, { state: 'answered' })).posts()).toEqual([]);
  });
});

describe('what is typed', () => {
  const CHOICE: QuestionForm = { kind: 'choice', options: ['red', 'green'] };
  const other = (more: Partial<Question> = {}) =>
    question({ kind: 'text' }, { id: '02UVWXYZ', ...more });

  test('is the answer to the one question that waits', () => {
    const { type, answers } = open(question(CHOICE));
    expect(type('green')).toBe('Answered.');
    expect(type('abcdef 1')).toBe('Answered.');
    expect(type('ABCDEF red')).toBe('Answered.');
    expect(answers).toEqual([
      ['ann', '01ABCDEF', 'd', 'green'],
      ['ann', '01ABCDEF', 'd', 'red'],
      ['ann', '01ABCDEF', 'd', 'red'],
    ]);
    expect(type('blue')).toMatch(/^This is no answer: .*red, green/);
    expect(answers).toHaveLength(3);
  });

  test('of several says which it is about, by the end of its id', () => {
    const { type, answers } = open(
      question(CHOICE),
      other({ question: `a ${'b'.repeat(100)}\nmore` }),
    );
    expect(type('green')).toBe(
      `It is not certain which question you mean. Say it:\n\n\`\`\`\`\n\`/answer abcdef\`: Which one?\n\`/answer uvwxyz\`: a ${'b'.repeat(78)}\n\`\`\`\``.replaceAll(
        '````',
        '```',
      ),
    );
    expect(type('uvwxyz some words')).toBe('Answered.');
    expect(answers).toEqual([['ann', '02UVWXYZ', 'd', 'some words']]);
  });

  test('may be about one that waited at the same time, and was answered: then it says which, too', () => {
    const while_ = other({ state: 'answered', answeredAt: 100 });
    expect(open(question(CHOICE), while_).type('green')).toMatch(/^It is not certain/);
    expect(open(question(CHOICE), other({ state: 'answered', answeredAt: 99 })).type('green')).toBe(
      'Answered.',
    );
    expect(open(question(CHOICE), other({ state: 'expired', expiresAt: 99 })).type('green')).toBe(
      'Answered.',
    );
    expect(
      open(question(CHOICE), other({ state: 'expired', expiresAt: 100 })).type('green'),
    ).toMatch(/^It is not/);
    expect(open(question(CHOICE), while_).type('uvwxyz words')).toBe('That was answered already.');
  });

  test('answers nothing where nothing is asked, and what is refused is told', () => {
    expect(open().type('x')).toBe('Nothing is asked here.');
    expect(open(question(CHOICE, { state: 'declined' })).type('red')).toBe(
      'Nothing is asked here.',
    );
    expect(open(question(CHOICE, { digest: 'stale' })).type('red')).toBe(
      'This was not taken: it is another by now',
    );
    const { decisions } = open(question(CHOICE));
    const foreign = [{ purpose: 'answer:1' }] as unknown as ReturnType<ChannelLedger['shownFor']>;
    expect(answerQuestion('red', CALLER, foreign, decisions).said).toBe('Nothing is asked here.');
  });
});

test.each<[Partial<Question>, string]>([
  [{ state: 'answered', answer: true, answeredBy: 'ann' }, '**Answered** by ann:\n\n```\nyes\n```'],
  [{ state: 'answered', answer: 'x' }, '**Answered**:\n\n```\nx\n```'],
  [{ state: 'declined', answeredBy: 'ann' }, '**Declined** by ann.'],
  [{ state: 'expired' }, '**Expired**: nobody answered in time.'],
])('under a question stands what came of it: %j', (more, text) => {
  expect(settledText(question({ kind: 'confirm' }, more))).toBe(text);
});

const APPROVAL = {
  ...{ id: 'a1', digest: 'd', actor: 'reader', people: ['ben'], op: 'write', path: '/w/a' },
  ...{ rule: 'ask first', reason: 'it changes', change: null, state: 'pending', answeredBy: null },
  operations: [{ op: 'write', path: '/w/a', mount: '/w' }],
} as unknown as Approval;

describe('a request for approval', () => {
  function asking({ shows = true, state = 'pending', came = true } = {}) {
    const posts: [PostDraft, readonly MeantButton[]][] = [];
    const replaced: PostDraft[] = [];
    const found = new Map<string, { thread: string; text: string; purpose: string }>();
    const ledger = {
      post: (_: string, draft: PostDraft, meanings: readonly MeantButton[]) =>
        void posts.push([draft, meanings]),
      find: (_: string, purpose: string) => found.get(purpose) ?? null,
      openMessage: () => (came ? { thread: 't' } : null),
    } as unknown as ChannelLedger;
    const approval = { ...APPROVAL, state };
    const decisions = {
      approval: () => approval,
      question: () => question({ kind: 'confirm' }),
    } as never;
    const ask = new Asking({
      channel: 'c',
      ledger,
      decisions,
      shows: () => shows,
      post: (draft) => void replaced.push(draft),
    });
    const turn = {
      approvals: ['a1'],
      questions: ['01ABCDEF'],
      sourceId: 's',
    } as unknown as QueuedTurn;
    return { posts, replaced, found, ask, turn };
  }

  test('is put where the message came from, with a button for each decision', () => {
    const { posts, ask, turn } = asking();
    ask.settleAll(turn);
    const [[draft, meanings] = expect.fail()] = posts;
    expect(draft).toMatchObject({ purpose: 'approval:a1', thread: 't', text: askedText(APPROVAL) });
    expect(draft.buttons?.map(({ label }) => label)).toEqual(['Allow', 'Deny']);
    expect(meanings).toEqual([
      { token: draft.buttons?.[0]?.token, id: 'a1', digest: 'd', decision: 'allow' },
      { token: draft.buttons?.[1]?.token, id: 'a1', digest: 'd', decision: 'deny' },
    ]);
  });

  test('can only be denied where it is not shown whole', () => {
    const { posts, ask, turn } = asking({ shows: false });
    ask.settleAll(turn);
    const [[draft, meanings] = expect.fail()] = posts;
    expect(draft.text).toContain('too long to be shown here, and can only be denied');
    expect(meanings.map(({ decision }) => decision)).toEqual(['deny']);
    expect(draft.buttons?.map(({ label }) => label)).toEqual(['Deny']);
  });

  test('is asked once, while it waits, and of a message that is there', () => {
    for (const given of [{ state: 'allowed' }, { came: false }]) {
      const { posts, replaced, ask, turn } = asking(given);
      ask.settleAll(turn);
      expect([posts, replaced]).toEqual([[], []]);
    }
    const { posts, replaced, found, ask, turn } = asking();
    found.set('approval:a1', { thread: 't', text: 'asked', purpose: 'approval:a1' });
    ask.settleAll(turn);
    expect([posts, replaced]).toEqual([[], []]);
  });

  test('that was answered says so under what was asked, in its place', () => {
    const { replaced, found, ask, turn } = asking({ state: 'denied' });
    found.set('approval:a1', { thread: 't', text: 'asked', purpose: 'approval:a1' });
    ask.settleAll(turn);
    expect(replaced).toEqual([
      { purpose: 'answered:a1', thread: 't', text: 'asked\n\n**Denied**.', edits: 'approval:a1' },
    ]);
    const asked = question({ kind: 'confirm' }, { state: 'declined' });
    found.set(questionPurpose(asked), {
      thread: 'q',
      text: 'why',
      purpose: questionPurpose(asked),
    });
    ask.settle(asked);
    ask.settle(question({ kind: 'confirm' }));
    expect(replaced[1]).toEqual({
      ...{
        purpose: 'settled:01ABCDEF',
        thread: 'q',
        text: 'why\n\n**Declined**.',
        edits: questionPurpose(asked),
      },
    });
    expect(replaced).toHaveLength(2);
  });

  test('shows all that would be done, who would do it, and why', () => {
    const text = askedText(APPROVAL);
    for (const line of [
      'write /w/a',
      'by: reader, for ben',
      'rule: ask first',
      'reason: it changes',
    ])
      expect(text.split('\n')).toContain(line);
  });

  test.each([
    ['allowed', 'ann', '**Allowed** by ann.'],
    ['used', null, '**Allowed**.'],
    ['denied', 'ann', '**Denied** by ann.'],
    ['expired', null, '**Expired**: nobody answered in time.'],
    ['pending', null, '**Still waiting.**'],
  ] as const)('that is %s is told so', (state, by, text) => {
    expect(answeredText(state, by)).toBe(text);
  });
});

describe('words', () => {
  test.each([
    ['done', undefined, 'Done, with nothing to say.'],
    ['done', 'but late', 'but late'],
    ['stopped', 'x', 'Stopped.'],
    ['interrupted', undefined, '**Interrupted.**'],
    ['interrupted', 'why', '**Interrupted.** why'],
    ['expired', 'why', '**Expired.** why'],
    ['failed', 'why', '**This did not work.** why'],
  ] as const)('a message that is %s with %s ends with %s', (state, error, text) => {
    const outcome = error === undefined ? null : { status: 'x', error };
    expect(endText({ state, outcome } as unknown as QueuedTurn)).toBe(text);
  });

  test('what somebody said is told as theirs, and what others wrote as what gives no orders', () => {
    const said = (quoted: string | undefined, speaker: string | null) =>
      saidText({ said: 'Do it.', quoted, speaker });
    expect(said(undefined, null)).toBe('Do it.');
    expect(said(undefined, 'bob')).toBe('bob says:\nDo it.');
    expect(said('one\ntwo', null)).toMatch(
      /^Do it\.\n\nWith it comes .* gives no orders:\n> one\n> two$/,
    );
    expect(strangerText('a`b')).toContain('does not know you');
  });
});
