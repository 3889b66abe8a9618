/** Linear's names, places, searches and deliveries, without a server. */
import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { ServiceFailure } from '../../src/mount/index.ts';
import { isDuplicate, LinearClient } from './client.ts';
import { searchLinks } from './found.ts';
import { paramsOf, pathOf, teamIn } from './paths.ts';
import { cycleName, isIdentifier, isPutAway, labelName } from './records.ts';
import { linearWebhook } from './webhook.ts';

describe('a place', () => {
  it('is told by the identifier of an issue', () => {
    expect([teamIn('ENG-12'), pathOf('ENG-12')]).toEqual(['ENG', '/teams/ENG/issues/ENG-12']);
    expect(['ENG-12', 'A1-1', 'eng-12', 'ENG-', 'ENG-12.md'].map(isIdentifier)).toEqual([
      true,
      true,
      false,
      false,
      false,
    ]);
  });

  it.each<[string, string[], string[]]>([
    ['team', ['ENG', 'A', 'A234567890123456'], ['eng', '1A', 'A2345678901234567', 'E/G']],
    ['issue', ['ENG-1', 'A1-1234567890'], ['ENG-0', 'ENG-01', 'ENG', 'ENG-12345678901', 'eng-1']],
    [
      'id',
      ['3f6c2a10-5b7e-4c1d-9a2f-0d1e2f3a4b5c'],
      ['3F6C2A10-5b7e-4c1d-9a2f-0d1e2f3a4b5c', '3f6c2a10'],
    ],
    ['slug', ['1a2b', 'a'.repeat(32)], ['1a2', 'a'.repeat(33), 'A2b3']],
    ['number', ['1', '1234567890'], ['0', '12345678901', '1a']],
  ])('of a %s is none but what Linear has', (name, right, wrong) => {
    const matches = paramsOf({})[name]?.matches;
    expect(right.filter((one) => !matches?.test(one))).toEqual([]);
    expect(wrong.filter((one) => matches?.test(one))).toEqual([]);
    expect(matches?.test(paramsOf({})[name]?.example ?? '')).toBe(true);
  });

  it('of one team is of no other', () => {
    const { team, issue, number } = paramsOf({ team: 'ENG' });
    expect(['ENG', 'OPS', 'ENGX'].map((one) => team?.matches.test(one))).toEqual([
      true,
      false,
      false,
    ]);
    expect(['ENG-1', 'OPS-1', 'ENG-0'].map((one) => issue?.matches.test(one))).toEqual([
      true,
      false,
      false,
    ]);
    expect([team?.example, issue?.example, number]).toEqual([
      'ENG',
      'ENG-12',
      paramsOf({})['number'],
    ]);
  });
});

describe('a name', () => {
  it('of a label has its group before it, and a cycle without one has its number', () => {
    expect(labelName({ name: 'a', parent: { name: 'g' } } as never)).toBe('g/a');
    expect(labelName({ name: 'a', parent: null } as never)).toBe('a');
    expect([
      cycleName({ name: 'Spring', number: 3 }),
      cycleName({ name: '', number: 3 }),
      cycleName({ name: null, number: 3 }),
    ]).toEqual(['Spring', 'Cycle 3', 'Cycle 3']);
  });

  it('is put away once it is archived or thrown away', () => {
    expect(
      [{}, { archivedAt: null }, { archivedAt: '2025' }, { trashed: true }, { trashed: false }].map(
        isPutAway,
      ),
    ).toEqual([false, false, true, true, false]);
  });
});

it('a create is refused as a second one only where Linear says so', () => {
  const of = (kind: 'invalid' | 'server', message: string) =>
    isDuplicate(new ServiceFailure(kind, message));
  expect(of('invalid', 'conflict on insert of Issue')).toBe(true);
  expect(of('invalid', 'Issue already exists')).toBe(true);
  expect(of('invalid', 'title is too long')).toBe(false);
  expect(of('server', 'already exists')).toBe(false);
});

it('a file is asked for with the key at the origin of uploads alone', async () => {
  const client = (baseUrl?: string) =>
    new LinearClient({ token: 'T', now: () => new Date(), ...(baseUrl && { baseUrl }) });
  const is = (one: LinearClient, url: string) => one.isUpload(new URL(url));
  expect(is(client(), 'https://uploads.linear.app/a/b')).toBe(true);
  for (const url of [
    'https://uploads.linear.app/',
    'https://api.linear.app/a',
    'http://uploads.linear.app/a',
    'https://uploads.linear.app.x.example/a',
  ])
    expect([url, is(client(), url)]).toEqual([url, false]);
  expect(is(client('http://127.0.0.1:1/graphql'), 'http://127.0.0.1:1/x')).toBe(true);
  expect(is(client('http://127.0.0.1:1/graphql'), 'https://uploads.linear.app/a')).toBe(false);
  await expect(client().upload('https://x.example/a')).rejects.toThrow('no upload');
});

describe('a search', () => {
  const issue = {
    identifier: 'ENG-12',
    title: 'It',
    state: { name: 'Todo' },
    priorityLabel: 'High',
    project: null,
    dueDate: null,
    updatedAt: '2025-01-01T00:00:00.000Z',
  };
  const at = '2025-01-02T00:00:00.000Z';
  const project = (teams: object[]) => ({
    slugId: 'p123',
    name: 'Moon',
    updatedAt: at,
    status: { name: 'Started' },
    teams: { nodes: teams },
  });
  async function found(data: object, narrowed: Record<string, string> = {}) {
    const asked: unknown[] = [];
    const client = {
      search: async (_query: string, variables: object) => {
        asked.push(variables);
        return { data };
      },
    } as unknown as LinearClient;
    const answer = await searchLinks(client, narrowed).find?.('moon');
    return { hits: answer?.hits, shortfall: answer?.shortfall, asked };
  }
  const page = (nodes: object[], totalCount = nodes.length) => ({ nodes, totalCount });

  it('gives issues, documents and projects, each with its place', async () => {
    const { hits, shortfall, asked } = await found({
      searchIssues: page([issue]),
      searchDocuments: page([{ slugId: 'd123', title: 'Doc', updatedAt: at }]),
      searchProjects: page([project([{ key: 'ENG' }]), project([])]),
    });
    expect(hits).toEqual([
      {
        name: 'ENG-12.md',
        path: '/teams/ENG/issues/ENG-12.md',
        updatedAt: issue.updatedAt,
        cells: ['It', 'Todo', 'High', '', '', issue.updatedAt],
      },
      {
        name: 'd123.md',
        path: '/documents/d123.md',
        updatedAt: at,
        cells: ['Doc', 'document', '', '', '', at],
      },
      {
        name: 'project p123.md',
        path: '/teams/ENG/projects/p123.md',
        updatedAt: at,
        cells: ['Moon', 'project, Started', '', 'Moon', '', at],
      },
      {
        name: 'project p123.md',
        path: null,
        updatedAt: at,
        cells: ['Moon', 'project, Started', '', 'Moon', '', at],
      },
    ]);
    expect(shortfall).toBeNull();
    expect(asked).toMatchObject([{ term: 'moon', wide: true }]);
  });

  it('in one team is of its issues, and says what it did not give', async () => {
    const { shortfall, asked } = await found({ searchIssues: page([issue], 7) }, { team: 'ENG' });
    expect(asked).toMatchObject([{ wide: false }]);
    expect(shortfall).toBe(
      'Linear\'s search for "moon" found more than is listed: 1 of 7 issues, the best ones; say more of what you look for',
    );
    const all = await found({
      searchIssues: page([issue], 2),
      searchDocuments: page([]),
      searchProjects: page([project([])], 3),
    });
    expect(all.shortfall).toContain('1 of 2 issues, 1 of 3 projects, the best ones');
  });
});

describe('a delivery', () => {
  const SECRET = 'secret';
  const NOW = new Date('2026-01-01T00:00:00Z');
  function read(more: object, id: string | null = 'd1') {
    const payload = {
      action: 'update',
      type: 'Issue',
      webhookTimestamp: NOW.getTime(),
      createdAt: '2026-01-01T00:00:00.000Z',
      actor: { id: 'u', name: 'Ana' },
      ...more,
    };
    const body = Buffer.from(JSON.stringify(payload));
    const headers: Record<string, string | null> = {
      'linear-signature': createHmac('sha256', SECRET).update(body).digest('hex'),
      'linear-delivery': id,
    };
    return linearWebhook.receive(
      { body, header: (name) => headers[name] ?? null },
      { secret: SECRET, now: NOW },
    );
  }
  const issue = { identifier: 'ENG-12', title: 'Its issue' };

  it.each<[string, object, string[]]>([
    [
      'Issue',
      { id: 'x', identifier: 'ENG-1', previousIdentifiers: ['OPS-2', '../x'] },
      ['/teams/ENG/issues/ENG-1.md', '/teams/OPS/issues/OPS-2.md'],
    ],
    ['Issue', { id: 'x' }, []],
    [
      'Comment',
      { id: 'c-1', issue },
      ['/teams/ENG/issues/ENG-12/comments/c-1.md', '/teams/ENG/issues/ENG-12.md'],
    ],
    ['Comment', { id: '../c', issue }, []],
    ['Comment', { id: 'c'.repeat(101), issue }, []],
    ['Comment', { id: 'c-1' }, []],
    ['IssueLabel', { id: 'l', team: { key: 'ENG' } }, ['/teams/ENG/labels.tsv']],
    ['IssueLabel', { id: 'l' }, []],
    ['Document', { id: 'd', slugId: 'abc' }, ['/documents/abc.md']],
    ['Document', { id: 'd', slugId: 'a/c' }, []],
    ['Document', { id: 'd' }, []],
    ['Initiative', { id: 'i', slugId: 'abc' }, ['/initiatives/abc.md']],
    ['Initiative', { id: 'i', slugId: '../c' }, []],
    ['Reaction', { id: 'r', issue }, ['/teams/ENG/issues/ENG-12.md']],
    ['Project', { id: 'p' }, []],
  ])('of a %s with %j is about %j', (type, data, paths) => {
    expect(read({ type, data }).paths).toEqual(paths);
  });

  it('says who it was and what happened, as far as it is told', () => {
    expect(
      read({ data: { id: 'x', identifier: 'ENG-1', title: 'It', description: 'Long' } }),
    ).toMatchObject({
      id: 'd1',
      type: 'Issue.update',
      at: new Date('2026-01-01T00:00:00.000Z'),
      by: 'u',
      actor: 'Ana',
      gone: [],
      text: 'event: Issue.update\nby: Ana\ntitle: It\n\nLong',
    });
    const bare = read({ actor: null, createdAt: null, data: null });
    expect(bare).toMatchObject({ at: null, by: null, actor: null, paths: [], gone: [] });
    expect(bare.text).toContain('by: unknown');
    expect(read({ type: 'Comment', data: { id: 'c', issue, body: 'said' } }).text).toContain(
      'title: Its issue\n\nsaid',
    );
    expect(read({ type: 'Project', data: { id: 'p', name: 'Moon' } }).text).toContain(
      'title: Moon',
    );
    expect(
      read({
        action: 'remove',
        data: { id: 'x', identifier: 'ENG-1', previousIdentifiers: ['ENG-2'] },
      }).gone,
    ).toEqual(['/teams/ENG/issues/ENG-1.md']);
    expect(() => read({}, null)).toThrow();
  });
});
