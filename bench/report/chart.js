/** Draws `chart.svg`. */
export function drawChart() {}
