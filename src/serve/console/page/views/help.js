/** The keys. */
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { keys } from '../hooks.js';
import { html } from '../html.js';

const OTHERS = [
  ['j, k', 'the next one, the one before'],
  ['Enter', 'open it; in a session: send what was written'],
  ['a', 'approve, answer, apply or accept what is shown'],
  ['d', 'deny, decline, drop or reject it'],
  ['r', 'show what has become another as it is now'],
  ['n', 'begin a session'],
  ['i', 'in a session: write'],
  ['x', 'in a session: stop its turn'],
  ['b', 'in a session: fork it from its last entry'],
  ['Escape', 'leave a field, or this'],
  ['?', 'this'],
];

export function Help({ views, onClose }) {
  const dialog = useRef(null);
  const [areOn, setOn] = useState(keys.areOn);
  useLayoutEffect(() => dialog.current.showModal(), []);
  const turn = ({ target }) => {
    keys.areOn = target.checked;
    setOn(target.checked);
  };
  const rows = [...Object.values(views).map(({ key, name }) => [key, name]), ...OTHERS];
  return html`
    <dialog ref=${dialog} onClose=${onClose} aria-labelledby="help-title">
      <h2 id="help-title">Keys</h2>
      <table>
        <tbody>
          ${rows.map(([key, what]) => html`<tr><th scope="row"><kbd>${key}</kbd></th><td>${what}</td></tr>`)}
        </tbody>
      </table>
      <label><input type="checkbox" checked=${areOn} onChange=${turn} /> Single keys do these</label>
      <form method="dialog"><button>Close</button></form>
    </dialog>`;
}
