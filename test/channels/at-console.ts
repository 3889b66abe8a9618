/** Somebody before the console who stays there while its server is killed: the page as it is, in a browser. */
import type { QueueState } from '../../src/serve/queue/turn.ts';
import type { Browser, Page } from '../console/browser.ts';

/** What the page's own feed has of a session, in its order. */
export interface Followed {
  status: string;
  rows: { id: string; role: string | null; text: string }[];
  /** Messages that it takes to go on. */
  underWay: string[];
  /** How those ended that have no answer. */
  unanswered: Record<string, QueueState>;
}

const FIELD = 'document.querySelector("#say")';

/** A feed beside that of the view: this one keeps what the list has rolled out of the page. */
const followIn = (session: string): string => `(async () => {
  const { SessionFeed, partsOf } = await import('/console/feed.js');
  const { Api } = await import('/console/api.js');
  const none = () => undefined;
  const feed = new SessionFeed(${JSON.stringify(session)}, new Api(none), none, none);
  feed.open();
  window.followed = () => ({
    status: feed.status,
    rows: feed.rows.map(({ entry }) => ({
      id: entry.id,
      role: entry.message?.role ?? null,
      text: entry.message === undefined ? '' : partsOf(entry.message).map(({ text = '' }) => text).join(''),
    })),
    underWay: [...feed.turns.keys()],
    unanswered: Object.fromEntries([...feed.unanswered].map(([id, { state }]) => [id, state])),
  });
})()`;

export class AtConsole {
  readonly page: Page;

  private constructor(page: Page) {
    this.page = page;
  }

  /** Logs in, and goes to a session. */
  static async open(browser: Browser, url: string, session: string, token: string) {
    const page = await browser.page();
    await page.goto(`${url}/#/sessions/${session}`);
    await page.until('document.querySelector("#token")');
    await page.evaluate('document.querySelector("#token").focus()');
    await page.type(token);
    await page.press('Enter');
    await page.until(FIELD);
    await page.evaluate(followIn(session));
    return new AtConsole(page);
  }

  /** Does something stand in the field that the server has not taken? */
  isWriting(): Promise<boolean> {
    return this.page.evaluate(`${FIELD}.value !== ""`);
  }

  async say(text: string): Promise<void> {
    await this.page.evaluate(`${FIELD}.focus()`);
    await this.page.type(text);
    await this.sendAgain();
  }

  /** What was not taken stands in the field still. */
  async sendAgain(): Promise<void> {
    await this.page.evaluate(`${FIELD}.focus()`);
    await this.page.press('Enter');
  }

  /** What the page has once it knows how all these ended. */
  async settled(): Promise<Followed> {
    await this.page.until(
      '(({ status, underWay }) => status === "live" && underWay.length === 0)(window.followed())',
    );
    await this.page.until('document.querySelector(".live[aria-busy=false]")');
    return this.page.evaluate('window.followed()');
  }
}
