/** Something to decide: what it is, exactly what would be done, and two buttons with a key each. */
import { useEffect, useState } from 'preact/hooks';
import { html } from '../html.js';
import { line } from '../text.js';

/** So long something is shown before it can be decided. In ms. */
const SETTLED_MS = 400;

/** What has come in the place of something else just as a key was pressed is not decided by it. */
function useSettled(shown) {
  const [settled, setSettled] = useState(null);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(shown), SETTLED_MS);
    return () => clearTimeout(timer);
  }, [shown]);
  return settled === shown;
}

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
  const isSettled = useSettled(`${item.key} ${item.digest}`);
  const key = (name) => isAt && isSettled && html`<kbd aria-hidden="true">${name}</kbd>`;
  const id = `title ${item.key}`.replaceAll(/[^\w-]/g, '-');
  return html`
    <section class=${`asked ${isAt ? 'at' : ''}`} data-item=${item.key} aria-labelledby=${id} onFocusIn=${onFocus} onClick=${onFocus}>
      <h2 id=${id}>${title}</h2>
      <dl>${fields.filter(([, text]) => text).map(([name, text]) => html`<dt>${name}</dt><dd>${typeof text === 'string' ? line(text) : text}</dd>`)}</dl>
      ${children}
      ${isOld && html`<p class="notice" role="alert">It has become another since it was shown here. <button type="button" class="quiet" data-key="look" aria-keyshortcuts="r" onClick=${onLook}>Show it as it is now ${isAt && html`<kbd aria-hidden="true">r</kbd>`}</button></p>`}
      <div class="bar">
        ${yes && html`<button type="button" data-key="yes" aria-keyshortcuts="a" disabled=${!isSettled} onClick=${yes.act}>${yes.name} ${key('a')}</button>`}
        ${no && html`<button type="button" class="no" data-key="no" aria-keyshortcuts="d" disabled=${!isSettled} onClick=${no.act}>${no.name} ${key('d')}</button>`}
        ${more}
      </div>
      ${item.digest && html`<p class="about">A decision is about this and nothing else: <code>${item.digest.slice(0, 16)}</code></p>`}
    </section>`;
}
