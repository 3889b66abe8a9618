/** The console of a served deployment, and people who sit before it. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { WorldConfig } from '../../entry/index.ts';
import { serveHttp } from '../../src/serve/http/server.ts';
import type { Role } from '../../src/serve/rights.ts';
import type { ServiceOptions } from '../../src/serve/service.ts';
import { deployed, type Served, scripted, serve } from '../serve/support.ts';
import type { Script } from '../stand-ins/model/index.ts';
import type { Browser, Page } from './browser.ts';

/** What a run leaves of what people saw: for whoever looks at it afterwards. */
const PICTURES = join(import.meta.dirname, '../../artifacts/console');

/** Keeps what a page shows. */
export async function picture(page: Page, name: string): Promise<void> {
  mkdirSync(PICTURES, { recursive: true });
  writeFileSync(join(PICTURES, `${name}.png`), await page.screenshot());
}

/** Presses a key that decides, once it is heard: what is shown has been there for a moment. */
export async function decide(page: Page, key: 'a' | 'd'): Promise<void> {
  await page.until('document.querySelector(".asked.at button[data-key]:not([disabled])")');
  await page.press(key);
}

export interface Desk extends Served {
  url: string;
  /** Cuts all connections, and takes none until it is begun again, at the same address. */
  unplug(): Promise<void>;
  plug(): Promise<void>;
  /** Somebody who has logged in with the keyboard; `at` is where they go then. */
  person(browser: Browser, actor: string, role: Role, at?: string): Promise<Page>;
}

/** Serves a deployment on a port, until the test ends. */
export async function desk(
  script: Script,
  deployment = deployed(),
  more: Partial<ServiceOptions> = {},
  world: WorldConfig = {},
  env: Record<string, string> = {},
): Promise<Desk> {
  const served = serve(deployment, await scripted(script), more, world, env);
  const { service } = served;
  const onFault = (error: unknown): void => void served.faults.push(error);
  const begin = (port: number) => serveHttp({ service, host: '127.0.0.1', port, onFault });
  let server = await begin(0);
  const { url } = server;
  onTestFinished(() => server.close());
  return {
    ...served,
    url,
    unplug: () => server.close(),
    plug: async () => {
      server = await begin(Number(new URL(url).port));
    },
    person: async (browser, actor, role, at = '#/sessions') => {
      const token = service.principals.add(actor, role);
      const page = await browser.page();
      await page.goto(`${url}/${at}`);
      await page.until('document.querySelector("#token")');
      await page.evaluate('document.querySelector("#token").focus()');
      await page.type(token);
      await page.press('Enter');
      await page.until('document.querySelector("nav")');
      return page;
    },
  };
}
