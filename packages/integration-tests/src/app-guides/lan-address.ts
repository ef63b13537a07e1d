import { networkInterfaces } from 'node:os'

/** An address of this machine in its own network: to a client and a service it is another host, as between containers. */
export const lanAddress = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .find(({ family, internal }) => family === 'IPv4' && !internal)?.address

/** For the title of a test that needs it. */
export const lanNote = lanAddress === undefined ? ' (skipped: this machine has no address beyond loopback)' : ''
