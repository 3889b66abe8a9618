/** An agent that answers mails is killed by SIGKILL: each mail is answered once, and no answer is sent twice. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { changesFile } from '../../src/changes/file.ts';
import { openSqlite } from '../../src/replica/sqlite.ts';
import { deployed, scripted } from '../serve/support.ts';
import { Victim } from '../serve/victim.ts';
import { hasDovecot, PASSWORD, startDovecot } from '../stand-ins/mail/dovecot.ts';
import { startSmtp } from '../stand-ins/mail/smtp.ts';
import { lastSaid, says } from '../stand-ins/model/index.ts';
import { writeChannel } from './support.ts';

const DESK = 'desk@work.example';
const ANA = 'ana@home.example';
const MX = 'mx.work.example';
const KILLS = Number(process.env['KILLS'] ?? 4);
/** After a mail was written, at most. In ms. */
const LIFE = 2_500;

describe.skipIf(!hasDovecot())('with Dovecot', () => {
  test(`${KILLS} kills: each mail is answered once`, async () => {
    const [imap, smtp, model] = await Promise.all([
      startDovecot(DESK),
      startSmtp(DESK),
      scripted(({ messages }) => {
        const [key] = /key-\d+/.exec(lastSaid(messages)) ?? [];
        return says(`done ${key}.`);
      }),
    ]);
    onTestFinished(async () => {
      await imap.close();
      await smtp.close();
    });
    const deployment = deployed();
    writeFileSync(join(deployment, 'dirigent.config.mjs'), 'export default {};\n');
    const server = (port: number): string => `{ host: 127.0.0.1, port: ${port}, tls: none }`;
    writeChannel(
      deployment,
      'mail',
      `---\nkind: email\naddress: ${DESK}\ntrust: ${MX}\nimap: ${server(imap.port)}\nsmtp: ${server(smtp.port)}\npeople: { ana: ${ANA} }\n---\n`,
    );
    const begin = () =>
      new Victim(deployment, { model: model.url, turns: 2, env: { EMAIL_PASSWORD: PASSWORD } });
    let victim = begin();
    onTestFinished(() => victim.kill());
    await victim.url;
    const write = (key: string): void =>
      imap.deliver(
        `Authentication-Results: ${MX}; spf=pass smtp.mailfrom=home.example; dmarc=pass header.from=home.example\r\nFrom: ${ANA}\r\nTo: ${DESK}\r\nMessage-ID: <${key}@home.example>\r\n\r\n${key}`,
      );
    const taken = (): string[] =>
      smtp.mails.flatMap(({ text }) => /^done (key-\d+)\./.exec(text ?? '')?.[1] ?? []);
    const keys: string[] = [];
    for (let kill = 0; kill < KILLS; kill++) {
      const key = `key-${kill}`;
      keys.push(key);
      // Each second one while the mail server has the answer, and has not said so.
      const isTaken = new Promise<void>((resolve) => {
        smtp.onMail = ({ recipients, source, text }) => {
          if (recipients.includes(DESK)) imap.deliver(source);
          if (text?.includes(key)) resolve();
        };
      });
      if (kill % 2 === 0) smtp.fault('silent');
      write(key);
      await (kill % 2 === 0 ? isTaken : delay(Math.random() * LIFE));
      await victim.kill();
      victim = begin();
      await victim.url;
    }
    const database = openSqlite(changesFile(join(deployment, '.dirigent')), { readOnly: true });
    onTestFinished(() => database.close());
    const count = (sql: string, ...values: string[]): number =>
      Number(database.prepare(sql).get(...values)?.['n']);
    // Where the mail server may have taken it, and shows it nowhere, that is said.
    const isSettled = (key: string): boolean =>
      taken().includes(key) ||
      count(
        `SELECT count(*) AS n FROM channel_posts WHERE thread = ?
         AND (state = 'unknown' OR text LIKE '%Interrupted%')`,
        `<${key}@home.example> ${ANA}`,
      ) > 0;
    const isOpen = `SELECT count(*) AS n FROM channel_posts WHERE state IN ('waiting', 'sending')`;
    while (count(isOpen) > 0 || !keys.every(isSettled)) await delay(100);
    const answers = taken();
    expect(new Set(answers).size).toBe(answers.length);
    // Of those that the server had, none is in doubt.
    const told = count(`SELECT count(*) AS n FROM channel_posts WHERE state = 'unknown'`);
    for (const [kill, key] of keys.entries()) if (kill % 2 === 0) expect(answers).toContain(key);
    expect(smtp.mails.filter(({ text }) => /may not have arrived/.test(text ?? ''))).toHaveLength(
      told,
    );
    console.log(
      JSON.stringify({ kills: KILLS, mails: keys.length, answers: answers.length, told }),
    );
  });
});
