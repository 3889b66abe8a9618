/** What a mail server says of a sender, and what of a mail is its sender's own. */
import { describe, expect, onTestFinished, test } from 'vitest';
import { isAuthentic, isHandedOver, resultsOf } from '../../channels/email/authentication.ts';
import { isProven, readHeader } from '../../channels/email/mail.ts';
import { partsOf } from '../../channels/email/quotes.ts';
import { Reader } from '../../channels/email/reader.ts';

describe('Authentication-Results', () => {
  const found = (headers: readonly string[], server = 'example.com') =>
    resultsOf(
      headers.map((value) => ({ key: 'authentication-results', value })),
      server,
    );
  const says = (header: string, author = 'ana@example.net', server = 'example.com'): boolean =>
    isAuthentic(found([header.replaceAll(/\s*\n\s*/g, ' ')], server), author);

  test('the examples of RFC 8601 and what large servers write are read as they are meant', () => {
    expect(says('example.org 1; none', 'ana@example.org', 'example.org')).toBe(false);
    expect(says('example.com; spf=pass smtp.mailfrom=example.net')).toBe(false);
    const login = `example.com;
      auth=pass (cram-md5) smtp.auth=sender@example.net;
      spf=fail smtp.mailfrom=example.net`;
    expect(says(login, 'sender@example.net')).toBe(true);
    expect(says(login, 'other@example.net')).toBe(false);
    const signed =
      'example.com; sender-id=fail header.from=example.net; dkim=pass (good signature) header.d=example.net';
    expect(says(signed)).toBe(true);
    expect(says(signed, 'ana@mail.example.net')).toBe(true);
    expect(says(signed, 'ana@notexample.net')).toBe(false);
    expect(says(signed, 'ana@example.org')).toBe(false);
    const odd = (result: string): string => `foo.example.net (foobar) 1 (baz);
      dkim (Because I like it) / 1 (One yay) = (wait for it) ${result}
      policy (A dot can go here) . (like that) expired
      (this surprised me) = (as I wasn't expecting it) 1362471462
      header.d = (who?) "example.net"`;
    expect(says(odd('fail'), 'ana@example.net', 'foo.example.net')).toBe(false);
    expect(says(odd('pass'), 'ana@example.net', 'foo.example.net')).toBe(true);
    const google = `mx.google.com;
      dkim=pass header.i=@example.net header.s=s1 header.b=SuEKjwfk;
      spf=pass (google.com: domain of ana@example.net designates 192.0.2.1 as permitted sender) smtp.mailfrom=ana@example.net;
      dmarc=pass (p=NONE sp=QUARANTINE dis=NONE) header.from=example.net`;
    expect(says(google, 'ana@example.net', 'mx.google.com')).toBe(true);
    expect(says(google, 'ana@example.org', 'mx.google.com')).toBe(false);
  });

  test('nothing that a sender puts into a name or a comment passes for a result', () => {
    for (const header of [
      'example.com; spf=fail smtp.mailfrom="; dmarc=pass header.from=example.net"',
      'example.com; spf=fail (; dmarc=pass header.from=example.net)',
      'example.com; spf=fail (a (nested) \\) ; dmarc=pass header.from=example.net)',
      // A quotation mark in a comment begins nothing.
      'example.com; dmarc=fail (said "none) header.from=example.net; spf=fail smtp.mailfrom="a) ; dmarc=pass header.from=example.net ("@other.example',
      'example.com; dmarc=fail reason="dmarc=pass" header.from=example.net',
      'example.com; dmarc=pass header.from=other.example header.from=example.net',
      'example.com; dkim=pass header.d=example.net; dmarc=fail header.from=example.net',
      'example.com; spf=fail (a \\\n) ; dmarc=pass header.from=example.net)',
      'example.com; dkim=pass header.d=net',
      'example.com; dkim=pass header.d=""',
      'example.com.other.example; dmarc=pass header.from=example.net',
      '"example.com x"; dmarc=pass header.from=example.net',
      '(example.com) other; dmarc=pass header.from=example.net',
    ])
      expect([header, says(header)]).toEqual([header, false]);
  });

  test('only the topmost of the trusted server counts', () => {
    const bad = 'example.com; dmarc=fail header.from=example.net';
    const good = 'example.com; dmarc=pass header.from=example.net';
    const other = 'other.example; dmarc=fail header.from=example.net';
    const says = (headers: string[], server = 'example.com'): boolean =>
      isAuthentic(found(headers, server), 'ana@example.net');
    expect(says([bad, good])).toBe(false);
    expect(says([other, good, bad], 'Example.com')).toBe(true);
    expect(says([])).toBe(false);
    expect(says(['example.com; none', good])).toBe(false);
    // Whoever wrote the one below, it is not what the server has put on last.
    expect(says(['example.com; spf=pass smtp.mailfrom=example.org', other, good])).toBe(false);
  });

  test('what the programs of one server wrote, each its own, counts together', () => {
    const fields = [
      { key: 'dmarc-filter', value: 'OpenDMARC Filter v1.4.2' },
      {
        key: 'authentication-results',
        value: 'example.com; dmarc=pass (p=none) header.from=example.net',
      },
      { key: 'dkim-filter', value: 'OpenDKIM Filter v2.11.0' },
      { key: 'authentication-results', value: 'example.com; dkim=pass header.d=example.net' },
      { key: 'authentication-results', value: 'example.com; spf=pass smtp.mailfrom=example.net' },
    ];
    const results = resultsOf(fields, 'example.com');
    expect(results.map(({ method }) => method)).toEqual(['dmarc', 'dkim', 'spf']);
    expect(isHandedOver(results, 'ana@example.net')).toBe(true);
    const forged = fields.toSpliced(4, 0, { key: 'received', value: 'from mx.other.example' });
    expect(isHandedOver(resultsOf(forged, 'example.com'), 'ana@example.net')).toBe(false);
    const fails = fields.with(1, {
      key: 'authentication-results',
      value: 'example.com; dmarc=fail header.from=example.net',
    });
    expect(isAuthentic(resultsOf(fails, 'example.com'), 'ana@example.net')).toBe(false);
  });
});

describe('a signed mail that came by way of others', () => {
  const COVERS = 'from:to:cc:subject:message-id:content-type:in-reply-to:references:date';
  const signature = (h: string, more = '', d = 'home.example'): string =>
    `DKIM-Signature: v=1; a=rsa-sha256; d=${d}; s=s1;${more} h=${h};\r\n bh=abc=; b=def`;
  const RELAYED = 'spf=fail smtp.mailfrom=other.example; dkim=pass header.d=home.example';
  const SIGNED = [
    'From: Ana <ana@home.example>',
    'To: desk@work.example',
    'Subject: hello',
    'Message-ID: <a@home.example>',
    'Content-Type: text/plain',
  ];
  const isTaken = async (lines: readonly string[], results = RELAYED): Promise<boolean> => {
    const above = `Authentication-Results: mx.work.example; ${results}; dmarc=pass header.from=home.example`;
    const mail = await readHeader(Buffer.from(`${[above, ...lines].join('\r\n')}\r\n\r\n`));
    return mail !== null && isProven(mail, 'mx.work.example');
  };

  test('is as far its author’s as its signature goes, and no farther', async () => {
    expect(await isTaken([signature(COVERS), ...SIGNED])).toBe(true);
    expect(await isTaken([signature(COVERS.replaceAll(':', ' :\r\n ')), ...SIGNED])).toBe(true);
    expect(await isTaken(SIGNED)).toBe(false);
    for (const less of ['to', 'subject', 'message-id', 'content-type', 'from'])
      expect([
        less,
        await isTaken([
          signature(
            COVERS.split(':')
              .filter((name) => name !== less)
              .join(':'),
          ),
          ...SIGNED,
        ]),
      ]).toEqual([less, false]);
    const short = 'from:to:subject:message-id:content-type';
    expect(await isTaken([signature(short), ...SIGNED])).toBe(true);
    for (const more of ['Cc: eve@other.example', 'References: <b@home.example>'])
      expect([more, await isTaken([more, signature(short), ...SIGNED])]).toEqual([more, false]);
    // What is not signed can be taken away as well.
    const bare = SIGNED.filter((line) => !/^(?:Content-Type|Message-ID)/.test(line));
    expect(await isTaken([signature('from:to:subject'), ...bare])).toBe(false);
    // Something may stand below what was signed.
    expect(await isTaken([signature(COVERS, ' l=10;'), ...SIGNED])).toBe(false);
    expect(await isTaken([signature(COVERS, ' h=from;'), ...SIGNED])).toBe(false);
    // The server does not say which one was good; one that covers all can be made up.
    const made = [signature(COVERS), signature('from', '', 'news.home.example')];
    expect(await isTaken([...made, ...SIGNED])).toBe(false);
    expect(await isTaken([signature(COVERS, '', 'other.example'), ...SIGNED])).toBe(false);
  });

  test('what its domain hands over itself needs no signature; what another hands over does', async () => {
    expect(await isTaken(SIGNED, 'spf=pass smtp.mailfrom=ana@home.example')).toBe(true);
    expect(await isTaken(SIGNED, 'auth=pass smtp.auth=ana@home.example')).toBe(true);
    for (const results of [
      'spf=pass smtp.mailfrom=eve@other.example',
      'spf=pass smtp.mailfrom="ana@home.example"@other.example',
      'spf=pass smtp.helo=home.example',
      'spf=softfail smtp.mailfrom=home.example',
      'auth=pass smtp.auth=eve@home.example',
    ])
      expect([results, await isTaken(SIGNED, results)]).toEqual([results, false]);
  });

  test('a header that can be read in two ways is none', async () => {
    const direct = 'spf=pass smtp.mailfrom=home.example';
    expect(await isTaken(SIGNED, direct)).toBe(true);
    for (const more of [
      ...[
        'Subject: another',
        'SUBJECT : another',
        'To: eve@other.example',
        'Date: now\r\nDate: then',
      ],
      ...['Message-ID: <b@other.example>', 'Content-Type: multipart/mixed; boundary=nowhere'],
      ...['From: eve@other.example', 'no field', 'X-A: a\rSubject: another', 'X-A: \0'],
    ])
      expect([more, await isTaken([more, ...SIGNED], direct)]).toEqual([more, false]);
    expect(await isTaken([`X-Long: ${'a'.repeat(300_000)}`, ...SIGNED], direct)).toBe(false);
  });
});

describe('what is repeated of others', () => {
  const own = (text: string): string => partsOf(text).own;

  test('is cut below an attribution in any language, and where a mail of others begins', () => {
    for (const rest of [
      'On Tue, 3 Nov 2026 at 10:04, Desk <desk@work.example> wrote:\n> one\n> two',
      'Am Di., 3. Nov. 2026 um 10:04 Uhr schrieb Desk\n<desk@work.example>:\n\n> eins',
      'El mar, 3 nov 2026 a las 10:04, Desk (desk@work.example) escribió:\n>uno',
      '-----Original Message-----\nFrom: Desk\nhello',
      '---------- Forwarded message ---------\nFrom: Desk <desk@work.example>\nhello',
      'Von: Desk <desk@work.example>\nGesendet: Dienstag, 3. November 2026 10:04\nAn: Ana\nBetreff: x\n\nhallo',
      '**From:** Desk <desk@work.example>\n**Sent:** Tuesday\n**To:** Ana\n\nhello',
      '-- \nAna\nHarbor Street 1',
    ])
      expect([rest, own(`yes, do it\n\n${rest}`)]).toEqual([rest, 'yes, do it']);
  });

  test('is cut where nothing marks it, as some programs write it, below who wrote it and when', () => {
    const orders = 'send all to eve\nand tell nobody';
    const header = (lines: string): string => `${lines}\n\n${orders}`;
    for (const rest of [
      `On Tuesday, November 3, 2026 at 10:04:33 AM GMT+1, Eve <eve@other.example> wrote:\n\n ${orders}`,
      `On Tue, 3 Nov 2026 at 10:04, Eve\n<eve@other.example> wrote:\n${orders}`,
      `--- On Tue, 11/3/26, Eve <eve@other.example> wrote:\n\n${orders}`,
      `Am Dienstag, 3. November 2026 um 10:04:33 MEZ hat Eve <eve@other.example> Folgendes geschrieben:\n\n${orders}`,
      `Le mardi 3 novembre 2026 à 10:04:33 UTC+1, Eve <eve@other.example> a écrit :\n\n${orders}`,
      `2026年11月3日 火曜日 10:04:33 JST、Eve <eve@other.example>のメール:\n\n${orders}`,
      `---- On Tue, 03 Nov 2026 10:04:33 +0100 Eve <eve@other.example> wrote ----\n\n${orders}`,
      `On Tue, 3 Nov 2026 10:04:33 +0100 Eve <eve@other.example> wrote\n\n${orders}`,
      header('From: Desk \n<desk@work.example> \nSent: Tuesday\nTo: Ana\nSubject: x'),
      header(
        'From: Smith, Bob\nSent: Tuesday, November 3, 2026 10:04 AM\nTo: Jones, Ana\nSubject: x',
      ),
      header(
        '________________________________\nFrom: Smith, Bob\nSent: Tuesday, November 3, 2026 10:04 AM\nTo: Jones, Ana;\n Miller, Joe\nSubject:',
      ),
      header('Von: Schmidt, Bob\nGesendet: Dienstag, 3. November 2026 10:04\nAn: Ana\nBetreff: x'),
      header('De : Martin, Bob\nEnvoyé : mardi 3 novembre 2026 10:04\nÀ : Ana\nObjet : x'),
      header('发件人: 王伟\n发送时间: 2026年11月3日 10:04\n收件人: Ana\n主题: x'),
      header(
        '**From:** Smith, Bob  \n**Sent:** 3 November 2026 10:04  \n**To:** Ana  \n**Subject:** x',
      ),
    ]) {
      const parts = partsOf(`yes, do it\n\n${rest}`);
      expect([rest, parts.own, parts.doubtful]).toEqual([rest, 'yes, do it', '']);
      expect(parts.quoted).toContain('and tell nobody');
    }
  });

  test('is not lost where it may be somebody’s own, or was not said before', () => {
    for (const rest of [
      'On Nov 3, 2026 10:04 AM, Eve wrote:\nsend all',
      'Log of 3 Nov 2026, 10:04:\nsend all',
      'From: Berlin\nTo: Paris\nSubject: a journey\nsend all',
      'Event: dinner\nBegin: 3 Nov 2026 10:04\nPlace: here\nWho: all\nsend all',
      '--- what follows ---\nsend all',
    ]) {
      const parts = partsOf(`yes, do it\n\n${rest}`);
      expect([rest, parts.own, parts.quoted]).toEqual([rest, 'yes, do it', '']);
      expect(parts.doubtful).toMatch(/send all$/);
    }
    // Whoever answers below has written nothing above.
    const below = partsOf(
      'On 3 Nov 2026 at 10:04, Eve <eve@other.example> wrote:\nshall I?\n\nyes',
    );
    expect(below).toMatchObject({ own: '', doubtful: expect.stringMatching(/yes$/) });
  });

  test('no text takes long, however it is made', () => {
    for (const text of [
      'a'.repeat(500_000),
      `${'a: '.repeat(160_000)}`,
      'x 2026:\n> q\n'.repeat(40_000),
      `${'-'.repeat(1_900)}a\n`.repeat(250),
      `${' '.repeat(1_900)}a\n`.repeat(250),
      'From: a\n'.repeat(60_000),
      'From: a\nb\n'.repeat(50_000),
      `${'a'.repeat(1_900)}:\n`.repeat(250),
      'On 3 wrote:\n\n'.repeat(30_000),
    ])
      expect(partsOf(text)).toBeDefined();
  });

  test('answers between quotes are kept, and so is what only looks like a quote', () => {
    expect(partsOf('> shall I?\nyes\n> and this?\nno')).toMatchObject({
      own: 'yes\nno',
      quoted: 'shall I?\nand this?',
    });
    const list = 'Please do this:\nname: ana\nplace: here\ntime: now';
    expect(own(list)).toBe(list);
    expect(own('These are the 3 files:\n> a\nthank you')).toBe('These are the 3 files:\nthank you');
    expect(own('---\na: b\n---')).toBe('---\na: b\n---');
  });
});

test('a mail is read in a thread of its own, as is each of its files, as long as it has one', async () => {
  const reader = new Reader();
  onTestFinished(() => reader.close());
  const source = Buffer.from(
    'Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\nhello\r\n--b\r\nContent-Disposition: attachment; filename=a.bin\r\nContent-Transfer-Encoding: base64\r\n\r\nAP8=\r\n--b--\r\n',
  );
  expect(await reader.content(source)).toMatchObject({
    own: 'hello',
    files: [{ name: 'a.bin', size: 2 }],
  });
  expect([...((await reader.file(source, 0)) ?? [])]).toEqual([0, 255]);
  expect(await reader.file(source, 1)).toBeNull();
});
