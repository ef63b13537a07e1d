import {
  CannotStartError,
  type ConformanceOptions,
  type ConformanceReport,
  formatReport,
  REQUIREMENTS,
  runConformance,
  type ServiceProfile,
} from '@modelrun/conformance'
import { receiveWebhooks } from '@modelrun/conformance/node'
import { createReferenceServer } from '@modelrun/reference-server'

export async function check(baseUrl: string, apiKey: string): Promise<string> {
  const receiver = await receiveWebhooks({ publicUrl: 'https://hooks.example.com' })
  const options: ConformanceOptions = { baseUrl, apiKey, allowRuns: true, maxCredits: 40, receiver, only: ['webhooks'] }
  try {
    const report: ConformanceReport = await runConformance(options)
    return report.summary.fail === 0 ? 'conformant' : formatReport(report)
  } catch (error) {
    return error instanceof CannotStartError ? error.message : 'unexpected'
  } finally {
    await receiver.close()
  }
}

export function likeObserved({ profile }: { profile: ServiceProfile }) {
  return createReferenceServer({ assumptions: profile })
}

export const open: string[] = REQUIREMENTS.filter(({ level }) => level === 'open').map(({ id }) => id)
