/** The API of the server that sent this page. */

/** A failure, with the sentence that the server has for it. */
class ApiError extends Error {
  /** @param {number} status 0 where the server cannot be reached */
  constructor(status, code, message) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** Asks the API in the name of whoever has logged in. */
export class Api {
  #csrf = null;
  #onLoggedOut;

  /** @param {() => void} onLoggedOut told when the server knows the page no more */
  constructor(onLoggedOut) {
    this.#onLoggedOut = onLoggedOut;
  }

  /** Who this is; null for nobody. */
  async me() {
    try {
      return this.#known(await this.#send('GET', '/v1/me'));
    } catch (error) {
      if (error.status === 401) return null;
      throw error;
    }
  }

  async logIn(token) {
    return this.#known(await this.#send('POST', '/v1/login', { token }));
  }

  async logOut() {
    await this.post('/v1/logout', {});
    this.#csrf = null;
  }

  /** @param query parameters; those that are undefined or empty are left out */
  get(path, query = {}) {
    const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== '');
    const search = new URLSearchParams(given).toString();
    return this.#watched(this.#send('GET', search === '' ? path : `${path}?${search}`));
  }

  post(path, body) {
    return this.#watched(this.#send('POST', path, body));
  }

  delete(path) {
    return this.#watched(this.#send('DELETE', path));
  }

  #known(me) {
    this.#csrf = me.csrf;
    return me;
  }

  async #watched(answer) {
    try {
      return await answer;
    } catch (error) {
      if (error.status === 401) this.#onLoggedOut();
      throw error;
    }
  }

  async #send(method, path, body) {
    const headers = {};
    if (body !== undefined) headers['content-type'] = 'application/json';
    if (this.#csrf !== null && method !== 'GET') headers['x-csrf-token'] = this.#csrf;
    const response = await fetch(path, {
      method,
      headers,
      body: body === undefined ? undefined : JSON.stringify(body),
    }).catch((cause) => {
      throw new ApiError(0, 'OFFLINE', `the server cannot be reached (${cause.message})`);
    });
    const answer = await response.json().catch(() => null);
    if (response.ok) return answer;
    const { code, message } = answer?.error ?? { code: 'EIO', message: response.statusText };
    throw new ApiError(response.status, code, message);
  }
}

/** An id of our own for a message: sent again after a lost answer, it is taken once. */
export function newKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
