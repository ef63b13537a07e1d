import { ConfigurationError, showValue } from '@modelrun/kit'
import { type Clock, wallNow } from '../../shared/clock.ts'
import { randomId } from '../../shared/signing/base64.ts'
import type { ProxyIdentity } from '../proxy-options.ts'
import type { ResolvedBudget } from '../resolve-proxy-options.ts'
import type { BudgetReservation } from './budget-store.ts'

export interface Reservation {
  id: string
  credits: number
  /** Number of the window in which the run started: it counts there, whenever it ends. */
  window: number
}

/** What a user has spent in the window of now. */
export interface Balance {
  /** Credits that are charged or reserved. */
  used: number
  /** Credits that the user may spend. */
  limit: number
}

export function createSpending({ credits, totalCredits, windowMs, store }: ResolvedBudget, clock: Clock) {
  const limitOf = (identity: ProxyIdentity) => identity.credits ?? credits
  // Users have a prefix, so that none can be named like the account of all of them.
  const accountOf = (user: string, window: number) => `${window}:user:${user}`
  const currentWindow = () => Math.floor(wallNow(clock) / windowMs)
  const totalOf = (window: number) => `${window}:total`
  const hasTotal = totalCredits !== Number.POSITIVE_INFINITY

  /** Nothing is counted where nothing is limited. */
  async function take(reservation: BudgetReservation & { limit: number; window: number }): Promise<boolean> {
    const { window, ...rest } = reservation
    if (rest.limit === Number.POSITIVE_INFINITY) return true
    const leftMs = Math.ceil((window + 1) * windowMs - wallNow(clock))
    const isTaken: unknown = await store.reserve({ ...rest, expiresInMs: Number.isFinite(leftMs) ? leftMs : undefined })
    if (typeof isTaken === 'boolean') return isTaken
    const message = `\`reserve\` of the budget store must return true or false, not ${showValue(isTaken)}. Nothing was sent.`
    throw new ConfigurationError({ message })
  }

  /** Counts what was charged instead of what was reserved. A second settlement of a reservation changes nothing. */
  async function settle(user: string, { id, window }: Reservation, charged: number): Promise<void> {
    await store.settle({ account: accountOf(user, window), id, charged })
    if (hasTotal) await store.settle({ account: totalOf(window), id, charged })
  }
  return {
    /** @returns Undefined when a budget is spent: then nothing is reserved */
    reserve: async (identity: ProxyIdentity, credits: number): Promise<Reservation | undefined> => {
      const reservation = { id: randomId(), credits, window: currentWindow() }
      const ofAll = { ...reservation, account: totalOf(reservation.window), limit: totalCredits }
      const ofUser = { ...reservation, account: accountOf(identity.user, reservation.window), limit: limitOf(identity) }
      try {
        const isTaken = (await take(ofAll)) && (await take(ofUser))
        if (!isTaken && hasTotal) await store.settle({ account: ofAll.account, id: ofAll.id, charged: 0 })
        return isTaken ? reservation : undefined
      } catch (error) {
        // The store may have added it before it failed.
        await settle(identity.user, reservation, 0)
        throw error
      }
    },
    settle,
    balance: async (identity: ProxyIdentity): Promise<Balance> => {
      const used = await store.balance(accountOf(identity.user, currentWindow()))
      return { used, limit: limitOf(identity) }
    },
  }
}
