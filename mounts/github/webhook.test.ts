/** GitHub's deliveries: its own test vector, and the payloads of @octokit/webhooks-examples 7.6.1. */
import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { type Delivery, DeliveryRefusal } from '../../src/mount/index.ts';
import { githubWebhook } from './webhook.ts';

const SECRET = 'a secret of the tests';
const NOW = new Date('2026-01-01T00:00:00Z');

interface Examples {
  name: string;
  examples: Record<string, unknown>[];
}
const file = new URL('../../test/stand-ins/github/webhook-examples.json.gz', import.meta.url);
const EXAMPLES = JSON.parse(gunzipSync(readFileSync(file)).toString()) as Examples[];

function delivered(event: string, body: string, headers: Record<string, string> = {}): Delivery {
  const signature = createHmac('sha256', SECRET).update(body).digest('hex');
  const all: Record<string, string> = {
    'x-github-event': event,
    'x-github-delivery': '72d3162e-cc78-11e3-81ab-4c9367dc0958',
    'x-hub-signature-256': `sha256=${signature}`,
    ...headers,
  };
  return { header: (name) => all[name] ?? null, body: Buffer.from(body) };
}

const refusal = (delivery: Delivery, secret = SECRET): string => {
  try {
    githubWebhook.receive(delivery, { secret, now: NOW });
  } catch (error) {
    if (error instanceof DeliveryRefusal) return error.kind;
    throw error;
  }
  return 'taken';
};

/** https://docs.github.com/webhooks/using-webhooks/validating-webhook-deliveries#testing-the-webhook-payload-validation */
test('the signature is the one of GitHub’s own test vector', () => {
  const secret = "It's a Secret to Everybody";
  const published = 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17';
  const vector = (signature: string) =>
    delivered('ping', 'Hello, World!', { 'x-hub-signature-256': signature });
  // It is signed rightly, and is no JSON.
  expect(refusal(vector(published), secret)).toBe('malformed');
  expect(refusal(vector(published.replace(/7$/, '8')), secret)).toBe('unsigned');
});

test('what is signed by somebody else, cut, changed or not signed is refused', () => {
  const body = JSON.stringify({ action: 'opened' });
  const rightly = delivered('issues', body);
  expect(refusal(rightly)).toBe('taken');
  expect(refusal(rightly, 'another')).toBe('unsigned');
  expect(refusal({ ...rightly, body: Buffer.from(`${body} `) })).toBe('unsigned');
  const signature = rightly.header('x-hub-signature-256') ?? '';
  for (const wrong of ['', signature.slice(0, -1), signature.slice(7), 'sha256=', `${signature}00`])
    expect(refusal(delivered('issues', body, { 'x-hub-signature-256': wrong }))).toBe('unsigned');
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  expect(refusal(delivered('issues', body, form))).toBe('malformed');
  expect(refusal(delivered('issues', body, { 'x-github-delivery': '' }))).toBe('malformed');
});

test('each of the published payloads is read, and those of records name them', () => {
  const without = new Set<string>();
  let read = 0;
  for (const { name, examples } of EXAMPLES)
    for (const example of examples) {
      const event = githubWebhook.receive(delivered(name, JSON.stringify(example)), {
        secret: SECRET,
        now: NOW,
      });
      read += 1;
      const action = example['action'];
      expect(event.type).toBe(typeof action === 'string' ? `${name}.${action}` : name);
      for (const path of event.paths) expect(path).toMatch(/^\/[\w.-]+\/[\w.-]+\/[^/]/);
      if (event.paths.length === 0) without.add(name);
    }
  expect(read).toBeGreaterThan(300);
  const records = ['issues', 'issue_comment', 'pull_request', 'pull_request_review', 'label'];
  expect(records.filter((name) => without.has(name))).toEqual([]);
});

test('a payload says who it was, and where it is', () => {
  const example = (name: string, action: string) =>
    EXAMPLES.find((each) => each.name === name)?.examples.find((each) => each['action'] === action);
  const of = (name: string, action: string) =>
    githubWebhook.receive(delivered(name, JSON.stringify(example(name, action))), {
      secret: SECRET,
      now: NOW,
    });
  expect(of('issues', 'opened')).toMatchObject({
    type: 'issues.opened',
    by: '21031067',
    actor: 'Codertocat',
    paths: ['/Codertocat/Hello-World/issues/1.md'],
    gone: [],
  });
  expect(of('issue_comment', 'deleted')).toMatchObject({
    at: null,
    paths: [
      '/Codertocat/Hello-World/issues/1/comments/492700400.md',
      '/Codertocat/Hello-World/issues/1.md',
    ],
    gone: ['/Codertocat/Hello-World/issues/1/comments/492700400.md'],
  });
});
