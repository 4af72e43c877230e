/** Medians, quartiles, and ratios that are taken round by round. */

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

/** Lower quartile, median and upper quartile. */
export function spread(values) {
  return [quantile(values, 0.25), median(values), quantile(values, 0.75)];
}

/** The spread of the ratios of two series, each round beside the same round of the other. */
export function ratiosOf(values, others) {
  return spread(values.map((value, round) => value / others[round]));
}

export function showRatio([lower, middle, upper]) {
  return `${middle.toFixed(2)} (${lower.toFixed(2)}–${upper.toFixed(2)})`;
}
