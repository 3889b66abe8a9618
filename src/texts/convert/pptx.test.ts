import { expect, test } from 'vitest';
import { zip } from '../../../test/documents/make.ts';
import { pagesOf } from '../pages.ts';
import { convert } from './convert.ts';

const relations = (...rows: readonly (readonly [id: string, type: string, target: string])[]) =>
  `<R>${rows.map(([id, type, target]) => `<Relationship Id="${id}" Type="x/${type}" Target="${target}"/>`).join('')}</R>`;

const page = (shapes: string): string => `<sld><cSld><spTree>${shapes}</spTree></cSld></sld>`;

const run = (text: string): string => `<r><t>${text}</t></r>`;

/** A shape of paragraphs. @param type of its placeholder */
const shape = (type: string | null, ...paragraphs: string[]): string =>
  `<sp><nvSpPr><nvPr>${type === null ? '' : `<ph type="${type}"/>`}</nvPr></nvSpPr><txBody>${paragraphs.map((each) => `<p>${each}</p>`).join('')}</txBody></sp>`;

/** What the one slide of a presentation says. */
async function slide(shapes: string, notes?: string): Promise<string> {
  const text = await convert(
    'pptx',
    zip({
      'ppt/presentation.xml': '<p xmlns:r="r"><sldIdLst><sldId id="256" r:id="r1"/></sldIdLst></p>',
      'ppt/_rels/presentation.xml.rels': relations(['r1', 'slide', 'slides/s.xml']),
      'ppt/slides/s.xml': page(shapes),
      ...(notes === undefined
        ? {}
        : {
            'ppt/slides/_rels/s.xml.rels': relations(
              ['r1', 'slideLayout', '../none.xml'],
              ['r2', 'notesSlide', '../notes/n.xml'],
            ),
            'ppt/notes/n.xml': page(notes),
          }),
    }),
  );
  return pagesOf(text)[0]?.text ?? '';
}

test.each<[string, string, string]>([
  ['a title is a heading', shape('title', run('Our'), run('plan')), '## Our plan\n'],
  ['so is one in the middle', shape('ctrTitle', run('Plan')), '## Plan\n'],
  ['a title without words is none', shape('title', ' ') + shape(null, run('x')), 'x\n'],
  ['paragraphs are lines', shape('body', run('one'), '', run('two')), 'one\ntwo\n'],
  [
    'runs and fields are one text',
    shape(null, `${run('a')}<fld><t>b</t></fld><endParaRPr/>`),
    'ab\n',
  ],
  ['a break is one', shape(null, `${run('a')}<br/>${run('b')}`), 'a\nb\n'],
  ['shapes are blocks', shape(null, run('a')) + shape('subTitle', run('b')), 'a\n\nb\n'],
  ['a shape without text is none', `<sp/>${shape(null, run('a'))}<pic/>`, 'a\n'],
  ['a line may have text', '<cxnSp><txBody><p><r><t>to</t></r></p></txBody></cxnSp>', 'to\n'],
  ['groups are gone into', `<grpSp><grpSp>${shape(null, run('deep'))}</grpSp></grpSp>`, 'deep\n'],
  [
    'of alternatives the chosen one is read',
    `<AlternateContent><Choice>${shape(null, run('new'))}</Choice><Fallback>${shape(null, run('old'))}</Fallback></AlternateContent>`,
    'new\n',
  ],
  [
    'or the only one',
    `<AlternateContent><Fallback>${shape(null, run('old'))}</Fallback></AlternateContent><AlternateContent/>`,
    'old\n',
  ],
  [
    'a table is one',
    '<graphicFrame><graphic><tbl><tr><tc><txBody><p><r><t>a</t></r></p><p><r><t>b</t></r></p></txBody></tc><tc/></tr><tr><tc/><tc><p><r><t>d</t></r></p></tc></tr></tbl></graphic></graphicFrame>',
    '| a b |  |\n| --- | --- |\n|  | d |\n',
  ],
  ...['sldNum', 'dt', 'ftr', 'hdr', 'sldImg'].map(
    (type) =>
      [
        `${type} is on every slide`,
        shape(type, run('7')) + shape(null, run('x')),
        'x\n',
      ] satisfies [string, string, string],
  ),
])('%s', async (_, shapes, said) => {
  expect(await slide(shapes)).toBe(said);
});

test('of the notes what was typed comes behind the slide', async () => {
  const notes =
    shape('sldImg', run('i')) + shape('body', run('say it')) + shape(null, run('other'));
  expect(await slide(shape(null, run('shown')), notes)).toBe('shown\n\nNotes:\n\nsay it\n');
  expect(await slide(shape(null, run('shown')), shape('body', ''))).toBe('shown\n');
  expect(await slide(shape(null, run('shown')), '')).toBe('shown\n');
});

test('slides are pages in their order, where the relations of the presentation say', async () => {
  const text = await convert(
    'pptx',
    zip({
      '_rels/.rels': relations(['r9', 'officeDocument', 'show/p.xml']),
      'show/p.xml':
        '<p xmlns:r="r"><sldIdLst><sldId r:id="b"/><sldId r:id="none"/><sldId r:id="c"/><sldId r:id="a"/></sldIdLst></p>',
      'show/_rels/p.xml.rels': relations(
        ['a', 'slide', 'a.xml'],
        ['b', 'slide', 'b.xml'],
        ['c', 'slide', 'gone.xml'],
      ),
      'show/a.xml': page(shape(null, run('last'))),
      'show/b.xml': page(shape(null, run('first'))),
    }),
  );
  expect(text).toBe(
    '---\nslides: 4\n---\n\n<!-- slide1 -->\n\nfirst\n\n<!-- slide2 -->\n\n\n<!-- slide3 -->\n\n\n<!-- slide4 -->\n\nlast\n',
  );
});

test('a presentation without slides has no text', async () => {
  expect(await convert('pptx', zip({ 'ppt/presentation.xml': '<p/>' }))).toBe('');
});
