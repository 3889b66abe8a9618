/** Where in the console somebody is: the part of the address behind `#`, so that every place has a link. */
import { useLayoutEffect, useState } from 'preact/hooks';

/** @returns {{view: string, rest: string, query: URLSearchParams}} of `#/view/rest?query` */
function parseRoute(hash) {
  const [path = '', search = ''] = hash.replace(/^#\/?/, '').split(/\?(.*)/s);
  const [view, ...rest] = path.split('/');
  return {
    view: view || 'sessions',
    rest: rest.map(decoded).join('/'),
    query: new URLSearchParams(search),
  };
}

/** What somebody typed may be no encoding. */
function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** The address of a place. */
export function hrefOf(view, rest = '', query = {}) {
  const path = rest.split('/').map(encodeURIComponent).join('/');
  const search = new URLSearchParams(query).toString();
  return `#/${view}${path === '' ? '' : `/${path}`}${search === '' ? '' : `?${search}`}`;
}

export const go = (href) => {
  location.hash = href;
};

export function useRoute() {
  const [route, setRoute] = useState(() => parseRoute(location.hash));
  // Before anything else can change the address.
  useLayoutEffect(() => {
    const onChange = () => setRoute(parseRoute(location.hash));
    addEventListener('hashchange', onChange);
    return () => removeEventListener('hashchange', onChange);
  }, []);
  return route;
}
