import { Service } from '../service/service.ts'
import { restoreSnapshot } from './restore-snapshot.ts'
import { takeSnapshot } from './take-snapshot.ts'

/** A service with the same options and the same state. */
export function forkService(service: Service): Service {
  const fork = new Service({ ...service.options, baseUrl: service.baseUrl })
  const restored = restoreSnapshot(fork, takeSnapshot(service))
  if (!restored.ok) throw new Error(`The reference server has a defect: its own snapshot is wrong. ${restored.message}`)
  return fork
}
