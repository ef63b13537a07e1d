import type { ErrorBody, KnownJobStatus, Model, Output, Permission } from '@modelrun/contract'
import type { ServerClock } from '../clock/clock.ts'
import type { FaultRecord } from '../domain/account-faults.ts'
import type { DeliveryRecord } from '../domain/delivery.ts'
import type { FaultOptions } from '../domain/fault-options.ts'
import type { ScriptedOutcome, ScriptedWebhook } from '../domain/scripted-outcome.ts'
import type { Exchange } from '../history/exchanges.ts'
import type { JournalEntry } from '../history/journal-entry.ts'
import type { Report } from '../service/report.ts'
import type { Wire } from './wire-names.ts'

type JobRow = {
  job_id: string
  model_id: string
  key: string
  status: KnownJobStatus
  credits: number
  charged: number
  created_at_ms: number
  processing_at_ms: number
  ended_at_ms?: number | undefined
  ends_at_ms?: number | undefined
  code?: string | undefined
  message?: string | undefined
  text?: string | undefined
  webhook_url?: string | undefined
}

type ApiKey = {
  key: string
  live: boolean
  permissions: readonly Permission[]
  allow_ips?: readonly string[] | undefined
  revoked: boolean
  credits: { left: number; available: number }
}

type Clock = {
  mode: ServerClock['mode']
  now_ms: number
  scale?: number | undefined
}

type Input = Readonly<Record<string, unknown>>
type AddedFault = Wire<FaultRecord>
type Entry = Wire<JournalEntry & { place: number }>

/** What the control API responds with, by the names in `control-openapi.json`, which says what each member is. */
export type ControlResponses = {
  AddedFault: AddedFault
  ApiKey: ApiKey
  Activity: {
    now_ms: number
    epoch: string
    place: number
    jobs: readonly JobRow[]
    entries: readonly Entry[]
    clock: Clock
    keys: readonly (ApiKey & { faults: readonly AddedFault[]; webhook?: ScriptedWebhook | undefined })[]
  }
  Clock: Clock
  Delivery: Wire<DeliveryRecord>
  ErrorBody: ErrorBody
  Exchanges: {
    now_ms: number
    job: JobRow
    input: Input
    output?: Output | undefined
    exchanges: readonly Wire<Exchange>[]
  }
  Fault: FaultOptions
  Job: {
    job_id: string
    request_id: string
    model_id: string
    input: Input
    status: KnownJobStatus
    output?: Output | undefined
  }
  JobRow: JobRow
  JournalEntry: Entry
  Model: Model
  Outcome: ScriptedOutcome
  Output: Output
  Report: Wire<Report>
  Webhook: ScriptedWebhook
}
