/** printf(3)'s number conversions. */

/** A conversion such as `%-8.3f`, taken apart. */
export interface Conversion {
  flags: string;
  width: number;
  /** -1 when none is given. */
  precision: number;
  type: string;
}

/** Takes a conversion apart; undefined when it is none. */
export function parseConversion(spec: string): Conversion | undefined {
  const match = /^%([-+ 0#']*)(\d*)(?:\.(\d*))?(?:hh|h|ll|l|L|q|j|z|t)?([a-zA-Z])$/.exec(spec);
  if (match === null) return undefined;
  return {
    flags: match[1] ?? '',
    width: Number(match[2] || 0),
    precision: match[3] === undefined ? -1 : Number(match[3] || 0),
    type: match[4] ?? '',
  };
}

/** Pads to the width, between sign and digits where zeros are asked for. */
function pad(sign: string, body: string, { flags, width }: Conversion, zeros: boolean): string {
  const missing = width - sign.length - body.length;
  if (missing <= 0) return sign + body;
  if (flags.includes('-')) return sign + body + ' '.repeat(missing);
  return zeros && flags.includes('0')
    ? sign + '0'.repeat(missing) + body
    : ' '.repeat(missing) + sign + body;
}

function signOf(negative: boolean, flags: string): string {
  if (negative) return '-';
  if (flags.includes('+')) return '+';
  return flags.includes(' ') ? ' ' : '';
}

/** Digits beyond those asked for, by which a value halfway between two is known. */
const TAIL = 25;
const HALFWAY = `5${'0'.repeat(TAIL - 1)}`;

/**
 * Of two that are equally near, C takes the even one and JavaScript the greater.
 * @param nearest the digits as JavaScript rounds them
 * @param longer the same value with TAIL more digits
 */
function halfEven(nearest: string, longer: string): string {
  if (!longer.endsWith(HALFWAY)) return nearest;
  const cut = longer.slice(0, -TAIL).replace(/\.$/, '');
  return Number(cut.at(-1)) % 2 === 0 ? cut : nearest;
}

function decimals(value: number, places: number): string {
  const nearest = value.toFixed(places);
  return places + TAIL > 100 ? nearest : halfEven(nearest, value.toFixed(places + TAIL));
}

/** Mantissa and power of ten. */
function scientific(value: number, digits: number): [mantissa: string, power: number] {
  const [nearest = '', power = ''] = value.toExponential(digits).split('e');
  if (digits + TAIL > 100) return [nearest, Number(power)];
  const [longer = '', lower = ''] = value.toExponential(digits + TAIL).split('e');
  const even = halfEven(nearest, longer);
  return [even, Number(even === nearest ? power : lower)];
}

function exponent([mantissa, power]: [string, number]): string {
  const digits = String(Math.abs(power)).padStart(2, '0');
  return `${mantissa}e${power < 0 ? '-' : '+'}${digits}`;
}

function general(value: number, precision: number, alternate: boolean): string {
  const digits = precision < 0 ? 6 : precision || 1;
  if (value === 0) return alternate ? (0).toFixed(digits - 1) : '0';
  const [mantissa, power] = scientific(value, digits - 1);
  const small = power < -4 || power >= digits;
  const text = small ? mantissa : decimals(value, Math.max(0, digits - 1 - power));
  const shown = alternate || !text.includes('.') ? text : text.replace(/\.?0+$/, '');
  return small ? exponent([shown, power]) : shown;
}

/** %f %e %g and their capitals; %a is close enough to print as %g would. */
export function formatFloat(spec: string, value: number): string {
  const conversion = parseConversion(spec);
  if (conversion === undefined) return spec;
  const { flags, precision, type } = conversion;
  const sign = signOf(value < 0 || Object.is(value, -0), flags);
  const size = Math.abs(value);
  if (!Number.isFinite(size)) {
    const word = Number.isNaN(size) ? 'nan' : 'inf';
    return pad(sign, type === type.toUpperCase() ? word.toUpperCase() : word, conversion, false);
  }
  const places = precision < 0 ? 6 : precision;
  let body: string;
  if (type === 'f' || type === 'F') body = fixed(size, places);
  else if (type === 'e' || type === 'E') body = exponent(scientific(size, Math.min(places, 100)));
  else body = general(size, Math.min(precision, 100), flags.includes('#'));
  // With # there is a point, whatever follows it.
  if (flags.includes('#') && !body.includes('.')) body = body.replace(/(?=e|$)/, '.');
  return pad(sign, type === type.toUpperCase() ? body.toUpperCase() : body, conversion, true);
}

function fixed(size: number, places: number): string {
  const shown = size < 1e21 ? decimals(size, Math.min(places, 100)) : `${BigInt(Math.round(size))}`;
  if (size < 1e21 || places === 0) return shown;
  return `${shown}.${'0'.repeat(places)}`;
}

const MASK = (1n << 64n) - 1n;

/** %f of digits that are rounded already, without a sign. */
export function formatFixed(spec: string, negative: boolean, digits: string): string {
  const conversion = parseConversion(spec);
  if (conversion === undefined) return spec;
  const { flags } = conversion;
  const body = flags.includes('#') && !digits.includes('.') ? `${digits}.` : digits;
  return pad(signOf(negative, flags), body, conversion, true);
}

/** %d %i %u %o %x %X over 64 bits. */
export function formatInteger(spec: string, value: bigint): string {
  const conversion = parseConversion(spec);
  if (conversion === undefined) return spec;
  const { flags, precision, type } = conversion;
  const signed = type === 'd' || type === 'i';
  const size = signed ? (value < 0n ? -value : value) : value & MASK;
  let body = size.toString(type === 'o' ? 8 : type === 'x' || type === 'X' ? 16 : 10);
  if (precision === 0 && size === 0n) body = '';
  if (precision > body.length) body = body.padStart(precision, '0');
  if (flags.includes("'") && (signed || type === 'u')) body = body.replace(/\B(?=(\d{3})+$)/g, '');
  let sign = signed ? signOf(value < 0n, flags) : '';
  if (flags.includes('#') && (size !== 0n || type === 'o')) {
    if (type === 'o' && !body.startsWith('0')) body = `0${body}`;
    if (type === 'x' || type === 'X') sign = '0x';
  }
  if (type === 'X') {
    body = body.toUpperCase();
    sign = sign.toUpperCase();
  }
  return pad(sign, body, conversion, precision < 0);
}
