const ZONE = /(Z|[+-]00(:?00)?)$/
const EXTENDED = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}([.,]\d+)?)?$/
const BASIC = /^\d{8}T\d{4}(\d{2}([.,]\d+)?)?$/

/** Whether a value is a time of ISO 8601 in UTC, in its extended form (`2026-01-31T09:30:00Z`) or its basic one. */
export function isUtcTimestamp(value: unknown): boolean {
  if (typeof value !== 'string' || !ZONE.test(value)) return false
  const local = value.replace(ZONE, '')
  if (!EXTENDED.test(local) && !BASIC.test(local)) return false
  const [, date = '', time = ''] = /^(\d{8})T(\d{4,6})/.exec(local.replace(/[-:]/g, '')) ?? []
  const extended = `${date.replace(/^(....)(..)(..)$/, '$1-$2-$3')}T${time.match(/../g)?.join(':')}Z`
  return !Number.isNaN(Date.parse(extended))
}
