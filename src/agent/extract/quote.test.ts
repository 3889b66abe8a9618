import { expect, test } from 'vitest';
import { linesAround, quotation } from './quote.ts';

const RECORD = [
  '---',
  'title: "Runbook: webhooks are late"',
  'state: open',
  '---',
  '',
  '# Look',
  '',
  'The outbound pool is full.',
  'Wait.',
  '',
  'More.',
];

test('a hit in the fields of a record is quoted by its title and first paragraph', () => {
  const hit = { path: '/mnt/n/p.md', line: 3, text: 'state: open' };
  expect(linesAround(hit).first).toBe(1);
  expect(quotation(hit, RECORD.join('\n'))).toBe(
    'title: "Runbook: webhooks are late"\n> The outbound pool is full.\n> Wait.\n— /mnt/n/p.md:8-9',
  );
});

test('a hit in the text is quoted by its paragraph, wherever it stands', () => {
  const near = { path: '/a.md', line: 9, text: 'Wait.' };
  expect(quotation(near, RECORD.join('\n'))).toBe(
    '> The outbound pool is full.\n> Wait.\n— /a.md:8-9',
  );
  const far = { path: '/a.md', line: 100, text: 'Wait.' };
  expect(linesAround(far)).toEqual({ first: 97, last: 103 });
  expect(quotation(far, 'x\n\nThe pool.\nWait.\n\ny')).toBe('> The pool.\n> Wait.\n— /a.md:99-100');
});

test('a record without text, and a file that could not be read, give the line of the hit', () => {
  const hit = { path: '/a.md', line: 2, text: 'title: x' };
  expect(quotation(hit, '---\ntitle: x\n---\n')).toBe('> title: x\n— /a.md:2');
  expect(quotation(hit, undefined)).toBe('> title: x\n— /a.md:2');
});
