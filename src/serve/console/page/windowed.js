/**
 * A list of which the rows in sight alone are in the page, however many there are. Rows are as high as
 * their texts: a block of them is measured when it is shown, and estimated until then.
 */
import { useCallback, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { html } from './html.js';

const BLOCK = 40;
const ESTIMATE = 56;
/** Nearer to the end than this, somebody reads what comes. In px. */
const AT_END = 48;

/**
 * @param {{rows: unknown[], label: string, version: number, renderRow: (row, index) => unknown}} props
 *   version: another one where rows changed in place
 */
export function Windowed({ rows, label, renderRow, tail }) {
  const box = useRef(null);
  const heights = useRef(new Map());
  const follows = useRef(true);
  const [view, setView] = useState({ top: 0, height: 800 });
  // Told of late: by then the list may not be in the page any more.
  const onScroll = useCallback(({ currentTarget }) => {
    const { scrollTop, clientHeight, scrollHeight } = currentTarget;
    follows.current = scrollHeight - scrollTop - clientHeight < AT_END;
    setView({ top: scrollTop, height: clientHeight });
  }, []);
  const blocks = Math.ceil(rows.length / BLOCK);
  const heightOf = (block) =>
    heights.current.get(block) ?? ESTIMATE * Math.min(BLOCK, rows.length - block * BLOCK);
  const { first, last, above, below } = inSight(blocks, heightOf, view);
  useLayoutEffect(() => {
    for (const element of box.current.querySelectorAll('[data-block]'))
      heights.current.set(Number(element.dataset.block), element.offsetHeight);
    // What is at the end has grown, and whoever was there stays there.
    if (!follows.current) return;
    box.current.scrollTop = box.current.scrollHeight;
    const { scrollTop, clientHeight } = box.current;
    if (scrollTop !== view.top || clientHeight !== view.height)
      setView({ top: scrollTop, height: clientHeight });
  });
  const shown = [];
  for (let block = first; block < last; block++) {
    const from = block * BLOCK;
    shown.push(html`
      <div key=${block} data-block=${block} role="presentation">
        ${rows.slice(from, from + BLOCK).map(
          (row, index) => html`
          <div key=${from + index} role="listitem" aria-posinset=${from + index + 1} aria-setsize=${rows.length}>
            ${renderRow(row, from + index)}
          </div>`,
        )}
      </div>`);
  }
  return html`
    <div class="windowed" ref=${box} onScroll=${onScroll} tabindex="0" role="region" aria-label=${label}>
      <div role="list" aria-label=${label}>
        <div role="presentation" style=${{ height: `${above}px` }}></div>
        ${shown}
        <div role="presentation" style=${{ height: `${below}px` }}></div>
      </div>
      ${tail}
    </div>`;
}

/** The blocks from `first` to before `last`, and the heights of what is left out. In px. */
function inSight(blocks, heightOf, { top, height }) {
  let first = 0;
  let above = 0;
  while (first < blocks && above + heightOf(first) < top - height) {
    above += heightOf(first);
    first += 1;
  }
  let last = first;
  let end = above;
  while (last < blocks && end < top + 2 * height) {
    end += heightOf(last);
    last += 1;
  }
  let below = 0;
  for (let block = last; block < blocks; block++) below += heightOf(block);
  return { first, last, above, below };
}
