/** A question of an agent: its words, as they are, and a field for the answer in the form that it has. */
import { useState } from 'preact/hooks';
import { useConsole } from '../hooks.js';
import { html } from '../html.js';
import { hrefOf } from '../route.js';
import { line, Text, Time } from '../text.js';
import { Card } from './card.js';

export function QuestionCard({ item, decide, ...rest }) {
  const { api, may } = useConsole();
  const { form } = item;
  const [value, setValue] = useState(form.kind === 'choices' ? [] : '');
  const send = (given) => () =>
    decide(async () => {
      const { id, digest } = item;
      const now = await api.post(`/v1/questions/${id}/answer`, { digest, value: given });
      if (now.state === (given === null ? 'declined' : 'answered'))
        return `${now.state}: ${shown(now)}`;
      throw new Error(
        `nothing was answered: it is ${now.state}${now.answeredBy === null ? '' : `, by ${now.answeredBy}`}`,
      );
    });
  const plan = form.kind === 'plan';
  const [comment, setComment] = useState('');
  const judge = (decision) => send({ decision, ...(comment.trim() === '' ? {} : { comment }) });
  const answer = send(form.kind === 'number' ? (value === '' ? value : Number(value)) : value);
  const onSubmit = (event) => {
    event.preventDefault();
    answer();
  };
  // Whose session it is the server knows; a viewer answers nothing.
  const maySay = may('converse');
  const isConfirm = form.kind === 'confirm';
  const fields = [
    ['who', `${item.actor} (${item.origin})`],
    [
      'before it asked',
      item.untrusted.length > 0 &&
        `it had read text of ${item.untrusted.join(', ')}: the words may be theirs`,
    ],
    ['session', html`<a href=${hrefOf('sessions', item.session)}>what led to it</a>`],
    ['asked', html`<${Time} at=${item.createdAt} />, open until <${Time} at=${item.expiresAt} />`],
  ];
  return html`
    <${Card}
      ...${rest}
      item=${item}
      title=${plan ? 'The agent proposes a plan' : 'The agent asks'}
      fields=${fields}
      yes=${maySay && (plan ? { name: 'Approve', act: judge('approve') } : isConfirm ? { name: 'Yes', act: send(true) } : { name: 'Answer', act: answer })}
      no=${maySay && (plan ? { name: 'Reject', act: judge('reject') } : isConfirm ? { name: 'No', act: send(false) } : { name: 'Decline', act: send(null) })}
      more=${maySay && plan ? html`<button type="button" class="quiet" onClick=${judge('change')}>Ask for changes</button>` : maySay && isConfirm && html`<button type="button" class="quiet" onClick=${send(null)}>Decline</button>`}
    >
      <${Text} text=${item.question} />
      ${maySay && !isConfirm && !plan && html`<form class="answer" onSubmit=${onSubmit}><${Field} item=${item} value=${value} onValue=${setValue} /></form>`}
      ${plan && html`<h3>What it would change, and nothing else</h3><${Text} text=${scopeOf(form.scope)} />`}
      ${plan && maySay && html`<div class="answer"><label><span>Comment</span><textarea rows="2" maxlength="10000" value=${comment} onInput=${({ target }) => setComment(target.value)}></textarea></label></div>`}
      <p class="about">${plan ? 'Approved, it bounds the turn, and gives it no right: rules that ask still ask.' : 'An answer allows nothing by itself: what needs approval is asked about on its own.'}</p>
    <//>`;
}

const shown = ({ answer, question }) =>
  line(answer === null ? question : (answer.decision ?? [answer].flat().join(', ')));

const scopeOf = ({ writes, tools }) =>
  [
    ...writes.map(({ path, operations }) => `${operations.join(', ')} ${path}`),
    ...tools.map((name) => `call the tool ${name}`),
  ].join('\n') || 'nothing';

/** A field of the form's kind. */
function Field({ item, value, onValue }) {
  const { id, form } = item;
  const { kind, options = [] } = form;
  const onInput = ({ target }) => onValue(target.value);
  if (kind === 'choice' || kind === 'choices') {
    const isOn = (option) => (kind === 'choice' ? value === option : value.includes(option));
    const toggle = (option) => () =>
      onValue(
        kind === 'choice'
          ? option
          : isOn(option)
            ? value.filter((each) => each !== option)
            : [...value, option],
      );
    return html`
      <fieldset>
        <legend>${kind === 'choice' ? 'One of them' : 'Those that apply'}</legend>
        ${options.map((option) => html`<label><input type=${kind === 'choice' ? 'radio' : 'checkbox'} name=${id} checked=${isOn(option)} onChange=${toggle(option)} /> ${line(option)}</label>`)}
      </fieldset>`;
  }
  const label = html`<span>${LABELS[kind](form)}</span>`;
  if (kind === 'text')
    return html`<label>${label}<textarea rows="3" maxlength=${form.max ?? 10_000} value=${value} onInput=${onInput}></textarea></label>`;
  return kind === 'date'
    ? html`<label>${label}<input type="date" min=${form.from} max=${form.to} value=${value} onInput=${onInput} /></label>`
    : html`<label>${label}<input type="number" step=${form.whole ? 1 : 'any'} min=${form.min} max=${form.max} value=${value} onInput=${onInput} /></label>`;
}

const between = (least, most) =>
  least === undefined
    ? most === undefined
      ? ''
      : `, at most ${most}`
    : most === undefined
      ? `, at least ${least}`
      : `, from ${least} to ${most}`;
const LABELS = {
  text: () => 'Your answer',
  number: ({ whole, min, max }) => `A ${whole ? 'whole ' : ''}number${between(min, max)}`,
  date: ({ from, to }) => `A date${between(from, to)}`,
};
