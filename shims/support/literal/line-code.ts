/**
 * The code of the line kernel: finds the lines of a text that hold a literal,
 * and puts them out as grep prints them, looking at sixteen bytes at once.
 *
 *     while selected < most:
 *       hit = the literal's first place in [at, end), else stop
 *       start, stop = the line around it
 *       if numbered: number += lines that end in [at, start)
 *       at = start
 *       if print: if the line does not fit below `limit`, stop
 *                 put out head, number and ':', the line, and the byte that ends it
 *       at = stop + 1; number += 1; selected += 1
 *     where there was no further place: number += lines that end in [at, end]; at = end + 1
 *     leave at, number and to; give selected
 */
import { type KernelFunction, signed, TYPE } from '../../../src/webassembly.ts';

/** Where things lie in the kernel's memory. Bytes around a region are read, and count for nothing. */
export const AT = {
  /** What a call leaves: where it stopped, that line's number, the end of the output. */
  left: 64,
  literal: 256,
  head: 1024,
  text: 65_536,
} as const;

/** Bytes that are taken at once. */
const LANE = 16;

/** Its parameters: `number` is 0 for none, `print` 0 where lines are only counted. */
const PARAMETERS = [
  'at',
  'end',
  'number',
  'literal',
  'head',
  'most',
  'eol',
  'to',
  'limit',
  'print',
];
const LOCALS = ['hit', 'start', 'stop', 'from', 'mask', 'rest', 'size', 'selected', 'digits'];
const VECTORS = ['firsts', 'lasts', 'eols'];
const NAMES = [...PARAMETERS, ...LOCALS, ...VECTORS];

type Code = readonly number[];

const index = (name: string): number => {
  const found = NAMES.indexOf(name);
  if (found === -1) throw new Error(`the kernel has no local ${name}`);
  return found;
};
const $ = (name: string): Code => [0x20, index(name)];
const set = (name: string, value: Code): Code => [...value, 0x21, index(name)];
const i32 = (value: number): Code => [0x41, ...signed(value)];

const binary = (...op: number[]) => {
  return (left: Code, right: Code): Code => [...left, ...right, ...op];
};
const equal = binary(0x46);
const less = binary(0x49);
const more = binary(0x4b);
const atMost = binary(0x4d);
const atLeast = binary(0x4f);
const add = binary(0x6a);
const sub = binary(0x6b);
const mul = binary(0x6c);
const div = binary(0x6e);
const and = binary(0x71);
const shiftLeft = binary(0x74);
const no = (value: Code): Code => [...value, 0x45];
const leadingZeros = (value: Code): Code => [...value, 0x67];
const trailingZeros = (value: Code): Code => [...value, 0x68];
const ones = (value: Code): Code => [...value, 0x69];

const byteAt = (place: Code): Code => [...place, 0x2d, 0, 0];
const putByte = (place: Code, value: Code): Code => [...place, ...value, 0x3a, 0, 0];
const putNumber = (place: number, value: Code): Code => [...i32(place), ...value, 0x36, 2, 0];
const lanesAt = (place: Code): Code => [...place, 0xfd, 0x00, 0, 0];
const putLanes = (place: Code, value: Code): Code => [...place, ...value, 0xfd, 0x0b, 0, 0];
const inAllLanes = (value: Code): Code => [...value, 0xfd, 0x0f];
const sameLanes = binary(0xfd, 0x23);
const bothLanes = binary(0xfd, 0x4e);
/** A bit for each lane that is not 0. */
const bits = (lanes: Code): Code => [...lanes, 0xfd, 0x64];

const block = (...body: Code[]): Code => [0x02, 0x40, ...body.flat(), 0x0b];
const loop = (...body: Code[]): Code => [0x03, 0x40, ...body.flat(), 0x0b];
const when = (condition: Code, ...body: Code[]): Code => [
  ...condition,
  0x04,
  0x40,
  ...body.flat(),
  0x0b,
];
/** Leaves so many blocks, or begins so many loops further out again. */
const branch = (depth: number): Code => [0x0c, depth];
const branchIf = (depth: number, condition: Code): Code => [...condition, 0x0d, depth];

const step = (name: string, amount: number): Code => set(name, add($(name), i32(amount)));
/** Which of the sixteen bytes at a place end a line. */
const eolsAt = (place: Code): Code => bits(sameLanes(lanesAt(place), $('eols')));

/** number += how many lines end in [from, until); changes `from`. */
const countLines = (until: string): Code =>
  block(
    loop(
      branchIf(1, atLeast($('from'), $(until))),
      set('mask', eolsAt($('from'))),
      set('rest', sub($(until), $('from'))),
      when(
        less($('rest'), i32(LANE)),
        set('mask', and($('mask'), sub(shiftLeft(i32(1), $('rest')), i32(1)))),
      ),
      set('number', add($('number'), ones($('mask')))),
      step('from', LANE),
      branch(0),
    ),
  );

/** hit = the first place of the literal at or after `at`; leaves `depth` blocks where there is none. */
const findHit = (depth: number): Code =>
  block(
    set('from', $('at')),
    loop(
      // `rest` is behind the last place where it may begin.
      branchIf(depth + 2, atLeast($('from'), $('rest'))),
      set(
        'mask',
        bits(
          bothLanes(
            sameLanes(lanesAt($('from')), $('firsts')),
            sameLanes(lanesAt(sub(add($('from'), $('literal')), i32(1))), $('lasts')),
          ),
        ),
      ),
      block(
        loop(
          branchIf(1, no($('mask'))),
          set('hit', add($('from'), trailingZeros($('mask')))),
          branchIf(depth + 4, atLeast($('hit'), $('rest'))),
          set('mask', and($('mask'), sub($('mask'), i32(1)))),
          // The bytes between the first and the last.
          set('size', i32(1)),
          block(
            loop(
              branchIf(5, atLeast($('size'), $('literal'))),
              branchIf(
                1,
                no(
                  equal(byteAt(add($('hit'), $('size'))), byteAt(add(i32(AT.literal), $('size')))),
                ),
              ),
              step('size', 1),
              branch(0),
            ),
          ),
          branch(0),
        ),
      ),
      step('from', LANE),
      branch(0),
    ),
  );

/** start, stop = the line around the hit, without the byte that ends it. */
const findLine: Code = [
  ...set('start', $('hit')),
  ...block(
    loop(
      branchIf(1, atMost($('start'), $('at'))),
      step('start', -LANE),
      set('mask', eolsAt($('start'))),
      branchIf(0, no($('mask'))),
      set('start', sub(add($('start'), i32(32)), leadingZeros($('mask')))),
    ),
  ),
  ...when(less($('start'), $('at')), set('start', $('at'))),
  ...set('stop', $('hit')),
  ...block(
    loop(
      set('mask', eolsAt($('stop'))),
      when($('mask'), set('stop', add($('stop'), trailingZeros($('mask')))), branch(2)),
      step('stop', LANE),
      branchIf(0, less($('stop'), $('end'))),
    ),
  ),
  ...when(more($('stop'), $('end')), set('stop', $('end'))),
];

/** Copies `size` bytes from `from` to `to`; some more are written behind them. */
const copy: Code = [
  ...set('rest', add($('to'), $('size'))),
  ...loop(
    putLanes($('to'), lanesAt($('from'))),
    step('to', LANE),
    step('from', LANE),
    branchIf(0, less($('to'), $('rest'))),
  ),
  ...set('to', $('rest')),
];

/** Writes `number` in decimal, and a colon. */
const printNumber: Code = [
  ...set('digits', i32(1)),
  ...set('rest', $('number')),
  ...loop(set('rest', div($('rest'), i32(10))), when($('rest'), step('digits', 1), branch(1))),
  ...set('rest', $('number')),
  ...set('from', add($('to'), $('digits'))),
  ...set('to', add($('from'), i32(1))),
  ...putByte($('from'), i32(58)),
  ...loop(
    step('from', -1),
    set('size', div($('rest'), i32(10))),
    putByte($('from'), add(i32(48), sub($('rest'), mul($('size'), i32(10))))),
    set('rest', $('size')),
    branchIf(0, $('rest')),
  ),
];

/** Of a number and its colon, and of what {@link copy} writes too much. */
const SPARE = 64;

/** Puts out the line; leaves `depth` blocks where it does not fit. */
const printLine = (depth: number): Code => [
  ...set('size', add($('head'), sub($('stop'), $('start')))),
  ...branchIf(depth, more(add(add($('to'), $('size')), i32(SPARE)), $('limit'))),
  ...set('size', $('head')),
  ...set('from', i32(AT.head)),
  ...copy,
  ...when($('number'), printNumber),
  ...set('size', sub($('stop'), $('start'))),
  ...set('from', $('start')),
  ...copy,
  ...putByte($('to'), $('eol')),
  ...step('to', 1),
];

const body: Code = [
  ...set('firsts', inAllLanes(byteAt(i32(AT.literal)))),
  ...set('lasts', inAllLanes(byteAt(add(i32(AT.literal - 1), $('literal'))))),
  ...set('eols', inAllLanes($('eol'))),
  ...block(
    block(
      loop(
        branchIf(2, atLeast($('selected'), $('most'))),
        set('rest', add(sub($('end'), $('literal')), i32(1))),
        findHit(1),
        findLine,
        when($('number'), set('from', $('at')), countLines('start')),
        set('at', $('start')),
        when($('print'), printLine(3)),
        set('at', add($('stop'), i32(1))),
        when($('number'), step('number', 1)),
        step('selected', 1),
        branch(0),
      ),
    ),
    when(
      atMost($('at'), $('end')),
      when($('number'), set('from', $('at')), countLines('end'), step('number', 1)),
      set('at', add($('end'), i32(1))),
    ),
  ),
  ...putNumber(AT.left, $('at')),
  ...putNumber(AT.left + 4, $('number')),
  ...putNumber(AT.left + 8, $('to')),
  ...$('selected'),
  0x0b,
];

export const LINE_CODE: KernelFunction = {
  parameters: PARAMETERS.map(() => TYPE.i32),
  results: [TYPE.i32],
  locals: [
    [LOCALS.length, TYPE.i32],
    [VECTORS.length, TYPE.v128],
  ],
  body,
};
