/** British spellings of English words, read as the American ones that the word table and most code use. */

const OUR =
  'arbour|ardour|armour|behaviour|candour|clamour|colour|demeanour|endeavour|favour|fervour|flavour|glamour|harbour|honour|humour|labour|neighbour|odour|parlour|rigour|rumour|saviour|savour|splendour|tumour|valour|vapour|vigour';
const RE = 'calib|cent|fib|goit|lit|lust|meag|met|mit|och|sab|sep|somb|spect|theat';
/** Words that end in -ise, and have it from elsewhere than from -ize. */
const NOT_IZE =
  'adv|appra|apprent|ar|bra|bru|ch|chast|chem|circumc|clockw|comprom|compr|conc|cru|dem|desp|dev|disgu|enterpr|erc|exc|exerc|expert|franch|fra|gu|imprec|improv|inc|lia|likew|mala|marqu|merchand|mort|no|otherw|parad|po|porpo|pra|prec|prem|prom|ra|rev|repr|r|sunr|superv|surm|surpr|telev|tort|treat|turquo|upr|v|w|advert';

const OUR_WORDS = new RegExp(`^(?:${OUR})`);
const RE_WORDS = new RegExp(`^((?:centi|kilo|milli|micro|nano|deci|epi|amphi)?(?:${RE}))re(s|d)?$`);
const ISE = /^(.{2,})is(e|ed|es|er|ers|ing|ation|ations|able)$/;
const YSE = /^(anal|paral|catal|dial|hydrol|electrol)ys(e|ed|er|ers|ing)$/;
const KEPT_ISE = new RegExp(`(?:^|in|over|under|un|re|dis|pre)(?:${NOT_IZE})$`);

const OTHERS = new Map(
  Object.entries({
    aluminium: 'aluminum',
    analogue: 'analog',
    artefact: 'artifact',
    catalogue: 'catalog',
    cheque: 'check',
    defence: 'defense',
    dialogue: 'dialog',
    enrol: 'enroll',
    fulfil: 'fulfill',
    fulfilment: 'fulfillment',
    grey: 'gray',
    instalment: 'installment',
    judgement: 'judgment',
    licence: 'license',
    manoeuvre: 'maneuver',
    mould: 'mold',
    offence: 'offense',
    plough: 'plow',
    practise: 'practice',
    pretence: 'pretense',
    programme: 'program',
    sceptical: 'skeptical',
    skilful: 'skillful',
    wilful: 'willful',
  }),
);

/** The American spelling of a word in lower case; other words pass. */
export function american(word: string): string {
  if (word.length < 4) return word;
  if (OUR_WORDS.test(word)) return word.replace('our', 'or');
  const ise = ISE.exec(word);
  if (ise !== null && !KEPT_ISE.test(ise[1] ?? '')) return `${ise[1]}iz${ise[2]}`;
  const yse = YSE.exec(word);
  if (yse !== null) return `${yse[1]}yz${yse[2]}`;
  const re = RE_WORDS.exec(word);
  if (re !== null) return `${re[1]}er${re[2] === 'd' ? 'ed' : (re[2] ?? '')}`;
  const other = OTHERS.get(word);
  if (other !== undefined) return other;
  const single = word.endsWith('s') ? OTHERS.get(word.slice(0, -1)) : undefined;
  return single === undefined ? word : `${single}s`;
}
