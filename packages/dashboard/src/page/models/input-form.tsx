import type { Model, Property } from '../data/wire.ts'
import { parsed } from '../text/code.ts'

/** The values of a form, by parameter. What is missing is left out of the run. */
export type Values = Readonly<Record<string, unknown>>

/** A form made from the `input_schema` of a model. */
export function InputForm({ model, values, set }: { model: Model; values: Values; set: (values: Values) => void }) {
  const { properties = {}, required = [] } = model.input_schema ?? {}
  const setOne = (name: string, value: unknown) => {
    const { [name]: _, ...others } = values
    set(value === undefined ? others : { ...others, [name]: value })
  }
  return (
    <div class="form">
      {Object.entries(properties).map(([name, property]) => (
        <Field
          key={name}
          id={`input-${name}`}
          name={name}
          property={property}
          isRequired={required.includes(name)}
          value={Object.hasOwn(values, name) ? values[name] : undefined}
          set={(value) => setOne(name, value)}
        />
      ))}
    </div>
  )
}

interface FieldProps {
  id: string
  name: string
  property: Property
  value: unknown
  isRequired: boolean
  set: (value: unknown) => void
}

function Field(props: FieldProps) {
  const { id, name, property, isRequired } = props
  return (
    <div class={typesOf(property).includes('boolean') ? 'field check' : 'field'}>
      <label for={id}>
        <span class="mono">{name}</span>
        {isRequired && <span class="required">required</span>}
      </label>
      <Control {...props} />
      {property.description && (
        <p class="muted small" id={`${id}-text`}>
          {property.description}
        </p>
      )}
    </div>
  )
}

function Control({ id, property, value, isRequired, set }: FieldProps) {
  const { enum: options, minimum, maximum } = property
  const types = typesOf(property)
  const isNumber = types.includes('integer') || types.includes('number')
  const common = { id, 'aria-describedby': `${id}-text`, required: isRequired && !types.includes('boolean') }
  if (types.includes('boolean')) {
    return (
      <input
        {...common}
        type="checkbox"
        checked={value === true}
        onChange={({ currentTarget }) => set(currentTarget.checked)}
      />
    )
  }
  const shown = typeof value === 'string' ? value : JSON.stringify(value)
  const onInput = ({ currentTarget: { value: typed } }: { currentTarget: { value: string } }) =>
    set(options === undefined ? typedValue(typed, types) : options.find((option) => String(option) === typed))
  if (options !== undefined) {
    return (
      <select {...common} value={shown} onInput={onInput}>
        {property.default === undefined && <option value="">not set</option>}
        {options.map((option) => (
          <option key={String(option)} value={String(option)}>
            {String(option)}
          </option>
        ))}
      </select>
    )
  }
  // Not `value`: what is typed stays as it is typed.
  const text = { ...common, defaultValue: shown, onInput }
  if (isNumber) {
    const step = types.includes('number') ? 'any' : 1
    return <input {...text} type="number" min={minimum} max={maximum} step={step} />
  }
  return id.endsWith('url') ? <input {...text} type="url" /> : <textarea {...text} rows={3} />
}

function typesOf({ type = [] }: Property): readonly string[] {
  return [type].flat()
}

/** What a field stands for. Lists and objects are typed as JSON; what is not JSON is for the server to reject. */
function typedValue(typed: string, types: readonly string[]): unknown {
  if (typed === '') return undefined
  if (types.includes('integer') || types.includes('number')) return Number(typed)
  const isJson = types.includes('array') || types.includes('object')
  return isJson ? (parsed(typed) ?? typed) : typed
}

const SAMPLES: Readonly<Record<string, string>> = {
  prompt: 'a lighthouse at dawn',
  text: 'The tide is coming in.',
  image_url: 'https://example.com/harbour.png',
}

/** Values to start with: defaults, and something to try for what is required. */
export function startValues({ input_schema }: Model): Values {
  const { properties = {}, required = [] } = input_schema ?? {}
  const entries = Object.entries(properties).map(([name, property]) => {
    const sample = required.includes(name) ? (SAMPLES[name] ?? sampleOf(property)) : undefined
    return [name, property.default ?? sample] as const
  })
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined))
}

const SAMPLES_BY_TYPE = new Map<string, unknown>([
  ['string', 'a red fox'],
  ['boolean', false],
  ['array', []],
  ['object', {}],
])

function sampleOf(property: Property): unknown {
  const [type = 'string'] = typesOf(property)
  return property.enum?.[0] ?? SAMPLES_BY_TYPE.get(type) ?? property.minimum ?? 1
}
