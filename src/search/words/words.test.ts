import { describe, expect, it } from 'vitest';
import { porterStem } from './porter.ts';
import { Stemmer, wordsOf } from './words.ts';

describe('words', () => {
  it.each([
    ['writeBoolean', ['write', 'boolean']],
    ['HTTPServer_error', ['http', 'server', 'error']],
    ['ETIMEDOUT after 10s', ['etimedout', 'after', '10s']],
    ['größe naïve', ['größe', 'naïve']],
    ['', []],
  ])('of %j are %j', (text, words) => {
    expect(wordsOf(text)).toEqual(words);
  });

  it('leave out what only a machine reads', () => {
    expect(wordsOf(`hash ${'a'.repeat(64)}`)).toEqual(['hash']);
  });

  it('become terms without stop words', () => {
    expect(new Stemmer().terms('How are the connections handled?')).toEqual(['connect', 'handl']);
  });
});

describe('stems are those of Porter', () => {
  it.each(
    Object.entries({
      caresses: 'caress',
      ponies: 'poni',
      agreed: 'agre',
      hopping: 'hop',
      filing: 'file',
      relational: 'relat',
      vietnamization: 'vietnam',
      electrical: 'electr',
      adjustment: 'adjust',
      adoption: 'adopt',
      bowdlerize: 'bowdler',
      rate: 'rate',
      controlling: 'control',
      oscillators: 'oscil',
      sky: 'sky',
    }),
  )('%s: %s', (word, stem) => {
    expect(porterStem(word)).toBe(stem);
  });
});
