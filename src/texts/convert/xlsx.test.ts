import { describe, expect, test } from 'vitest';
import { zip } from '../../../test/documents/make.ts';
import { pagesOf } from '../pages.ts';
import { convert } from './convert.ts';

const RELATION = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';

/** A workbook of one sheet; more of its files may replace those. */
function workbook(sheetData: string, more: Readonly<Record<string, string>> = {}): Buffer {
  return zip({
    'xl/workbook.xml': `<workbook xmlns:r="${RELATION}"><sheets><sheet name="One" r:id="r1"/></sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships><Relationship Id="r1" Type="${RELATION}/worksheet" Target="sheet.xml"/></Relationships>`,
    'xl/sheet.xml': `<worksheet><sheetData>${sheetData}</sheetData></worksheet>`,
    ...more,
  });
}

const STRINGS =
  '<sst><si><t>first</t></si><si><r><t>sec</t></r><rPh><t>kana</t></rPh><r><rPr/><t>ond</t></r></si></sst>';

/** The rows of the first sheet as cells. */
async function rowsOf(bytes: Uint8Array): Promise<string[][]> {
  const [page] = pagesOf(await convert('xlsx', bytes));
  const [, , ...lines] = page?.text.trimEnd().split('\n') ?? [];
  return lines
    .filter((line) => !/^\|( --- \|)+$/.test(line))
    .map((line) => line.slice(2, -2).split(' | '));
}

async function cell(xml: string, more: Readonly<Record<string, string>> = {}): Promise<string> {
  const [row = []] = await rowsOf(workbook(`<row><c r="A1"><v>x1</v></c>${xml}</row>`, more));
  return row[1] ?? '';
}

test.each([
  ['a shared string', '<c t="s"><v>0</v></c>', 'first'],
  ['a shared string in runs, without how it is pronounced', '<c t="s"><v>1</v></c>', 'second'],
  ['a shared string that is not there', '<c t="s"><v>2</v></c>', ''],
  ['a text of its own', '<c t="inlineStr"><is><t>own</t></is></c>', 'own'],
  [
    'a text of its own in runs',
    '<c t="inlineStr"><is><r><t>o</t></r><r><t>w</t></r></is></c>',
    'ow',
  ],
  ['no text of its own', '<c t="inlineStr"/>', ''],
  ['true', '<c t="b"><v>1</v></c>', 'TRUE'],
  ['false', '<c t="b"><v>0</v></c>', 'FALSE'],
  ['what a formula came to', '<c t="str"><f>A1&amp;1</f><v>007</v></c>', '007'],
  ['an error', '<c t="e"><v>#DIV/0!</v></c>', '#DIV/0!'],
  ['a number as it was written', '<c><v>0.30000000000000004</v></c>', '0.3'],
  ['a number of fifteen digits', '<c t="n"><v>123456789012345</v></c>', '123456789012345'],
  ['a number with an exponent', '<c><v>1.5E3</v></c>', '1500'],
  ['what is no number', '<c><v>many</v></c>', 'many'],
  ['nothing', '<c s="1"><v></v></c>', ''],
])('a cell shows %s', async (_, xml, shown) => {
  expect(await cell(xml, { 'xl/sharedStrings.xml': STRINGS })).toBe(shown);
});

describe('dates are numbers whose format is one of dates', () => {
  const styled = (format: string, own = ''): Record<string, string> => ({
    'xl/styles.xml': `<styleSheet><numFmts>${own}</numFmts><cellStyleXfs><xf numFmtId="0"/></cellStyleXfs><cellXfs><xf numFmtId="0"/><xf numFmtId="${format}"/></cellXfs></styleSheet>`,
  });

  // ECMA-376, part 1, 18.8.30.
  test.each([
    ...[14, 17, 22, 27, 28, 36, 45, 46, 47, 50, 58].map(
      (format) => [format, '2024-06-03'] as const,
    ),
    ...[0, 13, 23, 26, 37, 44, 48, 49, 59].map((format) => [format, '45446'] as const),
  ])('of format %d', async (format, shown) => {
    expect(await cell('<c s="1"><v>45446</v></c>', styled(`${format}`))).toBe(shown);
    expect(await cell('<c s="0"><v>45446</v></c>', styled(`${format}`))).toBe('45446');
  });

  test.each([
    ['yyyy\\-mm', '2024-06-03'],
    ['[$-409]d', '2024-06-03'],
    ['0.00', '45446'],
    ['[Red]0', '45446'],
    ['0" days"', '45446'],
    ['\\d0', '45446'],
  ])('of the own format %s', async (code, shown) => {
    const own = `<numFmt numFmtId="170" formatCode="${code.replaceAll('"', '&quot;')}"/>`;
    expect(await cell('<c s="1"><v>45446</v></c>', styled('170', own))).toBe(shown);
  });

  test.each([
    ['1', '1899-12-31', '1904-01-02'],
    ['0.25', '06:00:00', '06:00:00'],
    ['0.999988425925926', '23:59:59', '23:59:59'],
    ['43984.5', '2020-06-02 12:00:00', '2024-06-03 12:00:00'],
    ['1e300', '1e300', '1e300'],
    ['soon', 'soon', 'soon'],
  ])('%s is of 1900, or of 1904', async (value, of1900, of1904) => {
    const xml = `<c s="1"><v>${value}</v></c>`;
    const counted = (from: string): Record<string, string> => ({
      ...styled('22'),
      'xl/workbook.xml': `<workbook xmlns:r="${RELATION}"><workbookPr date1904="${from}"/><sheets><sheet name="One" r:id="r1"/></sheets></workbook>`,
    });
    expect(await cell(xml, styled('22'))).toBe(of1900);
    for (const no of ['0', 'false']) expect(await cell(xml, counted(no))).toBe(of1900);
    for (const yes of ['1', 'true']) expect(await cell(xml, counted(yes))).toBe(of1904);
  });
});

test('a cell stands where it says, and else behind the one before; empty ones end no row', async () => {
  expect(
    await rowsOf(
      workbook(
        '<row><c r="B1"><v>1</v></c><c><v>2</v></c><c r="E1"><v>3</v></c><c r="F1"><v/></c></row><row><c r="A2"><v/></c></row><row><c r="A3"><v>4</v></c></row>',
      ),
    ),
  ).toEqual([
    ['', '1', '2', '', '3'],
    ['4', '', '', '', ''],
  ]);
});

test('of the columns the first 512 are read', async () => {
  const [row = []] = await rowsOf(
    workbook(
      '<row><c r="AB1"><v>28</v></c><c r="SR1"><v>512</v></c><c r="SS1"><v>513</v></c></row>',
    ),
  );
  expect([row.indexOf('28'), row.indexOf('512'), row.length]).toEqual([27, 511, 512]);
});

test('sheets are pages in the order of the book, by their names; one that is missing is an empty one', async () => {
  const text = await convert(
    'xlsx',
    workbook('<row><c><v>7</v></c></row>', {
      'xl/workbook.xml': `<workbook xmlns:r="${RELATION}"><sheets><sheet name="Two" r:id="r2"/><sheet r:id="r9"/><sheet name="One" r:id="r1"/></sheets></workbook>`,
    }),
  );
  expect(text).toBe(
    '---\nsheets: 3\n---\n\n<!-- sheet1 -->\n\n## Two\n\n<!-- sheet2 -->\n\n##\n\n<!-- sheet3 -->\n\n## One\n\n| 7 |\n| --- |\n',
  );
});

test('the parts of a book are where its relations say', async () => {
  const bytes = zip({
    '_rels/.rels': `<Relationships><Relationship Id="r0" Type="${RELATION}/officeDocument" Target="book/b.xml"/></Relationships>`,
    'book/b.xml': `<workbook xmlns:r="${RELATION}"><sheets><sheet name="S" r:id="r1"/></sheets></workbook>`,
    'book/_rels/b.xml.rels': `<Relationships><Relationship Id="r1" Type="${RELATION}/worksheet" Target="../sheets/s.xml"/><Relationship Id="r2" Type="${RELATION}/sharedStrings" Target="/texts.xml"/><Relationship Id="r3" Type="${RELATION}/styles" Target="styles/s.xml"/></Relationships>`,
    'sheets/s.xml':
      '<worksheet><sheetData><row><c t="s"><v>0</v></c><c s="0"><v>45446</v></c></row></sheetData></worksheet>',
    'texts.xml': STRINGS,
    'book/styles/s.xml': '<styleSheet><cellXfs><xf numFmtId="14"/></cellXfs></styleSheet>',
    'docProps/core.xml':
      '<cp:coreProperties><dc:title>Fees</dc:title><dc:creator>Ada</dc:creator><dc:subject>money</dc:subject><cp:keywords>a, b</cp:keywords><dcterms:created>2024-06-03T10:00:00Z</dcterms:created><dcterms:modified>2025-01-02T10:00:00Z</dcterms:modified></cp:coreProperties>',
  });
  expect(await convert('xlsx', bytes)).toBe(
    '---\ntitle: Fees\nauthor: Ada\nsubject: money\nkeywords: a, b\ncreated: "2024-06-03"\nupdated: "2025-01-02"\nsheets: 1\n---\n\n<!-- sheet1 -->\n\n## S\n\n| first | 2024-06-03 |\n| --- | --- |\n',
  );
});

test('what lies outside of a document is no part of it', async () => {
  const text = await convert(
    'xlsx',
    workbook('', {
      'xl/_rels/workbook.xml.rels': `<Relationships><Relationship Id="r1" TargetMode="External" Type="${RELATION}/worksheet" Target="sheet.xml"/></Relationships>`,
      'xl/sheet.xml': '<worksheet><sheetData><row><c><v>7</v></c></row></sheetData></worksheet>',
    }),
  );
  expect(text).not.toContain('7');
});
