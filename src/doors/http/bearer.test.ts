/** Who comes in over HTTP: by which tokens, as whom, and how that is written down. */

import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryDirectory } from '../../../test/temporary-directory.ts';
import { checkPrincipal, isInCharge } from '../principal.ts';
import { bearerOf, checkToken, clientOf, newToken, readClients } from './bearer.ts';

const digest = (token: string): string => createHash('sha256').update(token).digest('hex');
function clients(text: string, hasIssuer?: boolean) {
  const directory = temporaryDirectory();
  const file = join(directory, 'clients.yaml');
  writeFileSync(file, text);
  return readClients(file, hasIssuer);
}

test('a token is nobody’s guess, and each lets in whom it was made for', () => {
  expect(newToken()).toMatch(/^[\w-]{43}$/);
  expect(newToken()).not.toBe(newToken());
  const list = [bearerOf('a', { actor: 'ann' }), bearerOf('b', { actor: 'bob' })];
  expect(['a', 'b', 'c', ''].map((token) => clientOf(token, list)?.actor ?? null)).toEqual([
    ...['ann', 'bob', null, null],
  ]);
  expect([checkToken('a!~', '--token'), checkToken('x', '--token')]).toEqual(['a!~', 'x']);
  for (const wrong of ['', 'a b', 'é', 'a\n'])
    expect(() => checkToken(wrong, '--token')).toThrow('--token: a token is');
});

describe('a file of clients', () => {
  test('has those with tokens, and those of an authorization server', () => {
    const text = `ann: {sha256: ${digest('a')}, agent: reader}\nbob: {sha256: "${digest('b').toUpperCase()}"}\n`;
    const { bearers, granted } = clients(text);
    expect([clientOf('a', bearers), clientOf('b', bearers), granted]).toEqual([
      ...[{ actor: 'ann', agent: 'reader' }, { actor: 'bob' }, []],
    ]);
    const both = clients(
      `${text}eve: {subject: "0|1", scopes: {read: reader, "a:b": writer}}\n`,
      true,
    );
    expect(both.granted.map(({ subject, scopes }) => [subject, [...scopes]])).toEqual([
      [
        '0|1',
        [
          ['read', { actor: 'eve', agent: 'reader' }],
          ['a:b', { actor: 'eve', agent: 'writer' }],
        ],
      ],
    ]);
    // Digits alone are a text, too.
    expect(clients(`ann: {sha256: ${'1'.repeat(64)}}`).bearers).toHaveLength(1);
  });

  const SUBJECT = '{subject: s, scopes: {read: reader}}';
  test.each<[string, boolean, string]>([
    ['{}', false, 'it names no client'],
    ['[', false, 'it is no YAML'],
    ['- ann', false, 'it should have'],
    ['ann: token', false, 'ann '],
    ['ann: {sha256: abc}', false, 'ann.sha256 should be 64 hexadecimal digits'],
    [`ann: {sha256: ${digest('a')}, token: a}`, false, 'token'],
    [`no name: {sha256: ${digest('a')}}`, false, 'actor should be'],
    ['ann: {subject: s, scopes: {}}', true, 'ann.scopes names no scope'],
    ['ann: {subject: "", scopes: {read: r}}', true, 'ann.subject'],
    ['ann: {subject: s, scopes: {"a b": r}}', true, 'ann.scopes'],
    [`ann: ${SUBJECT}`, false, '--issuer says which one'],
    [
      `ann: {sha256: ${digest('a')}}\nbob: {sha256: ${digest('a')}}`,
      false,
      'two clients have the same token',
    ],
    [`ann: ${SUBJECT}\nbob: ${SUBJECT}`, true, 'two clients have the same subject'],
  ])('that says %j is refused: %#', (text, hasIssuer, said) => {
    expect(() => clients(text, hasIssuer)).toThrow(said);
  });

  test('that is not there is told', () => {
    expect(() => readClients('/none/clients.yaml')).toThrow(
      '--clients: /none/clients.yaml is not there',
    );
  });
});

describe('a principal', () => {
  test.each([
    [{ actor: 'a' }],
    [{ actor: 'A.b_c@d+e-1', agent: 'r', session: '01' }],
    [{ actor: `a${'b'.repeat(63)}` }],
  ])('%j can come in', (given) => {
    expect(checkPrincipal(given)).toEqual(given);
  });

  test.each([
    [{}, 'actor '],
    [{ actor: '' }, 'actor should be'],
    [{ actor: `a${'b'.repeat(64)}` }, 'actor should be'],
    [{ actor: '-a' }, 'actor should be'],
    [{ actor: 'a b' }, 'actor should be'],
    [{ actor: 'a', agent: '/' }, 'agent should be'],
    [{ actor: 'a', session: '' }, 'session should be'],
    [{ actor: 'a', role: 'owner' }, 'it '],
    [null, 'it '],
    [{ actor: '', agent: '' }, '; agent'],
  ])('%j cannot, and each fault is named', (given, said) => {
    expect(() => checkPrincipal(given)).toThrow(said);
  });

  test('is in charge as the user, and as an agent of theirs by its own name', () => {
    expect(isInCharge({ actor: 'user', agent: 'reader' }, false)).toBe(true);
    expect(
      [true, false].map((own) => isInCharge({ actor: 'reader', agent: 'reader' }, own)),
    ).toEqual([true, false]);
    expect([true, false].map((own) => isInCharge({ actor: 'ann', agent: 'reader' }, own))).toEqual([
      false,
      false,
    ]);
    expect(isInCharge({ actor: 'ann' }, true)).toBe(false);
  });
});
