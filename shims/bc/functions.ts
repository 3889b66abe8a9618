/**
 * The functions of `bc -l`, in bc's own arithmetic: every step is cut off at the scale of that step,
 * so that the last digits, which are not always the true ones, are those that bc prints.
 */
import {
  add,
  compare,
  type Decimal,
  divide,
  integer,
  multiply,
  negate,
  ONE,
  raise,
  remainder,
  rescaled,
  squareRoot,
} from './decimal.ts';

const TWO = integer(2);
const HALF: Decimal = { digits: 5n, scale: 1 };
const FIFTH: Decimal = { digits: 2n, scale: 1 };

/** Up to this scale bc has arctan 1 and arctan 0.2 as constants. */
const MOST_KNOWN = 60;
const GUARD = 10;

const isZero = (x: Decimal): boolean => x.digits === 0n;
const cut = (x: Decimal, scale: number): Decimal => divide(x, ONE, scale);
/** A count of digits: a share of the scale, without its fraction. */
const share = (scale: number, tenths: number): number => Math.floor((scale * tenths) / 10);

/** e^x */
export function exponential(x: Decimal, scale: number): Decimal {
  const negative = x.digits < 0n;
  let small = negative ? negate(x) : x;
  const hundredths = multiply({ digits: 44n, scale: 2 }, small, scale);
  const working = 6 + scale + Number(rescaled(hundredths, 0).digits);
  let halving = x.scale + 1;
  let halvings = 0;
  while (compare(small, ONE) > 0) {
    halvings += 1;
    small = divide(small, TWO, halving);
    halving += 1;
  }
  let sum = add(ONE, small);
  let power = small;
  let factorial = ONE;
  for (let i = 2; ; i++) {
    power = multiply(power, small, working);
    factorial = multiply(factorial, integer(i), working);
    const term = divide(power, factorial, working);
    if (isZero(term)) break;
    sum = add(sum, term);
  }
  for (; halvings > 0; halvings--) sum = multiply(sum, sum, working);
  return negative ? divide(ONE, sum, scale) : cut(sum, scale);
}

/** ln x; of what is not above 0, the lowest number that bc has for it. */
export function logarithm(x: Decimal, scale: number): Decimal {
  if (x.digits <= 0n) return cut(add(ONE, negate(integer(10n ** BigInt(scale)))), scale);
  const working = 6 + scale;
  let root = x;
  let factor = TWO;
  while (compare(root, TWO) >= 0 || compare(root, HALF) <= 0) {
    factor = multiply(factor, TWO, working);
    root = squareRoot(root, working);
  }
  // ln r = 2 artanh((r - 1) / (r + 1))
  const ratio = divide(add(root, negate(ONE)), add(root, ONE), working);
  const half = oddSeries(ratio, multiply(ratio, ratio, working), working);
  return cut(multiply(factor, half, working), scale);
}

/** arctan x */
export function arctangent(x: Decimal, scale: number): Decimal {
  if (x.digits < 0n) return negate(arctangent(negate(x), scale));
  // What most is made of bc knows by heart, and so without an error in its last digit.
  const isKnown = compare(x, ONE) === 0 || compare(x, FIFTH) === 0;
  if (isKnown && scale <= MOST_KNOWN) return cut(stepped(x, scale + GUARD), scale);
  return stepped(x, scale);
}

function stepped(x: Decimal, scale: number): Decimal {
  // Steps of arctan 0.2, until what is left is small enough for the series.
  const step = compare(x, FIFTH) > 0 ? arctangent(FIFTH, scale + 5) : integer(0);
  const working = scale + 3;
  let steps = 0n;
  let left = x;
  while (compare(left, FIFTH) > 0) {
    steps += 1n;
    const below = add(ONE, multiply(FIFTH, left, working));
    left = divide(add(left, negate(FIFTH)), below, working);
  }
  const rest = oddSeries(left, multiply(negate(left), left, working), working);
  return cut(add(multiply(integer(steps), step, scale), rest), scale);
}

/** x + x·ratio / 3 + x·ratio² / 5 + …, up to the first term that the scale does not show. */
function oddSeries(x: Decimal, ratio: Decimal, scale: number): Decimal {
  let power = x;
  let sum = x;
  for (let i = 3; ; i += 2) {
    power = multiply(power, ratio, scale);
    const term = divide(power, integer(i), scale);
    if (isZero(term)) return sum;
    sum = add(sum, term);
  }
}

/** sin x */
export function sine(x: Decimal, scale: number): Decimal {
  const negative = x.digits < 0n;
  const wide = share(scale, 11) + 2;
  const quarter = arctangent(ONE, wide);
  const angle = negative ? negate(x) : x;
  // Half turns, without which the angle lies around 0.
  const turns = divide(add(divide(angle, quarter, 0), TWO), integer(4), 0);
  const whole = multiply(multiply(integer(4), turns, 0), quarter, 0);
  let small = add(angle, negate(whole));
  if (!isZero(remainder(turns, TWO, 0))) small = negate(small);
  const working = scale + 2;
  const square = multiply(negate(small), small, working);
  let term = small;
  let sum = small;
  for (let i = 3; ; i += 2) {
    term = multiply(term, divide(square, integer(i * (i - 1)), working), working);
    if (isZero(term)) break;
    sum = add(sum, term);
  }
  return cut(negative ? negate(sum) : sum, scale);
}

/** cos x */
export function cosine(x: Decimal, scale: number): Decimal {
  const working = share(scale, 12);
  const right = multiply(arctangent(ONE, working), TWO, working);
  return cut(sine(add(x, right), working), scale);
}

/** The Bessel function of whole order n. */
export function bessel(n: Decimal, x: Decimal, scale: number): Decimal {
  const given = rescaled(n, 0);
  const order = given.digits < 0n ? negate(given) : given;
  const negative = given.digits < 0n && order.digits % 2n === 1n;
  let factorial = ONE;
  for (let i = 2n; i <= order.digits; i++) factorial = multiply(factorial, integer(i), 0);
  const wide = share(scale, 15);
  const first = divide(
    raise(x, Number(order.digits), wide),
    multiply(raise(TWO, Number(order.digits), wide), factorial, wide),
    wide,
  );
  const square = divide(multiply(negate(x), x, wide), integer(4), wide);
  const working = wide + digitsOf(first) - first.scale;
  let term = ONE;
  let sum = ONE;
  for (let i = 1n; ; i++) {
    const shared = divide(multiply(term, square, working), integer(i), working);
    term = divide(shared, add(order, integer(i)), working);
    if (isZero(term)) break;
    sum = add(sum, term);
  }
  const value = multiply(first, sum, working);
  return cut(negative ? negate(value) : value, scale);
}

/** How many digits bc's `length` counts. */
export function digitsOf(x: Decimal): number {
  return Math.max(String(x.digits).replace('-', '').length, x.scale);
}
