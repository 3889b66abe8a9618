/** Accounts, labels and milestones of the demo world. */
import type { Account, Label, Milestone } from '../model.ts';
import type { People } from './items.ts';

const ROWS: [login: string, name: string, bio: string][] = [
  ['mara-lindqvist', 'Mara Lindqvist', 'Maintainer of Quay. Storage and scheduling.'],
  ['tomasz-k', 'Tomasz Kowalczyk', 'Deployment, Helm, everything that restarts at night.'],
  ['priya-raman', 'Priya Raman', 'Dashboard and accessibility.'],
  ['jonas-weber', 'Jonas Weber', 'Auth and security.'],
  ['adaeze-o', 'Adaeze Okafor', 'Client libraries and quayctl.'],
  ['felipe-duarte', 'Felipe Duarte', 'SRE at a payments company.'],
  ['hannah-sato', 'Hannah Sato', 'Backend developer.'],
  ['nkem-eze', 'Nkem Eze', 'Platform team.'],
  ['lars-oberg', 'Lars Öberg', 'Writes Go by day.'],
  ['camille-r', 'Camille Roux', 'Data engineer.'],
  ['ravi-patel', 'Ravi Patel', 'On call more often than not.'],
  ['ines-moreau', 'Inès Moreau', 'Support engineer.'],
  ['greg-holt', 'Greg Holt', 'Runs Quay at home for no good reason.'],
];

const CREATED = '2023-01-09T10:00:00Z';

export const people: People = {
  maintainers: ROWS.slice(0, 5).map(([login]) => login),
  reporters: ROWS.slice(5).map(([login]) => login),
};

/** The organisation, then everybody in it and around it. */
export const accounts: Account[] = [
  {
    id: 70_100,
    login: 'harbor',
    type: 'Organization',
    name: 'Harbor',
    bio: 'Queues that do not lose things.',
    createdAt: CREATED,
  },
  ...ROWS.map(
    ([login, name, bio], index): Account => ({
      id: 70_200 + index,
      login,
      type: 'User',
      name,
      bio,
      createdAt: CREATED,
    }),
  ),
];

const LABELS: [name: string, color: string, description: string][] = [
  ['bug', 'd73a4a', "Something isn't working"],
  ['enhancement', 'a2eeef', 'New feature or request'],
  ['documentation', '0075ca', 'Improvements or additions to documentation'],
  ['question', 'd876e3', 'Further information is requested'],
  ['incident', 'b60205', 'Affected production'],
  ['design', '5319e7', 'Open for discussion'],
  ['duplicate', 'cfd3d7', 'This issue or pull request already exists'],
  ['wontfix', 'ffffff', 'This will not be worked on'],
  ['good first issue', '7057ff', 'Good for newcomers'],
  ['needs reproduction', 'fbca04', 'Nobody but the reporter has seen it yet'],
  ['priority/high', 'e11d21', 'Before anything else'],
  ['regression', 'ee6a50', 'It worked before'],
];

/** @param areas names of the `area/…` labels @param firstId id of the first label */
export function labelsFor(areas: readonly string[], firstId: number): Label[] {
  const rows = [
    ...LABELS,
    ...areas.map((area): [string, string, string] => [area, 'c5def5', `Concerns ${area.slice(5)}`]),
  ];
  return rows.map(([name, color, description], index) => ({
    id: firstId + index,
    name,
    color,
    description,
  }));
}

/** Four milestones, the first two closed. @param firstId id of the first one */
export function milestonesFor(titles: readonly string[], firstId: number): Milestone[] {
  return titles.map((title, index): Milestone => {
    const closed = index < 2;
    const due = `2025-${String(3 + index * 3).padStart(2, '0')}-15T08:00:00Z`;
    return {
      id: firstId + index,
      number: index + 1,
      title,
      description: index === 3 ? 'Breaking changes are collected here.' : `Release ${title}`,
      state: closed ? 'closed' : 'open',
      creator: people.maintainers[0] ?? 'harbor',
      createdAt: '2024-05-02T09:00:00Z',
      updatedAt: closed ? due : '2024-05-02T09:00:00Z',
      closedAt: closed ? due : null,
      dueOn: due,
    };
  });
}
