const number = new Intl.NumberFormat('en')
const clockTime = new Intl.DateTimeFormat('en-GB', {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  timeZone: 'UTC',
})

export const formatNumber = (value: number): string => number.format(value)

/** `1 credit`, `2 credits`. */
export function count(value: number, what: string, plural = `${what}s`): string {
  return `${number.format(value)} ${value === 1 ? what : plural}`
}

/** `14:03:21`, UTC. */
export function formatTime(ms: number): string {
  return clockTime.format(ms)
}

/** `350 ms`, `4.2 s`, `1 min 30 s`, `2 h 5 min`. */
export function formatDuration(ms: number): string {
  if (ms < 1_000) return `${ms < 1 ? 0 : Math.round(ms)} ms`
  if (ms < 60_000) return `${(ms / 1_000).toFixed(ms < 1_050 ? 2 : 1).replace(/\.?0+$/, '')} s`
  if (ms < 3_599_500) return inTwoUnits(Math.round(ms / 1_000), 60, ['min', 's'])
  if (ms < 86_370_000) return inTwoUnits(Math.round(ms / 60_000), 60, ['h', 'min'])
  return inTwoUnits(Math.round(ms / 3_600_000), 24, ['d', 'h'])
}

function inTwoUnits(value: number, perLarge: number, [large, small]: [large: string, small: string]): string {
  const rest = value % perLarge
  return `${Math.floor(value / perLarge)} ${large}${rest === 0 ? '' : ` ${rest} ${small}`}`
}

/** To the millisecond: `6 ms`, `4.006 s`, `1 min 4.006 s`. */
export function formatExact(ms: number): string {
  const whole = Math.round(ms)
  if (whole < 1_000) return `${whole} ms`
  const seconds = `${((whole % 60_000) / 1_000).toFixed(3)} s`
  return whole < 60_000 ? seconds : `${Math.floor(whole / 60_000)} min ${seconds}`
}

export function capitalized(text: string): string {
  return text.replace(/^./, (letter) => letter.toUpperCase())
}

/** Who gets a delivery. The server has a receiver of its own. */
export function receiverName(url: string): string {
  if (url.endsWith('/_reference/receiver')) return 'built in'
  return URL.canParse(url) ? new URL(url).host : url
}
