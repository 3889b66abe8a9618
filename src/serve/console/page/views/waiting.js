/** What waits for a person: requests for approval, questions of agents, staged changes, proposals to the harness. */
import { useEffect, useState } from 'preact/hooks';
import { useConsole, useCursor, useKeys, useLoaded, useTitle } from '../hooks.js';
import { html } from '../html.js';
import { Failure } from '../text.js';
import { ApprovalCard } from './approval.js';
import { ChangeCard } from './change.js';
import { ProposalCard } from './proposal.js';
import { QuestionCard } from './question.js';

const EVERY_MS = 3_000;

export function Waiting({ rest }) {
  const { api, may, announce, refreshWaiting } = useConsole();
  const approvals = useLoaded(
    () => api.get('/v1/approvals', { state: 'pending' }),
    [api],
    EVERY_MS,
  );
  const questions = useLoaded(
    () => api.get('/v1/questions', { state: 'pending' }),
    [api],
    EVERY_MS,
  );
  const sees = may('look');
  const changes = useLoaded(() => (sees ? api.get('/v1/changes') : []), [api, sees], EVERY_MS);
  const proposals = useLoaded(
    () => (sees ? api.get('/v1/proposals') : { proposals: [], errors: [] }),
    [api, sees],
    EVERY_MS,
  );
  const shown = useShown(itemsOf(approvals.data, questions.data, changes.data, proposals.data));
  const [at, setAt] = useCursor(shown.length);
  const [told, setTold] = useState(null);
  useTitle('Waiting');
  useEffect(() => {
    const named = shown.findIndex(({ item }) => item.id === rest);
    if (named >= 0) setAt(named);
  }, [rest, shown.length > 0]);
  const reload = () =>
    Promise.all(
      [approvals, questions, changes, proposals]
        .map(({ reload }) => reload())
        .concat(refreshWaiting()),
    );
  /** Does what was decided on what was shown, and says what came of it. */
  const decide = async (work) => {
    setTold(null);
    try {
      const came = await work();
      setTold({ message: came });
      announce(came);
    } catch (error) {
      setTold({ error });
    }
    await reload();
  };
  const current = shown[at];
  useKeys({
    a: () => press(current, 'yes'),
    d: () => press(current, 'no'),
    r: () => press(current, 'look'),
  });
  return html`
    <h1>Waiting</h1>
    <${Failure} error=${approvals.error ?? questions.error ?? changes.error ?? proposals.error} />
    ${told?.error && html`<${Failure} error=${told.error} />`}
    ${told?.message && html`<p class="notice">${told.message}</p>`}
    ${approvals.data !== null && shown.length === 0 && html`<p>Nothing waits.</p>`}
    ${shown.map((each, index) => {
      const Card = CARDS[each.item.kind];
      return html`<${Card} key=${each.item.key} item=${each.item} isOld=${each.isOld} onLook=${each.accept} isAt=${index === at} onFocus=${() => setAt(index)} decide=${decide} />`;
    })}
    ${proposals.data?.errors.map((error) => html`<${Failure} error=${error} />`)}`;
}

const CARDS = {
  approval: ApprovalCard,
  question: QuestionCard,
  change: ChangeCard,
  proposal: ProposalCard,
};

/** The key does what the button does, and nothing where there is none. */
const press = (shown, which) =>
  shown &&
  document
    .querySelector(`[data-item="${CSS.escape(shown.item.key)}"] button[data-key="${which}"]`)
    ?.click();

function itemsOf(approvals, questions, changes, proposals) {
  const pending = (changes ?? []).filter(
    ({ state }) => state === 'pending' || state === 'unknown' || state === 'conflict',
  );
  return [
    ...(approvals ?? []).map((each) => ({ ...each, kind: 'approval', key: `approval ${each.id}` })),
    ...(questions ?? []).map((each) => ({ ...each, kind: 'question', key: `question ${each.id}` })),
    ...pending.map((each) => ({ ...each, kind: 'change', key: `change ${each.id}` })),
    ...(proposals?.proposals ?? []).map((each) => ({
      ...each,
      kind: 'proposal',
      key: `proposal ${each.path}`,
    })),
  ];
}

/**
 * What is shown stays as it is while somebody reads it: another text that came in its place is told
 * of, and shown once they ask for it. A decision is about what is shown, whatever has come since.
 * @returns {{item, isOld: boolean, accept: () => void}[]}
 */
function useShown(items) {
  const [seen, setSeen] = useState(() => new Map());
  const now = new Map(items.map((item) => [item.key, item]));
  const shown = new Map(items.map((item) => [item.key, seen.get(item.key) ?? item]));
  useEffect(() => {
    if (items.some(({ key }) => !seen.has(key)) || [...seen.keys()].some((key) => !now.has(key)))
      setSeen(shown);
  });
  return [...shown.values()].map((item) => ({
    item,
    isOld: now.get(item.key).digest !== item.digest,
    accept: () => setSeen((before) => new Map([...before].filter(([key]) => key !== item.key))),
  }));
}
