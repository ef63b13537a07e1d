import { computed } from '@preact/signals'
import { models } from '../data/store.ts'
import type { Model } from '../data/wire.ts'
import { changeQuery, linkTo, route } from '../route.ts'
import { count, formatCategory } from '../text/format.ts'
import { Empty, Loading } from '../ui/empty.tsx'
import { Search, Select } from '../ui/fields.tsx'
import { Icon } from '../ui/icon.tsx'

const categories = computed(() => ['all', ...new Set((models.value ?? []).map((model) => model.category))])

const shown = computed(() => {
  const { q = '', category = 'all' } = route.value.query
  const text = q.trim().toLowerCase()
  return (models.value ?? []).filter(
    (model) =>
      (category === 'all' || model.category === category) &&
      `${model.id} ${model.name} ${model.description}`.toLowerCase().includes(text),
  )
})

export function ModelList() {
  if (models.value === undefined) return <Loading what="the models" />
  const { q = '', category = 'all' } = route.value.query
  return (
    <section aria-label="Models">
      <div class="toolbar">
        <h1>Models</h1>
        <Search label="Search models" value={q} set={(text) => changeQuery({ q: text })} />
        <Select
          label="Category"
          options={categories.value}
          value={category}
          set={(name) => changeQuery({ category: name === 'all' ? undefined : name })}
          show={formatCategory}
        />
        <span class="muted count" role="status">
          {count(shown.value.length, 'model')}
        </span>
      </div>
      {shown.value.length === 0 && (
        <Empty icon="search" title="No model fits">
          Try another word, or all categories.
        </Empty>
      )}
      <ul class="cards">
        {shown.value.map((model) => (
          <ModelCard key={model.id} model={model} />
        ))}
      </ul>
    </section>
  )
}

function ModelCard({ model: { id, name, description, category: kind, provider, pricing } }: { model: Model }) {
  return (
    <li class={`card model ${kind}`}>
      <div class="cardhead">
        <span class="kind">{formatCategory(kind)}</span>
        <span class="muted small">{provider}</span>
      </div>
      <h2>
        <a href={linkTo('models', id)}>{name}</a>
      </h2>
      <p>{description}</p>
      <footer>
        <span class="mono">{id}</span>
        <span class="price">
          <Icon name="coin" />
          {count(pricing.credits_per_run, 'credit')}
        </span>
      </footer>
    </li>
  )
}
