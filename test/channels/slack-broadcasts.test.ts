/** What an agent, or a text that it quotes, says in Slack calls nobody but people by their ids. */
import { expect, test } from 'vitest';
import { withoutBroadcasts } from '../../channels/slack/broadcasts.ts';

test.each(['<!channel>', 'see <!here|here>', '<!subteam^S1|all>', '@channel', 'so, @everyone!'])(
  '%j calls nobody, and reads the same',
  (text) => {
    const sent = withoutBroadcasts(text);
    expect(sent).not.toMatch(/<!|@(?:channel|here|everyone)/);
    expect(sent.replaceAll('\u2060', '')).toBe(text);
  },
);

test('people, addresses and packages stay as they are', () => {
  const text = '<@U1>, ana@here.example, `npm i @channels/x` and a<b';
  expect(withoutBroadcasts(text)).toBe(text);
});
