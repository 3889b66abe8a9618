/** Something to decide: what it is, exactly what would be done, and two buttons with a key each. */
import { html } from '../html.js';
import { line } from '../text.js';

/**
 * @param fields `[name, text]` about it
 * @param yes, no `{name, act}`; null where whoever looks may not
 */
export function Card({
  item,
  title,
  fields,
  isAt,
  isOld,
  onLook,
  onFocus,
  yes,
  no,
  more,
  children,
}) {
  const id = `title ${item.key}`.replaceAll(/[^\w-]/g, '-');
  return html`
    <section class=${`asked ${isAt ? 'at' : ''}`} data-item=${item.key} aria-labelledby=${id} onFocusIn=${onFocus} onClick=${onFocus}>
      <h2 id=${id}>${title}</h2>
      <dl>${fields.filter(([, text]) => text).map(([name, text]) => html`<dt>${name}</dt><dd>${typeof text === 'string' ? line(text) : text}</dd>`)}</dl>
      ${children}
      ${isOld && html`<p class="notice" role="alert">It has become another since it was shown here. <button type="button" class="quiet" data-key="look" aria-keyshortcuts="r" onClick=${onLook}>Show it as it is now ${isAt && html`<kbd aria-hidden="true">r</kbd>`}</button></p>`}
      <div class="bar">
        ${yes && html`<button type="button" data-key="yes" aria-keyshortcuts="a" onClick=${yes.act}>${yes.name} ${isAt && html`<kbd aria-hidden="true">a</kbd>`}</button>`}
        ${no && html`<button type="button" class="no" data-key="no" aria-keyshortcuts="d" onClick=${no.act}>${no.name} ${isAt && html`<kbd aria-hidden="true">d</kbd>`}</button>`}
        ${more}
      </div>
      ${item.digest && html`<p class="about">A decision is about this and nothing else: <code>${item.digest.slice(0, 16)}</code></p>`}
    </section>`;
}
