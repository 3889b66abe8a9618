/** A stand-in seeded with so many issues and comments, and mounts on it: for the tests of this folder. */
import { credential } from '../../test/credentials/tokens.ts';
import { type JournalledMount, ServiceBench } from '../../test/services/testing.ts';
import {
  type LinearStandIn,
  type LoggedRequest,
  type SeedInput,
  startLinearStandIn,
} from '../../test/stand-ins/linear/index.ts';
import { createLinearMount, type LinearMountOptions } from './index.ts';

export { failure, text, write } from '../../test/services/testing.ts';

export const TOKEN = credential('lin_api_', 'linear');
export const TEAM = '/teams/ENG';
export const ISSUES = `${TEAM}/issues`;

export interface SeedSize {
  issues: number;
  commentsEach: number;
}

/** A UUID that ends in a number. */
export function uuid(n: number): string {
  return `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
}

const START = Date.parse('2025-01-01T00:00:00Z');
const minute = (n: number): string => new Date(START + n * 60_000).toISOString();
const born = (id: number, n = 0) => ({ id: uuid(id), createdAt: minute(n), updatedAt: minute(n) });

export const IDS = { team: 1, todo: 10, label: 20, user: 30, project: 40, cycle: 50, issue: 1000 };

/** Team ENG with its issues, every second one labelled `bug`, and an empty team OPS. */
export function seed({ issues, commentsEach }: SeedSize): SeedInput {
  const team = (id: number, key: string) => ({ ...born(id), key, name: `Team ${key}` });
  const states = [
    'Backlog backlog',
    'Todo unstarted',
    'In_Progress started',
    'Done completed',
    'Canceled canceled',
  ];
  const label = (index: number, name: string, more: object = {}) => ({
    ...born(IDS.label + index),
    name,
    teamId: uuid(IDS.team),
    ...more,
  });
  const numbers = Array.from({ length: issues }, (_, index) => index + 1);
  return {
    workspace: 'octo',
    tokens: { [TOKEN]: uuid(IDS.user) },
    users: ['mara', 'octo', 'gone'].map((name, index) => ({
      ...born(IDS.user + index),
      name: `${name} Surname`,
      displayName: name,
      email: `${name}@example.com`,
      active: name !== 'gone',
    })),
    teams: [team(1, 'ENG'), team(2, 'OPS')],
    states: [1, 2].flatMap((teamId) =>
      states.map((text, position) => ({
        ...born(IDS.todo * teamId + position - 1),
        id: uuid(teamId * 100 + position),
        teamId: uuid(teamId),
        name: (text.split(' ')[0] ?? '').replace('_', ' '),
        type: text.split(' ')[1] ?? '',
        position,
      })),
    ),
    labels: [
      label(0, 'bug'),
      label(1, 'docs'),
      label(2, 'help wanted', { teamId: null }),
      label(3, 'Area', { isGroup: true }),
      label(4, 'api', { parentId: uuid(IDS.label + 3) }),
    ],
    projects: ['Launch', 'Cleanup'].map((name, index) => ({
      ...born(IDS.project + index),
      slugId: `abc${index}def`,
      name,
      teamIds: [uuid(1)],
      leadId: uuid(IDS.user),
    })),
    cycles: [1, 2].map((number) => ({
      ...born(IDS.cycle + number),
      teamId: uuid(1),
      number,
      name: number === 2 ? 'Polish' : null,
      startsAt: minute(number),
      endsAt: minute(number + 100),
    })),
    issues: numbers.map((n) => ({
      ...born(IDS.issue + n, n),
      teamId: uuid(1),
      number: n,
      title: `Number ${n} is broken`,
      description: `Body of ${n}\n\nwith two paragraphs`,
      stateId: uuid(101),
      labelIds: n % 2 === 0 ? [uuid(IDS.label)] : [],
      creatorId: uuid(IDS.user + 1),
    })),
    comments: numbers.flatMap((n) =>
      Array.from({ length: commentsEach }, (_, index) => ({
        ...born(100_000 + n * 100 + index, n),
        issueId: uuid(IDS.issue + n),
        userId: uuid(IDS.user + 1),
        body: `Comment ${index} on ${n}: the frobnicator squeaks`,
      })),
    ),
  };
}

/** The path of a seeded comment. */
export function commentPath(issue: number, index: number): string {
  return `${ISSUES}/ENG-${issue}/comments/${uuid(100_000 + issue * 100 + index)}.md`;
}

/** One stand-in for the tests of a file: each begins it anew. */
export class Server {
  readonly linear: LinearStandIn;

  private constructor(linear: LinearStandIn) {
    this.linear = linear;
  }

  static async start(): Promise<Server> {
    return new Server(await startLinearStandIn({ seed: seed({ issues: 0, commentsEach: 0 }) }));
  }

  /** A bench on a fresh store. */
  async bench(size: SeedSize): Promise<Bench> {
    await this.linear.reseed(seed(size));
    return new Bench(this.linear);
  }

  close(): Promise<void> {
    return this.linear.close();
  }
}

/** One test's worth of mounts. */
export class Bench extends ServiceBench<LinearMountOptions> implements Disposable {
  readonly linear: LinearStandIn;

  constructor(linear: LinearStandIn) {
    super('linear', createLinearMount, { token: TOKEN, baseUrl: linear.url });
    this.linear = linear;
  }

  /** A mount whose replica and journal nobody shares, so that it holds nothing yet. */
  empty(options: Partial<LinearMountOptions> = {}): JournalledMount {
    return this.mount({ ...options, ...this.memory() });
  }

  /** What was asked since the last call: the fields of each request's root. */
  async asked(): Promise<string[]> {
    return (await this.log()).map(({ fields }) => fields.join(' '));
  }

  async log(): Promise<LoggedRequest[]> {
    const rows = await this.linear.requests();
    await this.linear.resetRequests();
    return rows;
  }

  [Symbol.dispose](): void {
    this.end();
  }
}
