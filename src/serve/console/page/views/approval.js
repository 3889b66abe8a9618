/** A request for approval: what would be done, word for word. */
import { useState } from 'preact/hooks';
import { useConsole } from '../hooks.js';
import { html } from '../html.js';
import { hrefOf } from '../route.js';
import { Diff, line, Time } from '../text.js';
import { Card } from './card.js';

const SCOPES = {
  once: 'this once',
  path: 'this path, from now on',
  prefix: 'all in its directory, from now on',
};

export function ApprovalCard({ item, decide, ...rest }) {
  const { api, may } = useConsole();
  const [scope, setScope] = useState('once');
  const answer = (decision) => () =>
    decide(async () => {
      const { id, digest } = item;
      const now = await api.post(`/v1/approvals/${id}/answer`, {
        digest,
        decision,
        ...(decision === 'allow' ? { scope } : {}),
      });
      const wanted = decision === 'allow' ? 'allowed' : 'denied';
      if (now.state === wanted || (wanted === 'allowed' && now.state === 'used'))
        return `${wanted}: ${line(now.op)} ${line(now.path)}`;
      throw new Error(
        `nothing was decided: it is ${now.state}${now.answeredBy === null ? '' : `, by ${now.answeredBy}`}`,
      );
    });
  const others = item.operations.filter(({ op, path }) => op !== item.op || path !== item.path);
  const fields = [
    ['who', `${item.actor} (${item.origin})`],
    ['for', item.people.join(', ')],
    ['rule', item.rule],
    ['why it is asked', item.reason],
    [
      'also',
      others.length > 0 && others.map(({ op, path }) => html`<div>${line(op)} ${line(path)}</div>`),
    ],
    ['session', html`<a href=${hrefOf('sessions', item.session)}>what led to it</a>`],
    ['asked', html`<${Time} at=${item.createdAt} />, open until <${Time} at=${item.expiresAt} />`],
  ];
  const maySay = may('decide');
  return html`
    <${Card}
      ...${rest}
      item=${item}
      title=${html`Approve? ${line(item.op)} ${line(item.path)}`}
      fields=${fields}
      yes=${maySay && { name: 'Approve', act: answer('allow') }}
      no=${maySay && { name: 'Deny', act: answer('deny') }}
      more=${
        maySay &&
        html`<label>for <select value=${scope} onChange=${({ target }) => setScope(target.value)}>${Object.entries(SCOPES).map(([value, name]) => html`<option value=${value}>${name}</option>`)}</select></label>`
      }
    >
      ${item.change === null ? html`<p class="about">Nothing is written by it.</p>` : html`<${Diff} patch=${item.change} />`}
    <//>`;
}
