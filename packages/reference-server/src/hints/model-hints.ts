import { closestName } from '../domain/closest-name.ts'
import type { HintScene } from './hint-scene.ts'

/** Which model was probably meant. */
export function modelHints({ service, status, trace: { route, modelId } }: HintScene): string[] {
  if (status !== 404 || modelId === undefined || (route !== 'getModel' && route !== 'runModel')) return []
  const ids = [...service.models.keys()]
  const meant = ids.find((id) => lastPart(id) === lastPart(modelId)) ?? closestName(modelId, ids)
  return [meant === undefined ? 'GET /v1/models lists the models.' : `Did you mean the model ${meant}?`]
}

/** Of `lumen/aurora-video` the part after the provider, however the slash was encoded. */
function lastPart(id: string): string | undefined {
  return id
    .toLowerCase()
    .split(/\/|%2f/)
    .at(-1)
}
