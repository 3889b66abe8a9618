/** Begins the console. */
import { render } from 'preact';
import { App } from './app.js';
import { html } from './html.js';

const place = document.getElementById('console');
place.textContent = '';
render(html`<${App} />`, place);
