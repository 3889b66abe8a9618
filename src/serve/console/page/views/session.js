/** A session: what happened in it, as it happens, and saying something to it. */
import { useEffect, useMemo, useReducer, useRef, useState } from 'preact/hooks';
import { newKey } from '../api.js';
import { SessionFeed } from '../feed.js';
import { useConsole, useKeys, useLoaded, useTitle } from '../hooks.js';
import { html } from '../html.js';
import { go, hrefOf } from '../route.js';
import { Failure, line, Text } from '../text.js';
import { Windowed } from '../windowed.js';
import { failureLine, Row } from './entry.js';

const SUMMARY_MS = 5_000;
const FORKS_MS = 10_000;

/** Entries that tell how the house works rather than what was said and done. */
const isWorkings = ({ entry }) => entry.type === 'custom' || entry.type === 'signature';

export function Session({ id }) {
  const { api, me, may } = useConsole();
  const summary = useLoaded(() => api.get(`/v1/sessions/${id}`), [api, id], SUMMARY_MS);
  const feed = useFeed(id);
  // A turn that begins or ends is where the title and the sums change.
  useEffect(() => {
    summary.reload();
  }, [feed.running === undefined]);
  const [showsAll, setShowsAll] = useState(false);
  const rows = showsAll ? feed.rows : feed.rows.filter((row) => !isWorkings(row));
  const about = summary.data;
  useTitle(line(about?.title ?? '') || 'Session');
  const forks = useLoaded(() => api.get('/v1/sessions', { parent: id }), [api, id], FORKS_MS);
  const [error, setError] = useState(null);
  const fork = async (entry) => {
    try {
      const begun = await api.post(`/v1/sessions/${id}/entries/${entry}/fork`);
      go(hrefOf('sessions', begun.id));
    } catch (failure) {
      setError(failure);
    }
  };
  const last = rows.at(-1);
  const mayFork = may('converse');
  useKeys(mayFork && last !== undefined ? { b: () => fork((last.end ?? last.entry).id) } : {});
  const maySpeak = may('converse') && about !== null && (about.actor === me.actor || may('rule'));
  return html`
    <section class="session">
      <header>
        <h1>${line(about?.title ?? '') || 'Session'}</h1>
        <p class="about">
          ${about && html`${line(about.actor)}${about.agent && ` as ${line(about.agent)}`}, ${about.usage.tokens.input + about.usage.tokens.output} tokens, ${about.usage.requests} requests. `}
          <span data-status=${feed.status}>${STATUS[feed.status]}</span>
          ${' '}<label><input type="checkbox" checked=${showsAll} onChange=${({ target }) => setShowsAll(target.checked)} /> every entry</label>
        </p>
        <${Forks} parent=${about?.parentSession} forks=${forks.data ?? []} />
        <${Failure} error=${error ?? summary.error} />
        <${Asked} session=${id} />
      </header>
      <${Windowed}
        rows=${rows}
        label="What happened"
        renderRow=${(row) => html`<${Row} row=${row} session=${id} fork=${mayFork ? fork : null} failure=${feed.failureOf(row)} />`}
        tail=${html`<${Live} feed=${feed} />`}
      />
      ${maySpeak && html`<${Compose} session=${id} feed=${feed} />`}
    </section>`;
}

/** Where a session comes from, and what has gone on from it. */
function Forks({ parent, forks }) {
  if (!parent && forks.length === 0) return null;
  const link = ({ id, title }) =>
    html`<li><a href=${hrefOf('sessions', id)}>${line(title) || id}</a></li>`;
  return html`
    <nav aria-label="Forks" class="forks">
      ${parent && html`<p>Forked from <a href=${hrefOf('sessions', parent)}>another session</a></p>`}
      ${forks.length > 0 && html`<p>Forks of it:</p><ul>${forks.map(link)}</ul>`}
    </nav>`;
}

const STATUS = {
  connecting: 'Loading …',
  live: 'Live.',
  offline: 'The server cannot be reached; it is tried again.',
};

/** The feed of a session, drawn again when something has come. */
function useFeed(id) {
  const { api, announce } = useConsole();
  const [, changed] = useReducer((count) => count + 1, 0);
  const feed = useMemo(
    () => new SessionFeed(id, api, changed, ({ message }) => announce(message)),
    [id, api],
  );
  useEffect(() => {
    feed.open();
    return () => feed.close();
  }, [feed]);
  useAnswerAnnounced(feed, announce);
  return feed;
}

/** Those who hear the page are told the answer once it is whole. */
function useAnswerAnnounced(feed, announce) {
  const before = useRef(undefined);
  const running = feed.running?.id;
  useEffect(() => {
    const failure = feed.unanswered.get(before.current);
    if (failure !== undefined) announce(failureLine(failure));
    else if (before.current !== undefined && running === undefined) {
      const last = feed.rows.findLast(({ entry }) => entry.message?.role === 'assistant');
      const { content = '' } = last?.entry.message ?? {};
      const text =
        typeof content === 'string' ? content : content.map((part) => part.text ?? '').join(' ');
      announce(`The agent: ${line(text.slice(0, 500).replaceAll('\n', ' '))}`);
    }
    before.current = running;
  }, [running]);
}

/** What this session waits for. */
function Asked({ session }) {
  const { waiting } = useConsole();
  const own = waiting.filter((each) => each.session === session);
  return (
    own.length > 0 &&
    html`
    <p class="notice">It waits for an answer: ${own.map((each) => html`<a href=${hrefOf('waiting', each.id)}>${nameOf(each)}</a> `)}<kbd aria-hidden="true">w</kbd></p>`
  );
}

const nameOf = ({ question, op, path }) =>
  line(question === undefined ? `${op} ${path}` : question.slice(0, 120));

/** What the model says now, and the commands that run. */
function Live({ feed }) {
  const { text, calls } = feed.live;
  const waiting = [...feed.turns.values()].filter(({ state }) => state !== 'running');
  return html`
    <div class="live" aria-busy=${feed.running !== undefined}>
      ${text !== '' && html`<article class="message assistant"><h3>Agent</h3><${Text} text=${text} /></article>`}
      ${[...calls].map(
        ([callId, { name, input, output }]) => html`
        <article class="command" key=${callId}>
          <h3><${Text} text=${String(input?.command ?? `${name} ${JSON.stringify(input)}`)} kind="typed" /></h3>
          ${output !== '' && html`<${Text} text=${output} />`}
          <p class="about">it runs</p>
        </article>`,
      )}
      ${waiting.map((turn) => html`<article key=${turn.id} class="message user"><h3>Said <small>${turn.state}</small></h3><${Text} text=${turn.text} /></article>`)}
      ${feed.unsaid.map((turn) => html`<article key=${turn.id} class="message user"><h3>Said</h3><${Text} text=${turn.text} /><p class="failure">${failureLine(turn)}</p></article>`)}
    </div>`;
}

function Compose({ session, feed }) {
  const { api } = useConsole();
  const field = useRef(null);
  const plans = useRef(null);
  const key = useRef(newKey());
  const [error, setError] = useState(null);
  const [isSending, setSending] = useState(false);
  const isRunning = feed.running !== undefined;
  const send = async (mode) => {
    const text = field.current.value;
    if (text.trim() === '' || isSending) return;
    setSending(true);
    setError(null);
    try {
      // The same key until it was taken: after a lost answer it is not said twice.
      const { message } = await api.post(`/v1/sessions/${session}/messages`, {
        text,
        key: key.current,
        ...(mode && { mode }),
        ...(plans.current.checked && { plan: true }),
      });
      if (message !== null) feed.noteTurn(message);
      if (field.current !== null && field.current.value === text) field.current.value = '';
      key.current = newKey();
    } catch (failure) {
      if (failure.status !== 0) key.current = newKey();
      setError(failure);
    } finally {
      setSending(false);
    }
  };
  const stop = () => api.post(`/v1/sessions/${session}/stop`).catch(setError);
  useKeys({ i: () => field.current.focus(), ...(feed.turns.size > 0 ? { x: stop } : {}) });
  const onKeyDown = (event) => {
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    send();
  };
  return html`
    <form class="compose" onSubmit=${(event) => {
      event.preventDefault();
      send();
    }}>
      <label for="say">Say something <kbd aria-hidden="true">i</kbd></label>
      <textarea id="say" ref=${field} rows="2" maxlength="200000" aria-keyshortcuts="i" aria-describedby="say-help" onKeyDown=${onKeyDown}></textarea>
      <p id="say-help" class="about">Enter sends; Shift and Enter begin a line.</p>
      <div class="bar">
        <button disabled=${isSending}>Send</button>
        <label><input type="checkbox" ref=${plans} /> plan first</label>
        ${isRunning && html`<button type="button" onClick=${() => send('steer')}>Steer</button>`}
        ${feed.turns.size > 0 && html`<button type="button" aria-keyshortcuts="x" onClick=${stop}>Stop <kbd aria-hidden="true">x</kbd></button>`}
      </div>
      <${Failure} error=${error} />
    </form>`;
}
