// Numbers as colours, with the colour maps of the other programs' pictures.

const maps = {};  // name -> 256 × 3 bytes

export function setColourMaps({magma, magma_reversed, viridis, red_blue}) {
  Object.assign(maps, {
    magma: magma.data,
    magma_reversed: magma_reversed.data,
    viridis: viridis.data,
    red_blue: red_blue.data,
  });
}

export const channel = (map, t) => {
  const i = 3 * Math.max(0, Math.min(255, Math.round(255 * t)));
  return [maps[map][i], maps[map][i + 1], maps[map][i + 2]];
};

// 0 … 1 along the bar; kinds: linear, log, root (signed, around 0).
export function place(bar, value) {
  if (bar.kind === "log") return Math.log(value / bar.low) / Math.log(bar.high / bar.low);
  if (bar.kind === "root")
    return 0.5 + 0.5 * Math.sign(value) * Math.sqrt(Math.abs(value) / bar.high);
  return (value - bar.low) / (bar.high - bar.low);
}

export function valueAt(bar, t) {
  if (bar.kind === "log") return bar.low * (bar.high / bar.low) ** t;
  if (bar.kind === "root") return Math.sign(t - 0.5) * bar.high * (2 * t - 1) ** 2;
  return bar.low + t * (bar.high - bar.low);
}

// What is not finite is magenta, a colour of none of the maps; NaN of sparse maps stays clear.
export function paint(pixels, values, bar, {under = null, share = 0, sparse = false} = {}) {
  const colours = maps[bar.map];
  for (let i = 0; i < values.length; ++i) {
    const t = place(bar, values[i]);
    const o = 4 * i;
    let r = 255, g = 0, b = 255;
    if (t === t) {
      const c = 3 * Math.max(0, Math.min(255, (255 * t + 0.5) | 0));
      r = colours[c];
      g = colours[c + 1];
      b = colours[c + 2];
    }
    pixels[o] = r;
    pixels[o + 1] = g;
    pixels[o + 2] = b;
    pixels[o + 3] = sparse && t !== t ? 0 : 255;
    if (!under || share === 0) continue;
    const u = 3 * i;
    pixels[o] += share * (under[u] - pixels[o]);
    pixels[o + 1] += share * (under[u + 1] - pixels[o + 1]);
    pixels[o + 2] += share * (under[u + 2] - pixels[o + 2]);
  }
}

// The q-quantile of the finite values, from about ten thousand of them.
export function quantile(values, q) {
  const step = Math.max(1, Math.floor(values.length / 10000));
  const some = [];
  for (let i = 0; i < values.length; i += step)
    if (Number.isFinite(values[i])) some.push(values[i]);
  some.sort((a, b) => a - b);
  return some.length ? some[Math.round(q * (some.length - 1))] : 0;
}

export function text(value) {
  if (!Number.isFinite(value)) return "–";
  if (value < 0) return `−${text(-value)}`;
  const size = Math.abs(value);
  if (size >= 100) return value.toFixed(0);
  if (size >= 10) return value.toFixed(1);
  if (size >= 0.1 || size === 0) return value.toFixed(2);
  return value.toPrecision(2);
}

// As short as it can be.
export const short = (value) => String(Number(value.toPrecision(3)));

// Round numbers along the bar; where there are hardly any, its ends and middle.
export function ticks(bar) {
  if (bar.kind === "root") return [-bar.high, -bar.high / 4, 0, bar.high / 4, bar.high];
  if (bar.kind === "linear") return [0, 0.25, 0.5, 0.75, 1].map((t) => valueAt(bar, t));
  const steps = [];
  for (let power = Math.floor(Math.log10(bar.low)); power <= Math.log10(bar.high); ++power) {
    for (const digit of [1, 2, 5]) steps.push(digit * 10 ** power);
  }
  const inside = steps.filter((step) => step >= bar.low * 0.999 && step <= bar.high * 1.001);
  return inside.length > 1 ? inside : [0, 0.5, 1].map((t) => valueAt(bar, t));
}
