/** The cheapest model of each category, and an image of the cheapest one that draws. */
import { ModelRun, type ModelRunOptions, type ModelSummary } from 'modelrun'

export async function describeCosts(options?: ModelRunOptions): Promise<string[]> {
  const client = new ModelRun(options)
  const cheapest = new Map<string, ModelSummary>()
  for await (const model of client.models.list()) {
    const known = cheapest.get(model.category)
    if (!known || model.pricing.credits_per_run < known.pricing.credits_per_run) cheapest.set(model.category, model)
  }
  const lines = [...cheapest.values()].map(
    ({ category, id, pricing }) => `${category}: ${id} for ${pricing.credits_per_run}`,
  )
  const drawing = cheapest.get('text-to-image')
  if (!drawing) return lines
  const { credits_used, output } = await client.run(drawing.id, { prompt: 'a red fox' })
  return [...lines, `paid ${credits_used} for ${output.items.length} ${output.type}`]
}

if (import.meta.main) console.log((await describeCosts()).join('\n'))
