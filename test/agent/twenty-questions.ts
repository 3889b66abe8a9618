/**
 * Questions over the demo's services, each with what is right, written from the
 * data before the model was. The second twenty were not looked at while it was
 * made: 14 of them were right then. What that showed to be missing, rows that a
 * question names and records that came after the index, was mended afterwards.
 */

export interface Asked {
  question: string;
  /** All of these are in a right answer. */
  right: readonly (string | RegExp)[];
}

/** What is not there, and what a model that only quotes does not do. */
const NOTHING = /^I found nothing about/;
const DECLINED = /^I change nothing\./;

const QUAY = '/mnt/github/harbor/quay';

export const TWENTY: readonly Asked[] = [
  { question: 'How many issues are open in harbor/quay?', right: [/^66 of the 150 issues/] },
  {
    question: 'Which open issues of harbor/quay are assigned to Priya?',
    right: [/^> 192 /m, /^> 182 /m, /^> 167 /m, /^> 147 /m, /^> 12 /m, /^5 of/],
  },
  { question: 'How many incidents were SEV1?', right: [/^2 of the 5 incidents/] },
  { question: 'Who is assigned to issue 12?', right: ['priya-raman', `${QUAY}/issues/12.md`] },
  { question: 'What is the state of PLT-12?', right: ['> state: Done', 'PLT-12.md'] },
  { question: 'What is #31 of quay about?', right: [`${QUAY}/issues/31.md`] },
  {
    question: 'Why do webhook deliveries arrive late?',
    right: [/webhooks-are-late|quay\/issues\/[12]\.md|INC-1/],
  },
  { question: 'Who owns webhook-delivery?', right: [/Owner: \[?Mara Lindqvist/] },
  {
    question: 'Which Linear projects does Tomasz lead?',
    right: ['Webhooks that cannot block each other'],
  },
  {
    question: 'What must be done after certificates are renewed?',
    right: ['rollout restart deployment/quay'],
  },
  { question: 'When does the on-call rota change?', right: ['Mondays at 09:00 UTC'] },
  { question: 'Close issue 12', right: [DECLINED, `state: closed/' '${QUAY}/issues/12.md'`] },
  { question: 'Add the label Bug to PLT-44', right: [DECLINED, 'Bug]', 'PLT-44.md'] },
  {
    question: 'Create an issue about slow startup in harbor/quay-cli',
    right: [DECLINED, "'title: slow startup'", '/mnt/github/harbor/quay-cli/issues/new.md'],
  },
  { question: 'How many pull requests of quay are merged?', right: [/^37 of the 50 pulls/] },
  { question: 'How many urgent issues has the team INC?', right: [/^5 of the 5 issues/] },
  { question: 'What is the capital of France?', right: [NOTHING] },
  { question: 'How much is a licence for Quay Enterprise per seat?', right: [NOTHING] },
  { question: 'Which milestones are open in quay?', right: [/^2 of/, /\b3\.4\b/, /\b4\.0\b/] },
  { question: 'Which customers have churned this year?', right: [NOTHING] },
];

export const TWENTY_OTHERS: readonly Asked[] = [
  { question: 'How many closed issues are there in quay-cli?', right: [/^44 of/] },
  {
    question: 'List the incidents that Mara Lindqvist owns.',
    right: ['API hung during the nightly import', 'Customer notifications stopped', /^2 of/],
  },
  { question: 'Which Linear issues are in progress?', right: [/^5 of/] },
  {
    question: 'What severity had the incident with the full database volume?',
    right: ['Severity: SEV1'],
  },
  { question: 'Who reported issue 12 of quay?', right: ['> author: felipe-duarte'] },
  { question: 'What does PLT-45 say about payloads?', right: ['PLT-45.md'] },
  { question: 'How many replicas does quay-server run?', right: ['> Replicas: 3'] },
  { question: 'When is milestone 3.4 due?', right: ['2025-09-15'] },
  { question: 'Who do I call about tokens when on call?', right: ['Jonas Weber'] },
  { question: 'What has to be ticked before a release?', right: ['Draining tried'] },
  { question: 'Assign #12 to mara-lindqvist', right: [DECLINED, '[mara-lindqvist]', '12.md'] },
  { question: 'Please delete INC-1', right: [DECLINED, 'INC-1.md'] },
  {
    question: 'Comment on PLT-12 that it is fixed',
    right: [DECLINED, "'it is fixed'", 'PLT-12/comments/new.md'],
  },
  { question: 'How many issues are unassigned and open in quay?', right: [/^32 of/] },
  { question: 'What is the tier of the dashboard?', right: ['> Tier: Tier 2'] },
  { question: 'Who won the football world cup in 2022?', right: [NOTHING] },
  { question: 'What is our refund policy for cancelled flights?', right: [NOTHING] },
  {
    question: 'Why does memory grow until a replica is killed?',
    right: [/Runbook-a-replica-grows|quay\/issues\/6\.md|Replicas-killed/],
  },
  { question: 'How many tickets in PLT have high priority?', right: [/^9 of/] },
  { question: 'Which people are in Linear?', right: ['adaeze-o', 'ravi-patel', /^7 of/] },
];
