/** Texts of agents and services: text nodes alone, in which whatever hides is written out. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { escapeLine, escapeText } from '../../../visible.ts';
import { html } from './html.js';

/** So much of a text is shown at once; a browser lays out a line of a megabyte in seconds. */
const SHOWN = 20_000;
const MORE = 200_000;

/** Text that stays on its line, such as a path. */
export const line = (text) => escapeLine(String(text ?? ''));

/** Text of several lines, the first of them, and the rest if asked for. */
export function Text({ text, kind = '' }) {
  const [length, setLength] = useState(SHOWN);
  const left = text.length - length;
  // Half a pair at the end would be written out.
  const end = left > 0 && /[\ud800-\udbff]/.test(text[length - 1]) ? length - 1 : length;
  return html`
    <pre class=${`text ${kind}`}>${escapeText(text.slice(0, end))}</pre>
    ${
      left > 0 &&
      html`<button type="button" class="quiet" onClick=${() => setLength(length + MORE)}>
        Show more: ${left.toLocaleString('en')} characters are left
      </button>`
    }`;
}

/** A patch, each line with what it does, in words for those who do not see colours. */
export function Diff({ patch }) {
  const [length, setLength] = useState(2_000);
  const lines = patch.replace(/\n$/, '').split('\n');
  return html`
    <div class="diff" role="group" aria-label="What would change" tabindex="0">
      ${lines.slice(0, length).map((each) => {
        const kind = /^(?:\+\+\+|---|@@)/.test(each)
          ? 'about'
          : each.startsWith('+')
            ? 'added'
            : each.startsWith('-')
              ? 'removed'
              : 'same';
        const shown =
          each.length > SHOWN
            ? `${each.slice(0, SHOWN)}… ${each.length - SHOWN} more characters`
            : each;
        const Element = kind === 'added' ? 'ins' : kind === 'removed' ? 'del' : 'span';
        return html`<${Element} class=${kind}>${escapeText(shown)}${'\n'}</${Element}>`;
      })}
    </div>
    ${
      lines.length > length &&
      html`<button type="button" class="quiet" onClick=${() => setLength(length + 20_000)}>
        Show more: ${(lines.length - length).toLocaleString('en')} lines are left
      </button>`
    }`;
}

/** A moment: how long ago it was, and exactly when. */
export function Time({ at }) {
  const date = new Date(at);
  return html`<time datetime=${date.toISOString()} title=${date.toISOString()}>${ago(date)}</time>`;
}

const STEPS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
];

function ago(date) {
  const seconds = (date.getTime() - Date.now()) / 1000;
  const [unit, size] = STEPS.find(([, each]) => Math.abs(seconds) >= each) ?? STEPS[3];
  return new Intl.RelativeTimeFormat('en', { numeric: 'auto' }).format(
    Math.trunc(seconds / size),
    unit,
  );
}

/** What went wrong, as the server says it. */
export const Failure = ({ error }) =>
  error && html`<p class="failure" role="alert">${escapeText(error.message)}</p>`;

/** Lines around the one that is marked are shown, and the rest if asked for. */
const AROUND = 200;

/** A text with the numbers of its lines, one of which is marked and in sight. */
export function Lines({ text, marked }) {
  const [around, setAround] = useState(AROUND);
  const lines = text.split('\n');
  const first = Math.max(0, marked - 1 - around);
  const shown = lines.slice(first, marked + around);
  const mark = useRef(null);
  useEffect(() => mark.current?.scrollIntoView({ block: 'center' }), [marked]);
  const left = lines.length - shown.length;
  return html`
    <pre class="text">${shown.map((each, index) => {
      const number = first + index + 1;
      const words = `${String(number).padStart(5)}  ${cut(each)}\n`;
      return number === marked ? html`<mark ref=${mark}>${words}</mark>` : words;
    })}</pre>
    ${left > 0 && html`<button type="button" class="quiet" onClick=${() => setAround(around * 10)}>Show more: ${left} lines are left</button>`}`;
}

const cut = (text) =>
  text.length > SHOWN
    ? `${line(text.slice(0, SHOWN))}… ${text.length - SHOWN} more characters`
    : escapeText(text);
