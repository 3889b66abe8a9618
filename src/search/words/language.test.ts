/** Which language a text or a question is in, and what a question is looked for by. */
import { describe, expect, test } from 'vitest';
import { american } from './american.ts';
import { folded, isPlain } from './folded.ts';
import {
  LANGUAGES,
  type Language,
  languageOf,
  languageOfQuestion,
  nameOf,
  stemIn,
  stopsOf,
} from './languages.ts';
import { askedWords, questionWords } from './question-terms.ts';
import { identifiersOf, isStopWord, Stemmer, wholesOf, wordsOf } from './words.ts';

const times = (count: number, word: string): string => `${word} `.repeat(count).trim();

describe('the language of a text', () => {
  test.each<[string, Language]>([
    ['한국어 문서', 'ko'],
    ['更新令牌', 'zh'],
    ['トークンの更新', 'ja'],
    ['обновить токен', 'ru'],
    ['оновити їх', 'uk'],
    ['ανανέωση', 'el'],
    ['تحديث', 'ar'],
    ['עדכון', 'he'],
    ['อัปเดต', 'th'],
    ['अद्यतन', 'hi'],
    ['', 'en'],
    ['ä', 'en'],
  ])('is told by its script: %s is %s', (text, language) => {
    expect(languageOf(text)).toBe(language);
    expect(languageOfQuestion(text)).toBe(text.length < 2 ? null : language);
  });

  test('where two in five letters are in it; a sign for a word is three', () => {
    expect([languageOf('абвг abcdef'), languageOf('абвг abcdefg')]).toEqual(['ru', 'en']);
    expect([languageOf(`更新 ${'a'.repeat(9)}`), languageOf(`更新 ${'a'.repeat(10)}`)]).toEqual([
      'zh',
      'en',
    ]);
    expect([languageOf(`한국 ${'a'.repeat(9)}`), languageOf(`한국 ${'a'.repeat(10)}`)]).toEqual([
      'ko',
      'en',
    ]);
  });

  test('is that of its first 2,500 characters', () => {
    expect(languageOf(`${'xq '.repeat(830)}${'ανανέωση '.repeat(400)}`)).toBe('en');
    expect(languageOf(`${'xq '.repeat(100)}${'ανανέωση '.repeat(400)}`)).toBe('el');
  });

  test('is told by words that tell nothing: three of them, an eighth of all, and more than there are English ones', () => {
    expect([languageOf('nicht ich wir'), languageOf('nicht ich xq')]).toEqual(['de', 'en']);
    expect([
      languageOf(`nicht ich wir ${times(22, 'xq')}`),
      languageOf(`nicht ich wir ${times(23, 'xq')}`),
    ]).toEqual(['de', 'en']);
    expect([languageOf('nicht ich wir the of'), languageOf('nicht ich wir the of with')]).toEqual([
      'de',
      'en',
    ]);
  });
});

describe('the language of a question', () => {
  const asked = (
    text: string,
    hints: Parameters<typeof languageOfQuestion>[1] = {},
  ): Language | null => languageOfQuestion(text, hints);
  const foreign = { isEnglish: () => false };

  test('is English where it has as many of its words as of any other', () => {
    expect([asked('the token'), asked('the nicht xq'), asked('the nicht wir xq')]).toEqual([
      'en',
      'en',
      null,
    ]);
  });

  test('is another one where three words tell, and a quarter of all', () => {
    expect([
      asked(`nicht ich wir ${times(9, 'xq')}`),
      asked(`nicht ich wir ${times(10, 'xq')}`),
    ]).toEqual(['de', null]);
    expect(asked('nicht ich wir the xq')).toBe('de');
  });

  test('or where one does, and half of the others are not English', () => {
    expect([asked('warum xq'), asked('warum xq', foreign), asked('xq', foreign)]).toEqual([
      null,
      'de',
      null,
    ]);
    const isEnglish = (word: string): boolean => word.startsWith('e');
    expect([
      asked('warum eins zwei', { isEnglish }),
      asked('warum eins emil zwei', { isEnglish }),
    ]).toEqual(['de', null]);
    expect(asked('warum', foreign)).toBeNull();
    expect(asked('warum the xq', foreign)).toBe('en');
    expect(asked('warum wieso the xq', foreign)).toBeNull();
  });

  test('or where it has accents', () => {
    expect([asked('warum größe'), asked('warum grosse')]).toEqual(['de', null]);
  });

  test('of words of several is that of texts that there are', () => {
    const present = (...languages: Language[]): Language | null =>
      asked('hvem xq', { present: languages, ...foreign });
    expect([present('da'), present('no')]).toEqual(['da', 'no']);
    expect(asked('hvem øl')).toBeNull();
  });
});

test('languages have names, stop words and stems', () => {
  expect([nameOf('de'), nameOf('pt'), LANGUAGES[0]]).toEqual(['German', 'Portuguese', 'en']);
  expect([stopsOf('de').has('warum'), stopsOf('en').has('warum'), stopsOf('ja').size]).toEqual([
    true,
    false,
    0,
  ]);
  for (const [language, word] of [
    ['da', 'hvorfor'],
    ['es', 'cómo'],
    ['fr', 'pourquoi'],
    ['it', 'perché'],
    ['nl', 'waarom'],
    ['no', 'hvorfor'],
    ['pt', 'quando'],
    ['sv', 'varför'],
    ['de', 'und'],
    ['ru', 'и'],
    ['fi', 'ja'],
  ] as const)
    expect(isStopWord(word, language), word).toBe(true);
  expect([isStopWord('the'), isStopWord('und'), stemIn('de', 'häuser'), stemIn('ja', 'é')]).toEqual(
    [true, false, 'haus', 'e'],
  );
});

describe('a question is looked for by', () => {
  const stemmer = new Stemmer();
  const asked = (text: string, languages: readonly Language[], ...there: readonly string[]) =>
    questionWords(text, languages, stemmer, (term) => there.includes(term));

  test('English stems where nothing tells otherwise', () => {
    expect(asked('how are invoices paid', ['en', 'de'], 'invoic')).toEqual({
      language: 'en',
      terms: ['invoic', 'paid'],
    });
    expect(asked('invoices', [])).toEqual({ language: 'en', terms: ['invoic'] });
  });

  test('stems of a language that knows more of its words', () => {
    expect(asked('wie werden rechnungen bezahlt', ['en', 'de'], 'rechnung', 'bezahlt')).toEqual({
      language: 'de',
      terms: ['rechnung', 'bezahlt'],
    });
    // Known by their stems, and none of them English.
    expect(asked('rechnungen bezahlt', ['de'], 'rechnung').language).toBe('de');
    expect(asked('rechnungen invoices', ['de'], 'rechnung', 'invoic').language).toBe('en');
    expect(asked('rechnungen invoices häuser', ['de'], 'rechnung', 'haus', 'invoic').language).toBe(
      'de',
    );
  });

  test('the stem that occurs, the own one first', () => {
    const text = 'warum wieso invoices';
    expect(asked(text, ['de'], 'invoic')).toEqual({ language: 'de', terms: ['invoic'] });
    expect(asked(text, ['de'], 'invoices', 'invoic').terms).toHaveLength(1);
    expect(asked('warum wieso rechnungen', ['de']).terms).toEqual(['rechnung']);
    expect(askedWords(['warum', 'rechnungen', 'token'], 'de', stemmer)).toEqual([
      { word: 'rechnungen', stems: ['rechnung', 'rechnungen'] },
      { word: 'token', stems: ['tok', 'token'] },
    ]);
  });
});

describe('words', () => {
  test.each([
    ['10ms 5GB 3kHz 2h 7days', ['10', 'ms', '5', 'gb', '3', 'khz', '2', 'h', '7days']],
    ['x10ms', ['x10ms']],
    ['aB ABc AB aBC', ['a', 'b', 'a', 'bc', 'ab', 'a', 'bc']],
    [`${'a'.repeat(40)} ${'b'.repeat(41)}`, ['a'.repeat(40)]],
    ['更新令', ['更新', '新令']],
    ['a更b', ['a', '更', 'b']],
    ['ไทย', ['ไท', 'ทย']],
    ['don’t', ['don', 't']],
  ])('of %j are %j', (text, words) => {
    expect(wordsOf(text)).toEqual(words);
  });

  test('with a capital inside are kept whole as well', () => {
    expect(wholesOf('PostgreSQL postgreSQL plain ABC writeFile')).toEqual([
      'postgresql',
      'writefile',
    ]);
    expect(wholesOf(`a${'B'.repeat(39)} a${'B'.repeat(40)}`)).toEqual([`a${'b'.repeat(39)}`]);
  });

  test('that are joined are identifiers', () => {
    expect(
      identifiersOf('call writeFile(a_b, "c.d") or std::map, e.g. U.S.A x.y _a.bc_ plain 12:30'),
    ).toEqual(
      ['writeFile', 'a_b', 'c.d', 'std::map', 'x.y', '_a.bc_', '12:30'].filter((each) =>
        wordsOf(each).some((word) => word.length > 1),
      ),
    );
  });

  test('of another language are known by both stems', () => {
    const stemmer = new Stemmer();
    expect(stemmer.terms('die Rechnungen', 'de')).toEqual(['rechnung', 'rechnungen']);
    expect(stemmer.terms('haus', 'de')).toEqual(['haus', 'hau']);
    expect(stemmer.terms('haus haus'), 'again').toEqual(['hau', 'hau']);
    expect([stemmer.stem('Größe'), stemmer.stem('colours'), stemmer.stem('häuser', 'de')]).toEqual([
      'Grosse',
      'color',
      'haus',
    ]);
  });

  test('are folded to plain letters', () => {
    expect([folded('Inès STRAẞE Łódź ﬁ ıħþÞ'), folded('plain'), folded('हिन्दी')]).toEqual([
      'Ines STRASSE Lodz fi ihthTH',
      'plain',
      'हिन्दी',
    ]);
    expect([isPlain('~\u007f'), isPlain('\u0080')]).toEqual([true, false]);
  });

  test.each([
    ['colours', 'colors'],
    ['organisations', 'organizations'],
    ['realise', 'realize'],
    ['analyse', 'analyze'],
    ['paralysed', 'paralyzed'],
    ['kilometres', 'kilometers'],
    ['centred', 'centered'],
    ['theatre', 'theater'],
    ['grey', 'gray'],
    ['catalogues', 'catalogs'],
    ['licence', 'license'],
    ['our', 'our'],
    ['rise', 'rise'],
    ['rising', 'rising'],
    ['compromised', 'compromised'],
    ['unadvised', 'unadvised'],
    ['acres', 'acres'],
    ['ogre', 'ogre'],
    ['glass', 'glass'],
  ])('of %s is American %s', (british, spelled) => {
    expect(american(british)).toBe(spelled);
  });
});
