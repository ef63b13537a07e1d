/** A price for people, such as `4 credits`. */
export function priceText(credits: number): string {
  return countText(credits, 'credit')
}

/** A number of things, such as `2 rows`. */
export function countText(count: number, thing: string): string {
  return `${count} ${thing}${count === 1 ? '' : 's'}`
}
