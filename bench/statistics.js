/** Medians, quartiles, and ratios that are taken round by round. */

/** The value below which such a share of the values lies; between two of them, in proportion. */
export function quantile(values, share) {
  const sorted = Float64Array.from(values).sort();
  const at = (sorted.length - 1) * share;
  const low = sorted[Math.floor(at)];
  return low + (sorted[Math.ceil(at)] - low) * (at - Math.floor(at));
}

export const median = (values) => quantile(values, 0.5);

/** Lower quartile, median and upper quartile. */
export const spread = (values) => [0.25, 0.5, 0.75].map((share) => quantile(values, share));

/** The spread of the ratios of two series, each round beside the same round of the other. */
export function ratiosOf(values, others) {
  return spread(values.map((value, round) => value / others[round]));
}
