import { describe, expect, it } from 'vitest';
import { type Person, personOf } from './people.ts';

const mara: Person = { name: 'mara-l', id: 'u1', also: ['Mara Lindqvist', 'mara@harbor.example'] };
const ines: Person = {
  name: 'ines-moreau',
  id: 'u2',
  also: ['Inès Moreau', 'ines@harbor.example'],
};
const twin: Person = {
  name: 'mara-2',
  id: 'u3',
  also: ['Mara Lindqvist', 'lindqvist@harbor.example'],
};

function named(people: readonly Person[], typed: string): string {
  const found = personOf(people, typed);
  return 'person' in found ? found.person.name : `refused: ${found.refused}`;
}

describe('a person', () => {
  it.each([
    'mara-l',
    '@mara-l',
    ' MARA-L',
    'u1',
    'Mara Lindqvist',
    'mara lindqvist',
    'mara@harbor.example',
    'MARA@harbor.example',
  ])('is found by what somebody would type: %s', (typed) => {
    expect(named([mara, ines], typed)).toBe('mara-l');
  });

  it('is found without accents and hyphens', () => {
    expect(named([mara, ines], 'Ines Moreau')).toBe('ines-moreau');
    expect(named([{ ...ines, also: [] }], 'Inès Moreau')).toBe('ines-moreau');
  });

  it('who is not known is refused with the nearest', () => {
    expect(named([mara, ines], 'mara')).toContain('no person "mara" here (nearest: mara-l;');
    expect(named([mara, ines], 'mara@other.example')).toContain('nearest: mara-l;');
    expect(named([mara, ines], 'zzz')).toContain('(allowed: ines-moreau, mara-l)');
    expect(named([mara], '---')).toContain('no person');
  });

  it('who could be two is refused with what tells them apart', () => {
    expect(named([mara, twin], 'Mara Lindqvist')).toContain(
      'mara-l (mara@harbor.example), mara-2 (lindqvist@harbor.example)',
    );
    expect(named([mara, twin], 'mara-2')).toBe('mara-2');
  });
});
