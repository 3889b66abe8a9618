/** A row of a session: what was said, or a command with what it printed and changed. */
import { useState } from 'preact/hooks';
import { partsOf } from '../feed.js';
import { useConsole } from '../hooks.js';
import { html } from '../html.js';
import { hrefOf } from '../route.js';
import { Diff, Failure, line, Text } from '../text.js';

export function Row({ row, session, fork, failure }) {
  const { entry, end, isFork } = row;
  const View = entry.type === 'message' ? Message : entry.type === 'bash_start' ? Command : Other;
  const isForked = fork !== null && (entry.type === 'message' || end !== undefined);
  return html`
    ${isFork && html`<p class="about">It goes on from another entry than the one before</p>`}
    <${View} row=${row} session=${session} />
    ${failure && html`<p class="failure">${failureLine(failure)}</p>`}
    ${isForked && html`<button type="button" class="quiet fork" onClick=${() => fork((end ?? entry).id)}>Fork from here</button>`}`;
}

const ENDS = {
  failed: 'This did not work',
  stopped: 'Stopped',
  interrupted: 'Interrupted',
  expired: 'Expired',
};

/** What became of a message that has no answer. */
export const failureLine = ({ state, outcome }) =>
  line([ENDS[state] ?? state, outcome?.error].filter(Boolean).join(': '));

const SPEAKERS = { user: 'Said', assistant: 'Agent', tool: 'Result' };

function Message({ row, session }) {
  const { message, usage } = row.entry;
  return html`
    <article class=${`message ${message.role}`}>
      <h3>${SPEAKERS[message.role] ?? line(message.role)}${usage && html` <small>${usage.inputTokens ?? 0} tokens in, ${usage.outputTokens ?? 0} out</small>`}</h3>
      ${partsOf(message).map((part) => html`<${Part} part=${part} row=${row} session=${session} />`)}
    </article>`;
}

function Part({ part, row, session }) {
  switch (part.type) {
    case 'text':
      return html`<${Long} value=${part.text} entry=${row.entry.id} session=${session} pick=${(entry) => textParts(entry)} />`;
    case 'tool-call': {
      // A command has a row of its own.
      if (part.toolName === 'bash') return null;
      const output = row.results?.get(part.toolCallId);
      return html`
        <details>
          <summary>${line(part.toolName)} ${line(JSON.stringify(part.input)).slice(0, 200)}</summary>
          <${Json} value=${part.input} />
          ${output !== undefined && html`<${Json} value=${output.value ?? output} />`}
        </details>`;
    }
    default:
      return html`<details><summary>${line(part.type)}</summary><${Json} value=${part} /></details>`;
  }
}

const textParts = ({ message }) =>
  partsOf(message)
    .filter(({ type }) => type === 'text')
    .map(({ text }) => text)
    .join('\n');

function Command({ row, session }) {
  const { entry, end } = row;
  const failed = end !== undefined && end.exitCode !== 0;
  return html`
    <article class="command">
      <h3><${Long} value=${entry.command} kind="typed" entry=${entry.id} session=${session} pick=${({ command }) => command} /></h3>
      ${
        end === undefined
          ? html`<p class="about">it runs, or was interrupted</p>`
          : html`
            <${Long} value=${end.stdout} entry=${end.id} session=${session} pick=${({ stdout }) => stdout} />
            <${Long} value=${end.stderr} kind="stderr" entry=${end.id} session=${session} pick=${({ stderr }) => stderr} />
            <p class="about">
              ${line(end.cwd)}, ${failed ? html`<b class="failure">exit status ${end.exitCode}</b>` : 'exit status 0'}${end.requests > 0 && `, ${end.requests} requests`}
              <${Changed} files=${end.changed} />
            </p>
            <${Diffs} files=${end.changed} entry=${end.id} session=${session} />`
      }
    </article>`;
}

function Changed({ files }) {
  if (!Array.isArray(files) || files.length === 0) return null;
  const paths = files.slice(0, 20).filter(({ path }) => typeof path === 'string');
  return html`, changed ${paths.map(({ path }) => html`<a href=${hrefOf('files', path.slice(1))}>${line(path)}</a> `)}${files.length > paths.length && `and ${files.length - paths.length} more`}`;
}

/** What the command did to files, fetched when asked for. */
function Diffs({ files, entry, session }) {
  const { api } = useConsole();
  const [shown, setShown] = useState(null);
  const [error, setError] = useState(null);
  // A long list is elsewhere in the log.
  if (files === undefined || files.length === 0) return null;
  const load = () =>
    api.get(`/v1/sessions/${session}/entries/${entry}/changed`).then(setShown, setError);
  if (shown === null)
    return html`
      <button type="button" class="quiet changed" onClick=${load}>Show what it changed</button>
      <${Failure} error=${error} />`;
  return shown.map(
    ({ path, patch, reason }) => html`
    <h4>${line(path)}</h4>
    ${patch === null ? html`<p class="about">${line(reason)}</p>` : html`<${Diff} patch=${patch} />`}`,
  );
}

function Other({ row }) {
  const { entry } = row;
  const { id: _, parentId: __, prev: ___, hash: ____, timestamp, type, name = '', ...rest } = entry;
  return html`
    <details class="other">
      <summary>${line(name || type)} <small>${line(timestamp)}</small></summary>
      <${Json} value=${rest} />
    </details>`;
}

const Json = ({ value }) =>
  html`<${Text} text=${typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? '')} />`;

/** A text, or how it begins where the log has it elsewhere. */
function Long({ value, entry, session, pick, kind = '' }) {
  const { api } = useConsole();
  const [whole, setWhole] = useState(null);
  const [error, setError] = useState(null);
  if (value === undefined || value === '') return null;
  if (typeof value === 'string') return html`<${Text} text=${value} kind=${kind} />`;
  const load = () =>
    api
      .get(`/v1/sessions/${session}/entries/${entry}`)
      .then((found) => setWhole(pick(found)), setError);
  return html`
    <${Text} text=${String(whole ?? value.head ?? '')} kind=${kind} />
    ${whole === null && html`<button type="button" class="quiet" onClick=${load}>Show all ${Number(value.bytes).toLocaleString('en')} bytes</button>`}
    <${Failure} error=${error} />`;
}
