/** What the Slack mount makes of Slack's words, and of texts. */
import { describe, expect, it } from 'vitest';
import { failure, ServiceBench } from '../../test/services/testing.ts';
import { createSlackMount, type SlackMountOptions } from './index.ts';
import { readable, slackOf, textOf } from './text.ts';

describe('a text', () => {
  it.each([
    ['a &amp; b &lt; c &gt; d', 'a & b < c > d'],
    ['&lt;@U1&gt;', '&lt;@U1>'],
    [
      '&lt;#C1&gt; &lt;!here&gt; &lt;https://x&gt; &lt;mailto:a&gt;',
      '&lt;#C1> &lt;!here> &lt;https://x> &lt;mailto:a>',
    ],
    ['<https://x.example/?a=1&amp;b=2>', 'https://x.example/?a=1&b=2'],
    ['<mailto:a@b.example>', 'mailto:a@b.example'],
    ['<https://x.example|label>', '<https://x.example|label>'],
    ['<@U1> <#C1|general> <!here>', '<@U1> <#C1|general> <!here>'],
  ])('of Slack’s %j stands in a file as %j', (slack, text) => {
    expect(textOf(slack)).toBe(text);
  });

  it.each([
    [' a & b < c > d\n', 'a &amp; b &lt; c &gt; d'],
    [
      '<@U1> <#C1> <!here> <https://x|y> <mailto:a@b>',
      '<@U1> <#C1> <!here> <https://x|y> <mailto:a@b>',
    ],
    ['<b> <@> <ftp://x>', '&lt;b&gt; &lt;@&gt; &lt;ftp://x&gt;'],
    ['<@U1\n>', '&lt;@U1\n&gt;'],
    ['&lt;@U1>', '&lt;@U1&gt;'],
    ['&amp; &lt;b', '&amp;amp; &amp;lt;b'],
  ])('of a file %j is sent as %j', (text, slack) => {
    expect(slackOf(text)).toBe(slack);
  });

  it('is read with the names of people and channels', () => {
    const nameOf = (id: string) => `n${id}`;
    expect(readable('<@U1> <@U2|old> <#C1|general> <#C2>', nameOf)).toBe(
      '@nU1 @nU2 #general <#C2>',
    );
    expect(readable('<!here> <!channel|x> <!everyone> <!date^1|y>', nameOf)).toBe(
      '@here @channel @everyone <!date^1|y>',
    );
    expect(
      readable('<https://x.example|a b> <mailto:a@b|me> <https://y.example> &lt;', nameOf),
    ).toBe('a b (https://x.example) me (mailto:a@b) https://y.example <');
  });
});

describe('a refusal', () => {
  const asked: string[] = [];
  async function refused(answer: object) {
    asked.length = 0;
    const fetch = async (url: string | URL | Request) => {
      asked.push(String(url instanceof Request ? url.url : url));
      return Response.json(answer);
    };
    const bench = new ServiceBench<SlackMountOptions>('slack', createSlackMount, {
      baseUrl: 'https://slack.example/api',
      token: 'xoxb-test',
      fetch: fetch as typeof globalThis.fetch,
    });
    try {
      const { code, reason } = await failure(bench.mount().readdir('/'));
      return { code, reason };
    } finally {
      bench.end();
    }
  }

  it.each([
    [
      'EACCES',
      ['not_authed', 'invalid_auth', 'account_inactive', 'token_revoked', 'token_expired'],
    ],
    [
      'EACCES',
      [
        'missing_scope',
        'not_in_channel',
        'restricted_action',
        'cant_update_message',
        'cant_delete_message',
      ],
    ],
    ['ENOENT', ['channel_not_found', 'message_not_found', 'thread_not_found']],
    ['EIO', ['internal_error', 'fatal_error', 'request_timeout', 'service_unavailable']],
    ['EINVAL', ['too_long', 'unknown_error']],
  ])('is %s by %j', async (code, words) => {
    for (const error of words) {
      const found = await refused({ ok: false, error });
      expect([error, found.code]).toEqual([error, code]);
      expect(found.reason).toContain(error);
    }
  });

  it('names the scope that the token needs, and what says nothing is unknown', async () => {
    expect(
      (await refused({ ok: false, error: 'missing_scope', needed: 'users:read' })).reason,
    ).toContain('the token needs the scope users:read');
    expect((await refused({ ok: false, error: 'missing_scope' })).reason).not.toContain(
      'needs the scope',
    );
    expect((await refused({})).reason).toContain('unknown_error');
    expect(asked[0]).toMatch(/^https:\/\/slack\.example\/api\//);
  });
});
