import { describe, expect, it } from 'vitest';
import { american } from './american.ts';
import { type Language, languageOf, languageOfQuestion } from './languages.ts';
import { Stemmer, wordsOf } from './words.ts';

describe('words', () => {
  it.each([
    ['writeBoolean', ['write', 'boolean']],
    ['HTTPServer_error', ['http', 'server', 'error']],
    ['ETIMEDOUT after 10s', ['etimedout', 'after', '10', 's']],
    ['10 ms and 10ms, a 3d plot', ['10', 'ms', 'and', '10', 'ms', 'a', '3d', 'plot']],
    ['ＡＰＩ', ['api']],
    ['GitHubの更新', ['git', 'hub', 'の更', '更新']],
    ['犬', ['犬']],
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

describe('terms are the same', () => {
  const terms = (text: string, language?: Language) => new Stemmer().terms(text, language);
  it.each([
    ['Inès', 'Ines'],
    ['Straße', 'strasse'],
    ['Ærøskøbing', 'aeroskobing'],
    ['Łódź', 'Lodz'],
    ['ｆｕｌｌ ｗｉｄｔｈ', 'full width'],
    ['organise', 'organize'],
    ['behavioural', 'behavioral'],
    ['data centres', 'data center'],
    ['cancelled', 'canceled'],
    ['analysed', 'analyzed'],
    ['licences', 'license'],
  ])('of %s and of %s', (one, other) => {
    expect(terms(one)).toEqual(terms(other));
  });

  it.each(['promise', 'exercise', 'revised', 'wise', 'four', 'hours', 'store', 'core'])(
    'of %s, which is spelled so everywhere, as ever',
    (word) => {
      expect(american(word)).toBe(word);
    },
  );

  it.each([
    ['de', 'Rechnungen', 'Rechnung'],
    ['fr', 'problèmes', 'probleme'],
    ['es', 'configuraciones', 'configuración'],
    ['ru', 'ошибки', 'ошибка'],
  ] as const)('in %s of %s and of %s', (language, one, other) => {
    expect(terms(one, language)[0]).toBe(terms(other, language)[0]);
  });
});

describe('the language', () => {
  it.each([
    ['How do I renew a token that has expired?', 'en'],
    ['Wie erneuere ich ein abgelaufenes Token?', 'de'],
    ['Quelle est la durée de vie du jeton ?', 'fr'],
    ['¿Cómo se renueva el token de la cuenta?', 'es'],
    ['как обновить токен', 'ru'],
    ['如何更新令牌', 'zh'],
    ['トークンを更新する方法', 'ja'],
    ['Rechnungen für Müller', 'de'],
  ])('of %s is %s', (text, language) => {
    expect(languageOfQuestion(text)).toBe(language);
  });

  it.each(['kubernetes ingress', 'die cast man pages', 'PostgreSQL', 'en route caching', 'DE'])(
    'of %s is not told to be another one than English',
    (text) => {
      expect([null, 'en']).toContain(languageOfQuestion(text));
    },
  );

  it('of a document that quotes others is English', () => {
    expect(languageOf('The German word "die" and the French "la" are articles, as is "der".')).toBe(
      'en',
    );
    expect(languageOf('const a = 1;\nexport default a;\n')).toBe('en');
  });
});
