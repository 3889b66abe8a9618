/** The namespace: directories, and files with the number of each line. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { useConsole, useCursor, useKeys, useLoaded, useTitle } from '../hooks.js';
import { html } from '../html.js';
import { go, hrefOf } from '../route.js';
import { Failure, Lines, line, Text } from '../text.js';

/** Shown at once of a directory. */
const PAGE = 500;

export function Files({ rest, query }) {
  const { api } = useConsole();
  const path = `/${rest}`.replace(/\/+$/, '') || '/';
  const file = useLoaded(() => api.get('/v1/files', { path }), [api, path]);
  const isShown = file.data?.path === path;
  useTitle(line(path));
  return html`
    <h1>Files</h1>
    <${Trail} path=${path} />
    <form class="bar" onSubmit=${(event) => search(event, path)}>
      <label>Search below this <input type="search" name="query" maxlength="1000" /></label>
      <button>Search</button>
    </form>
    <${Failure} error=${file.error} />
    <div aria-busy=${!isShown && file.error === null}>
      ${isShown && (file.data.type === 'directory' ? html`<${Directory} key=${path} directory=${file.data} />` : html`<${File} key=${path} file=${file.data} marked=${Number(query.get('line')) || null} />`)}
    </div>`;
}

function search(event, path) {
  event.preventDefault();
  go(hrefOf('search', '', { query: new FormData(event.target).get('query'), path }));
}

function Trail({ path }) {
  const names = path.split('/').filter((name) => name !== '');
  return html`
    <nav aria-label="Path" class="bar">
      <a href=${hrefOf('files')}>/</a>
      ${names.map((name, index) => html`<a href=${hrefOf('files', names.slice(0, index + 1).join('/'))} aria-current=${index === names.length - 1 ? 'location' : undefined}>${line(name)}</a>`)}
    </nav>`;
}

function Directory({ directory }) {
  const [shown, setShown] = useState(PAGE);
  const entries = directory.entries.slice(0, shown);
  const [at, setAt] = useCursor(entries.length);
  const list = useRef(null);
  const hrefTo = ({ name }) =>
    hrefOf(
      'files',
      `${directory.path === '/' ? '' : directory.path.slice(1)}/${name}`.replace(/^\//, ''),
    );
  useKeys({ Enter: () => entries[at] && go(hrefTo(entries[at])) });
  useEffect(() => {
    list.current?.children[at]?.scrollIntoView?.({ block: 'nearest' });
  }, [at]);
  const left = directory.entries.length - shown;
  return html`
    ${directory.entries.length === 0 && html`<p>Nothing is in it.</p>`}
    <ul class="list" ref=${list}>
      ${entries.map(
        (entry, index) => html`
        <li key=${entry.name} class=${index === at ? 'at' : ''}>
          <a href=${hrefTo(entry)} onFocus=${() => setAt(index)}>${line(entry.name)}${entry.type === 'directory' && '/'}${entry.type === 'symlink' && '@'}</a>
        </li>`,
      )}
    </ul>
    ${left > 0 && html`<button type="button" class="quiet" onClick=${() => setShown(shown + 4 * PAGE)}>Show more: ${left} are left</button>`}`;
}

function File({ file, marked }) {
  const { api } = useConsole();
  const [parts, setParts] = useState([file]);
  const [error, setError] = useState(null);
  const { next, encoding } = parts.at(-1);
  const more = () =>
    api
      .get('/v1/files', { path: file.path, offset: next })
      .then((part) => setParts([...parts, part]), setError);
  return html`
    <p class="about">${file.size.toLocaleString('en')} bytes, changed ${file.mtime}</p>
    ${
      encoding === 'base64'
        ? html`<p>It is no text.</p>`
        : marked === null
          ? html`<${Text} text=${parts.map(({ content }) => content).join('')} />`
          : html`<${Lines} text=${parts.map(({ content }) => content).join('')} marked=${marked} />`
    }
    ${next !== null && encoding !== 'base64' && html`<button type="button" class="quiet" onClick=${more}>Show the next part</button>`}
    <${Failure} error=${error} />`;
}
