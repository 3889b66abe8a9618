/** The frame of the console: who is in, where they are, and what waits for them. */
import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { Api } from './api.js';
import { Console, useKeys, useLoaded } from './hooks.js';
import { html } from './html.js';
import { go, hrefOf, useRoute } from './route.js';
import { Failure, line } from './text.js';
import { Files } from './views/files.js';
import { Help } from './views/help.js';
import { Login } from './views/login.js';
import { Mounts } from './views/mounts.js';
import { Schedule } from './views/schedule.js';
import { Search } from './views/search.js';
import { Session } from './views/session.js';
import { Sessions } from './views/sessions.js';
import { Usage } from './views/usage.js';
import { Waiting } from './views/waiting.js';

/** Each with its key, and what it is. */
const VIEWS = {
  sessions: {
    key: 's',
    name: 'Sessions',
    View: ({ rest }) =>
      rest === '' ? html`<${Sessions} />` : html`<${Session} key=${rest} id=${rest} />`,
  },
  waiting: { key: 'w', name: 'Waiting', View: Waiting },
  files: { key: 'f', name: 'Files', View: Files },
  search: { key: '/', name: 'Search', View: Search },
  usage: { key: 'u', name: 'Usage', View: Usage },
  mounts: { key: 'm', name: 'Mounts', View: Mounts },
  schedule: { key: 'c', name: 'Schedule', View: Schedule },
};

const WAITING_MS = 3_000;
const RIGHTS = {
  viewer: ['look'],
  user: ['converse'],
  approver: ['look', 'converse', 'decide'],
  owner: ['look', 'converse', 'decide', 'rule'],
};

export function App() {
  const [me, setMe] = useState(undefined);
  const [error, setError] = useState(null);
  const api = useMemo(() => new Api(() => setMe(null)), []);
  useEffect(() => {
    api.me().then(setMe, setError);
  }, []);
  if (error !== null)
    return html`<main id="main"><h1>Dirigent</h1><${Failure} error=${error} /></main>`;
  if (me === undefined) return html`<main id="main" aria-busy="true"><h1>Dirigent</h1></main>`;
  if (me === null) return html`<${Login} api=${api} onKnown=${setMe} />`;
  return html`<${Frame} api=${api} me=${me} onLoggedOut=${() => setMe(null)} />`;
}

function Frame({ api, me, onLoggedOut }) {
  const route = useRoute();
  const [said, announce] = useState('');
  const [isHelpOpen, setHelpOpen] = useState(false);
  const may = useCallback((right) => RIGHTS[me.role].includes(right), [me]);
  const asked = useLoaded(
    () =>
      Promise.all(
        ['approvals', 'questions'].map((what) => api.get(`/v1/${what}`, { state: 'pending' })),
      ),
    [api],
    WAITING_MS,
  );
  const waiting = asked.data?.flat() ?? [];
  useAnnounced(waiting.length, announce);
  useKeys({
    ...Object.fromEntries(
      Object.entries(VIEWS).map(([view, { key }]) => [key, () => go(hrefOf(view))]),
    ),
    '?': () => setHelpOpen(true),
  });
  const { View, name } = VIEWS[route.view] ?? VIEWS.sessions;
  const focused = useFocusOnChange(`${route.view}/${route.view === 'sessions' ? route.rest : ''}`);
  const shared = { api, me, may, announce, waiting, refreshWaiting: asked.reload };
  const logOut = () => api.logOut().then(onLoggedOut, onLoggedOut);
  return html`
    <${Console.Provider} value=${shared}>
      <a class="skip" href="#main" onClick=${(event) => skip(event, focused)}>Skip to the content</a>
      <header class="top">
        <nav aria-label="Views">
          ${Object.entries(VIEWS).map(
            ([view, each]) => html`
              <a href=${hrefOf(view)} aria-current=${each.View === View ? 'page' : undefined} aria-keyshortcuts=${each.key}>
                ${each.name}${view === 'waiting' && waiting.length > 0 && html` <b class="count">${waiting.length}</b>`}
                ${' '}<kbd aria-hidden="true">${each.key}</kbd>
              </a>`,
          )}
        </nav>
        <span class="who">
          ${line(me.actor)} (${me.role})
          <button type="button" class="quiet" aria-keyshortcuts="?" onClick=${() => setHelpOpen(true)}>Help <kbd aria-hidden="true">?</kbd></button>
          <button type="button" class="quiet" onClick=${logOut}>Log out</button>
        </span>
      </header>
      <main id="main" tabindex="-1" ref=${focused} aria-label=${name}>
        <${View} rest=${route.rest} query=${route.query} />
      </main>
      <div class="heard" role="status" aria-live="polite">${said}</div>
      ${isHelpOpen && html`<${Help} views=${VIEWS} onClose=${() => setHelpOpen(false)} />`}
    <//>`;
}

/** Tells those who hear the page that something waits. */
function useAnnounced(count, announce) {
  const before = useRef(0);
  useEffect(() => {
    if (count > before.current)
      announce(`${count} ${count === 1 ? 'request waits' : 'requests wait'} for an answer: w`);
    before.current = count;
  }, [count]);
}

/** Whoever goes to another view by a key or a link begins at its content. */
function useFocusOnChange(place) {
  const element = useRef(null);
  const before = useRef(place);
  useEffect(() => {
    if (before.current !== place && !element.current.contains(document.activeElement))
      element.current.focus();
    before.current = place;
  }, [place]);
  return element;
}

/** The address is where somebody is: it is not that of an element. */
function skip(event, main) {
  event.preventDefault();
  main.current.focus();
}
