/** Prompts with a date, and those that come again. */
import { useState } from 'preact/hooks';
import { useConsole, useLoaded, useTitle } from '../hooks.js';
import { html } from '../html.js';
import { Failure, line, Text } from '../text.js';

const EVERY_MS = 10_000;
const ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

export function Schedule() {
  const { api, may, announce } = useConsole();
  const prompts = useLoaded(() => api.get('/v1/schedule'), [api], EVERY_MS);
  const [error, setError] = useState(null);
  useTitle('Schedule');
  const act = async (work, done) => {
    setError(null);
    try {
      await work();
      announce(done);
    } catch (failure) {
      setError(failure);
    }
    await prompts.reload();
  };
  const remove = (name) =>
    act(() => api.delete(`/v1/schedule/${encodeURIComponent(name)}`), 'removed');
  const add = (event) => {
    event.preventDefault();
    const form = event.target;
    const { name, at, every, zone, prompt } = Object.fromEntries(new FormData(form));
    const draft = {
      name: name.includes('.') ? name : `${name}.md`,
      ...(at === '' ? {} : { at: new Date(at).toISOString() }),
      ...(every === '' ? {} : { every, ...(at === '' ? { zone } : {}) }),
      prompt,
    };
    return act(() => api.post('/v1/schedule', draft).then(() => form.reset()), 'scheduled');
  };
  return html`
    <h1>Schedule</h1>
    <${Failure} error=${error ?? prompts.error} />
    ${prompts.data?.length === 0 && html`<p>Nothing is scheduled.</p>`}
    <ul class="list">
      ${(prompts.data ?? []).map(
        (each) => html`
        <li key=${each.name}>
          <b>${line(each.name)}</b> <span class="state">${each.state}</span>
          <span class="about">${each.at ?? 'no date'}${each.every && `, again at ${line(each.every)} ${line(each.zone)}`}, by ${line(each.authors.join(', '))}${each.agent && `, as ${line(each.agent)}`}${each.outcome && `: ${line(each.outcome)}`}</span>
          ${each.fault && html`<p class="failure">${line(each.fault)}</p>`}
          <${Text} text=${each.prompt} />
          ${each.state === 'waiting' && may('converse') && html`<button type="button" class="no" onClick=${() => remove(each.name)}>Take back<span class="heard"> ${line(each.name)}</span></button>`}
        </li>`,
      )}
    </ul>
    ${
      may('converse') &&
      html`
      <h2>Schedule a prompt</h2>
      <form class="login" onSubmit=${add}>
        <label for="prompt-name">Name</label><input id="prompt-name" name="name" required maxlength="100" pattern="[A-Za-z0-9][A-Za-z0-9._\\-]*" />
        <label for="prompt-at">When (this machine's time)</label><input id="prompt-at" name="at" type="datetime-local" />
        <label for="prompt-every">Or again and again: minute, hour, day, month, day of the week</label><input id="prompt-every" name="every" maxlength="200" placeholder="0 9 * * 1" />
        <label for="prompt-zone">… of the time zone</label><input id="prompt-zone" name="zone" maxlength="100" value=${ZONE} />
        <label for="prompt-text">Prompt</label><textarea id="prompt-text" name="prompt" rows="3" required maxlength="200000"></textarea>
        <button>Schedule</button>
      </form>`
    }`;
}
