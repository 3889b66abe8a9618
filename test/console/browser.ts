/** A real browser for tests: Chromium, driven over its own protocol by the WebSocket that Node.js has. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** The program; null where the machine has none. */
export const CHROMIUM: string | null =
  ['chromium', 'chromium-browser', 'google-chrome'].find(
    (name) => spawnSync(name, ['--version'], { stdio: 'ignore' }).status === 0,
  ) ?? null;

/** Far above what anything takes: a busy machine is no failure. In ms. */
const PATIENCE_MS = 60_000;

type Fields = Record<string, unknown>;

/** What came over the line that belongs to one page. */
type Listener = (method: string, params: Fields) => void;

/** The line to a browser: calls and their answers, and events of its pages. */
class Line {
  readonly #socket: WebSocket;
  readonly #calls = new Map<number, PromiseWithResolvers<Fields>>();
  readonly #listeners = new Map<string, Listener>();
  #count = 0;

  constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.addEventListener('message', ({ data }) => this.#took(JSON.parse(String(data))));
  }

  call(method: string, params: Fields = {}, sessionId?: string): Promise<Fields> {
    this.#count += 1;
    const answer = Promise.withResolvers<Fields>();
    this.#calls.set(this.#count, answer);
    this.#socket.send(JSON.stringify({ id: this.#count, method, params, sessionId }));
    const late = setTimeout(
      () =>
        answer.reject(new Error(`the browser never answered ${method} ${JSON.stringify(params)}`)),
      PATIENCE_MS,
    );
    return answer.promise.finally(() => clearTimeout(late));
  }

  listen(sessionId: string, listener: Listener): void {
    this.#listeners.set(sessionId, listener);
  }

  #took(message: {
    id?: number;
    result?: Fields;
    error?: { message: string };
    method?: string;
    params?: Fields;
    sessionId?: string;
  }): void {
    const { id, result = {}, error, method = '', params = {}, sessionId = '' } = message;
    if (id === undefined) return this.#listeners.get(sessionId)?.(method, params);
    const call = this.#calls.get(id);
    this.#calls.delete(id);
    if (error === undefined) call?.resolve(result);
    else call?.reject(new Error(error.message));
  }
}

/** Keys that have names of their own. */
const NAMED: Readonly<Record<string, { code: number; text?: string }>> = {
  Enter: { code: 13, text: '\r' },
  Tab: { code: 9 },
  Escape: { code: 27 },
  ArrowDown: { code: 40 },
};

/** A page, as somebody who sits before it uses it. */
export class Page {
  /** What went wrong in it: errors of scripts, refusals of its policy. */
  readonly faults: string[] = [];
  /** Addresses that it asked for. */
  readonly requests: string[] = [];
  readonly #line: Line;
  readonly #session: string;

  constructor(line: Line, session: string) {
    this.#line = line;
    this.#session = session;
    line.listen(session, (method, params) => this.#heard(method, params));
  }

  async open(): Promise<this> {
    for (const domain of ['Page', 'Runtime', 'Network', 'Log']) await this.call(`${domain}.enable`);
    return this;
  }

  call(method: string, params: Fields = {}): Promise<Fields> {
    return this.#line.call(method, params, this.#session);
  }

  async goto(url: string): Promise<void> {
    await this.call('Page.navigate', { url });
    await this.until('document.readyState === "complete"');
  }

  /** The value of an expression, which may be a promise. @throws what it throws */
  async evaluate<T>(expression: string): Promise<T> {
    const { result, exceptionDetails } = (await this.call('Runtime.evaluate', {
      expression,
      awaitPromise: true,
      returnByValue: true,
    })) as {
      result: { value: T };
      exceptionDetails?: { text: string; exception?: { description?: string } };
    };
    if (exceptionDetails === undefined) return result.value;
    throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
  }

  /** Waits until an expression holds. @throws with what the page shows instead */
  async until(expression: string): Promise<void> {
    const end = Date.now() + PATIENCE_MS;
    while (Date.now() < end) {
      if (await this.evaluate(`Boolean(${expression})`).catch(() => false)) return;
      await delay(30);
    }
    const shown = await this.text().catch(() => '');
    throw new Error(`${expression} never held; the page shows:\n${shown.slice(0, 3000)}`);
  }

  /** Waits for words to be seen. */
  sees(words: string): Promise<void> {
    return this.until(`document.body.innerText.includes(${JSON.stringify(words)})`);
  }

  text(): Promise<string> {
    return this.evaluate('document.body.innerText');
  }

  /** A key by its name, or the character that it has. */
  async press(key: string): Promise<void> {
    const named = NAMED[key];
    const text = named === undefined ? key : named.text;
    const code = named?.code ?? (/[a-z]/i.test(key) ? key.toUpperCase().charCodeAt(0) : 0);
    const about = { key, windowsVirtualKeyCode: code };
    await this.call('Input.dispatchKeyEvent', {
      type: text === undefined ? 'rawKeyDown' : 'keyDown',
      ...about,
      ...(text === undefined ? {} : { text }),
    });
    await this.call('Input.dispatchKeyEvent', { type: 'keyUp', ...about });
  }

  /** Into whatever has the focus. */
  async type(text: string): Promise<void> {
    await this.call('Input.insertText', { text });
  }

  /** With the mouse, where the element is. */
  async click(selector: string): Promise<void> {
    const at = { ...(await this.#place(selector)), button: 'left', clickCount: 1 };
    await this.call('Input.dispatchMouseEvent', { type: 'mousePressed', ...at });
    await this.call('Input.dispatchMouseEvent', { type: 'mouseReleased', ...at });
  }

  /** With a finger, where the element is. */
  async tap(selector: string): Promise<void> {
    const touchPoints = [await this.#place(selector)];
    await this.call('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints });
    await this.call('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
  }

  /** The middle of an element, once it is there, can be used, rests in sight, and nothing is before it. */
  async #place(selector: string): Promise<{ x: number; y: number }> {
    const look = `(async () => {
      const element = document.querySelector(${JSON.stringify(selector)});
      if (element === null || element.disabled) return null;
      element.scrollIntoView({ block: 'center' });
      // A link in a text may have several lines: between them it is not.
      const [before] = element.getClientRects();
      for (const _ of [1, 2]) await new Promise((resolve) => requestAnimationFrame(resolve));
      const [{ x, y, width, height }] = element.getClientRects();
      const middle = { x: x + width / 2, y: y + height / 2 };
      const top = document.elementFromPoint(middle.x, middle.y);
      return x === before.x && y === before.y && element.contains(top) ? middle : null;
    })()`;
    for (const end = Date.now() + PATIENCE_MS; Date.now() < end; await delay(30)) {
      const place = await this.evaluate<{ x: number; y: number } | null>(look).catch(() => null);
      if (place !== null) return place;
    }
    throw new Error(`${selector} never rested in sight, to be used`);
  }

  /** In px. */
  async resize(width: number, height: number): Promise<void> {
    await this.call('Emulation.setDeviceMetricsOverride', {
      ...{ width, height, deviceScaleFactor: 1, mobile: false },
    });
  }

  async scheme(value: 'light' | 'dark'): Promise<void> {
    const features = [{ name: 'prefers-color-scheme', value }];
    await this.call('Emulation.setEmulatedMedia', { features });
  }

  async screenshot(): Promise<Buffer> {
    const { data } = await this.call('Page.captureScreenshot', { format: 'png' });
    return Buffer.from(String(data), 'base64');
  }

  #heard(method: string, params: Fields): void {
    if (method === 'Runtime.exceptionThrown') {
      const { exceptionDetails: about } = params as {
        exceptionDetails: { text: string; exception?: { description?: string } };
      };
      this.faults.push(about.exception?.description ?? about.text);
    } else if (method === 'Log.entryAdded') {
      const { entry } = params as { entry: { source: string; level: string; text: string } };
      // What the network refuses is part of some tests, and is said in the page.
      if (entry.level === 'error' && entry.source !== 'network') this.faults.push(entry.text);
    } else if (method === 'Network.requestWillBeSent') {
      this.requests.push((params as { request: { url: string } }).request.url);
    } else if (method === 'Page.javascriptDialogOpening') {
      this.faults.push('a dialog was opened');
      void this.call('Page.handleJavaScriptDialog', { accept: false });
    }
  }
}

/** A browser; each of its pages is somebody else's, with cookies of its own. */
export class Browser {
  readonly #line: Line;
  readonly #process: ChildProcess;
  readonly #profile: string;

  private constructor(line: Line, process: ChildProcess, profile: string) {
    this.#line = line;
    this.#process = process;
    this.#profile = profile;
  }

  static async launch(): Promise<Browser> {
    const profile = mkdtempSync(join(tmpdir(), 'dirigent-chromium-'));
    const child = spawn(
      CHROMIUM ?? 'chromium',
      [
        '--headless=new',
        '--no-sandbox',
        '--disable-gpu',
        '--disable-dev-shm-usage',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--remote-debugging-port=0',
        `--user-data-dir=${profile}`,
        'about:blank',
      ],
      { stdio: 'ignore' },
    );
    const socket = new WebSocket(await addressOf(join(profile, 'DevToolsActivePort'), child));
    await once(socket, 'open');
    return new Browser(new Line(socket), child, profile);
  }

  async page(): Promise<Page> {
    const { browserContextId } = await this.#line.call('Target.createBrowserContext');
    const { targetId } = await this.#line.call('Target.createTarget', {
      url: 'about:blank',
      browserContextId,
    });
    const { sessionId } = await this.#line.call('Target.attachToTarget', {
      targetId,
      flatten: true,
    });
    return new Page(this.#line, String(sessionId)).open();
  }

  async close(): Promise<void> {
    const ended = once(this.#process, 'exit');
    this.#process.kill('SIGKILL');
    await ended;
    rmSync(this.#profile, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  }
}

async function addressOf(file: string, child: ChildProcess): Promise<string> {
  const end = Date.now() + PATIENCE_MS;
  while (Date.now() < end && child.exitCode === null) {
    const [port, path] = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
    if (port !== undefined && path !== undefined) return `ws://127.0.0.1:${port}${path}`;
    await delay(50);
  }
  throw new Error(`Chromium did not begin (exit ${child.exitCode})`);
}
