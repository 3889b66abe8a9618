/** The services that are mounted: whether they can be reached, and how fresh is what is held of them. */
import { useConsole, useLoaded, useTitle } from '../hooks.js';
import { html } from '../html.js';
import { hrefOf } from '../route.js';
import { Failure, line, Text } from '../text.js';

const EVERY_MS = 30_000;

export function Mounts() {
  const { api } = useConsole();
  const mounts = useLoaded(() => api.get('/v1/mounts'), [api], EVERY_MS);
  useTitle('Mounts');
  return html`
    <h1>Mounts</h1>
    <${Failure} error=${mounts.error} />
    ${mounts.data?.length === 0 && html`<p>No service is mounted.</p>`}
    <div aria-busy=${mounts.data === null && mounts.error === null}>
      ${(mounts.data ?? []).map((mount) => html`<${Mount} key=${mount.point} mount=${mount} />`)}
    </div>`;
}

function Mount({ mount: { point, kind, error, held, ...rest } }) {
  return html`
    <section class="asked">
      <h2><a href=${hrefOf('files', point.slice(1))}>${line(point)}</a></h2>
      <p>${line(kind)}: ${error === undefined ? 'it can be reached' : html`<span class="failure">${line(error)}</span>`}</p>
      <dl>
        ${Object.entries({ ...rest, ...held }).map(([name, value]) => html`<dt>${line(name)}</dt><dd>${shown(name, value)}</dd>`)}
      </dl>
    </section>`;
}

const shown = (name, value) => {
  if (value === null) return '–';
  if (typeof value === 'object') return html`<${Text} text=${JSON.stringify(value, null, 2)} />`;
  // Moments are numbers of milliseconds, which nobody reads.
  if (typeof value === 'number' && /At$|since|until/i.test(name))
    return new Date(value).toISOString();
  return typeof value === 'number' ? value.toLocaleString('en') : line(value);
};
