/** The fields that each kind of channel takes, what they are by default, and which are refused. */
import { expect, test } from 'vitest';
import { channelKinds } from '../../channels/index.ts';

type Fields = Record<string, unknown>;
const kindOf = (name: string) => {
  const kind = channelKinds.get(name);
  if (kind === undefined) throw new Error(`there is no kind ${name}`);
  return kind;
};
const read = (name: string, fields: Fields) => kindOf(name).settings.safeParse(fields);

test.each<[string, number, Fields, Fields]>([
  ['discord', 4_000, {}, { token: 'DISCORD_BOT_TOKEN', baseUrl: 'https://discord.com' }],
  [
    'github',
    60_000,
    { login: 'desk-bot' },
    {
      login: 'desk-bot',
      token: 'GITHUB_TOKEN',
      secret: 'GITHUB_WEBHOOK_SECRET',
      baseUrl: 'https://api.github.com',
    },
  ],
  [
    'linear',
    60_000,
    { login: 'desk' },
    { login: 'desk', token: 'LINEAR_API_KEY', secret: 'LINEAR_WEBHOOK_SECRET' },
  ],
  [
    'slack',
    3_800,
    {},
    {
      token: 'SLACK_BOT_TOKEN',
      mode: 'socket',
      appToken: 'SLACK_APP_TOKEN',
      signingSecret: 'SLACK_SIGNING_SECRET',
    },
  ],
  [
    'telegram',
    3_800,
    {},
    { token: 'TELEGRAM_BOT_TOKEN', mode: 'polling', secret: 'TELEGRAM_WEBHOOK_SECRET' },
  ],
])(
  '%s says at most %i characters at once, and has the usual names of variables',
  (name, most, given, wanted) => {
    expect(kindOf(name).mostText).toBe(most);
    expect(read(name, given).data).toEqual(wanted);
  },
);

test.each<[string, Fields[], Fields[]]>([
  ['discord', [{ baseUrl: 'http://127.0.0.1:1' }], [{ token: '' }, { baseUrl: 'x' }, { other: 1 }]],
  [
    'github',
    [{ login: 'a' }, { login: 'A-1' }, { login: 'a'.repeat(39) }],
    [{}, { login: '-a' }, { login: 'a_b' }, { login: 'a'.repeat(40) }, { login: 'a', secret: '' }],
  ],
  [
    'linear',
    [{ login: 'Ä.b_c-1' }, { login: 'a'.repeat(64) }],
    [{}, { login: '.a' }, { login: 'a b' }, { login: 'a'.repeat(65) }, { login: 'a', token: '' }],
  ],
  [
    'telegram',
    [{ mode: 'webhook' }, { baseUrl: 'http://127.0.0.1:1' }],
    [{ mode: 'socket' }, { token: '' }, { secret: '' }],
  ],
  [
    'slack',
    [{ mode: 'webhook' }, { baseUrl: 'http://127.0.0.1:1/api/' }],
    [{ mode: 'poll' }, { token: '' }, { appToken: '' }],
  ],
])('%s takes %j, and nothing like %j', (name, right, wrong) => {
  for (const fields of right) expect([fields, read(name, fields).success]).toEqual([fields, true]);
  for (const fields of wrong) expect([fields, read(name, fields).success]).toEqual([fields, false]);
});
