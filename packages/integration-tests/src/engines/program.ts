// What the programs of all recipes share.
import type { Order } from './order.ts'

/** How the workflow of an order ended, as far as its caller sees. */
export interface End {
  state: string
  hasOutput: boolean
}

/** The orders that this program is to fulfil at once. */
export const orders: Order[] = JSON.parse(process.argv[2] ?? '[]')

/** Prints how the workflows of all orders end. */
export async function report(fulfil: (order: Order) => Promise<unknown>): Promise<void> {
  const ends = await Promise.all(orders.map((order) => fulfil(order).then(toEnd, toFailure)))
  process.stdout.write(`ends ${JSON.stringify(ends)}\n`)
}

export function toEnd(run: unknown): End {
  const { state, status, output }: { state?: string; status?: string; output?: { items: unknown[] } } = Object(run)
  return { state: state ?? status ?? 'nothing', hasOutput: (output?.items.length ?? 0) > 0 }
}

export function toFailure(error: unknown): End {
  const { message = error }: { message?: unknown } = Object(error)
  return { state: `threw ${String(message)}`, hasOutput: false }
}
