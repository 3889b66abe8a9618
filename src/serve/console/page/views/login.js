/** Who somebody is: they show their token once, and have a cookie from then on. */
import { useState } from 'preact/hooks';
import { useTitle } from '../hooks.js';
import { html } from '../html.js';
import { Failure } from '../text.js';

export function Login({ api, onKnown }) {
  const [error, setError] = useState(null);
  const [isAsking, setAsking] = useState(false);
  useTitle('Log in');
  const logIn = async (event) => {
    event.preventDefault();
    setAsking(true);
    setError(null);
    try {
      onKnown(await api.logIn(new FormData(event.target).get('token').trim()));
    } catch (failure) {
      setError(failure);
      setAsking(false);
    }
  };
  return html`
    <main id="main" class="login">
      <h1>Dirigent</h1>
      <form onSubmit=${logIn}>
        <label for="token">Token</label>
        <input id="token" name="token" type="password" autocomplete="current-password" required aria-describedby="token-help" />
        <p id="token-help">The server printed it when it was made: "dirigent serve token add NAME" makes one.</p>
        <button disabled=${isAsking}>Log in</button>
        <${Failure} error=${error} />
      </form>
    </main>`;
}
