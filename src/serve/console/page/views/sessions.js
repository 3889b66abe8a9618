/** Sessions, the newest first. */
import { useState } from 'preact/hooks';
import { useConsole, useCursor, useKeys, useLoaded, useTitle } from '../hooks.js';
import { html } from '../html.js';
import { go, hrefOf } from '../route.js';
import { Failure, line, Time } from '../text.js';

const PAGE = 50;
const EVERY_MS = 3_000;

export function Sessions() {
  const { api, may } = useConsole();
  const [text, setText] = useState('');
  const [limit, setLimit] = useState(PAGE);
  const [error, setError] = useState(null);
  const sessions = useLoaded(() => pagesOf(api, text, limit), [api, text, limit], EVERY_MS);
  const under = useLoaded(() => statesOf(api), [api], EVERY_MS);
  const rows = sessions.data ?? [];
  const [at, setAt] = useCursor(rows.length);
  useTitle('Sessions');
  const begin = async () => {
    try {
      const { id } = await api.post('/v1/sessions', {});
      go(hrefOf('sessions', id));
    } catch (failure) {
      setError(failure);
    }
  };
  useKeys({
    ...(may('converse') ? { n: begin } : {}),
    Enter: () => rows[at] && go(hrefOf('sessions', rows[at].id)),
  });
  return html`
    <h1>Sessions</h1>
    <div class="bar">
      <label>Find <input type="search" value=${text} onInput=${({ target }) => setText(target.value)} maxlength="200" /></label>
      ${may('converse') && html`<button type="button" aria-keyshortcuts="n" onClick=${begin}>New session <kbd aria-hidden="true">n</kbd></button>`}
    </div>
    <${Failure} error=${error ?? sessions.error} />
    <ul class="list" aria-busy=${sessions.data === null}>
      ${rows.map(
        (session, index) => html`
          <li key=${session.id} class=${index === at ? 'at' : ''}>
            <a href=${hrefOf('sessions', session.id)} onFocus=${() => setAt(index)}>${line(session.title) || 'nothing was said yet'}</a>
            <span class="about">
              ${under.data?.get(session.id) && html`<b class="state">${under.data.get(session.id)}</b> `}
              ${line(session.actor)}${session.agent && ` as ${line(session.agent)}`}, ${session.usage.commands} commands, <${Time} at=${session.updated} />
              ${session.parentSession && html`, forked from <a href=${hrefOf('sessions', session.parentSession)}>another</a>`}
              ${session.faults > 0 && html`, <b class="failure">${session.faults} faults in its log</b>`}
            </span>
          </li>`,
      )}
    </ul>
    ${sessions.data !== null && rows.length === 0 && html`<p>${text === '' ? 'There is no session yet.' : 'No session begins with such words.'}</p>`}
    ${rows.length === limit && html`<button type="button" class="quiet" onClick=${() => setLimit(limit + 200)}>Show older ones</button>`}`;
}

/** So many sessions, by as many pages as that takes. */
async function pagesOf(api, text, limit) {
  const all = [];
  while (all.length < limit) {
    const size = Math.min(limit - all.length, 200);
    const page = await api.get('/v1/sessions', { text, limit: size, before: all.at(-1)?.id });
    all.push(...page);
    if (page.length < size) break;
  }
  return all;
}

/** What goes on, by session. */
async function statesOf(api) {
  const lists = await Promise.all(
    ['queued', 'parked', 'running'].map((state) => api.get('/v1/messages', { state, limit: 200 })),
  );
  return new Map(lists.flat().map(({ session, state }) => [session, state]));
}
