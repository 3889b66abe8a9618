import { expect, test } from 'vitest';
import { docx } from '../../../test/documents/make.ts';
import { pagesOf } from '../pages.ts';
import { convert } from './convert.ts';

const mail = (...lines: readonly string[]): Buffer => Buffer.from(lines.join('\r\n'));

/** A mail of a message and what is attached: each with its head and its body. */
const mixed = (...parts: readonly (readonly [head: string, body: string])[]): Buffer =>
  mail(
    'Subject: hello',
    'Content-Type: multipart/mixed; boundary=b',
    '',
    ...parts.flatMap(([head, body]) => ['--b', ...(head === '' ? [] : [head]), '', body]),
    '--b--',
  );

const pages = async (bytes: Uint8Array): Promise<string[]> =>
  pagesOf(await convert('eml', bytes)).map((page) => page.text);

test('a message says who wrote it to whom, when', async () => {
  expect(
    await convert(
      'eml',
      mail(
        'From: "Ada L." <ada@example.com>',
        'To: bo@example.com, Friends: cy@example.com, "D" <d@example.com>;',
        'Cc: "e@example.com" <e@example.com>',
        'Subject: Rent',
        'Date: Mon, 03 Jun 2024 10:00:00 +0000',
        '',
        'Hello.',
      ),
    ),
  ).toBe(
    '---\ntitle: Rent\nfrom: "Ada L. <ada@example.com>"\nto: "bo@example.com, Friends: cy@example.com, D <d@example.com>"\ncc: "e@example.com"\ncreated: "2024-06-03T10:00:00.000Z"\nparts: 1\n---\n\n<!-- part1 -->\n\nHello.\n',
  );
});

test('of a message in two forms the plain one is read, else the one that there is', async () => {
  const html = ['Content-Type: text/html', '', '<p>in <b>HTML</b></p>'];
  const both = ['--b', 'Content-Type: text/plain', '', 'plain', '--b', ...html, '--b--'];
  const head = ['Subject: x', 'Content-Type: multipart/alternative; boundary=b', ''];
  expect(await pages(mail(...head, ...both))).toEqual(['plain\n']);
  expect(await pages(mail('Subject: x', ...html))).toEqual(['in **HTML**\n']);
  expect(await pages(mail('Subject: x', '', ''))).toEqual(['']);
});

test('what is attached is a page each: texts as they are, documents by theirs, others by their names', async () => {
  const file = (type: string, name: string): string =>
    `Content-Type: ${type}\r\nContent-Disposition: attachment; filename="${name}"`;
  const encoded = `${file('application/x', 'plan.docx')}\r\nContent-Transfer-Encoding: base64`;
  const document = docx(['# Plan', 'spring', '# Cost']);
  expect(
    await pages(
      mixed(
        ['', 'the message'],
        [file('text/csv', 'a.csv'), 'x;ö'],
        [file('text/markdown', 'a  b.md'), '*x*'],
        [file('text/calendar', 'a.ics'), 'BEGIN'],
        [file('application/zip', 'a.zip'), 'PK'],
        [encoded, document.toString('base64')],
        [file('application/x', 'broken.docx'), 'no document'],
      ),
    ),
  ).toEqual([
    'the message\n',
    expect.stringMatching(/^## Attachment: a\.csv\n\ntext\/csv, \d bytes\n\nx;ö\n$/),
    expect.stringMatching(/^## Attachment: a b\.md\n\ntext\/markdown, \d bytes\n\n\*x\*\n$/),
    expect.stringMatching(/^## Attachment: a\.ics\n\ntext\/calendar, \d bytes\n\nBEGIN\n$/),
    expect.stringMatching(/^## Attachment: a\.zip\n\napplication\/zip, \d bytes\n$/),
    `## Attachment: plan.docx\n\napplication/x, ${document.length} bytes\n\n# Plan\n\nspring\n\n# Cost\n`,
    expect.stringMatching(
      /^## Attachment: broken\.docx\n\napplication\/x, \d+ bytes\n\n\[its text cannot be read: is no whole zip archive: .*\]\n$/,
    ),
  ]);
});

test('what has no name says so, but a mail has one', async () => {
  const [, binary, message] = await pages(
    mixed(
      ['', 'the message'],
      ['Content-Type: application/pdf\r\nContent-Disposition: attachment', 'x'],
      [
        'Content-Type: message/rfc822\r\nContent-Disposition: attachment',
        'Subject: inner\r\n\r\ninner text',
      ],
    ),
  );
  expect(binary).toContain('## Attachment: without a name\n\napplication/pdf, 2 bytes\n');
  expect(message).toMatch(
    /^## Attachment: message\.eml\n\nmessage\/rfc822, \d+ bytes\n\ninner text\n$/,
  );
});

test('mails in a mail are read three deep', async () => {
  const nested = (depth: number): string =>
    depth > 5
      ? 'Subject: x\r\n\r\nend'
      : [
          'Subject: x',
          `Content-Type: multipart/mixed; boundary=b${depth}`,
          '',
          `--b${depth}`,
          '',
          `text at ${depth}`,
          `--b${depth}`,
          'Content-Type: application/x; name=m.eml',
          'Content-Disposition: attachment; filename=m.eml',
          '',
          nested(depth + 1),
          `--b${depth}--`,
        ].join('\r\n');
  const [, attached = ''] = await pages(Buffer.from(nested(0)));
  expect(attached.match(/text at \d/g)).toEqual(['text at 1', 'text at 2', 'text at 3']);
  expect(attached.match(/## Attachment/g)).toHaveLength(4);
});

test('without a header it is no mail', async () => {
  await expect(convert('eml', Buffer.alloc(0))).rejects.toThrow('is no e-mail');
});
