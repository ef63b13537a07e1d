/**
 * A proxy on your own server, so that pages can run models without a key.
 *
 * @module
 */
export type {
  FastifyLikeReply,
  FastifyLikeRequest,
  NodeListener,
  NodeRequest,
  NodeResponse,
} from '../serving/node-listener.ts'
export type { BudgetReservation, BudgetStore } from './budget/budget-store.ts'
export { createMemoryBudgetStore, type MemoryBudgetStoreOptions } from './budget/memory-budget-store.ts'
export type { Balance } from './budget/spending.ts'
export { createProxy, type ModelRunProxy } from './create-proxy.ts'
export type { ProxyCall, ProxyClient } from './proxy-client.ts'
export type {
  Authorize,
  AuthorizeContext,
  ProxyBudget,
  ProxyErrorContext,
  ProxyIdentity,
  ProxyOptions,
} from './proxy-options.ts'
