/** What is made of the figures of many rounds. */

/** The value below which such a share of the values lies; between two of them, in proportion. */
export function quantile(values, share) {
  const sorted = Float64Array.from(values).sort();
  const at = (sorted.length - 1) * share;
  const low = sorted[Math.floor(at)];
  return low + (sorted[Math.ceil(at)] - low) * (at - Math.floor(at));
}

export function median(values) {
  return quantile(values, 0.5);
}

/** Median and quartiles of the ratios of two contenders' rounds, each round beside the same one of the other. */
export function ratiosOf(values, yardstick) {
  const ratios = values.map((value, round) => value / yardstick[round]);
  return { median: median(ratios), lower: quantile(ratios, 0.25), upper: quantile(ratios, 0.75) };
}
