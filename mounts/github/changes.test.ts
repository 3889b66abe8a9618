/** Whether something changed at GitHub, by one request: what is asked about which repositories. */
import { expect, it } from 'vitest';
import { ServiceFailure } from '../../src/mount/index.ts';
import { githubChanges } from './changes.ts';
import type { GithubClient } from './client.ts';

function probe(answers: {
  get?: (url: string, etag: string | null) => unknown;
  parts?: (query: string, variables: Record<string, string>) => unknown;
}) {
  const asked: unknown[] = [];
  const client = {
    get: async (url: string, etag: string | null) => {
      asked.push([url, etag]);
      return answers.get?.(url, etag);
    },
    queryParts: async (query: string, variables: Record<string, string>) => {
      asked.push(variables);
      return answers.parts?.(query, variables);
    },
  } as unknown as GithubClient;
  return { ...githubChanges(client), asked };
}

it.each([
  ['issues octo hello', 'octo/hello'],
  ['one of milestones Octo Hello 1', 'octo/hello'],
  ['issue issue:octo/hello 12', 'octo/hello'],
  ['comments-of octo hello.js:3', 'octo/hello.js'],
  ['repositories', null],
  ['search octo', null],
])('the question %j is about %j', (question, subject) => {
  expect(probe({}).subjectOf(question)).toBe(subject);
});

it('one repository is asked by the ETag of its newest issue', async () => {
  const one = probe({ get: () => ({ etag: 'W/"2"' }) });
  const url = '/repos/o/r/issues?state=all&sort=updated&direction=desc&per_page=1';
  expect(await one.marks([{ subject: 'o/r', mark: null }])).toEqual(
    new Map([['o/r', 'etag W/"2"']]),
  );
  await one.marks([{ subject: 'o/r', mark: 'etag W/"1"' }]);
  await one.marks([{ subject: 'o/r', mark: 'at 2025' }]);
  expect(one.asked).toEqual([
    [url, null],
    [url, 'W/"1"'],
    [url, null],
  ]);
  expect(
    await probe({ get: () => ({ etag: null }) }).marks([{ subject: 'o/r', mark: null }]),
  ).toEqual(new Map());
});

it('one that is gone has no mark; what could not be asked is a failure', async () => {
  const fails = (kind: 'missing' | 'server') =>
    probe({
      get: () => {
        throw new ServiceFailure(kind, 'no');
      },
    }).marks([{ subject: 'o/r', mark: null }]);
  expect(await fails('missing')).toEqual(new Map());
  await expect(fails('server')).rejects.toThrow('no');
});

it('many are asked fifty at a time, with what was pushed; those that are not there are left out', async () => {
  const nodes = (number: number) => ({ nodes: [{ number, updatedAt: `t${number}` }] });
  const many = probe({
    parts: (query, variables) =>
      Object.fromEntries(
        Object.keys(variables)
          .filter((name) => name.startsWith('r'))
          .map((name) => {
            expect(query).toContain(
              `${name}: repository(owner: $o${name.slice(1)}, name: $${name})`,
            );
            const number = Number(variables[name]);
            if (number === 1) return [name, null];
            return [
              name,
              number === 2
                ? {}
                : { pushedAt: 'p', issues: nodes(number), pullRequests: nodes(number + 1) },
            ];
          }),
      ),
  });
  const subjects = Array.from({ length: 51 }, (_, n) => ({ subject: `o/${n}`, mark: null }));
  const marks = await many.marks(subjects);
  expect(many.asked.map((one) => Object.keys(one as object).length)).toEqual([100, 2]);
  expect(many.asked[1]).toEqual({ o0: 'o', r0: '50' });
  expect([
    marks.size,
    marks.has('o/1'),
    marks.get('o/2'),
    marks.get('o/3'),
    marks.get('o/50'),
  ]).toEqual([50, false, 'at     ', 'at p 3 t3 4 t4', 'at p 50 t50 51 t51']);
  expect(await many.marks([])).toEqual(new Map());
});
