/** Presentations of PowerPoint: a page a slide, with its notes. */
import type { Converted } from '../pages.ts';
import { markdownTable } from './markdown.ts';
import { coreFields, mainPart, openOffice, part, relationsOf } from './office.ts';
import { childOf, elementsBelow, elementsIn, textIn, type XmlElement } from './xml.ts';
import type { DocumentArchive } from './zip.ts';

export async function convertPptx(bytes: Uint8Array): Promise<Converted> {
  const archive = openOffice(bytes, 'ppt/presentation.xml');
  const main = mainPart(archive) ?? 'ppt/presentation.xml';
  const relations = relationsOf(archive, main);
  const list = childOf(part(archive, main), 'sldIdLst');
  const slides = [...(list === undefined ? [] : elementsIn(list, 'sldId'))].map(
    ({ attributes }) => relations.get(attributes['r:id'] ?? '')?.target,
  );
  return {
    fields: coreFields(archive),
    unit: 'slide',
    pages: slides.map((slide) => (slide === undefined ? '' : slideOf(archive, slide))),
  };
}

function slideOf(archive: DocumentArchive, name: string): string {
  const slide = part(archive, name);
  const text = slide === null ? '' : shapesOf(slide, false);
  const notes = [...relationsOf(archive, name).values()].find(({ type }) =>
    type.endsWith('/notesSlide'),
  );
  const page = notes === undefined ? null : part(archive, notes.target);
  const said = page === null ? '' : shapesOf(page, true);
  return said === '' ? text : `${text}\n\nNotes:\n\n${said}`;
}

/** What the shapes of a slide say, in their order. @param isNotes of notes, only what was typed */
function shapesOf(slide: XmlElement, isNotes: boolean): string {
  const tree = childOf(childOf(slide, 'cSld'), 'spTree');
  return tree === undefined ? '' : blocksOf(tree, isNotes).join('\n\n');
}

function blocksOf(tree: XmlElement, isNotes: boolean): string[] {
  const blocks: string[] = [];
  for (const shape of elementsIn(tree)) {
    if (shape.name === 'grpSp') blocks.push(...blocksOf(shape, isNotes));
    else if (shape.name === 'AlternateContent') {
      const choice = childOf(shape, 'Choice') ?? childOf(shape, 'Fallback');
      if (choice !== undefined) blocks.push(...blocksOf(choice, isNotes));
    } else if (shape.name === 'graphicFrame') blocks.push(...tablesOf(shape));
    else if (shape.name === 'sp' || shape.name === 'cxnSp')
      blocks.push(...textOfShape(shape, isNotes));
  }
  return blocks.filter((block) => block !== '');
}

function textOfShape(shape: XmlElement, isNotes: boolean): string[] {
  const properties = childOf(childOf(shape, 'nvSpPr'), 'nvPr');
  const type = childOf(properties, 'ph')?.attributes['type'] ?? '';
  if (isNotes && type !== 'body') return [];
  if (['sldNum', 'dt', 'ftr', 'hdr', 'sldImg'].includes(type)) return [];
  const body = childOf(shape, 'txBody');
  const paragraphs = body === undefined ? [] : [...elementsIn(body, 'p')].map(paragraphOf);
  const lines = paragraphs.filter((line) => line.trim() !== '');
  if (type === 'title' || type === 'ctrTitle')
    return lines.length === 0 ? [] : [`## ${lines.join(' ')}`];
  return [lines.join('\n')];
}

const tablesOf = (frame: XmlElement): string[] =>
  [...elementsBelow(frame, 'tbl')].map((table) =>
    markdownTable(
      [...elementsIn(table, 'tr')].map((row) =>
        [...elementsIn(row, 'tc')].map((cell) =>
          [...elementsBelow(cell, 'p')].map(paragraphOf).join(' '),
        ),
      ),
    ),
  );

function paragraphOf(paragraph: XmlElement): string {
  return [...elementsIn(paragraph)]
    .map((run) =>
      run.name === 'br'
        ? '\n'
        : run.name === 'r' || run.name === 'fld'
          ? textIn(childOf(run, 't'))
          : '',
    )
    .join('');
}
