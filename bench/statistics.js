/** Medians, quartiles, and ratios that are taken round by round. */

/** The value below which this fraction of the values lies; interpolated between two of them. */
export function quantile(values, fraction) {
  const sorted = Float64Array.from(values).sort();
  const at = (sorted.length - 1) * fraction;
  const low = sorted[Math.floor(at)];
  return low + (sorted[Math.ceil(at)] - low) * (at - Math.floor(at));
}

export const median = (values) => quantile(values, 0.5);

/** Lower quartile, median and upper quartile. */
export const spread = (values) => [0.25, 0.5, 0.75].map((fraction) => quantile(values, fraction));

/** The spread of the ratios of two series, each round beside the same round of the other. */
export function computeRatios(values, others) {
  return spread(values.map((value, round) => value / others[round]));
}
