import type { HintScene } from './hint-scene.ts'

/** Which model was probably meant. */
export function modelHints({ service, status, trace: { route, modelId } }: HintScene): string[] {
  if (status !== 404 || modelId === undefined || (route !== 'getModel' && route !== 'runModel')) return []
  const meant = service.modelNames.ofAnyProvider(modelId) ?? service.modelNames.closest(modelId)
  return [meant === undefined ? 'GET /v1/models lists the models.' : `Did you mean the model ${meant}?`]
}
