/** A price for people, such as `4 credits`. */
export function priceText(credits: number): string {
  return `${credits} ${credits === 1 ? 'credit' : 'credits'}`
}
