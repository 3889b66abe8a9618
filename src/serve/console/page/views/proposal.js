/** What an agent proposes to change in the harness. */
import { useConsole } from '../hooks.js';
import { html } from '../html.js';
import { Diff, line } from '../text.js';
import { Card } from './card.js';

export function ProposalCard({ item, decide, ...rest }) {
  const { api, may } = useConsole();
  const { path, digest } = item;
  const send = (verb, body, done) => () =>
    decide(async () => {
      await api.post(`/v1/proposals/${verb}`, body);
      return `${done}: ${line(path)}`;
    });
  const maySay = may('rule');
  return html`
    <${Card}
      ...${rest}
      item=${item}
      title=${html`Accept? ${line(path)} of the harness`}
      fields=${[['what is wrong', item.error]]}
      yes=${maySay && item.error === null && { name: 'Accept', act: send('accept', { path, digest }, 'accepted') }}
      no=${maySay && { name: 'Reject', act: send('reject', { path }, 'rejected') }}
    >
      <${Diff} patch=${item.patch} />
    <//>`;
}
