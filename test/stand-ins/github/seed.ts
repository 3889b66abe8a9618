/**
 * The worlds the stand-in can start with. Nothing in them depends on the time or the machine:
 * fixed dates, a seeded generator, hand-written scenarios (see seed/scenario.ts).
 */
import { credential } from '../../credentials/tokens.ts';
import type { SeedData } from './model.ts';
import { accounts, labelsFor, people } from './seed/people.ts';
import { demoRepository } from './seed/repository.ts';

/** Signs in as the first maintainer, who can push everywhere. */
const MAINTAINER_TOKEN = credential('', 'demo_maintainer');
/** Signs in as someone who can read and open issues, and nothing else. */
export const VISITOR_TOKEN = credential('', 'demo_visitor');

const START = Date.parse('2024-06-03T08:00:00Z') / 1000;
const DAY = 86_400;

function tokens(): Record<string, string> {
  return {
    [MAINTAINER_TOKEN]: people.maintainers[0] ?? '',
    [VISITOR_TOKEN]: people.reporters[0] ?? '',
  };
}

/**
 * The organisation `harbor`: `harbor/quay`, a job queue server (150 issues, 50 pull requests, 600
 * comments), and `harbor/quay-cli`, its command line tool and client (75 issues, 25 pull requests,
 * 150 comments). The same on every call.
 */
export function demoSeed(): SeedData {
  return {
    accounts,
    tokens: tokens(),
    repositories: [
      demoRepository({
        name: 'quay',
        about: 'A job queue server on Postgres: leases, retries, schedules, webhooks, a dashboard.',
        id: 610_001,
        start: START,
        pace: 18 * DAY,
        seconds: 20,
        comments: 20,
        milestones: ['3.2', '3.3', '3.4', '4.0'],
      }),
      demoRepository({
        name: 'quay-cli',
        about: 'quayctl, the command line tool of Quay, and its client library for Node.',
        id: 610_002,
        start: START + 9 * DAY,
        pace: 35 * DAY,
        seconds: 10,
        comments: 10,
        milestones: ['1.7', '1.8', '1.9', '2.0'],
      }),
    ],
  };
}

/** The same people, with one repository `harbor/quay` that has labels and nothing else. */
export function emptySeed(): SeedData {
  const now = '2024-06-03T08:00:00Z';
  return {
    accounts,
    tokens: tokens(),
    repositories: [
      {
        repository: {
          id: 610_001,
          owner: 'harbor',
          name: 'quay',
          description: null,
          private: false,
          language: null,
          topics: [],
          defaultBranch: 'main',
          writers: [...people.maintainers],
          createdAt: now,
          updatedAt: now,
          pushedAt: now,
        },
        labels: labelsFor([], 610_001_900),
        milestones: [],
        issues: [],
        comments: [],
        reviews: [],
        files: [],
      },
    ],
  };
}

/** A seed, or the one of a name. */
export function seedOf(seed: 'demo' | 'empty' | SeedData): SeedData {
  if (seed === 'demo') return demoSeed();
  return seed === 'empty' ? emptySeed() : seed;
}
