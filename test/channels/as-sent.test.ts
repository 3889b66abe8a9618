/** An answer counts only where what was asked still stands as it was sent. */
import { expect, test } from 'vitest';
import { isAsSent, noteSent, type Shown } from '../../channels/as-sent.ts';

const memory = (() => {
  const kept = new Map<string, string>();
  return {
    get: (name: string) => kept.get(name),
    set: (name: string, text: string) => void kept.set(name, text),
  };
})();
const shown = (id: string, text: string, isTouched = false): Shown => ({ id, text, isTouched });
noteSent(memory, '1', 'May I? token-a\n');
noteSent(memory, '2', 'Done.');

test('what was noted stands as it was sent, line ends and blanks around it aside', () => {
  expect(isAsSent(memory, [], null)).toBe(true);
  expect(isAsSent(memory, [shown('1', ' May I? token-a\r\n'), shown('2', 'Done.')], null)).toBe(
    true,
  );
  expect(isAsSent(memory, [shown('1', 'May I? token-b'), shown('2', 'Done.')], null)).toBe(false);
  // A touch that left it as it was changes nothing.
  expect(isAsSent(memory, [shown('2', 'Done.', true)], null)).toBe(true);
});

test('what was not noted may stand there, unless it was touched or asks for an answer', () => {
  expect(isAsSent(memory, [shown('9', 'by another way')], null)).toBe(true);
  expect(isAsSent(memory, [shown('9', 'by another way', true)], null)).toBe(false);
  expect(isAsSent(memory, [shown('9', 'type /answer x yes')], null)).toBe(false);
  expect(isAsSent(memory, [shown('9', 'type /answer x yes', true)], null)).toBe(false);
});

test('a button counts where its message, and that alone, bears its token', () => {
  const asked = shown('1', 'May I? token-a');
  const press = (all: Shown[], message: string) =>
    isAsSent(memory, all, { token: 'token-a', message });
  expect(press([asked, shown('2', 'Done.')], '1')).toBe(true);
  expect(press([asked], '2')).toBe(false);
  expect(press([asked, shown('9', 'see token-a')], '1')).toBe(false);
  expect(press([shown('2', 'Done.')], '2')).toBe(false);
});
