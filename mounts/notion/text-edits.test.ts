/** Edits of a text as searches and replacements. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyUpdates, contentUpdates, lostReferences } from './text-edits.ts';

/** Few different lines, so that most of them are there more than once. */
const lines = fc.array(fc.constantFrom('a', 'b', 'ab', '', '- a', '\t- a', '## a', 'a b', '```'), {
  minLength: 1,
  maxLength: 14,
});

describe('the updates of a text', () => {
  it('turn it into the other one, each found exactly once', () => {
    fc.assert(
      fc.property(lines, lines, (before, after) => {
        const [old, wanted] = [before.join('\n'), after.join('\n')];
        fc.pre(old !== '' && old !== wanted);
        expect(applyUpdates(old, contentUpdates(old, wanted))).toBe(wanted);
      }),
      { numRuns: 2_000 },
    );
  });

  it('of one changed line are that line alone', () => {
    const before = Array.from({ length: 200 }, (_, n) => `line number ${n} of many`).join('\n');
    const after = before.replace('line number 77 of many', 'changed');
    expect(contentUpdates(before, after)).toEqual([
      { old_str: 'line number 77 of many', new_str: 'changed' },
    ]);
  });

  it('reach as far as it takes where lines repeat', () => {
    const updates = contentUpdates('x\nsame\ny\nsame\nz', 'x\nsame\ny\nother\nz');
    expect(updates).toEqual([{ old_str: 'y\nsame', new_str: 'y\nother' }]);
  });

  it('are a hundred at most', () => {
    const before = Array.from({ length: 500 }, (_, n) => `<${n}>`).join('\n');
    const after = before.replace(/<(\d*[02468])>/g, '($1)');
    const updates = contentUpdates(before, after);
    expect(updates.length).toBeLessThanOrEqual(100);
    expect(applyUpdates(before, updates)).toBe(after);
  });
});

describe('lines that stand for what is not text', () => {
  const child = '<page url="https://www.notion.so/1">Child</page>';
  it('are missed when they go, and noticed when they come', () => {
    expect(lostReferences(`a\n${child}\nb`, 'a\nb')).toEqual([child]);
    expect(lostReferences('a', `a\n\t${child}`)).toEqual([child]);
    expect(lostReferences(`${child}\na`, `b\na\n${child}`)).toEqual([]);
    expect(lostReferences(`${child}\n${child}`, child)).toEqual([child]);
    expect(lostReferences('a', '<pages are not one')).toEqual([]);
  });
});
