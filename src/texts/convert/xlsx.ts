/** Workbooks of Excel: a page a sheet, a row a line of a table, values as they were last computed. */
import type { Converted } from '../pages.ts';
import { markdownTable } from './markdown.ts';
import { coreFields, mainPart, openOffice, part, relationsOf } from './office.ts';
import { childOf, elementsBelow, elementsIn, textIn, type XmlElement } from './xml.ts';
import type { DocumentArchive } from './zip.ts';

/** Columns further right are none that somebody reads; a cell says itself where it is. */
const MOST_COLUMNS = 512;

export async function convertXlsx(bytes: Uint8Array): Promise<Converted> {
  const archive = openOffice(bytes, 'xl/workbook.xml');
  const main = mainPart(archive) ?? 'xl/workbook.xml';
  const workbook = part(archive, main);
  const relations = relationsOf(archive, main);
  const near = (type: string): string | undefined =>
    [...relations.values()].find((each) => each.type.endsWith(`/${type}`))?.target;
  const strings = sharedStrings(archive, near('sharedStrings') ?? 'xl/sharedStrings.xml');
  const isDate = dateStyles(archive, near('styles') ?? 'xl/styles.xml');
  const from1904 = childOf(workbook, 'workbookPr')?.attributes['date1904'];
  const values: Values = { strings, isDate, from1904: from1904 === '1' || from1904 === 'true' };
  const sheets = childOf(workbook, 'sheets');
  const pages = [...(sheets === undefined ? [] : elementsIn(sheets, 'sheet'))].map(
    ({ attributes }) => {
      const target = relations.get(attributes['r:id'] ?? '')?.target;
      const sheet = target === undefined ? null : part(archive, target);
      return `## ${attributes['name'] ?? ''}\n\n${sheet === null ? '' : markdownTable(rowsOf(sheet, values))}`;
    },
  );
  return { fields: coreFields(archive), unit: 'sheet', pages };
}

interface Values {
  strings: readonly string[];
  /** By the number of a cell's style. */
  isDate: readonly boolean[];
  from1904: boolean;
}

function rowsOf(sheet: XmlElement, values: Values): string[][] {
  const rows: string[][] = [];
  const data = childOf(sheet, 'sheetData');
  for (const row of data === undefined ? [] : elementsIn(data, 'row')) {
    const cells: string[] = [];
    for (const cell of elementsIn(row, 'c')) {
      const column = columnOf(cell.attributes['r']) ?? cells.length;
      const text = shownValue(cell, values);
      if (column >= MOST_COLUMNS || text === '') continue;
      while (cells.length < column) cells.push('');
      cells[column] = text;
    }
    if (cells.length > 0) rows.push(cells);
  }
  return rows;
}

/** `C12` is in column 2, from 0. */
function columnOf(reference: string | undefined): number | null {
  const letters = /^[A-Z]{1,3}/.exec(reference ?? '')?.[0];
  if (letters === undefined) return null;
  return [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1;
}

function shownValue(cell: XmlElement, { strings, isDate, from1904 }: Values): string {
  const { t: type = 'n', s: style = '' } = cell.attributes;
  if (type === 'inlineStr') return richText(childOf(cell, 'is'));
  const value = textIn(childOf(cell, 'v'));
  if (type === 's') return strings[Number(value)] ?? '';
  if (type === 'b') return value === '1' ? 'TRUE' : 'FALSE';
  if (type !== 'n' || value === '') return value;
  return isDate[Number(style)] === true
    ? (dateOf(Number(value), from1904) ?? value)
    : numberOf(value);
}

/** `0.30000000000000004` was written as 0.3. */
function numberOf(value: string): string {
  const number = Number(value);
  return Number.isFinite(number) ? String(Number(number.toPrecision(15))) : value;
}

const DAY_MS = 86_400_000;

/** A number of days since the end of 1899, or since 1904. */
function dateOf(days: number, from1904: boolean): string | null {
  const start = from1904 ? Date.UTC(1904, 0, 1) : Date.UTC(1899, 11, 30);
  const date = new Date(start + Math.round(days * 86_400) * 1000);
  if (!Number.isFinite(days) || Number.isNaN(date.getTime())) return null;
  const iso = date.toISOString();
  if (days < 1) return iso.slice(11, 19);
  return date.getTime() % DAY_MS === 0 ? iso.slice(0, 10) : iso.slice(0, 19).replace('T', ' ');
}

function sharedStrings(archive: DocumentArchive, name: string): string[] {
  const table = part(archive, name);
  return table === null ? [] : [...elementsIn(table, 'si')].map((item) => richText(item));
}

/** A text in runs; how it is pronounced is no part of it. */
function richText(item: XmlElement | undefined): string {
  if (item === undefined) return '';
  return [...elementsIn(item)]
    .map((child) =>
      child.name === 't' ? textIn(child) : child.name === 'r' ? textIn(childOf(child, 't')) : '',
    )
    .join('');
}

/** Formats of Excel's own that are dates or times, from and to: from 27 to 36 and from 50 on where one writes Chinese, Japanese or Korean (ECMA-376, part 1, 18.8.30). */
const DATE_FORMATS = [
  [14, 22],
  [27, 36],
  [45, 47],
  [50, 58],
] as const;

const isDateFormat = (format: number): boolean =>
  DATE_FORMATS.some(([from, to]) => from <= format && format <= to);

function dateStyles(archive: DocumentArchive, name: string): boolean[] {
  const styles = part(archive, name);
  if (styles === null) return [];
  const own = new Set<number>();
  const formats = childOf(styles, 'numFmts');
  for (const { attributes } of formats === undefined ? [] : elementsIn(formats, 'numFmt')) {
    // Without what is quoted, escaped or a colour.
    const code = (attributes['formatCode'] ?? '').replace(/"[^"]*"|\\.|\[[^\]]*\]/g, '');
    if (/[ymdhs]/i.test(code)) own.add(Number(attributes['numFmtId']));
  }
  const formatsOfCells = childOf(styles, 'cellXfs');
  return [...(formatsOfCells === undefined ? [] : elementsBelow(formatsOfCells, 'xf'))].map(
    ({ attributes }) => {
      const format = Number(attributes['numFmtId']);
      return isDateFormat(format) || own.has(format);
    },
  );
}
