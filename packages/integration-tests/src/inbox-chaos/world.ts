import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInbox, type Inbox, type InboxStore } from 'modelrun/webhooks'
import { bundleReceiver } from './bundle-receiver.ts'
import type { FateRates } from './fate.ts'
import { type JobService, startJobService } from './job-service.ts'
import { openStore } from './open-store.ts'
import { followJournal, type Progress } from './progress.ts'
import { PUBLIC_URL, SECRET, type StoreSettings, TIMES } from './receiver-settings.ts'
import { type Receivers, startReceivers } from './receivers.ts'

/** Processes that receive at the same time. */
const RECEIVERS = 4

export interface WorldOptions {
  store: StoreSettings
  seed: number
  rates: FateRates
  isFaulty?: boolean
  /** Deliveries that a receiver has not answered, when it gets no more: so many are lost with it. */
  maxUnanswered?: number
  /** Default: short. A process that has too much to do may lose such a lease. */
  leaseMs?: number
}

/** The service, an application that runs jobs, and receivers with one store. */
export interface World {
  seed: number
  service: JobService
  /** The application's: it notes the jobs that it has run. */
  sender: Inbox
  store: InboxStore
  receivers: Receivers
  progress: Progress
  close(): Promise<void>
}

export async function createWorld(options: WorldOptions): Promise<World> {
  const { store: settings, seed, rates, isFaulty = false, maxUnanswered = 2, leaseMs = TIMES.leaseMs } = options
  const folder = await mkdtemp(join(tmpdir(), 'modelrun-chaos-'))
  const [program, service, opened] = await Promise.all([bundleReceiver(folder), startJobService(), openStore(settings)])
  const { store } = opened
  await store.migrate()
  const journalPath = join(folder, 'journal')
  const progress = followJournal(journalPath)
  const receiver = { store: settings, isFaulty, serviceUrl: service.url, journalPath, seed, rates, leaseMs }
  const receivers = startReceivers({ program, settings: receiver, count: RECEIVERS, maxUnanswered })
  const sender = createInbox({ ...TIMES, store, secret: SECRET, publicUrl: PUBLIC_URL })
  return {
    seed,
    service,
    sender,
    store,
    receivers,
    progress,
    close: async () => {
      await receivers.stop()
      progress.close()
      await Promise.all([service.close(), opened.close()])
      await rm(folder, { recursive: true, force: true })
    },
  }
}
