import { models } from '../data/store.ts'
import type { Model } from '../data/wire.ts'
import { changeQuery, linkTo, route } from '../route.ts'
import { count } from '../text/format.ts'
import { Search } from '../ui/fields.tsx'
import { Icon } from '../ui/icon.tsx'
import { Empty } from '../ui/parts.tsx'

/** `text to image`. */
export function categoryText(category: string): string {
  return category.replaceAll('-', ' ')
}

export function ModelList() {
  const { q = '' } = route.value.query
  const text = q.trim().toLowerCase()
  const shown = models.value.filter(({ id, name, category, description }) =>
    [id, name, category, categoryText(category), description].join(' ').toLowerCase().includes(text),
  )
  return (
    <section aria-label="Models">
      <div class="toolbar">
        <h1>Models</h1>
        <Search label="Search models" value={q} set={(words) => changeQuery({ q: words })} />
        <span class="muted count" role="status">
          {count(shown.length, 'model')}
        </span>
      </div>
      {shown.length === 0 && (
        <Empty icon="search" title="No model fits">
          Try another word.
        </Empty>
      )}
      <ul class="cards">
        {shown.map((model) => (
          <ModelCard key={model.id} model={model} />
        ))}
      </ul>
    </section>
  )
}

function ModelCard({ model: { id, name, description, category, provider, pricing } }: { model: Model }) {
  return (
    <li class={`card model ${category}`}>
      <div class="cardhead">
        <span class="kind">{categoryText(category)}</span>
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
