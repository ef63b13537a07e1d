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
export { createMemoryBudgetStore, type MemoryBudgetStoreOptions } from './budget/budget-store.ts'
export type { Balance } from './budget/spending.ts'
export { createProxy, type ModelRunProxy } from './create-proxy.ts'
export type {
  Authorize,
  AuthorizeContext,
  ProxyBudget,
  ProxyCall,
  ProxyClient,
  ProxyErrorContext,
  ProxyIdentity,
  ProxyOptions,
} from './proxy-options.ts'
