/**
 * What the suite needs of Node: a port on which webhooks arrive.
 *
 * @module
 */
export { type ListeningReceiver, receiveWebhooks } from './receive-webhooks.ts'
