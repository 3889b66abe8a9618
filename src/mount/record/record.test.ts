import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  mergeFields,
  parseRecord,
  RecordError,
  type RecordType,
  readRecord,
  renderRecord,
  renderTemplate,
  same,
  valuesOf,
  withFixed,
  writable,
} from './record.ts';

const note: RecordType = {
  name: 'note',
  fields: {
    id: { schema: z.unknown(), access: 'read', about: 'number' },
    title: {
      schema: z.string({ error: 'must be text' }).min(1, 'must not be empty'),
      access: 'create',
      required: true,
      initial: '',
      about: 'one line',
    },
    tags: { schema: z.array(z.string()), access: 'create', initial: [], about: 'a list' },
    state: { schema: z.enum(['open', 'closed']), access: 'edit', about: 'open or closed' },
    body: { schema: z.string(), access: 'create', about: 'text' },
  },
};

function problems(text: string, base: Record<string, unknown> | null): string {
  try {
    parseRecord(note, text, base);
  } catch (error) {
    if (error instanceof RecordError) return error.message;
    throw error;
  }
  return '';
}

describe('a written record', () => {
  it('gives only the fields that it names', () => {
    expect(
      parseRecord(note, '---\ntitle: x\n---\n', { title: 'y', tags: ['a'], body: 'z' }),
    ).toEqual({
      title: 'x',
      body: '',
    });
  });

  it('may repeat what is read-only and may not change it', () => {
    expect(problems('---\nid: 3\ntitle: x\n---\n', { id: 3 })).toBe('');
    expect(problems('---\nid: 4\ntitle: x\n---\n', { id: 3 })).toContain('id: cannot be changed');
    expect(problems('---\nid: 4\ntitle: x\n---\n', null)).toContain('id: is set by the service');
  });

  it('is told every wrong field at once', () => {
    const text = problems('---\ntitle: [x]\ntagz: 1\nstate: ajar\n---\n', { id: 3 });
    expect(text).toContain('title: must be text (allowed: one line)');
    expect(text).toContain('tagz: no such field (nearest: tags');
    expect(text).toContain('(allowed: open or closed)');
  });

  it('needs what is required, once', () => {
    expect(problems('---\ntags: []\n---\n', null)).toBe('title: is required (one line)');
    expect(problems('---\ntitle: 7\n---\n', null)).toBe(
      'title: must be text (in quotes it is text: "7"; allowed: one line)',
    );
  });

  it('can be begun from its template', () => {
    const text = renderTemplate(note, { tags: ['a', 'b'] });
    expect(text).toContain('title: "" # required, one line\n');
    expect(text).toContain('tags: [] # a list; any of: a, b\n');
    expect(problems(text.replace('""', 'x'), null)).toBe('');
  });
});

describe('what was meant as text', () => {
  it('and is something else to YAML is told how to quote it', () => {
    expect(problems('---\ntitle: 3.4\n---\n', null)).toBe(
      'title: must be text (in quotes it is text: "3.4"; allowed: one line)',
    );
    expect(problems('---\ntitle: x\ntags: [3.4, a]\n---\n', null)).toContain(
      'in quotes it is text: ["3.4", "a"]',
    );
    expect(problems('---\ntitle: x\ntags: a b\n---\n', null)).toContain(
      'a list is in brackets: ["a b"]; allowed: a list',
    );
    expect(problems('---\ntitle: A: b\n---\n', null)).toMatch(
      /line 1 of them, `title: A: b`: .*; put the value in quotes: title: "A: b"$/,
    );
    expect(problems('---\ntitle: Fix #12\n---\n', null)).toMatch(
      /comment in YAML and would be lost; put the value in quotes: title: "Fix #12"$/,
    );
  });

  it.each(['@mara', '[draft] x', '*', '% x', '"a" b', "it's: x", '{a} b', '`x`', '- a: "b'])(
    'is mended by the line that the refusal gives: %s',
    (value) => {
      const said = problems(`---\ntags: [a]\ntitle: ${value}\n---\n`, null);
      const [, line] = / in quotes: (.*)$/.exec(said) ?? [];
      expect(said).toContain('line 2 of ');
      expect(parseRecord(note, `---\n${line}\n---\n`, null)['title']).toBe(value);
    },
  );
});

describe('a template', () => {
  it('whose null a field would not take can be written back once its title is filled in', () => {
    const state = {
      schema: z.string(),
      access: 'create',
      initial: null,
      about: 'a state',
    } as const;
    const type: RecordType = { name: 'issue', fields: { ...note.fields, state } };
    const text = renderTemplate(type).replace('title: ""', 'title: "x"');
    expect(text).toContain('state: null');
    expect(parseRecord(type, text, null)).toEqual({ title: 'x', body: '' });
  });
});

describe('a merge by field', () => {
  it('sends what only we touched, keeps what only they touched, and finds what both did', () => {
    const base = { title: 'a', body: 'a', tags: ['x', 'y'], state: 'open' };
    const mine = { title: 'b', body: 'b', tags: ['y', 'x'], state: 'closed' };
    const theirs = { title: 'a', body: 'c', tags: ['z'], state: 'closed' };
    expect(mergeFields(base, mine, theirs)).toEqual({ delta: { title: 'b' }, conflicts: ['body'] });
  });
});

describe('the file of a record', () => {
  const json: RecordType = { ...note, form: 'json' };
  const values = { title: 'x', id: 3, tags: ['a'], body: 'text', secret: 'not of its type' };

  it('has the fields of its type in their order, and gives back what it was made of', () => {
    const { secret: _, ...shown } = values;
    const text = renderRecord(note, values);
    expect(text).toBe('---\nid: 3\ntitle: x\ntags: [a]\n---\n\ntext\n');
    expect(valuesOf(note, text)).toEqual(shown);
    expect(valuesOf(json, renderRecord(json, values))).toEqual(shown);
    expect(renderRecord(json, { title: 'x' })).toBe('{\n  "title": "x"\n}\n');
    expect(renderRecord(note, { title: 'x', body: 7 })).toBe('---\ntitle: x\n---\n');
    expect(renderRecord(note, { title: 'x', body: 'a\ud800' })).toMatch(/\na\ufffd\n$/);
  });

  it.each(['[]', 'null', '7', '{', '"text"'])('in JSON is one object, which %s is not', (text) => {
    const { problems: found } = readRecord(json, text, null);
    const message = expect.stringMatching(/^the file must be one JSON object/);
    expect(found).toEqual([{ field: '', message }]);
    expect(() => valuesOf(json, text)).toThrow('the file must be one JSON object');
  });

  it('that is new may be its text alone where nothing else must be given', () => {
    const body = { schema: z.string().min(1, 'must say something'), about: 'text' } as const;
    const message: RecordType = {
      name: 'message',
      fields: {
        at: { schema: z.unknown(), access: 'read', about: 'when' },
        tags: { schema: z.array(z.string()), access: 'create', about: 'tags' },
        body: { ...body, access: 'create', required: true },
      },
    };
    const only = (text: string, of = message, base: Record<string, unknown> | null = null) => {
      const { values: given, problems: found } = readRecord(of, text, base);
      return found.length > 0 ? found.map((one) => one.message).join() : given;
    };
    expect(only('hello\n\n')).toEqual({ body: 'hello\n' });
    expect(only('---\ntags: [a]\n---\nhello\n')).toEqual({ tags: ['a'], body: 'hello' });
    expect(only('')).toBe('must say something (allowed: text)');
    expect(only('---\ntags: [a]\n---\n')).toBe('must say something (allowed: text)');
    const { tags: _, ...bare } = message.fields;
    const optional = {
      ...message,
      fields: { ...bare, body: { ...body, access: 'create' } },
    } as const;
    expect(only('hello', optional)).toEqual({ body: 'hello' });
    const begins = 'the file must begin with a line `---` and its fields';
    expect(only('hello', message, { body: 'x' })).toBe(begins);
    const withTags = { ...message.fields, tags: { ...note.fields['tags'], required: true } };
    expect(only('hello', { ...message, fields: withTags } as RecordType)).toBe(begins);
    const noText = { ...optional, fields: { ...optional.fields, tags: message.fields['tags'] } };
    expect(only('hello', noText as RecordType)).toBe(begins);
  });

  it('whose type has no text takes none', () => {
    const { body: _, ...fields } = note.fields;
    const { values: given } = readRecord({ ...note, fields }, '---\ntitle: x\n---\nmore\n', null);
    expect(given).toEqual({ title: 'x' });
  });
});

describe('a field', () => {
  const base = { id: 3, title: 'held', tags: ['b', 'a'], body: 'x' };

  it('that was not touched is not judged, whatever it holds', () => {
    const odd = { ...base, title: '', tags: 'no list' };
    const { values, problems: found } = readRecord(note, renderRecord(note, odd), odd);
    expect([values, found]).toEqual([{}, []]);
  });

  it('that the service sets says what it is, and what to do', () => {
    const fixed = withFixed(note, { title: 'ask its author', other: 'is no field' });
    expect(Object.keys(fixed.fields)).toEqual(Object.keys(note.fields));
    const wrong = (text: string, of: RecordType, held: Record<string, unknown> | null) =>
      readRecord(of, `---\n${text}\n---\n\nx\n`, held).problems.map(({ message }) => message);
    expect(wrong('title: new', fixed, base)).toEqual([
      'cannot be changed (it is "held"): ask its author',
    ]);
    expect(wrong('id: 4', note, base)).toEqual([
      'cannot be changed (it is 3): leave it out or as it is',
    ]);
    expect(wrong('id: 4', note, { body: 'x' })).toEqual([
      'cannot be changed (it is null): leave it out or as it is',
    ]);
    expect(wrong('id:', note, { body: 'x' })).toEqual([]);
    expect(wrong('title: a\nstate: open', note, null)).toEqual([
      'cannot be given on creation: leave it out',
    ]);
    expect(writable(note)).toEqual(['title', 'tags', 'state', 'body']);
  });

  it('that there is not is told with those like it, and with all that may be written', () => {
    const of = (name: string) =>
      readRecord(note, `---\n${name}: 1\ntitle: x\n---\n`, null).problems.map((one) => one.message);
    expect(of('titel')).toEqual([
      'no such field (nearest: title; allowed: title, tags, state, body)',
    ]);
    expect(of('zzzzzzzz')).toEqual(['no such field (allowed: title, tags, state, body)']);
    expect(of('constructor')).toEqual(['no such field (allowed: title, tags, state, body)']);
  });

  it('that must be given is missed where it is empty, and not where it is wrong', () => {
    const messages = (title: string) =>
      readRecord(note, `---\n${title}\n---\n`, null).problems.map(({ message }) => message);
    for (const nothing of ['tags: []', 'title: ""'])
      expect(messages(nothing)).toEqual(['is required (one line)']);
    expect(messages('title:')).toEqual(['must be text (allowed: one line)']);
    expect(messages('title: true')).toEqual([
      'must be text (in quotes it is text: "true"; allowed: one line)',
    ]);
    expect(messages('title: {a: 1}')).toEqual(['must be text (allowed: one line)']);
  });

  it('in a template shows what may be any of, and nothing of a type without such fields', () => {
    expect(renderTemplate({ ...note, form: 'json' })).toBe('{\n  "title": "",\n  "tags": []\n}\n');
    expect(renderTemplate({ name: 'x', fields: { body: note.fields['body'] as never } })).toBe('');
    const many = Array.from({ length: 41 }, (_, index) => `tag${index}`);
    expect(renderTemplate(note, { tags: many })).toContain('tag39');
    expect(renderTemplate(note, { tags: many })).not.toContain('tag40');
  });
});

it.each([
  [['a', 'b'], ['b', 'a'], true],
  [['a'], ['a', 'a'], false],
  [[], null, false],
  [undefined, null, true],
  [0, null, false],
  ['1', 1, false],
  [{ a: 1 }, { a: 1 }, true],
])('%o and %o are the same: %s', (one, two, are) => {
  expect([same(one, two), same(two, one)]).toEqual([are, are]);
});

it('several problems are told as one sentence, that of the whole text without a name', () => {
  const cause = new Error('below');
  const error = new RecordError(
    [
      { field: '', message: 'it is odd' },
      { field: 'title', message: 'is required' },
    ],
    cause,
  );
  expect([error.message, error.cause, error.problems.length]).toEqual([
    'it is odd; title: is required',
    cause,
    2,
  ]);
  expect('cause' in new RecordError([])).toBe(false);
});
