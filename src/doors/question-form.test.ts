/** A question of an agent, put to a person by a form; and who may come in. */
import { describe, expect, test } from 'vitest';
import type { Question, QuestionForm } from '../policy/question.ts';
import { checkPrincipal, isInCharge } from './principal.ts';
import { answerField, questionWords } from './question-form.ts';

const asked = (form: QuestionForm, more: Partial<Question> = {}): Question =>
  ({ actor: 'assistant', question: 'Which\x1b?', form, untrusted: [], ...more }) as Question;

test('a question has the words of the agent, and whose they may be', () => {
  expect(questionWords(asked({ kind: 'text' }))).toBe(
    'assistant asks; an answer allows nothing by itself.\n\nWhich\\u001b?',
  );
  const scope = { writes: [{ path: '/a', operations: ['write'] as const }], tools: [] };
  const words = questionWords(asked({ kind: 'plan', scope }, { untrusted: ['tracker'] }));
  expect(words.split('\n\n').map((part) => part.split('\n')[0])).toEqual([
    'assistant proposes a plan, which changes this and nothing else:',
    'write /a',
    'Which\\u001b?',
    'The agent had read text of tracker before it asked: the words may be theirs.',
  ]);
});

describe('the field of a form', () => {
  test.each<[QuestionForm, object]>([
    [{ kind: 'confirm' }, { type: 'boolean' }],
    [
      { kind: 'choice', options: ['a', 'b'] },
      { type: 'string', enum: ['a', 'b'] },
    ],
    [
      { kind: 'choices', options: ['a', 'b', 'c'], min: 1, max: 2 },
      { type: 'array', items: { type: 'string', enum: ['a', 'b', 'c'] }, minItems: 1, maxItems: 2 },
    ],
    [{ kind: 'choices' }, { type: 'array', items: { type: 'string', enum: [] } }],
    [{ kind: 'number' }, { type: 'number' }],
    [
      { kind: 'number', whole: true, min: 0, max: 9 },
      { type: 'integer', minimum: 0, maximum: 9 },
    ],
    [{ kind: 'plan' }, { type: 'string', enum: ['approve', 'reject', 'change'] }],
    [{ kind: 'date' }, { type: 'string', format: 'date' }],
    [{ kind: 'text' }, { type: 'string', minLength: 1, maxLength: 10_000 }],
    [
      { kind: 'text', min: 3, max: 5 },
      { type: 'string', minLength: 3, maxLength: 5 },
    ],
  ])('%j is %j', (form, field) => {
    const { title, description, ...rest } = answerField(form);
    expect([title, typeof description, rest]).toEqual(['Answer', 'string', field]);
  });
});

describe('a principal', () => {
  test.each<object>([
    { actor: 'a' },
    { actor: 'A1._@+-', agent: 'b', session: 'new' },
    { actor: 'x'.repeat(64) },
  ])('may be %j', (given) => expect(checkPrincipal(given)).toEqual(given));

  test.each<[unknown, string]>([
    [{ actor: '' }, 'actor should be at most 64 letters'],
    [{ actor: 'x'.repeat(65) }, 'actor should be at most 64 letters'],
    [{ actor: '-a' }, 'actor should be at most 64 letters'],
    [{ actor: 'a b' }, 'actor should be at most 64 letters'],
    [{ actor: 'a', agent: '/', session: '/' }, 'agent should be'],
    [{ actor: 'a', session: '/' }, 'session should be'],
    [{ actor: 'a', more: 1 }, 'it '],
    [null, 'it '],
  ])('is not %j', (given, fault) => {
    expect(() => checkPrincipal(given)).toThrow(expect.objectContaining({ path: 'principal' }));
    expect(() => checkPrincipal(given)).toThrow(fault);
  });

  test.each([
    [{ actor: 'user' }, true, true],
    [{ actor: 'user', agent: 'a' }, true, true],
    [{ actor: 'a', agent: 'a' }, true, false],
    [{ actor: 'a', agent: 'b' }, false, false],
    [{ actor: 'a' }, false, false],
  ])('%j is in charge: %s, and where people have names of their own: %s', (who, own, named) => {
    expect([isInCharge(who, true), isInCharge(who, false)]).toEqual([own, named]);
  });
});
