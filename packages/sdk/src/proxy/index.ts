/**
 * A proxy on your own server, so that pages can run models without a key.
 *
 * @module
 */
export type { NodeListener } from '../shared/serving/node-listener.ts'
export type { BudgetStore } from './budget/budget-store.ts'
export { createProxy, type ModelRunProxy } from './create-proxy.ts'
export type { AuthorizeContext, ProxyBudget, ProxyOptions } from './proxy-options.ts'
