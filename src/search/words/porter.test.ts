/** Porter's own examples of what each of his steps does (M. F. Porter, An algorithm for suffix stripping, 1980). */
import { expect, test } from 'vitest';
import { porterStem } from './porter.ts';

const EXAMPLES =
  'caresses:caress ponies:poni ties:ti caress:caress cats:cat feed:feed agreed:agre plastered:plaster bled:bled motoring:motor sing:sing conflated:conflat troubled:troubl sized:size hopping:hop tanned:tan falling:fall hissing:hiss fizzed:fizz failing:fail filing:file happy:happi sky:sky relational:relat conditional:condit rational:ration valenci:valenc hesitanci:hesit digitizer:digit conformabli:conform radicalli:radic differentli:differ vileli:vile analogousli:analog vietnamization:vietnam predication:predic operator:oper feudalism:feudal decisiveness:decis hopefulness:hope callousness:callous formaliti:formal sensitiviti:sensit sensibiliti:sensibl triplicate:triplic formative:form formalize:formal electriciti:electr electrical:electr hopeful:hope goodness:good revival:reviv allowance:allow inference:infer airliner:airlin gyroscopic:gyroscop adjustable:adjust defensible:defens irritant:irrit replacement:replac adjustment:adjust dependent:depend adoption:adopt homologou:homolog communism:commun activate:activ angulariti:angular homologous:homolog effective:effect bowdlerize:bowdler probate:probat rate:rate cease:ceas controll:control roll:roll';

test.each(EXAMPLES.split(' ').map((each) => each.split(':') as [string, string]))(
  '%s is %s',
  (word, stem) => {
    expect(porterStem(word)).toBe(stem);
  },
);

test.each([
  ['generalizations', 'gener'],
  ['oscillators', 'oscil'],
  ['snowing', 'snow'],
  ['boxed', 'box'],
  ['played', 'plai'],
  ['trying', 'try'],
  ['yes', 'ye'],
  ['toy', 'toi'],
  ['syzygy', 'syzygi'],
  ['as', 'as'],
  ['is2s', 'is2s'],
  ['Cats', 'Cats'],
  ['naïves', 'naïves'],
])('so is %s %s', (word, stem) => {
  expect(porterStem(word)).toBe(stem);
});
