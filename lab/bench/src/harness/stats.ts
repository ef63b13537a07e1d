/** Several measurements of one thing. */
export interface Summary {
  median: number
  min: number
  max: number
}

export function summarize(values: readonly number[]): Summary {
  const sorted = values.toSorted((a, b) => a - b)
  const upper = sorted[Math.floor(sorted.length / 2)]
  const lower = sorted[Math.floor((sorted.length - 1) / 2)]
  const min = sorted[0]
  const max = sorted.at(-1)
  if (upper === undefined || lower === undefined || min === undefined || max === undefined) {
    throw new TypeError('There is nothing to summarize.')
  }
  return { median: (lower + upper) / 2, min, max }
}

/** Ratios of two series, taken round by round: what slows a whole round down cancels out. */
export function ratios(values: readonly number[], baseline: readonly number[]): Summary {
  return summarize(values.map((value, round) => value / (baseline[round] ?? Number.NaN)))
}

/** `12.3 (11.0–14.2)` */
export function formatSummary({ median, min, max }: Summary, digits: number): string {
  return `${formatNumber(median, digits)} (${formatNumber(min, digits)}–${formatNumber(max, digits)})`
}

/** `1.10× (1.05–1.13)` */
export function formatRatio({ median, min, max }: Summary): string {
  return `${median.toFixed(2)}× (${min.toFixed(2)}–${max.toFixed(2)})`
}

export function formatNumber(value: number, digits: number): string {
  return value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits })
}
