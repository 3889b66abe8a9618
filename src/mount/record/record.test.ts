import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  mergeFields,
  parseRecord,
  RecordError,
  type RecordType,
  renderTemplate,
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
