/** A write to a service that waits: its diff, and the exact request. */
import { useConsole } from '../hooks.js';
import { html } from '../html.js';
import { Diff, line, Text, Time } from '../text.js';
import { Card } from './card.js';

export function ChangeCard({ item, decide, ...rest }) {
  const { api, may } = useConsole();
  const { id, digest } = item;
  /** The server tells of each change what came of it. */
  const send = (verb, body, wanted) => () =>
    decide(async () => {
      const [came] = await api.post(`/v1/changes/${verb}`, body);
      if (came.state === wanted && came.error === undefined) return `${wanted}: ${line(item.path)}`;
      throw new Error(came.error ?? `it is ${came.state}`);
    });
  const place =
    item.point === null ? item.path : `${item.point}/${item.path}`.replaceAll(/\/+/g, '/');
  const fields = [
    ['where', place],
    ['state', item.state],
    ['what is wrong', item.error],
    ['staged', html`<${Time} at=${item.createdAt} />`],
  ];
  const maySay = may('decide') && item.state === 'pending';
  return html`
    <${Card}
      ...${rest}
      item=${item}
      title=${html`Send? ${line(item.op)} ${line(item.path)}`}
      fields=${fields}
      yes=${maySay && { name: 'Apply', act: send('apply', { changes: [{ id, digest }] }, 'applied') }}
      no=${maySay && { name: 'Drop', act: send('drop', { ids: [id] }, 'dropped') }}
    >
      <${Diff} patch=${item.diff} />
      ${item.request && html`<details><summary>The request: ${line(item.request.method)} ${line(item.request.url)}</summary><${Text} text=${JSON.stringify(item.request, null, 2)} /></details>`}
    <//>`;
}
