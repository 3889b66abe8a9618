/** What the views have in common: the console they are in, what they load, and their keys. */
import { createContext } from 'preact';
import {
  useCallback,
  useContext,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'preact/hooks';

/** `{api, me, may, announce, waiting, refreshWaiting}` */
export const Console = createContext(null);
export const useConsole = () => useContext(Console);

/**
 * What `load` gives, loaded again when `inputs` change, and every so often while the page is seen.
 * @returns {{data, error, reload}} data is null until there is any; it stays while it is loaded again
 */
export function useLoaded(load, inputs, everyMs = 0) {
  const [state, setState] = useState({ data: null, error: null });
  const latest = useRef(0);
  const reload = useCallback(async () => {
    latest.current += 1;
    const asked = latest.current;
    try {
      const data = await load();
      if (asked === latest.current) setState({ data, error: null });
    } catch (error) {
      if (asked === latest.current) setState(({ data }) => ({ data, error }));
    }
  }, inputs);
  useEffect(() => {
    reload();
    const timer = everyMs === 0 ? 0 : setInterval(() => document.hidden || reload(), everyMs);
    return () => {
      latest.current += 1;
      clearInterval(timer);
    };
  }, [reload]);
  return { ...state, reload };
}

const TYPED_IN = 'input, textarea, select, [contenteditable]';
const KEYS_OFF = 'dirigent keys off';

/** Single keys can be turned off: whoever speaks to the machine would press them by accident. */
export const keys = {
  get areOn() {
    return localStorage.getItem(KEYS_OFF) === null;
  },
  set areOn(on) {
    if (on) localStorage.removeItem(KEYS_OFF);
    else localStorage.setItem(KEYS_OFF, '1');
  },
};

/**
 * Heard from the moment in which the view is drawn: a key pressed before a later effect is lost.
 * @param {Record<string, () => void>} actions by the key that does each, such as `a`
 */
export function useKeys(actions) {
  const current = useRef(actions);
  current.current = actions;
  useLayoutEffect(() => {
    const onKey = (event) => {
      const { key, target, defaultPrevented } = event;
      if (defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.repeat)
        return;
      if (document.querySelector('dialog[open]') !== null) return;
      if (target.closest?.(TYPED_IN)) {
        if (key === 'Escape') target.blur();
        return;
      }
      const action = keys.areOn ? current.current[key] : undefined;
      if (action === undefined) return;
      event.preventDefault();
      action();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
}

/** Names the page after the place in it, and tells those who hear it. */
export function useTitle(title) {
  useEffect(() => {
    document.title = `${title} – Dirigent`;
  }, [title]);
}

/** A place in a list that `j` and `k` move. */
export function useCursor(length) {
  const [at, setAt] = useState(0);
  const place = Math.max(0, Math.min(at, length - 1));
  useKeys({
    j: () => setAt(Math.min(place + 1, length - 1)),
    k: () => setAt(Math.max(place - 1, 0)),
  });
  return [place, setAt];
}
