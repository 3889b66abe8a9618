/** What a mail server says of a sender, and what of a mail is its sender's own. */
import { describe, expect, test } from 'vitest';
import { isAuthentic } from '../../channels/email/authentication.ts';
import { partsOf } from '../../channels/email/quotes.ts';

describe('Authentication-Results', () => {
  const says = (header: string, author = 'ana@example.net', server = 'example.com'): boolean =>
    isAuthentic([header.replaceAll(/\s*\n\s*/g, ' ')], server, author);

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
    expect(isAuthentic([bad, good], 'example.com', 'ana@example.net')).toBe(false);
    expect(isAuthentic([other, good, bad], 'Example.com', 'ana@example.net')).toBe(true);
    expect(isAuthentic([], 'example.com', 'ana@example.net')).toBe(false);
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

  test('answers between quotes are kept, and so is what only looks like a quote', () => {
    expect(partsOf('> shall I?\nyes\n> and this?\nno')).toEqual({
      own: 'yes\nno',
      quoted: 'shall I?\nand this?',
    });
    const list = 'Please do this:\nname: ana\nplace: here\ntime: now';
    expect(own(list)).toBe(list);
    expect(own('These are the 3 files:\n> a\nthank you')).toBe('These are the 3 files:\nthank you');
    expect(own('---\na: b\n---')).toBe('---\na: b\n---');
  });
});
