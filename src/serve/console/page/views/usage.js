/** What was spent, by day: as a plot, and as a table for those who do not see it. */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import uPlot from 'uplot/dist/uPlot.esm.js';
import { useConsole, useLoaded, useTitle } from '../hooks.js';
import { html } from '../html.js';
import { Failure, line } from '../text.js';

const DAY_S = 86_400;
const PERIODS = [7, 30, 90, 365];
const HEIGHT = 220;

export function Usage() {
  const { api } = useConsole();
  const [days, setDays] = useState(30);
  const usage = useLoaded(() => api.get('/v1/usage', { days }), [api, days]);
  const rows = useMemo(() => (usage.data === null ? [] : byDay(usage.data, days)), [usage.data]);
  useTitle('Usage');
  return html`
    <h1>Usage</h1>
    <div class="bar">
      <label>The last <select value=${days} onChange=${({ target }) => setDays(Number(target.value))}>${PERIODS.map((each) => html`<option value=${each}>${each} days</option>`)}</select></label>
    </div>
    <${Failure} error=${usage.error} />
    ${
      rows.length > 0 &&
      html`
      <${Plot} name="Tokens" rows=${rows} field="tokens" />
      <${Plot} name="Turns" rows=${rows} field="turns" />
      <h2>By person and model</h2>
      <div class="scrolls" tabindex="0" role="region" aria-label="Turns by person and model">
        <table>
          <thead><tr><th scope="col">day</th><th scope="col">who</th><th scope="col">model</th><th scope="col">turns</th><th scope="col">tokens in</th><th scope="col">out</th></tr></thead>
          <tbody>${usage.data.turns.map(
            (each) => html`
            <tr><td>${each.day}</td><td>${line(each.actor)}</td><td>${line(each.model ?? '')}</td><td class="number">${each.turns}</td><td class="number">${each.inputTokens.toLocaleString('en')}</td><td class="number">${each.outputTokens.toLocaleString('en')}</td></tr>`,
          )}
          </tbody>
        </table>
      </div>
      <details>
        <summary>Each day in numbers</summary>
        <table><thead><tr><th scope="col">day</th><th scope="col">tokens</th><th scope="col">turns</th></tr></thead>
        <tbody>${rows.map(({ day, tokens, turns }) => html`<tr><th scope="row">${day}</th><td class="number">${tokens.toLocaleString('en')}</td><td class="number">${turns}</td></tr>`)}</tbody></table>
      </details>`
    }`;
}

/** Every day up to today, those without anything among them. */
function byDay({ days, turns }, count) {
  const sums = new Map();
  const at = (day) => {
    const sum = sums.get(day) ?? { tokens: 0, turns: 0 };
    sums.set(day, sum);
    return sum;
  };
  for (const { day, tokens } of days) at(day).tokens += tokens;
  for (const each of turns) {
    const sum = at(each.day);
    sum.turns += each.turns;
    // The sums of all are for those who may see them; others see those of their own turns.
    if (days.length === 0) sum.tokens += each.inputTokens + each.outputTokens;
  }
  const today = Math.floor(Date.now() / 1000 / DAY_S);
  return Array.from({ length: count }, (_, index) => {
    const seconds = (today - count + 1 + index) * DAY_S;
    const day = new Date(seconds * 1000).toISOString().slice(0, 10);
    return { day, seconds, ...at(day) };
  });
}

const DARK = matchMedia('(prefers-color-scheme: dark)');

/** Another one is drawn in other colours. */
function useScheme() {
  const [isDark, setDark] = useState(DARK.matches);
  useEffect(() => {
    const onChange = ({ matches }) => setDark(matches);
    DARK.addEventListener('change', onChange);
    return () => DARK.removeEventListener('change', onChange);
  }, []);
  return isDark;
}

function Plot({ name, rows, field }) {
  const box = useRef(null);
  const isDark = useScheme();
  const total = rows.reduce((sum, row) => sum + row[field], 0).toLocaleString('en');
  useEffect(() => {
    const style = getComputedStyle(box.current);
    const axis = { stroke: style.color, grid: { stroke: 'rgba(128, 128, 128, 0.3)' } };
    const bars = {
      label: name,
      stroke: style.getPropertyValue('--plot'),
      fill: 'rgba(80, 130, 200, 0.25)',
      paths: uPlot.paths.bars({ size: [0.8, 60] }),
    };
    const plot = new uPlot(
      {
        width: box.current.clientWidth,
        height: HEIGHT,
        tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), 'UTC'),
        axes: [axis, { ...axis, size: 70 }],
        series: [{ value: '{YYYY}-{MM}-{DD}' }, bars],
      },
      [rows.map(({ seconds }) => seconds), rows.map((row) => row[field])],
      box.current,
    );
    const onResize = new ResizeObserver(([{ contentRect }]) =>
      plot.setSize({ width: contentRect.width, height: HEIGHT }),
    );
    onResize.observe(box.current);
    return () => {
      onResize.disconnect();
      plot.destroy();
    };
  }, [rows, isDark]);
  return html`<h2>${name}: ${total}</h2><div class="plot" ref=${box} role="img" aria-label=${`${name} by day: ${total}; the numbers are below`}></div>`;
}
