import type { CliContext } from '../cli-context.ts'
import { EXIT, type ExitCode } from '../exit-codes.ts'
import { Ledger } from '../ledger/ledger.ts'
import { createService } from '../service/create-client.ts'
import type { ServiceOptions } from '../service/service-options.ts'
import { cleanText } from '../terminal/clean-text.ts'

/** Cancels a job (section 4.5). */
export async function cancelJob(id: string, options: ServiceOptions, context: CliContext): Promise<ExitCode> {
  const { client } = await createService(options, context)
  const { status } = await client.jobs.cancel(id)
  const { terminal } = context
  terminal.event('job', { job_id: id, status })
  terminal.print(cleanText(status))
  if (status !== 'cancelled') return EXIT.failed
  const ledger = new Ledger(context.env)
  const known = ledger.findJob(id)
  if (known !== undefined) ledger.append({ type: 'end', run: known.run, status: 'cancelled' })
  return EXIT.done
}
