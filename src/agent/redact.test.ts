/** Secrets leave a text, the rest stays, and no text takes more than its length. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { growth } from '../../test/support/cpu-time.ts';
import { REDACTED, redacted } from './redact.ts';

const JWT = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl';
const PEM = '-----BEGIN RSA PRIVATE KEY-----\nMIIB\n-----END RSA PRIVATE KEY-----';

test.each([
  ['ghp_0123456789abcdefghij', REDACTED],
  ['(sk-abcdefghijklmnop)', `(${REDACTED})`],
  [`before ${JWT}, after`, `before ${REDACTED}, after`],
  [`x-${JWT}`, `x-${REDACTED}`],
  [`a.b.${JWT}.c`, `a.b.${REDACTED}.c`],
  ['eyJhbGciOiJI.eyJzdWIiOiIx.', REDACTED],
  [`one\n${PEM}\ntwo\n${PEM}`, `one\n${REDACTED}\ntwo\n${REDACTED}`],
  ['password: hunter22', `password: ${REDACTED}`],
  ['API_KEY="abcdef123"', `API_KEY="${REDACTED}"`],
  ["token  =  'abcdef123'", `token  =  '${REDACTED}'`],
  ['Authorization: Bearer abcdefgh.ijkl', `Authorization: Bearer ${REDACTED}`],
  ['token: Bearer abcdefgh.ijkl', `token: ${REDACTED} ${REDACTED}`],
])('%j', (text, shown) => {
  expect(redacted(text)).toBe(shown);
});

test.each([
  'the token is short: abc',
  'a secret of success',
  'eyJ.eyJ.x and version 1.2.3',
  '-----BEGIN PRIVATE KEY----- is how a key begins',
  'task-list sk-1 AKIA',
])('%j stays', (text) => {
  expect(redacted(text)).toBe(text);
});

/** Beginnings of secrets, repeated and with what was searched through again and again. */
const UNITS = [
  'token ',
  ' ',
  'token:',
  'token: ',
  'token" ',
  'Bearer ',
  '-eyJaaaaaaaaaaa',
  'eyJaaaaaaaa.',
  'eyJ',
  'a.',
  '-----BEGIN PRIVATE KEY-----',
  '-----BEGIN A ',
  '-----END ',
  '-----END A PRIVATE KEY',
  'A PRIVATE KEY',
  'secret_',
  'sk-',
  'api_key=',
  '\n',
];

test('half a megabyte of beginnings takes time in proportion', () => {
  const attacks = UNITS.flatMap((unit) => [
    (bytes: number) => unit.repeat(bytes / unit.length),
    (bytes: number) => `token${' '.repeat(bytes / 2)}${unit.repeat(bytes / 2 / unit.length)}`,
    (bytes: number) => `-----BEGIN ${unit.repeat(bytes / unit.length)}`,
  ]);
  for (const attack of attacks) {
    const work = (bytes: number) => {
      const text = attack(bytes);
      return () => void redacted(text);
    };
    // Linear is 8. The square would be 64, and a quarter of a minute.
    const most = 40;
    const grown = growth(work, { small: 62_500, large: 500_000, enough: most });
    expect(grown, attack(40)).toBeLessThan(most);
  }
});

test('what was taken out is not there any more, whatever stands around it', () => {
  const around = fc.array(fc.constantFrom(...UNITS, 'x', '"', ','), { maxLength: 6 });
  fc.assert(
    fc.property(around, around, (before, after) => {
      const text = `${before.join('')}\n${JWT}\n${after.join('')}`;
      expect(redacted(text)).not.toContain(JWT);
    }),
  );
});
