import { env } from 'cloudflare:workers'
import { createRuns as open, type Runs, type RunsOptions } from '@modelrun/durable'
import { underFaults } from '../under-faults.ts'

export type { Runs } from '@modelrun/durable'

export function createRuns(options: RunsOptions): Runs {
  const runs = open(options)
  const { CONTROL_URL: controlUrl }: { CONTROL_URL?: string } = env
  const die = () => Promise.reject(new Error('The report of this step is lost.'))
  return { ...runs, ...underFaults({ controlUrl: controlUrl ?? '', open: async () => runs, die }) }
}
