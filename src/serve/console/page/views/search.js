/** Search by meaning, with the line of each place that was found. */
import { useLayoutEffect, useRef } from 'preact/hooks';
import { useConsole, useCursor, useKeys, useLoaded, useTitle } from '../hooks.js';
import { html } from '../html.js';
import { go, hrefOf } from '../route.js';
import { Failure, line } from '../text.js';

/** What is mounted is searched by meaning, wherever nothing else is named. */
const SEARCHABLE = '/mnt';
/** A line may be as long as a file. */
const SHOWN = 500;

export function Search({ query: given }) {
  const { api } = useConsole();
  const query = given.get('query') ?? '';
  const path = given.get('path') ?? SEARCHABLE;
  const result = useLoaded(
    () =>
      query === ''
        ? null
        : api.get('/v1/search', { query, path }).then((found) => ({ ...found, query, path })),
    [api, query, path],
  );
  const isShown = result.data !== null && result.data.query === query && result.data.path === path;
  const found = isShown ? result.data.found : [];
  const [at, setAt] = useCursor(found.length);
  const field = useRef(null);
  useTitle(query === '' ? 'Search' : `Search: ${line(query)}`);
  // What is typed next goes into it.
  useLayoutEffect(() => {
    if (query === '') field.current.focus();
  }, []);
  useKeys({ Enter: () => found[at] && go(hrefTo(found[at])), '/': () => field.current.focus() });
  const search = (event) => {
    event.preventDefault();
    const asked = new FormData(event.target);
    field.current.blur();
    go(
      hrefOf('search', '', {
        query: asked.get('query').trim(),
        path: asked.get('path').trim() || SEARCHABLE,
      }),
    );
  };
  return html`
    <h1>Search</h1>
    <form class="bar" role="search" onSubmit=${search}>
      <label>Words or a question <input type="search" name="query" ref=${field} defaultValue=${query} maxlength="1000" required /></label>
      <label>below <input name="path" defaultValue=${path} maxlength="4096" /></label>
      <button>Search</button>
    </form>
    <${Failure} error=${result.error} />
    <p role="status">${query === '' ? '' : result.error !== null ? '' : isShown ? `${found.length} ${found.length === 1 ? 'place' : 'places'} found` : 'Searching …'}</p>
    ${isShown && result.data.notes.map((note) => html`<p class="about">${line(note)}</p>`)}
    <ol class="list">
      ${found.map(
        (each, index) => html`
        <li class=${index === at ? 'at' : ''}>
          <a href=${hrefTo(each)} onFocus=${() => setAt(index)}>${line(each.path)}:${each.line}</a>
          <div class="text"><${Marked} text=${each.text.slice(0, SHOWN)} query=${query} /></div>
        </li>`,
      )}
    </ol>`;
}

const hrefTo = ({ path, line: number }) => hrefOf('files', path.slice(1), { line: number });

/** A line in which the words that were asked for stand out; others mean the same, and do not. */
function Marked({ text, query }) {
  const words = query.split(/[^\p{L}\p{N}]+/u).filter(({ length }) => length > 2);
  if (words.length === 0) return line(text);
  const pattern = new RegExp(`(${words.join('|')})`, 'giu');
  return text
    .split(pattern)
    .map((part, index) => (index % 2 === 1 ? html`<strong>${line(part)}</strong>` : line(part)));
}
