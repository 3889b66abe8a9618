/** Elements as tagged templates: `` html`<p>${text}</p>` ``. What is put in is text or elements, never markup. */
import htm from 'htm';
import { h } from 'preact';

export const html = htm.bind(h);
