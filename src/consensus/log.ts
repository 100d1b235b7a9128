/**
 * The natural logarithm of fdlibm, bit for bit. Page 03 §8.3.
 *
 * `Math.log` depends on the engine.
 */

const LN2_HI = 0.6931471803691238;
const LN2_LO = 1.9082149292705877e-10;
const L1 = 0.6666666666666735;
const L2 = 0.3999999999940942;
const L3 = 0.2857142874366239;
const L4 = 0.22222198432149784;
const L5 = 0.1818357216161805;
const L6 = 0.15313837699209373;
const L7 = 0.14798198605116586;
const TWO_54 = 2 ** 54;

const view = new DataView(new ArrayBuffer(8));

/** Splits x > 0 into 2^exponent · mantissa with a mantissa near 1. `high` has the upper bits of the fraction of x. */
function splitDouble(x: number): { exponent: number; high: number; mantissa: number } {
  let exponent = -1023;
  let value = x;
  view.setFloat64(0, value);
  if (view.getInt32(0) < 0x0010_0000) {
    // The number is subnormal.
    exponent -= 54;
    value *= TWO_54;
    view.setFloat64(0, value);
  }
  const word = view.getInt32(0);
  exponent += word >> 20;
  const high = word & 0xf_ffff;
  const carry = (high + 0x9_5f64) & 0x10_0000;
  view.setInt32(0, high | (carry ^ 0x3ff0_0000));
  return { exponent: exponent + (carry >> 20), high, mantissa: view.getFloat64(0) };
}

/** Returns ln x: NaN below zero, -∞ at zero. */
export function log(x: number): number {
  if (x === 0) return Number.NEGATIVE_INFINITY;
  if (x < 0) return Number.NaN;
  if (x === Number.POSITIVE_INFINITY || Number.isNaN(x)) return x + x;
  const { exponent: k, high, mantissa } = splitDouble(x);
  const f = mantissa - 1;
  // The order of every operation below matters.
  if ((0xf_ffff & (2 + high)) < 3) {
    if (f === 0) return k === 0 ? 0 : k * LN2_HI + k * LN2_LO;
    const r = f * f * (0.5 - 0.3333333333333333 * f);
    return k === 0 ? f - r : k * LN2_HI - (r - k * LN2_LO - f);
  }
  const s = f / (2 + f);
  const z = s * s;
  const w = z * z;
  const t1 = w * (L2 + w * (L4 + w * L6));
  const t2 = z * (L1 + w * (L3 + w * (L5 + w * L7)));
  const r = t2 + t1;
  if (((high - 0x6_147a) | (0x6_b851 - high)) > 0) {
    const q = 0.5 * f * f;
    return k === 0 ? f - (q - s * (q + r)) : k * LN2_HI - (q - (s * (q + r) + k * LN2_LO) - f);
  }
  return k === 0 ? f - s * (f - r) : k * LN2_HI - (s * (f - r) - k * LN2_LO - f);
}
