import { PLAN_NAMES, PLANS } from '../controls/plans.tsx'
import { post } from '../data/control.ts'
import { pending } from '../data/store.ts'
import type { JobRow } from '../data/wire.ts'
import { Button } from '../ui/button.tsx'
import { attempt, say } from '../ui/toast.tsx'

/** What can happen to a job: its end while it runs, and the delivery of its result. */
export function JobActions({ job: { job_id, ended_at_ms, webhook_url } }: { job: JobRow }) {
  const call = (action: string, body?: object) => post(`jobs/${encodeURIComponent(job_id)}/${action}`, body)
  const hasWebhook = webhook_url !== undefined
  if (ended_at_ms !== undefined) {
    if (!hasWebhook) return null
    return (
      <div class="buttons actions" role="group" aria-label="What happens to the result">
        <Button act={() => call('deliver')}>Send the result again</Button>
        <Button act={() => call('deliver', { delay_ms: 5_000 })}>Send it again in 5 s</Button>
        {pending.value.some((one) => one.job_id === job_id) && (
          <Button act={() => call('drop')}>Drop what waits</Button>
        )}
      </div>
    )
  }
  const plan = async (name: string) => {
    await call('webhook', PLANS[name])
    say(`Noted for this job: ${name}.`)
  }
  return (
    <div class="buttons actions" role="group" aria-label="What happens to the job">
      {['Complete', 'Fail', 'Hang', 'Cancel'].map((name) => (
        <Button key={name} act={() => call(name.toLowerCase())}>
          {name}
        </Button>
      ))}
      {hasWebhook && (
        <Pick label="Deliver its result …" options={PLAN_NAMES} set={(name) => attempt(() => plan(name))} />
      )}
    </div>
  )
}

interface PickProps {
  label: string
  /** What is shown, by value. */
  options: Readonly<Record<string, string>>
  value?: string | undefined
  set: (value: string) => void
}

/** A choice whose name is its first option. */
export function Pick({ label, options, value = '', set }: PickProps) {
  return (
    <select class="pick" aria-label={label} value={value} onChange={({ currentTarget }) => set(currentTarget.value)}>
      <option value="">{label}</option>
      {Object.entries(options).map(([one, text]) => (
        <option key={one} value={one}>
          {text}
        </option>
      ))}
    </select>
  )
}
