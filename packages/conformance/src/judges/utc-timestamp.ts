const ZONE = /(Z|[+-]00(:?00)?)$/
const EXTENDED = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}([.,]\d+)?)?$/
const BASIC = /^\d{8}T\d{4}(\d{2}([.,]\d+)?)?$/

/** Milliseconds since 1970 of a time of ISO 8601 in UTC, in its extended form (`2026-01-31T09:30:00Z`) or its basic one. */
export function utcTimeOf(value: unknown): number | undefined {
  if (typeof value !== 'string' || !ZONE.test(value)) return undefined
  const local = value.replace(ZONE, '')
  if (!EXTENDED.test(local) && !BASIC.test(local)) return undefined
  const [, date = '', time = '', fraction = ''] = /^(\d{8})T(\d{4,6})(.*)/.exec(local.replace(/[-:]/g, '')) ?? []
  const extended = `${date.replace(/^(....)(..)(..)$/, '$1-$2-$3')}T${time.match(/../g)?.join(':')}${fraction.replace(',', '.')}Z`
  const ms = Date.parse(extended)
  return Number.isNaN(ms) ? undefined : ms
}
