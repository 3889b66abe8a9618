// A page of docs/ is called what its first heading says, and stands in the
// navigation by that name; typedoc would call it what its file is called.
import { Converter } from 'typedoc';

/** Called by typedoc, which loads this module as a plugin. */
export function load(app) {
  app.converter.on(Converter.EVENT_CREATE_DOCUMENT, (_, document) => {
    const [first] = document.content;
    const heading = first?.kind === 'text' ? /^# (.+)$/m.exec(first.text) : null;
    if (heading === null) throw new Error(`${document.name} does not begin with a heading`);
    document.name = heading[1].replaceAll('`', '');
    document.frontmatter.group ??= groupOf(app.files.getReflectionPath(document));
  });
}

/** Under which heading of the navigation a page stands, by where its file is. */
function groupOf(path) {
  if (/\/docs\/errors\/E/.test(path)) return 'Errors';
  if (/\/docs\/decisions\//.test(path)) return 'Decisions';
  return /\/examples\//.test(path) ? 'Examples' : 'Guide';
}
